//! V28: a block slides until friction has taken its energy.

use crate::chart::Chart;
use crate::lab::{G, Lab, body, obstacle, scene};
use crate::problem::{Answer, Problem};
use anyhow::Result;

pub const PROBLEM: Problem = Problem {
    title: "Sliding block comes to a stop",
    source: "v^2/(2 mu g).",
    setup: "A rigid block slides at 2 m/s over a floor with friction 0.4; it stops after 0.5097 m and v/(mu g) = 0.5097 s.",
    why: "1 %: a step of 1/480 s travels 0.4 % of the way, the gap to the floor must close first.",
    fast: true,
    outside: None,
    solve,
};

fn solve() -> Result<Answer> {
    let keys = "velocity = [2.0, 0.0, 0.0]\nmaterial = { friction = 0.4 }";
    let block = body("a", "rigid", "box = [0.4, 0.1, 0.4]", [0.0, 0.05, 0.0], keys);
    let mut lab = Lab::new(&(scene(480.0, [0.0, -G, 0.0]) + &block + &obstacle("floor", "plane = {}", "")))?;
    let start = lab.measures(0).centre.x;
    let speed = lab.watch(0.8, |l| l.measures(0).momentum.x / l.measures(0).mass)?;
    let stop = speed.iter().find(|(_, v)| *v < 1e-6).map_or(f64::NAN, |p| p.0);
    let way = lab.measures(0).centre.x - start;
    let known: Vec<(f64, f64)> =
        (0..=8).map(|k| 0.1 * f64::from(k)).map(|t| (t, (2.0 - 0.4 * G * t).max(0.0))).collect();
    let chart = Chart::new("Speed of a sliding block", "time [s]", "speed [m/s]").line("Pliant", speed);
    Ok(Answer::default()
        .share("way [m]", 4.0 / (2.0 * 0.4 * G), way, 0.01)
        .share("time [s]", 2.0 / (0.4 * G), stop, 0.01)
        .chart(chart.dots("v - mu g t", known)))
}
