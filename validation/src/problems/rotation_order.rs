//! V23: how fast the error of a turning rigid body falls with the step.

use crate::chart::Chart;
use crate::lab::{Lab, body, scene};
use crate::problem::{Answer, Problem};
use anyhow::Result;

pub const PROBLEM: Problem = Problem {
    title: "Order of accuracy of free rotation",
    source: "the midpoint rule is of second order: half the step, a quarter of the error.",
    setup: "A rigid box spun about a skew axis for 2 s, in steps from 1/60 to 1/960 s: attitude against that in steps of \
            1/15360 s.",
    why: "0.05: the slope of the last halving is not quite the limit.",
    fast: true,
    outside: None,
    solve,
};

fn solve() -> Result<Answer> {
    let attitude = |rate: u32| -> Result<_> {
        let keys = "spin = [200.0, 90.0, -140.0]";
        let block = body("a", "rigid", "box = [0.3, 0.1, 0.2]", [0.0; 3], keys);
        let head = scene(60.0, [0.0; 3]) + &format!("substeps = {}\n", rate / 60);
        let mut lab = Lab::new(&(head + &block))?;
        lab.run(2.0)?;
        Ok(lab.world.bodies()[0].rotation())
    };
    let reference = attitude(15360)?;
    let mut errors = vec![];
    for rate in [60, 120, 240, 480, 960] {
        let off = (reference.inverse() * attitude(rate)?).to_axis_angle().1;
        errors.push((1.0 / f64::from(rate), off.min(std::f64::consts::TAU - off)));
    }
    let slope = |k: usize| (errors[k].1 / errors[k + 1].1).log2();
    let chart = Chart::new("Error of the attitude after 2 s", "step [s]", "error [rad]").logarithmic();
    let ideal = errors.iter().map(|(h, _)| (*h, errors[0].1 * (h / errors[0].0).powi(2))).collect();
    Ok(Answer::default()
        .size("order, from 1/240 to 1/480 s", 2.0, slope(2), 0.05)
        .size("order, from 1/480 to 1/960 s", 2.0, slope(3), 0.05)
        .chart(chart.line("second order", ideal).dots("Pliant", errors)))
}
