//! The leaves of `when`: each asks one question of a request head. Generated code composes them with `&&`, `||` and `!`; the evaluator walks the plan.
//! Several values of one leaf: any; no value: present.

use crate::head::Head;

/// Any line of the field `name` (lower case) equals one of `values`; without values: the field is present.
pub fn header(head: &Head<'_>, name: &str, values: &[&str]) -> bool { todo!() }
/// The host is one of `patterns` (exact, or `*.example`).
pub fn host(head: &Head<'_>, patterns: &[&str]) -> bool { todo!() }
/// The path is taken by one of the (canonical) patterns; captures are not kept.
pub fn path(head: &Head<'_>, patterns: &[&str]) -> bool { todo!() }
