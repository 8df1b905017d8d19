//! Which endpoint of an upstream is asked: in turn, each as often as its weight says.
//!
//! The turns are smooth (weights 5, 1, 1 give a a b a c a a, not five a first): each pick raises every candidate by its weight and lowers the one that is picked by the sum,
//! as nginx does. A rotation belongs to one worker; nothing is shared.

/// Where the turns stand.
#[derive(Clone, Debug)]
pub struct Rotation {
    /// By the endpoint's number. Their sum is 0 after each pick among all of them.
    credits: Vec<i64>,
}

/// What is known of an endpoint when one is picked.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Candidate {
    /// Its part of the exchanges.
    pub weight: u32,
    /// Only asked while no other one can be.
    pub is_backup: bool,
    /// It is not ejected.
    pub is_available: bool,
    /// This exchange has asked it in vain.
    pub was_tried: bool,
}

impl Rotation {
    /// For so many endpoints.
    pub fn new(endpoints: usize) -> Self {
        Self { credits: vec![0; endpoints] }
    }

    /// The number of the endpoint to ask; `None` where there is none at all.
    ///
    /// Backups are asked where no other endpoint is available and untried. Where every endpoint is ejected, ejections are ignored; and where all others were tried, since one
    /// that has just failed is less likely to answer than one that failed a while ago and may be back (as when all are restarted in turn). One that was tried is asked
    /// again where nothing else is left.
    pub fn pick(&mut self, of: impl Fn(usize) -> Candidate) -> Option<usize> {
        let count = self.credits.len();
        if count < 2 {
            return self.credits.first().map(|_| 0);
        }
        let has_available = (0..count).any(|number| of(number).is_available);
        let rank = |candidate: Candidate| {
            let is_out = has_available && !candidate.is_available;
            (candidate.was_tried, is_out, candidate.is_backup)
        };
        let best = (0..count).map(|number| rank(of(number))).min()?;
        let mut sum = 0;
        let mut picked: Option<(usize, i64)> = None;
        for (number, credit) in self.credits.iter_mut().enumerate() {
            let candidate = of(number);
            if rank(candidate) != best {
                continue;
            }
            sum += i64::from(candidate.weight);
            *credit += i64::from(candidate.weight);
            if picked.is_none_or(|(_, most)| *credit > most) {
                picked = Some((number, *credit));
            }
        }
        let (number, _) = picked?;
        if let Some(credit) = self.credits.get_mut(number) {
            *credit -= sum;
        }
        Some(number)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PRIMARY: Candidate = Candidate { weight: 1, is_backup: false, is_available: true, was_tried: false };
    const BACKUP: Candidate = Candidate { is_backup: true, ..PRIMARY };
    const OUT: Candidate = Candidate { is_available: false, ..PRIMARY };
    const TRIED: Candidate = Candidate { was_tried: true, ..PRIMARY };

    fn picks(candidates: &[Candidate], times: usize) -> Vec<usize> {
        let mut rotation = Rotation::new(candidates.len());
        (0..times).map(|_| rotation.pick(|number| candidates[number]).unwrap()).collect()
    }

    #[test]
    fn turns_are_smooth() {
        let weights = [5, 1, 1].map(|weight| Candidate { weight, ..PRIMARY });
        assert_eq!(picks(&weights, 14), [0, 0, 1, 0, 2, 0, 0, 0, 0, 1, 0, 2, 0, 0]);
        assert_eq!(picks(&[PRIMARY, PRIMARY, PRIMARY], 4), [0, 1, 2, 0]);
        assert_eq!(picks(&[PRIMARY], 2), [0, 0]);
        assert_eq!(Rotation::new(0).pick(|_| PRIMARY), None);
    }

    #[test]
    fn backup_is_asked_where_no_other_is_left() {
        assert_eq!(picks(&[PRIMARY, BACKUP, PRIMARY], 3), [0, 2, 0]);
        assert_eq!(picks(&[OUT, BACKUP, PRIMARY], 2), [2, 2]);
        assert_eq!(picks(&[OUT, BACKUP, OUT], 2), [1, 1]);
        assert_eq!(picks(&[TRIED, BACKUP], 2), [1, 1]);
        assert_eq!(picks(&[BACKUP, BACKUP], 2), [0, 1]);
    }

    #[test]
    fn ejections_are_ignored_where_all_are_ejected() {
        assert_eq!(picks(&[OUT, OUT], 3), [0, 1, 0]);
        assert_eq!(picks(&[OUT, Candidate { is_available: false, ..BACKUP }], 2), [0, 0]);
        assert_eq!(picks(&[Candidate { was_tried: true, ..OUT }, OUT], 2), [1, 1]);
    }

    #[test]
    fn ejected_endpoint_is_asked_before_one_that_was_tried() {
        assert_eq!(picks(&[TRIED, PRIMARY], 2), [1, 1]);
        assert_eq!(picks(&[TRIED, OUT], 2), [1, 1]);
        assert_eq!(picks(&[TRIED, OUT, BACKUP], 2), [2, 2]);
        assert_eq!(picks(&[TRIED, Candidate { was_tried: true, ..OUT }], 2), [0, 0]);
        assert_eq!(picks(&[TRIED, TRIED], 2), [0, 1]);
        assert_eq!(picks(&[TRIED, Candidate { was_tried: true, ..BACKUP }], 2), [0, 0]);
    }

    #[test]
    fn endpoint_that_comes_back_gets_its_part_and_no_more() {
        let mut rotation = Rotation::new(2);
        for _ in 0..100 {
            rotation.pick(|number| if number == 0 { OUT } else { PRIMARY });
        }
        let picked: Vec<_> = (0..4).map(|_| rotation.pick(|_| PRIMARY).unwrap()).collect();
        assert_eq!(picked, [0, 1, 0, 1]);
    }

    proptest! {
        #[test]
        fn each_is_asked_as_often_as_its_weight_says(weights in prop::collection::vec(1..=9_u32, 1..6), rounds in 1..4_usize) {
            let candidates: Vec<_> = weights.iter().map(|&weight| Candidate { weight, ..PRIMARY }).collect();
            let sum: u32 = weights.iter().sum();
            let picked = picks(&candidates, sum as usize * rounds);
            for (number, weight) in weights.iter().enumerate() {
                prop_assert_eq!(picked.iter().filter(|&&other| other == number).count(), *weight as usize * rounds);
            }
        }

        #[test]
        fn an_available_untried_endpoint_is_preferred(
            kinds in prop::collection::vec((1..=9_u32, any::<bool>(), any::<bool>(), any::<bool>()), 2..6),
        ) {
            let candidates: Vec<_> = kinds
                .iter()
                .map(|&(weight, is_backup, is_available, was_tried)| Candidate { weight, is_backup, is_available, was_tried })
                .collect();
            let found = candidates[Rotation::new(candidates.len()).pick(|number| candidates[number]).unwrap()];
            let is_good = |candidate: &Candidate| candidate.is_available && !candidate.was_tried;
            prop_assert!(is_good(&found) || !candidates.iter().any(is_good));
            prop_assert!(!found.was_tried || candidates.iter().all(|candidate| candidate.was_tried));
            prop_assert!(!found.is_backup || !candidates.iter().any(|candidate| is_good(candidate) && !candidate.is_backup));
        }
    }
}
