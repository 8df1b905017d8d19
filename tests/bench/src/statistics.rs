//! Medians, quartiles and spread of a handful of figures. Nothing is removed, nothing is pooled.

/// The middle figure; not a number of none.
pub fn median(figures: &[f64]) -> f64 {
    quantile(figures, 0.5)
}

/// Linear between the two nearest figures (Hyndman and Fan 1996, type 7): the smallest at 0, the largest at 1.
pub fn quantile(figures: &[f64], at: f64) -> f64 {
    let mut sorted = figures.to_vec();
    sorted.sort_by(f64::total_cmp);
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let place = at.clamp(0.0, 1.0) * last as f64;
    let below = place.floor() as usize;
    let above = place.ceil() as usize;
    sorted[below] + (sorted[above] - sorted[below]) * (place - below as f64)
}

/// Standard deviation of a sample over its mean.
pub fn variation(figures: &[f64]) -> f64 {
    let count = figures.len() as f64;
    let mean = figures.iter().sum::<f64>() / count;
    let squares = figures.iter().map(|figure| (figure - mean).powi(2)).sum::<f64>();
    if figures.len() < 2 { 0.0 } else { (squares / (count - 1.0)).sqrt() / mean }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn median_of_even_number_lies_between() {
        assert_eq!(median(&[4.0, 1.0, 3.0, 2.0]), 2.5);
        assert_eq!(median(&[7.0]), 7.0);
        assert!(median(&[]).is_nan());
    }

    #[test]
    fn quartiles_of_nine_are_the_third_and_the_seventh() {
        let nine: Vec<f64> = (1..=9).rev().map(f64::from).collect();
        assert_eq!((quantile(&nine, 0.25), quantile(&nine, 0.75)), (3.0, 7.0));
        assert_eq!((quantile(&nine, 0.0), quantile(&nine, 1.0)), (1.0, 9.0));
    }

    #[test]
    fn variation_of_equal_figures_is_nothing() {
        assert_eq!(variation(&[3.0, 3.0, 3.0]), 0.0);
        assert_eq!(variation(&[3.0]), 0.0);
        assert!((variation(&[1.0, 2.0, 3.0]) - 0.5).abs() < 1e-12);
    }
}
