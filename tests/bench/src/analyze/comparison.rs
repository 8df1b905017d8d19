//! One figure of one cell: ours against each peer, in pairs of the same repetition, and the gate against the best peer.

use super::Run;
use crate::{
    plan::{Cell, Comparison, Gate, Variant},
    statistics::{median, quantile},
};

/// What the quartile of the worse side may exceed a gate by.
const QUARTILE_ROOM: f64 = 0.05;

/// What a gate says.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Verdict {
    /// Other work ran on the machine.
    Contended,
    Failed,
    Passed,
    /// There is no gate.
    Reported,
    /// Fewer pairs than the gate asks for.
    TooFew,
    /// An answer was wrong or missing.
    Wrong,
}

/// A comparison with the best peer, and the pairs with all.
#[derive(Clone, Debug)]
pub struct Compared {
    pub cell: String,
    pub figure: String,
    pub gate: Gate,
    pub verdict: Verdict,
    pub ours: Vec<f64>,
    /// Best first.
    pub peers: Vec<Peer>,
}

/// One peer's figures and their ratios.
#[derive(Clone, Debug)]
pub struct Peer {
    pub name: String,
    pub figures: Vec<f64>,
    /// Ours over its, in order of repetition.
    pub ratios: Vec<f64>,
    /// Whether ours came first, for each.
    pub ours_first: Vec<bool>,
}

pub(super) fn compare(cell: &Cell, comparison: &Comparison, run: &Run) -> Compared {
    let (ours, others) = cell.variants.split_first().expect("a plan's cell has two variants");
    let (figures, places) = figures(cell, ours, comparison, run);
    let is_better_high = matches!(comparison.gate, Gate::RatioAtLeast(_));
    let mut peers: Vec<Peer> = others
        .iter()
        .map(|variant| {
            let (theirs, their_places) = self::figures(cell, variant, comparison, run);
            Peer {
                name: variant.name.clone(),
                ratios: figures.iter().zip(&theirs).map(|(ours, theirs)| ours / theirs).collect(),
                ours_first: places.iter().zip(&their_places).map(|(ours, theirs)| ours < theirs).collect(),
                figures: theirs,
            }
        })
        .collect();
    peers.sort_by(|one, other| median(&one.figures).total_cmp(&median(&other.figures)));
    if is_better_high {
        peers.reverse();
    }
    let mut compared = Compared {
        cell: cell.name.clone(),
        figure: comparison.figure.clone(),
        gate: comparison.gate,
        verdict: Verdict::Reported,
        ours: figures,
        peers,
    };
    compared.verdict = verdict(cell, &compared, run);
    compared
}

/// One variant's figures and its places in the order, by repetition.
fn figures(cell: &Cell, variant: &Variant, comparison: &Comparison, run: &Run) -> (Vec<f64>, Vec<usize>) {
    let samples = run.samples_of(&cell.name, &variant.name);
    samples.map(|sample| (sample.figures.get(&comparison.figure).copied().unwrap_or(f64::NAN), sample.entry.position)).unzip()
}

fn verdict(cell: &Cell, compared: &Compared, run: &Run) -> Verdict {
    let has_failed = run.samples.iter().any(|sample| sample.entry.cell == cell.name && sample.failure.is_some());
    // A figure that only ours has is held against a value alone.
    let peers = if matches!(compared.gate, Gate::ValueAtMost(_)) { &[][..] } else { &compared.peers };
    let all = compared.ours.iter().chain(peers.iter().flat_map(|peer| &peer.figures));
    if has_failed || all.into_iter().any(|figure| !figure.is_finite()) {
        return Verdict::Wrong;
    }
    if compared.gate == Gate::Reported {
        return Verdict::Reported;
    }
    if run.is_contended {
        return Verdict::Contended;
    }
    if compared.ours.len() < cell.pairs.unwrap_or(run.plan.bench.pairs) {
        return Verdict::TooFew;
    }
    if passes(compared.gate, compared) { Verdict::Passed } else { Verdict::Failed }
}

fn passes(gate: Gate, compared: &Compared) -> bool {
    let ours = median(&compared.ours);
    let Some(best) = compared.peers.first() else { return false };
    match gate {
        Gate::MoreAtMost(limit) => {
            let more: Vec<_> = compared.ours.iter().zip(&best.figures).map(|(ours, theirs)| ours - theirs).collect();
            median(&more) <= limit && quantile(&more, 0.75) <= limit + QUARTILE_ROOM
        }
        Gate::RatioAtLeast(limit) => median(&best.ratios) >= limit && quantile(&best.ratios, 0.25) >= limit - QUARTILE_ROOM,
        Gate::RatioAtMost(limit) => median(&best.ratios) <= limit && quantile(&best.ratios, 0.75) <= limit + QUARTILE_ROOM,
        Gate::Reported => true,
        Gate::ValueAtMost(limit) => ours <= limit,
        Gate::ValueOrRatioAtMost(limit, ratio) => ours <= limit.max(ratio * median(&best.figures)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(ratios: &[f64]) -> Compared {
        let peer = Peer { name: "peer".to_owned(), figures: vec![1.0; ratios.len()], ratios: ratios.to_vec(), ours_first: Vec::new() };
        Compared {
            cell: String::new(),
            figure: String::new(),
            gate: Gate::Reported,
            verdict: Verdict::Reported,
            ours: ratios.to_vec(),
            peers: vec![peer],
        }
    }

    #[test]
    fn ratio_gate_looks_at_median_and_upper_quartile() {
        let gate = Gate::RatioAtMost(0.88);
        assert!(passes(gate, &compared(&[0.80, 0.85, 0.88, 0.90, 2.0])));
        assert!(!passes(gate, &compared(&[0.80, 0.85, 0.89, 0.90, 0.91])));
        assert!(!passes(gate, &compared(&[0.80, 0.85, 0.88, 0.94, 0.95])));
    }

    #[test]
    fn throughput_gate_looks_at_median_and_lower_quartile() {
        let gate = Gate::RatioAtLeast(3.0);
        assert!(passes(gate, &compared(&[1.0, 2.96, 3.0, 3.5, 4.0])));
        assert!(!passes(gate, &compared(&[1.0, 2.90, 3.0, 3.5, 4.0])));
        assert!(!passes(gate, &compared(&[2.97, 2.98, 2.99, 3.5, 4.0])));
    }

    #[test]
    fn difference_gate_looks_at_pairs() {
        // The peer's figures are 1.
        assert!(passes(Gate::MoreAtMost(0.6), &compared(&[1.5, 1.59, 1.59, 1.63, 9.0])));
        assert!(!passes(Gate::MoreAtMost(0.6), &compared(&[1.5, 1.6, 1.61, 1.63, 1.64])));
        assert!(!passes(Gate::MoreAtMost(0.6), &compared(&[1.5, 1.5, 1.6, 1.7, 1.7])));
    }

    #[test]
    fn value_gate_takes_the_larger_of_value_and_ratio() {
        assert!(passes(Gate::ValueOrRatioAtMost(0.5, 1.2), &compared(&[1.2])));
        assert!(passes(Gate::ValueOrRatioAtMost(2.0, 1.2), &compared(&[1.9])));
        assert!(!passes(Gate::ValueOrRatioAtMost(0.5, 1.2), &compared(&[1.3])));
        assert!(!passes(Gate::ValueAtMost(1.0), &compared(&[1.1])));
    }
}
