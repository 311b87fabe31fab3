//! P4: two lumps of clay push each other equally and oppositely.

use crate::lab::{Lab, body, scene};
use crate::problem::{Answer, Problem};
use anyhow::Result;
use pliant::math::Vec3;

pub const PROBLEM: Problem = Problem {
    title: "Two lumps of clay collide",
    source: "[DG94] section 4: both meet on one face and push each other equally and oppositely; Newton's third law.",
    setup: "Two balls of clay of 0.1 m fly at each other, a little off centre, and part again: forces while they touch, and both \
            momenta of the whole, over those of one of them.",
    why: "1e-5 for forces, which frames hold in 32 bits; 1e-10 for the momentum; 1e-4 for the angular momentum, since pushes are \
          given at the start of a step and bonds at its end.",
    fast: true,
    outside: None,
    solve,
};

fn solve() -> Result<Answer> {
    let lump = |name: &str, x: f64, v: f64| {
        let keys = format!("spacing = 0.05\nvelocity = [{v:?}, 0.0, 0.0]\nmaterial = {{ young = 5e4 }}");
        body(name, "clay", "sphere = 0.1", [x, 0.1 * x, 0.0], &keys)
    };
    let mut lab = Lab::new(&(scene(120.0, [0.0; 3]) + &lump("a", -0.2, 0.5) + &lump("b", 0.2, -0.5)))?;
    let total = |l: &Lab| {
        let (a, b) = (l.measures(0), l.measures(1));
        (a.momentum + b.momentum, a.angular_momentum + b.angular_momentum)
    };
    let (before, size) = (total(&lab), lab.measures(0).momentum.length());
    let mut unequal = 0.0f64;
    let mut touched = false;
    lab.watch(1.0, |l| {
        let (a, b) = (l.world.contact_force(0), l.world.contact_force(1));
        touched |= a.length() > 0.0;
        unequal = unequal.max((a + b).length() / a.length().max(1e-9));
        0.0
    })?;
    let after = total(&lab);
    let off = |a: Vec3, b: Vec3, unit: f64| (a - b).length() / unit;
    Ok(Answer::default()
        .holds("they touch", true, touched)
        .size("forces' sum over one of them", 0.0, unequal, 1e-5)
        .size("change of momentum", 0.0, off(before.0, after.0, size), 1e-10)
        .size("change of angular momentum", 0.0, off(before.1, after.1, 0.1 * size), 1e-4)
        .holds("they part again", true, lab.measures(0).momentum.x < 0.0 && lab.measures(1).momentum.x > 0.0))
}
