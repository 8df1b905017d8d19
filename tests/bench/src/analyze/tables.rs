//! The tables: three for machines, one for people.

use std::fmt::Write;

use super::{Compared, Run, Verdict, comparison::Peer};
use crate::{
    plan::Gate,
    statistics::{median, quantile, variation},
};

/// A row for each comparison and peer.
pub(super) fn comparisons(all: &[Compared]) -> String {
    let mut text = String::from(
        "cell,figure,peer,is_best,pairs,ours_median,peer_median,ratio_of_medians,paired_median,paired_lower_quartile,paired_upper_quartile,\
         paired_min,paired_max,paired_median_ours_first,paired_median_peer_first,gate,verdict\n",
    );
    for compared in all {
        for (index, peer) in compared.peers.iter().enumerate() {
            let (ours, theirs) = (median(&compared.ours), median(&peer.figures));
            let ratios = &peer.ratios;
            let quarters = [0.5, 0.25, 0.75, 0.0, 1.0].map(|at| format!("{:.4}", quantile(ratios, at))).join(",");
            let (is_best, verdict) = if index == 0 { ("yes", word(compared.verdict)) } else { ("no", "") };
            let row = format!(
                "{},{},{},{is_best},{},{ours:.4},{theirs:.4},{:.4},{quarters},{:.4},{:.4},{},{verdict}",
                compared.cell,
                compared.figure,
                peer.name,
                ratios.len(),
                ours / theirs,
                median(&by_order(peer, true)),
                median(&by_order(peer, false)),
                gate(compared.gate),
            );
            text.push_str(&row);
            text.push('\n');
        }
    }
    text
}

/// The pairs whose first sample was ours, or the peer's: they differ if the order matters.
fn by_order(peer: &Peer, ours_first: bool) -> Vec<f64> {
    peer.ratios.iter().zip(&peer.ours_first).filter(|(_, first)| **first == ours_first).map(|(ratio, _)| *ratio).collect()
}

/// A row for each pair, in order of repetition.
pub(super) fn paired_ratios(all: &[Compared]) -> String {
    let mut text = String::from("cell,figure,peer,repetition,ours_first,ours,theirs,ratio\n");
    for compared in all {
        for peer in &compared.peers {
            for (repetition, ratio) in peer.ratios.iter().enumerate() {
                let (first, ours, theirs) = (peer.ours_first[repetition], compared.ours[repetition], peer.figures[repetition]);
                let names = format!("{},{},{}", compared.cell, compared.figure, peer.name);
                line(&mut text, &format!("{names},{repetition},{first},{ours:.4},{theirs:.4},{ratio:.4}"));
            }
        }
    }
    text
}

/// A row for each figure of each variant.
pub(super) fn variants(run: &Run) -> String {
    let mut text = String::from("cell,variant,figure,samples,invalid,median,min,max,variation\n");
    for cell in run.cells() {
        for variant in &cell.variants {
            let invalid = run.invalid.get(&(cell.name.clone(), variant.name.clone())).copied().unwrap_or(0);
            let names = run.samples_of(&cell.name, &variant.name).next().map(|sample| sample.figures.keys().cloned().collect::<Vec<_>>());
            for name in names.unwrap_or_default() {
                let samples = run.samples_of(&cell.name, &variant.name);
                let figures: Vec<f64> = samples.filter_map(|sample| sample.figures.get(&name).copied()).collect();
                let [middle, least, most] = [0.5, 0.0, 1.0].map(|at| quantile(&figures, at));
                let names = format!("{},{},{name}", cell.name, variant.name);
                let counts = format!("{},{invalid}", figures.len());
                line(&mut text, &format!("{names},{counts},{middle:.4},{least:.4},{most:.4},{:.4}", variation(&figures)));
            }
        }
    }
    text
}

/// The table that is printed.
pub(super) fn text(run: &Run, all: &[Compared]) -> String {
    let mut text = String::new();
    let environment = &run.environment;
    let commit = environment["commit"].as_str().unwrap_or_default();
    let dirty = environment["dirty"]["patch_bytes"].as_u64().unwrap_or(0);
    line(&mut text, &format!("commit {commit} ({dirty} bytes differ), kernel {}", environment["kernel"].as_str().unwrap_or_default()));
    let invalid: usize = run.invalid.values().sum();
    line(&mut text, &format!("{} pairs, {} samples, {invalid} invalid ones kept apart", run.pairs, run.samples.len()));
    if run.is_contended {
        line(&mut text, "CONTENDED: other work ran on this machine; no gate is judged");
    }
    text.push('\n');
    let head = ["cell", "figure", "ours", "best peer", "theirs", "ratio", "lower", "upper", "gate", "verdict"].map(str::to_owned);
    let mut rows = vec![head];
    for compared in all {
        let Some(best) = compared.peers.first() else { continue };
        let ratios = [0.5, 0.25, 0.75].map(|at| format!("{:.3}", quantile(&best.ratios, at)));
        let [middle, lower, upper] = ratios;
        let (ours, theirs) = (short(median(&compared.ours)), short(median(&best.figures)));
        let names = [compared.cell.clone(), compared.figure.clone()];
        let [cell, figure] = names;
        let verdict = word(compared.verdict).to_owned();
        rows.push([cell, figure, ours, best.name.clone(), theirs, middle, lower, upper, gate(compared.gate), verdict]);
    }
    draw(&mut text, &rows);
    text
}

fn draw<const COLUMNS: usize>(text: &mut String, rows: &[[String; COLUMNS]]) {
    let mut widths = [0; COLUMNS];
    for row in rows {
        for (width, field) in widths.iter_mut().zip(row) {
            *width = (*width).max(field.len());
        }
    }
    for row in rows {
        let fields = row.iter().zip(widths).map(|(field, width)| format!("{field:width$}"));
        line(text, fields.collect::<Vec<_>>().join("  ").trim_end());
    }
}

fn gate(gate: Gate) -> String {
    match gate {
        Gate::MoreAtMost(limit) => format!("<= {limit} more"),
        Gate::RatioAtLeast(limit) => format!("ratio >= {limit}"),
        Gate::RatioAtMost(limit) => format!("ratio <= {limit}"),
        Gate::Reported => "-".to_owned(),
        Gate::ValueAtMost(limit) => format!("<= {limit}"),
        Gate::ValueOrRatioAtMost(limit, ratio) => format!("<= {limit} or {ratio} x"),
    }
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Contended => "not judged",
        Verdict::Failed => "FAILED",
        Verdict::Passed => "passed",
        Verdict::Reported => "reported",
        Verdict::TooFew => "too few pairs",
        Verdict::Wrong => "WRONG ANSWERS",
    }
}

fn short(figure: f64) -> String {
    if figure >= 1000.0 { format!("{figure:.0}") } else { format!("{figure:.2}") }
}

fn line(text: &mut String, line: &str) {
    writeln!(text, "{line}").expect("a string takes all");
}
