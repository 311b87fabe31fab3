//! A ball falls through air until drag carries its weight.

use crate::chart::Chart;
use crate::lab::{G, Lab, body, scene};
use crate::problem::{Answer, Problem};
use anyhow::Result;
use std::f64::consts::PI;

pub const PROBLEM: Problem = Problem {
    title: "Terminal velocity",
    source: "sqrt(2 m g/(rho c A)), reached as v tanh(g t/v).",
    setup: "A rigid ball of 0.1 m and 100 kg/m^3 falls through air of 1.2 kg/m^3 with the drag coefficient 1.",
    why: "1 %: the drag's area is that of the mesh that shows the ball, 0.6 % less than the circle; implicit steps of \
          1/120 s.",
    fast: true,
    outside: None,
    solve,
};

fn solve() -> Result<Answer> {
    let text = scene(60.0, [0.0, -G, 0.0]) + "air_density = 1.2\n";
    let ball = body("a", "rigid", "sphere = 0.1", [0.0; 3], "material = { density = 100.0, drag = 1.0 }");
    let mut lab = Lab::new(&(text + &ball))?;
    let history = lab.watch(15.0, |l| -l.measures(0).momentum.y / l.measures(0).mass)?;
    let mass = lab.measures(0).mass;
    let known = (2.0 * mass * G / (1.2 * PI * 0.01)).sqrt();
    let curve = |t: f64| known * (G * t / known).tanh();
    let early = history[119];
    let dots = (0..=15).map(f64::from).map(|t| (t, curve(t))).collect();
    let chart = Chart::new("A ball falls through air", "time [s]", "speed [m/s]");
    Ok(Answer::default()
        .share("speed after 15 s [m/s]", curve(15.0), history.last().map_or(f64::NAN, |p| p.1), 0.01)
        .share("speed after 2 s [m/s]", curve(early.0), early.1, 0.01)
        .chart(chart.line("Pliant", history.into_iter().step_by(10).collect()).dots("v tanh(g t/v)", dots)))
}
