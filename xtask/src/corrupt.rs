//! Damage done on purpose: a copy of a recording in which one point of one frame has been moved through a face.

use anyhow::{Context, Result};
use pliant::ObjectTopology;
use pliant_io::recording::{Recorder, Recording};
use std::path::Path;

/// A body with no more points than a box may be turned inside out at one of them without meeting itself.
const FEW: usize = 8;

/// Writes the copy; tells the damaged frame, or nothing if no body of the recording has enough points of its own.
pub fn corrupt(from: &Path, to: &Path) -> Result<Option<u64>> {
    let recording = Recording::open(from)?;
    let topology = recording.topology();
    let bends = |o: &ObjectTopology| o.is_body() && (o.deforms || o.remeshed) && o.points.len() > FEW;
    let Some(victim) = topology.objects.iter().position(bends) else {
        return Ok(None);
    };
    let wrong = recording.frame_count() / 2;
    let mut recorder = Recorder::create(to, recording.header(), topology)?;
    for i in 0..recording.frame_count() {
        let mut frame = recording.frame(i)?;
        if i == wrong {
            let points = &mut frame.objects[victim].points;
            let middle = |k: usize| points.iter().map(|p| p[k]).sum::<f32>() / points.len() as f32;
            let middle = [middle(0), middle(1), middle(2)];
            let point = points.first_mut().context("a body without points")?;
            // Through the middle and out on the other side, twice as far.
            *point = [0, 1, 2].map(|k| 3.0 * middle[k] - 2.0 * point[k]);
        }
        recorder.frame(&frame)?;
    }
    recorder.finish()?;
    Ok(Some(wrong as u64))
}
