//! A rigid bar swings about an edge of its own.

use crate::chart::Chart;
use crate::lab::{G, Lab, body, control, elliptic_k, period, scene};
use crate::problem::{Answer, Problem};
use anyhow::Result;
use pliant::math::{Quat, Vec3};
use std::f64::consts::{FRAC_PI_2, TAU};

pub const PROBLEM: Problem = Problem {
    title: "Compound pendulum at a large angle",
    source: "2 pi sqrt((k^2 + d^2)/(g d)) (2/pi) K(sin(a/2)).",
    setup: "A rigid bar of 1 x 0.05 x 0.05 m, held by two corners of its upper end, released 60 degrees from where it \
            hangs: period over 20 s, and what is left of the swing.",
    why: "0.5 % for the period and 2 % for the swing: symplectic Euler with exact holds, in steps of 1/480 s.",
    fast: true,
    outside: None,
    solve,
};

fn solve() -> Result<Answer> {
    let lean = (0.025f64 / 0.5).atan();
    let angle = 60f64.to_radians();
    let keys = format!("rotation = [0.0, 0.0, {:?}]", (angle - lean).to_degrees());
    let bar = body("a", "rigid", "box = [0.05, 1.0, 0.05]", [0.0; 3], &keys);
    // Where the edge lies as the bar is placed.
    let pivot = Quat::from_rotation_z(angle - lean) * Vec3::new(-0.025, 0.5, 0.0);
    let hinge = control("hold", &format!("ball = {{ centre = {:?}, radius = 0.03 }}", pivot.to_array()), "");
    let mut lab = Lab::new(&(scene(480.0, [0.0, -G, 0.0]) + &bar + &hinge))?;
    let history = lab.watch(20.0, |l| {
        let arm = l.measures(0).centre - pivot;
        arm.x.atan2(-arm.y)
    })?;
    let amplitude = history[0].1.abs();
    let d = 0.025f64.hypot(0.5);
    let k2 = (0.05f64.powi(2) + 1.0) / 12.0;
    let known = TAU * ((k2 + d * d) / (G * d)).sqrt() * elliptic_k((0.5 * amplitude).sin()) / FRAC_PI_2;
    let last = history.iter().filter(|p| p.0 > 17.5).map(|p| p.1.abs()).fold(0.0, f64::max);
    let chart = Chart::new("A bar swings", "time [s]", "angle [rad]");
    Ok(Answer::default()
        .share("period [s]", known, period(&history), 0.005)
        .share("largest angle after 17.5 s [rad]", amplitude, last, 0.02)
        .chart(chart.line("Pliant", history.into_iter().step_by(12).collect())))
}
