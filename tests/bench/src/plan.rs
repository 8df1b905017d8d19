//! What is measured: the cells of `plan.kdl`, the servers they name, and the rules of a valid sample.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use crate::{fault::Fault, payload, peer::Peer, request::Fields};

mod read;

/// The whole plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    pub bench: Bench,
    pub servers: BTreeMap<String, Source>,
    /// What servers send requests on to, by server: the name of another one, which has the generator's core.
    pub origins: BTreeMap<String, String>,
    /// Access logs whose lines are counted, by server.
    pub logs: BTreeMap<String, PathBuf>,
    pub cells: Vec<Cell>,
}

/// What holds for all cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bench {
    pub pairs: usize,
    /// Seconds.
    pub warm_up: f64,
    /// Seconds.
    pub measured: f64,
    pub starved_below: f64,
    pub throttled_above: f64,
    pub attempts: usize,
}

/// Where a server comes from.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Source {
    /// A peer with `peers/NAME` and the ending of its configurations.
    Peer(Peer, String),
    /// A binary that kiln builds of `sites/NAME.kdl`.
    Site(String),
}

/// One scenario at one size, number of connections and protocol.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    pub name: String,
    /// Why it is not measured now.
    pub disabled: Option<String>,
    pub scenario: String,
    /// Of the answer's body.
    pub bytes: usize,
    pub target: String,
    pub connections: usize,
    pub protocol: String,
    pub fields: Fields,
    pub load: Load,
    /// How many it needs, if not the plan's number.
    pub pairs: Option<usize>,
    /// Ours first.
    pub variants: Vec<Variant>,
    pub comparisons: Vec<Comparison>,
}

/// How requests come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Load {
    /// One request on each connection, the server's end behind the answer.
    ConnectionPerRequest,
    /// Connections of one request each that then do nothing for so many seconds.
    Idle { seconds: f64 },
    /// The next request when the answer is there; so many requests in one piece.
    KeepAlive { depth: usize },
    /// So many requests a second, whatever the answers do.
    Paced { rate: f64 },
    /// From the start of the process to its first answer.
    Start,
}

/// A server as one of a cell's candidates.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Variant {
    pub name: String,
    pub server: String,
    /// Of a peer that has several.
    pub listener: Option<String>,
}

/// A figure that is compared, and what it must reach.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    pub figure: String,
    pub gate: Gate,
}

/// What passes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Gate {
    /// Ours less the best peer's.
    MoreAtMost(f64),
    /// Ours over the best peer's.
    RatioAtLeast(f64),
    RatioAtMost(f64),
    Reported,
    /// Ours itself.
    ValueAtMost(f64),
    /// Ours at most the larger of a value and a multiple of the peer's.
    ValueOrRatioAtMost(f64, f64),
}

impl Plan {
    /// Reads a plan and checks what its parts say of each other.
    pub fn read(path: &Path) -> Result<Self, Fault> {
        let text = fs::read_to_string(path).map_err(Fault::file(path))?;
        let plan = read::read(&text)?;
        plan.cells.iter().try_for_each(|cell| plan.check(cell))?;
        Ok(plan)
    }

    fn check(&self, cell: &Cell) -> Result<(), Fault> {
        let fault = |text: String| Err(Fault::Plan(format!("cell {:?}: {text}", cell.name)));
        if cell.variants.len() < 2 || cell.comparisons.is_empty() {
            return fault("at least two variants and a comparison are needed".to_owned());
        }
        if let Some(variant) = cell.variants.iter().find(|variant| !self.servers.contains_key(&variant.server)) {
            return fault(format!("no server is called {:?}", variant.server));
        }
        let origins = cell.variants.iter().filter_map(|variant| self.origins.get(&variant.server));
        if let Some(origin) = origins.into_iter().find(|origin| !matches!(self.servers.get(*origin), Some(Source::Site(_)))) {
            return fault(format!("no site is called {origin:?}"));
        }
        if cell.protocol != "h1" {
            return fault(format!("the protocol {:?} cannot be measured yet", cell.protocol));
        }
        if cell.bytes != payload::RESPOND.len() && !payload::SIZES.contains(&cell.bytes) {
            return fault(format!("no body has {} bytes", cell.bytes));
        }
        Ok(())
    }

    /// The cells to measure: those that are named, or all that are enabled.
    pub fn select(&self, names: &[String]) -> Result<Vec<&Cell>, Fault> {
        if names.is_empty() {
            return Ok(self.cells.iter().filter(|cell| cell.disabled.is_none()).collect());
        }
        names.iter().map(|name| self.named(name)).collect()
    }

    fn named(&self, name: &str) -> Result<&Cell, Fault> {
        let cell = self.cells.iter().find(|cell| cell.name == name);
        let cell = cell.ok_or_else(|| Fault::Plan(format!("no cell is called {name:?}")))?;
        match &cell.disabled {
            Some(reason) => Err(Fault::Plan(format!("cell {name:?} is disabled: {reason}"))),
            None => Ok(cell),
        }
    }
}

impl Cell {
    /// Whether each request asks for the connection's end.
    pub fn closes(&self) -> bool {
        self.load == Load::ConnectionPerRequest
    }

    /// Whether each sample has a process of its own.
    pub fn is_fresh(&self) -> bool {
        matches!(self.load, Load::Idle { .. } | Load::Start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn committed_plan_is_read() {
        let plan = Plan::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("plan.kdl")).unwrap();
        assert!(plan.select(&[]).unwrap().len() >= 10);
        let pipeline = plan.named("respond-12-pipeline").unwrap();
        assert_eq!(pipeline.load, Load::KeepAlive { depth: 16 });
        assert_eq!(pipeline.comparisons[0].gate, Gate::RatioAtLeast(3.0));
        assert_eq!(plan.named("respond-12-log").unwrap().comparisons[0].gate, Gate::MoreAtMost(0.6));
        assert!(plan.named("root-1040").is_ok());
        assert_eq!(plan.origins["haproxy splice"], "kiln");
    }
}
