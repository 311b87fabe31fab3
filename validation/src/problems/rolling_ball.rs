//! V28: a ball rolls down a slope, and a thrown ball ends up rolling.

use crate::lab::{G, Lab, body, obstacle, scene};
use crate::problem::{Answer, Problem};
use anyhow::Result;
use pliant::math::Vec3;

pub const PROBLEM: Problem = Problem {
    title: "Rolling balls",
    source: "rolling without slip: (5/7) g sin down a slope; a ball thrown without spin ends at 5/7 of its speed.",
    setup: "A rigid ball on a slope of tan = 1/2, and one thrown along a floor at 3.5 m/s; friction 0.5.",
    why: "0.5 % and 0.1 %: steps of 1/120 s, and contact at one point of an exact ball.",
    fast: true,
    outside: None,
    solve,
};

fn solve() -> Result<Answer> {
    let at = Vec3::new(0.5, 1.0, 0.0).normalize() * 0.1;
    let ball = body("a", "rigid", "sphere = 0.1", at.to_array(), "material = { friction = 0.5 }");
    let hill = obstacle("hill", "plane = { normal = [0.5, 1.0, 0.0] }", "");
    let mut lab = Lab::new(&(scene(60.0, [0.0, -G, 0.0]) + &ball + &hill))?;
    let start = lab.measures(0).centre;
    lab.run(2.0)?;
    let way = (lab.measures(0).centre - start).dot(Vec3::new(1.0, -0.5, 0.0).normalize());
    let rolls = 2.0 * way / (2.0 * (2.0 + 1.0 / 120.0));
    let keys = "velocity = [3.5, 0.0, 0.0]\nmaterial = { friction = 0.5 }";
    let ball = body("a", "rigid", "sphere = 0.1", [0.0, 0.1, 0.0], keys);
    let mut lab = Lab::new(&(scene(60.0, [0.0, -G, 0.0]) + &ball + &obstacle("floor", "plane = {}", "")))?;
    lab.run(2.0)?;
    let m = lab.measures(0);
    Ok(Answer::default()
        .share("slope: acceleration [m/s^2]", 5.0 / 7.0 * G / 5f64.sqrt(), rolls, 0.005)
        .share("thrown: speed at the end [m/s]", 2.5, m.momentum.x / m.mass, 0.001))
}
