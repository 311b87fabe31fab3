//! What a problem is: a setup with a known answer, and how near to it we must come.

use crate::chart::Chart;
use anyhow::Result;

/// One problem with known numbers.
pub struct Problem {
    /// What happens, in a few words.
    pub title: &'static str,
    /// Where the known numbers come from.
    pub source: &'static str,
    /// What is built and measured.
    pub setup: &'static str,
    /// Why the tolerances are what they are.
    pub why: &'static str,
    /// Whether it is quick enough for every run of the tests.
    pub fast: bool,
    /// Why a number lies outside its tolerance, if one does. A problem with such a reason may not be fast.
    pub outside: Option<&'static str>,
    /// Runs the engine.
    pub solve: fn() -> Result<Answer>,
}

/// What came out.
#[derive(Default)]
pub struct Answer {
    /// One for each known number.
    pub lines: Vec<Line>,
    /// Pictures of convergence or of histories.
    pub charts: Vec<Chart>,
}

/// One number against what it should be.
pub struct Line {
    /// What it is, with its unit.
    pub name: String,
    /// What is known.
    pub known: f64,
    /// What we get.
    pub ours: f64,
    /// How far off it may be.
    pub tolerance: Tolerance,
}

/// How far off a number may be.
#[derive(Clone, Copy)]
pub enum Tolerance {
    /// As a share of what is known.
    Share(f64),
    /// In the number's own unit.
    Size(f64),
}

impl Answer {
    /// Adds a number that may be off by a share of what is known.
    pub fn share(mut self, name: impl Into<String>, known: f64, ours: f64, tolerance: f64) -> Self {
        self.lines.push(Line { name: name.into(), known, ours, tolerance: Tolerance::Share(tolerance) });
        self
    }

    /// Adds a number that may be off by so much.
    pub fn size(mut self, name: impl Into<String>, known: f64, ours: f64, tolerance: f64) -> Self {
        self.lines.push(Line { name: name.into(), known, ours, tolerance: Tolerance::Size(tolerance) });
        self
    }

    /// Adds something that must be so (1) or not (0).
    pub fn holds(self, name: impl Into<String>, known: bool, ours: bool) -> Self {
        self.size(name, f64::from(u8::from(known)), f64::from(u8::from(ours)), 0.0)
    }

    /// Adds a picture.
    pub fn chart(mut self, chart: Chart) -> Self {
        self.charts.push(chart);
        self
    }

    /// Whether every number is inside its tolerance.
    pub fn inside(&self) -> bool {
        self.lines.iter().all(Line::inside)
    }
}

impl Line {
    /// How far off it is, in the terms of its tolerance.
    pub fn error(&self) -> f64 {
        match self.tolerance {
            Tolerance::Share(_) => self.ours / self.known - 1.0,
            Tolerance::Size(_) => self.ours - self.known,
        }
    }

    /// Whether it is inside its tolerance. What is not a number is not.
    pub fn inside(&self) -> bool {
        let (Tolerance::Share(most) | Tolerance::Size(most)) = self.tolerance;
        self.error().abs() <= most
    }
}
