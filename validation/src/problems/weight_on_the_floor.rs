//! Every kind, lying on the floor, weighs what it weighs.

use crate::lab::{G, Lab, body, obstacle, scene};
use crate::problem::{Answer, Problem};
use anyhow::Result;

pub const PROBLEM: Problem = Problem {
    title: "Weight of every kind on the floor",
    source: "m g.",
    setup: "A block of each kind is laid on a floor and left for 4 s: mean force of the floor over its weight, in the last half \
            second.",
    why: "1 %: soft bodies still swing a little.",
    fast: true,
    outside: None,
    solve,
};

fn solve() -> Result<Answer> {
    let mut answer = Answer::default();
    for (kind, more) in [
        ("rigid", ""),
        ("global", "material = { young = 1e5, damping = 0.5 }"),
        ("hybrid", "material = { young = 1e6, damping = 0.5 }"),
        ("lattice", "resolution = 4\nmaterial = { young = 1e5, damping = 0.5 }"),
        ("clay", "spacing = 0.06\nmaterial = { young = 5e4, damping = 0.8 }"),
    ] {
        let text = scene(60.0, [0.0, -G, 0.0])
            + &body("a", kind, "box = [0.2, 0.2, 0.2]", [0.0, 0.105, 0.0], more)
            + &obstacle("floor", "plane = {}", "");
        let mut lab = Lab::new(&text)?;
        lab.run(3.5)?;
        let forces = lab.watch(0.5, |l| l.world.contact_force(0).y)?;
        let mean = forces.iter().map(|p| p.1).sum::<f64>() / forces.len() as f64;
        answer =
            answer.share(format!("{kind}: force over weight"), 1.0, mean / (lab.measures(0).mass * G), 0.01);
    }
    Ok(answer)
}
