//! Harness of the process tests.
