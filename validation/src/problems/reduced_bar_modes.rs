//! P5: the modes of a bar that only a polynomial may deform.

use crate::lab::{Lab, body, control, frequency, scene};
use crate::problem::{Answer, Problem};
use anyhow::Result;
use std::f64::consts::PI;

pub const PROBLEM: Problem = Problem {
    title: "Modes of a polynomial bar",
    source: "[BW92]: Ritz' method with x gives sqrt 12/pi = 1.1027 of the true first frequency c/(2 L), with x^2 sqrt 60/(2 pi) = \
             1.2328 of the second c/L.",
    setup: "Free global bars of 1 m, E = 100 kPa, Poisson 0, undamped: order 1 pulled at both ends, order 2 pushed at both ends \
            the same way, for 10 ms.",
    why: "0.3 %: steps of 1/1920 s and a spectrum of 4 s.",
    fast: true,
    outside: None,
    solve,
};

fn solve() -> Result<Answer> {
    let c = 10.0;
    let swing = |order: u32, left: f64| -> Result<Lab> {
        let keys = format!(
            "order = {order}\nresolution = [8, 1, 1]\nmaterial = {{ density = 1000.0, young = 1e5, poisson = 0.0, damping = 0.0 }}"
        );
        let pull = |side: &str, f: f64| {
            control("force", &format!("{side} = 0.0001"), &format!("force = [{f:?}, 0.0, 0.0]\nuntil = 0.01"))
        };
        let text = scene(1920.0, [0.0; 3])
            + &body("a", "global", "box = [1.0, 0.1, 0.1]", [0.0; 3], &keys)
            + &pull("left", left)
            + &pull("right", 2.0);
        let mut lab = Lab::new(&text)?;
        lab.run(0.02)?;
        Ok(lab)
    };
    let end = |l: &Lab, side: f64| l.mean(0, |p| p.x * side > 0.4999).x;
    let first = swing(1, -2.0)?.watch(4.0, |l| end(l, 1.0) - end(l, -1.0))?;
    let second =
        swing(2, 2.0)?.watch(4.0, |l| 0.5 * (end(l, 1.0) + end(l, -1.0)) - l.measures(0).centre.x)?;
    let (one, two) = (0.5 * c, c);
    Ok(Answer::default()
        .share(
            "order 1: frequency over c/(2 L)",
            12f64.sqrt() / PI,
            frequency(&first, 0.8 * one, 1.4 * one) / one,
            0.003,
        )
        .share(
            "order 2: frequency over c/L",
            60f64.sqrt() / (2.0 * PI),
            frequency(&second, 0.9 * two, 1.5 * two) / two,
            0.003,
        ))
}
