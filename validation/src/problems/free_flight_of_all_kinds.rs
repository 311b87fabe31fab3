//! Momentum and angular momentum of every kind in free flight.

use crate::lab::{Lab, body, scene};
use crate::problem::{Answer, Problem};
use anyhow::Result;

pub const PROBLEM: Problem = Problem {
    title: "Free flight of every kind",
    source: "what nothing acts on keeps its momentum and its angular momentum.",
    setup: "A block of each kind, soft and spinning at 900 degrees/s, flies for 2 s: changes of both momenta over their size.",
    why: "1e-11: round-off of some thousand steps.",
    fast: true,
    outside: None,
    solve,
};

fn solve() -> Result<Answer> {
    let mut answer = Answer::default();
    for (kind, more) in [
        ("rigid", ""),
        ("global", "material = { young = 2e4, damping = 0.1 }"),
        ("hybrid", "material = { young = 2e5, damping = 0.1 }"),
        ("lattice", "resolution = 4\nmaterial = { young = 2e4, damping = 0.1 }"),
        ("clay", "spacing = 0.07\nmaterial = { young = 1e5, damping = 0.1 }"),
    ] {
        let keys = format!("spin = [200.0, 800.0, -300.0]\nvelocity = [1.0, 2.0, -0.5]\n{more}");
        let mut lab = Lab::new(
            &(scene(60.0, [0.0; 3]) + &body("a", kind, "box = [0.2, 0.3, 0.25]", [0.4, 0.0, 0.1], &keys)),
        )?;
        let before = lab.measures(0);
        lab.run(2.0)?;
        let after = lab.measures(0);
        let linear = (after.momentum - before.momentum).length() / before.momentum.length();
        let angular =
            (after.angular_momentum - before.angular_momentum).length() / before.angular_momentum.length();
        answer = answer.size(format!("{kind}: momentum"), 0.0, linear, 1e-11);
        answer = answer.size(format!("{kind}: angular momentum"), 0.0, angular, 1e-11);
    }
    Ok(answer)
}
