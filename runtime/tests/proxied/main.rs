//! Exchanges that an upstream answers, each against an upstream that does what the test says.

mod answers;
mod clients;
mod faults;
mod instead;
mod kept;
#[path = "../shared/settings.rs"]
mod settings;
mod spliced;
mod stage;
mod uploads;
