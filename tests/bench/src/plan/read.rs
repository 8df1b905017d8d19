//! The one file that names the `kdl` crate: its tree becomes the plan. Every word that is not known is refused.

use std::collections::BTreeMap;

use kdl::{KdlDocument, KdlNode, KdlValue};

use super::{Bench, Cell, Comparison, Gate, Load, Plan, Source, Variant};
use crate::{fault::Fault, payload, peer::Peer, request::Fields};

type Read<T> = Result<T, Fault>;

pub(super) fn read(text: &str) -> Read<Plan> {
    let document = KdlDocument::parse_v2(text).map_err(|error| {
        let first = error.diagnostics.first();
        let message = first.and_then(|first| first.message.clone()).unwrap_or_else(|| error.to_string());
        let line = first.map_or(0, |first| text[..first.span.offset().min(text.len())].lines().count());
        Fault::Plan(format!("line {line}: {message}"))
    })?;
    let mut bench = None;
    let (mut servers, mut logs, mut origins) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    let mut cells = Vec::new();
    for node in document.nodes() {
        match name(node) {
            "bench" => bench = Some(read_bench(node)?),
            "cell" => cells.push(read_cell(node)?),
            "server" => {
                servers.insert(argument(node)?.to_owned(), read_server(node)?);
                let log = node.get("log").and_then(KdlValue::as_string);
                logs.extend(log.map(|log| Ok((argument(node)?.to_owned(), log.into()))).transpose()?);
                let origin = node.get("origin").and_then(KdlValue::as_string);
                origins.extend(origin.map(|origin| Ok((argument(node)?.to_owned(), origin.to_owned()))).transpose()?);
            }
            other => return unknown(other),
        }
    }
    let bench = bench.ok_or_else(|| Fault::Plan("`bench` is missing".to_owned()))?;
    Ok(Plan { bench, servers, logs, origins, cells })
}

fn read_bench(node: &KdlNode) -> Read<Bench> {
    let mut numbers = BTreeMap::new();
    for child in children(node) {
        numbers.insert(name(child).to_owned(), number(child)?);
    }
    let mut take = |name: &str| numbers.remove(name).ok_or_else(|| Fault::Plan(format!("`bench` has no `{name}`")));
    let bench = Bench {
        pairs: take("pairs")? as usize,
        warm_up: take("warm-up")?,
        measured: take("measured")?,
        starved_below: take("starved-below")?,
        throttled_above: take("throttled-above")?,
        attempts: take("attempts")? as usize,
    };
    numbers.keys().next().map_or(Ok(bench), |other| unknown(other))
}

fn read_server(node: &KdlNode) -> Read<Source> {
    let child = children(node).first().ok_or_else(|| Fault::Plan("a server is a `site`, an `nginx` or a `haproxy`".to_owned()))?;
    match name(child) {
        "haproxy" => argument(child).map(|text| Source::Peer(Peer::Haproxy, text.to_owned())),
        "nginx" => argument(child).map(|text| Source::Peer(Peer::Nginx, text.to_owned())),
        "site" => argument(child).map(|text| Source::Site(text.to_owned())),
        other => unknown(other),
    }
}

fn read_cell(node: &KdlNode) -> Read<Cell> {
    let mut cell = Cell {
        name: argument(node)?.to_owned(),
        disabled: None,
        scenario: String::new(),
        bytes: 0,
        target: String::new(),
        connections: 64,
        protocol: String::new(),
        fields: Fields::Bare,
        load: Load::KeepAlive { depth: 1 },
        pairs: None,
        variants: Vec::new(),
        comparisons: Vec::new(),
    };
    for child in children(node) {
        match name(child) {
            "bytes" => cell.bytes = number(child)? as usize,
            "compare" => cell.comparisons.push(read_comparison(child)?),
            "connections" => cell.connections = number(child)? as usize,
            "disabled" => cell.disabled = Some(argument(child)?.to_owned()),
            "fields" => cell.fields = read_fields(child)?,
            "load" => cell.load = read_load(child)?,
            "pairs" => cell.pairs = Some(number(child)? as usize),
            "protocol" => argument(child)?.clone_into(&mut cell.protocol),
            "scenario" => argument(child)?.clone_into(&mut cell.scenario),
            "target" => argument(child)?.clone_into(&mut cell.target),
            "variant" => cell.variants.push(read_variant(child)?),
            other => return unknown(other),
        }
    }
    if cell.target.is_empty() {
        cell.target = format!("/{}", payload::name(cell.bytes));
    }
    Ok(cell)
}

