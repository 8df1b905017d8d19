//! Round-robin of one worker over the endpoints of one upstream, by their weights.

use super::Endpoint;

/// Where it stands: what each endpoint is in front of its part.
#[derive(Debug)]
pub(super) struct Rotation {
    current: Vec<i64>,
}

impl Rotation {
    pub(super) fn new(endpoints: usize) -> Self {
        Self { current: vec![0; endpoints] }
    }

    /// The place of the endpoint whose turn it is.
    pub(super) fn pick(&mut self, endpoints: &[Endpoint], tried: &[u16], now: u32) -> Option<usize> {
        let was_tried = |place: usize| tried.iter().any(|&tried| usize::from(tried) == place);
        self.turn(endpoints, |place, endpoint| !endpoint.is_backup && !endpoint.is_ejected(now) && !was_tried(place))
            .or_else(|| self.turn(endpoints, |place, endpoint| endpoint.is_backup && !endpoint.is_ejected(now) && !was_tried(place)))
            .or_else(|| self.turn(endpoints, |place, _| !was_tried(place)))
            .or_else(|| self.turn(endpoints, |_, _| true))
    }

    /// Smooth weighted round-robin over those that may be picked.
    fn turn(&mut self, endpoints: &[Endpoint], may_be: impl Fn(usize, &Endpoint) -> bool) -> Option<usize> {
        let (mut total, mut best) = (0, None::<(usize, i64)>);
        for (place, (endpoint, current)) in endpoints.iter().zip(&mut self.current).enumerate() {
            if !may_be(place, endpoint) {
                continue;
            }
            let weight = i64::from(endpoint.weight);
            total += weight;
            *current += weight;
            if best.is_none_or(|(_, most)| *current > most) {
                best = Some((place, *current));
            }
        }
        let (place, _) = best?;
        if let Some(current) = self.current.get_mut(place) {
            *current -= total;
        }
        Some(place)
    }
}
