//! Momentum and energy: nothing may come from nowhere.

use pliant::Frame;
use pliant::math::Vec3;

/// Speeds below this count as rest when errors are made relative `[m/s]`: in a scene where nothing moves, rounding
/// is all there is, and it must not be divided by nothing.
const STILL: f64 = 1e-3;

/// Totals of one frame.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Totals {
    mass: f64,
    momentum: Vec3,
    /// Sum of the sizes of the bodies' momenta, which does not cancel.
    motion: f64,
    impulse: Vec3,
    energy: f64,
    work: f64,
}

impl Totals {
    pub fn of(frame: &Frame) -> Self {
        let sum = |f: &dyn Fn(&pliant::Measures) -> f64| frame.measures.iter().map(f).sum::<f64>();
        Self {
            mass: sum(&|m| m.mass),
            momentum: frame.measures.iter().map(|m| m.momentum).sum(),
            motion: sum(&|m| m.momentum.length()),
            impulse: frame.report.external_impulse,
            energy: sum(&|m| m.kinetic + m.elastic),
            work: frame.report.external_work,
        }
    }
}

/// Per frame: momentum that no impulse accounts for, and energy that no work accounts for, each relative to the
/// largest that occurs in the run.
pub(super) fn errors(totals: &[Totals]) -> Vec<(f64, f64)> {
    let Some(first) = totals.first() else { return vec![] };
    let impulse = |t: &Totals| t.impulse - first.impulse;
    let work = |t: &Totals| t.work - first.work;
    let still = (first.mass * STILL, 0.5 * first.mass * STILL * STILL);
    let most = |floor: f64, f: &dyn Fn(&Totals) -> f64| {
        totals.iter().map(f).filter(|v| v.is_finite()).fold(floor, f64::max).max(f64::MIN_POSITIVE)
    };
    let momentum_scale = most(still.0, &|t| t.motion.max(impulse(t).length()));
    let energy_scale = most(still.1, &|t| t.energy.max(work(t).abs()));
    let error = |t: &Totals| {
        let momentum = (t.momentum - first.momentum - impulse(t)).length() / momentum_scale;
        (momentum, (t.energy - first.energy - work(t)) / energy_scale)
    };
    totals.iter().map(error).collect()
}