fn read_fields(node: &KdlNode) -> Read<Fields> {
    match argument(node)? {
        "bare" => Ok(Fields::Bare),
        "browser" => Ok(Fields::Browser),
        other => unknown(other),
    }
}

fn read_load(node: &KdlNode) -> Read<Load> {
    let needed = |key: &str| property(node, key)?.ok_or_else(|| Fault::Plan(format!("this load needs `{key}`")));
    match argument(node)? {
        "connection-per-request" => Ok(Load::ConnectionPerRequest),
        "idle" => Ok(Load::Idle { seconds: needed("seconds")? }),
        "keep-alive" => Ok(Load::KeepAlive { depth: 1 }),
        "paced" => Ok(Load::Paced { rate: needed("rate")? }),
        "pipeline" => Ok(Load::KeepAlive { depth: needed("depth")? as usize }),
        "start" => Ok(Load::Start),
        other => unknown(other),
    }
}

fn read_variant(node: &KdlNode) -> Read<Variant> {
    let text = |key: &str| node.get(key).and_then(KdlValue::as_string).map(str::to_owned);
    let server = text("server").ok_or_else(|| Fault::Plan("a variant needs `server`".to_owned()))?;
    Ok(Variant { name: argument(node)?.to_owned(), server, listener: text("listener") })
}

fn read_comparison(node: &KdlNode) -> Read<Comparison> {
    let (at_most, or_ratio) = (property(node, "at-most")?, property(node, "or-ratio-at-most")?);
    let (ratio_at_most, ratio_at_least) = (property(node, "ratio-at-most")?, property(node, "ratio-at-least")?);
    let gate = match (at_most, or_ratio, ratio_at_most, ratio_at_least, property(node, "more-at-most")?) {
        (None, None, None, None, None) => Gate::Reported,
        (Some(value), None, None, None, None) => Gate::ValueAtMost(value),
        (Some(value), Some(ratio), None, None, None) => Gate::ValueOrRatioAtMost(value, ratio),
        (None, None, Some(ratio), None, None) => Gate::RatioAtMost(ratio),
        (None, None, None, Some(ratio), None) => Gate::RatioAtLeast(ratio),
        (None, None, None, None, Some(more)) => Gate::MoreAtMost(more),
        _ => return Err(Fault::Plan("a comparison has one gate".to_owned())),
    };
    Ok(Comparison { figure: argument(node)?.to_owned(), gate })
}

fn name(node: &KdlNode) -> &str {
    node.name().value()
}

fn children(node: &KdlNode) -> &[KdlNode] {
    node.children().map_or(&[], KdlDocument::nodes)
}

fn argument(node: &KdlNode) -> Read<&str> {
    let value = node.get(0).and_then(KdlValue::as_string);
    value.ok_or_else(|| Fault::Plan(format!("`{}` needs a text", name(node))))
}

fn number(node: &KdlNode) -> Read<f64> {
    let value = node.get(0).and_then(as_number);
    value.ok_or_else(|| Fault::Plan(format!("`{}` needs a number that is not negative", name(node))))
}

fn property(node: &KdlNode, key: &str) -> Read<Option<f64>> {
    let Some(value) = node.get(key) else { return Ok(None) };
    as_number(value).map(Some).ok_or_else(|| Fault::Plan(format!("`{key}` needs a number that is not negative")))
}

fn as_number(value: &KdlValue) -> Option<f64> {
    let number = value.as_float().or_else(|| value.as_integer().map(|integer| integer as f64))?;
    (number >= 0.0).then_some(number)
}

fn unknown<T>(word: &str) -> Read<T> {
    Err(Fault::Plan(format!("`{word}` is not known here")))
}
