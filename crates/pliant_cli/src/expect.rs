//! The `[expect]` table of a scene, tested against a run.

use crate::Tally;
use pliant::scene::Expect;
use serde::Serialize;
use std::fmt;

/// One expectation and what was measured.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Expectation {
    /// Key in `[expect]`.
    pub key: String,
    /// What was measured; missing if there is no such body.
    pub measured: Option<f64>,
    /// Smallest value that passes.
    pub least: Option<f64>,
    /// Largest value that passes.
    pub most: f64,
    /// Whether it holds.
    pub pass: bool,
}

impl Expectation {
    fn new(key: impl Into<String>, measured: Option<f64>, least: Option<f64>, most: f64) -> Self {
        // Written so that a value that is not a number fails.
        let pass = measured.is_some_and(|v| v <= most && least.is_none_or(|least| v >= least));
        Self { key: key.into(), measured, least, most, pass }
    }
}

impl fmt::Display for Expectation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: ", if self.pass { "pass" } else { "FAIL" }, self.key)?;
        match self.measured {
            Some(v) => write!(f, "{v:.6e}")?,
            None => write!(f, "no such body")?,
        }
        match self.least {
            Some(least) => write!(f, " (expected {least:e} to {:e})", self.most),
            None => write!(f, " (expected at most {:e})", self.most),
        }
    }
}

/// Tests every expectation of a scene, in the order of the table's documentation.
pub fn test_expectations(expect: &Expect, tally: &Tally) -> Vec<Expectation> {
    let at_most = |key: &str, limit: Option<f64>, value: f64| {
        limit.map(|limit| Expectation::new(key, Some(value), None, limit))
    };
    let mut all: Vec<Expectation> = [
        at_most("max_penetration", expect.max_penetration, tally.max_penetration),
        at_most("max_volume_error", expect.max_volume_error, tally.max_volume_error),
        at_most("max_contact_work", expect.max_contact_work, tally.max_contact_work),
        at_most("max_control_error", expect.max_control_error, tally.max_control_error),
    ]
    .into_iter()
    .flatten()
    .collect();
    for (body, [least, most]) in &expect.rest_height {
        let height = tally.final_centre(body).map(|c| c.y);
        all.push(Expectation::new(format!("rest_height.{body}"), height, Some(*least), *most));
    }
    all.extend(at_most("max_final_speed", expect.max_final_speed, tally.max_final_speed()));
    all.extend(at_most("max_drift", expect.max_drift, tally.max_drift));
    all
}
