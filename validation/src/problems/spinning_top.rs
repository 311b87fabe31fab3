//! A heavy top in steady precession.

use crate::chart::Chart;
use crate::lab::{G, Lab, body, control, scene};
use crate::problem::{Answer, Problem};
use anyhow::{Context, Result};
use pliant::math::Vec3;
use std::f64::consts::TAU;

pub const PROBLEM: Problem = Problem {
    title: "Steady precession of a heavy top",
    source: "I3 w3 W - I1 W^2 cos = m g d, the smaller root: Goldstein, Classical Mechanics, section 5.7.",
    setup: "A rigid cone (16 sides) on its tip, leaning by 30 degrees, spun at 200 rad/s and started with the precession \
            it should have: time of one turn, and how much it nods.",
    why: "1 %: steps of 1/2400 s turn it by 5 degrees each. Nodding of 1 % of the angle tells that the start is steady.",
    fast: true,
    outside: None,
    solve,
};

const SIDES: usize = 16;

fn cone(keys: &str) -> String {
    let ring = (0..SIDES).map(|k| TAU * k as f64 / SIDES as f64);
    let ring: Vec<String> =
        ring.map(|a| format!("[{:?}, 0.06, {:?}]", 0.06 * a.cos(), 0.06 * a.sin())).collect();
    body("a", "rigid", &format!("hull = [[0.0, 0.0, 0.0], {}]", ring.join(", ")), [0.0; 3], keys)
}

/// Angular momentum over a spin of 1 rad/s about an axis, mass, and height of the centre of mass above the tip.
fn moments(axis: usize) -> Result<(f64, f64, f64)> {
    let mut spin = [0.0; 3];
    spin[axis] = 1f64.to_degrees();
    let lab = Lab::new(&(scene(60.0, [0.0; 3]) + &cone(&format!("spin = {spin:?}"))))?;
    let m = lab.measures(0);
    let own = m.angular_momentum - m.centre.cross(m.momentum);
    Ok((own[axis], m.mass, m.centre.y))
}

fn solve() -> Result<Answer> {
    let (along, mass, d) = moments(1)?;
    let across = moments(0)?.0 + mass * d * d;
    let (lean, spin) = (30f64.to_radians(), 200.0);
    // w3 = spin; roots of across cos W^2 - along w3 W + m g d = 0.
    let (a, b, c) = (across * lean.cos(), along * spin, mass * G * d);
    let slow = (b - (b * b - 4.0 * a * c).sqrt()) / (2.0 * a);
    let axis = Vec3::new(lean.sin(), lean.cos(), 0.0);
    let total = axis * (spin - slow * lean.cos()) + Vec3::Y * slow;
    let velocity = total.cross(axis * d);
    let spin_keys = (total * 1f64.to_degrees()).to_array();
    let keys = format!(
        "rotation = [0.0, 0.0, {:?}]\nspin = {spin_keys:?}\nvelocity = {:?}",
        -lean.to_degrees(),
        velocity.to_array()
    );
    let text =
        scene(2400.0, [0.0, -G, 0.0]) + &cone(&keys) + &control("hold", "nearest = [0.0, 0.0, 0.0]", "");
    let mut lab = Lab::new(&text)?;
    let direction = |l: &Lab| l.world.bodies()[0].rotation() * Vec3::Y;
    let mut angle = 0.0;
    let mut last = direction(&lab);
    let (mut turned, mut worst) = (vec![], 0.0f64);
    lab.watch(2.2 * TAU / slow, |l| {
        let now = direction(l);
        // Turned about y, counted on from frame to frame.
        angle += (last.z * now.x - last.x * now.z).atan2(last.x * now.x + last.z * now.z);
        worst = worst.max((now.y.acos() / lean - 1.0).abs());
        last = now;
        turned.push((l.world.time(), angle));
        angle
    })?;
    let one = turned.iter().find(|p| p.1.abs() >= TAU).context("never went round")?.0;
    let two = turned.iter().find(|p| p.1.abs() >= 2.0 * TAU).context("went round once only")?.0;
    let known: Vec<(f64, f64)> =
        (0..10).map(|k| 0.2 * f64::from(k) * TAU / slow).map(|t| (t, slow * t)).collect();
    let chart = Chart::new("Precession of a top", "time [s]", "angle [rad]");
    Ok(Answer::default()
        .share("first turn [s]", TAU / slow, one, 0.01)
        .share("second turn [s]", TAU / slow, two - one, 0.01)
        .size("nodding, share of the lean", 0.0, worst, 0.01)
        .chart(
            chart
                .line("Pliant", turned.into_iter().step_by(40).map(|(t, a)| (t, a.abs())).collect())
                .dots("W t", known),
        ))
}
