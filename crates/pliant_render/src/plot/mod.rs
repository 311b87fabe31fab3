//! Curves over time of what a recording holds: energies, momenta, volumes, distances, contacts, control.
//!
//! Each plot is an SVG picture of its own; [`page`] lays them out together. Values that are not finite (the least
//! distance is infinite while nothing is near) and, on logarithmic axes, values that are not positive are left out
//! as gaps.

mod axis;
mod chart;
mod series;
mod svg;

use pliant_io::recording::{Recording, RecordingError};
use pliant_io::scene_file::{self, SceneFileError};
use std::fmt::Write;

/// One picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plot {
    /// What is shown, as a word for file names: `energy`, `momentum`.
    pub name: String,
    /// The picture: a whole SVG document.
    pub svg: String,
}

/// Why there are no plots.
#[derive(Debug, thiserror::Error)]
pub enum PlotError {
    /// A frame cannot be read.
    #[error(transparent)]
    Recording(#[from] RecordingError),
    /// The scene in the recording, which tells the gravity, cannot be understood.
    #[error("the scene in the recording: {0}")]
    Scene(#[from] Box<SceneFileError>),
}

/// All plots of a recording.
pub fn plots(recording: &Recording) -> Result<Vec<Plot>, PlotError> {
    let name = recording.path().display().to_string();
    let scene = scene_file::parse(recording.scene_text(), &name).map_err(Box::new)?;
    let mut series = series::Series::new(recording.topology(), &scene);
    for frame in recording.frames() {
        series.add(&frame?);
    }
    let charts = series.charts();
    Ok(charts.iter().map(|chart| Plot { name: chart.name.to_owned(), svg: chart.svg() }).collect())
}

/// Plots side by side in one SVG document.
pub fn page(plots: &[Plot]) -> String {
    const COLUMNS: usize = 2;
    let width = chart::WIDTH * COLUMNS.min(plots.len().max(1)) as f64;
    let height = chart::HEIGHT * plots.len().div_ceil(COLUMNS).max(1) as f64;
    let mut page = svg::open(width, height);
    for (i, plot) in plots.iter().enumerate() {
        let (x, y) = (chart::WIDTH * (i % COLUMNS) as f64, chart::HEIGHT * (i / COLUMNS) as f64);
        // Writing to a string cannot fail.
        _ = writeln!(page, "<g transform=\"translate({x} {y})\">\n{}</g>", plot.svg);
    }
    page + svg::CLOSE
}

#[cfg(test)]
mod tests;
