//! Numbers that a recording can be held against: what a figure's claims name.

use crate::recording::{Recording, RecordingError};
use pliant::scene::Measure;

/// A number read off a recording.
pub fn measure(recording: &Recording, what: Measure) -> Result<f64, RecordingError> {
    let objects = &recording.topology().objects;
    let worst = |of: &dyn Fn(&pliant::Frame) -> f64| {
        recording.frames().try_fold(0.0_f64, |most, frame| Ok(most.max(of(&frame?))))
    };
    match what {
        // Where every frame has its own, the most of any.
        Measure::Triangles => match objects.first() {
            Some(o) if o.remeshed => {
                worst(&|f| f.objects.first().map_or(0.0, |state| state.triangles(o).len() as f64))
            }
            first => Ok(first.map_or(0.0, |o| o.triangles.len() as f64)),
        },
        Measure::Freedoms => Ok(objects.first().map_or(0.0, |o| f64::from(o.freedoms))),
        Measure::Bodies => Ok(objects.iter().filter(|o| o.is_body()).count() as f64),
        Measure::MaxPenetration => worst(&|f| f.report.max_penetration),
        Measure::MaxVolumeError => worst(&|f| {
            let error =
                |(o, m): (&pliant::ObjectTopology, &pliant::Measures)| (m.volume / o.rest_volume - 1.0).abs();
            objects
                .iter()
                .zip(&f.measures)
                .filter(|(o, _)| o.rest_volume > 0.0)
                .map(error)
                .fold(0.0, f64::max)
        }),
        Measure::EnergyLost => {
            let (first, last) =
                (recording.frame(0)?, recording.frame(recording.frame_count().saturating_sub(1))?);
            let kinetic = first.measures.iter().map(|m| m.kinetic).sum::<f64>();
            let kept = last.measures.iter().map(|m| m.kinetic + m.elastic).sum::<f64>();
            Ok(if kinetic > 0.0 { 1.0 - kept / kinetic } else { 0.0 })
        }
    }
}

/// The number as people write it.
pub fn shown(what: Measure, value: f64) -> String {
    match what {
        Measure::Triangles => format!("{value} triangles"),
        Measure::Bodies => format!("{value} bodies"),
        Measure::Freedoms => format!("{value} variables"),
        Measure::MaxPenetration => format!("{value} m of penetration"),
        Measure::EnergyLost => format!("{:.2} % of the energy lost", 100.0 * value),
        Measure::MaxVolumeError => format!("{:.2} % of volume change at most", 100.0 * value),
    }
}
