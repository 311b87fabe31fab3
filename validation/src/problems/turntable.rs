//! V29: a block on a turntable flies off once friction cannot turn it any more.

use crate::lab::{G, Lab, body, obstacle, scene};
use crate::problem::{Answer, Problem};
use anyhow::Result;

pub const PROBLEM: Problem = Problem {
    title: "Block on a turntable",
    source: "w^2 r = mu g.",
    setup: "A small rigid block 0.5 m from the axis of a table that is spun up slowly, friction 0.5: the speed at which it \
            begins to slide outwards (by 2 % of the radius) is sought.",
    why: "2 %: sliding by 1 cm takes a while, during which the table gains about 1 %.",
    fast: true,
    outside: None,
    solve,
};

fn solve() -> Result<Answer> {
    // Angular velocity grows as t/5 rad/s; the angle is keyed every 20 ms.
    let rate = 0.2;
    let keys: Vec<String> = (0..=1000)
        .map(|k| 0.02 * f64::from(k))
        .map(|t| format!("{{ t = {t:?}, rotation = [0.0, {:?}, 0.0] }}", (0.5 * rate * t * t).to_degrees()))
        .collect();
    let table = obstacle(
        "table",
        "box = [3.0, 0.1, 3.0]",
        &format!("position = [0.0, -0.05, 0.0]\nfriction = 0.5\nkeys = [{}]", keys.join(", ")),
    );
    let block =
        body("a", "rigid", "box = [0.04, 0.02, 0.04]", [0.5, 0.0101, 0.0], "material = { friction = 0.5 }");
    let mut lab = Lab::new(&(scene(120.0, [0.0, -G, 0.0]) + &block + &table))?;
    let radius = |l: &Lab| l.measures(0).centre.x.hypot(l.measures(0).centre.z);
    let history = lab.watch(19.0, radius)?;
    let slips = history.iter().find(|(_, r)| *r > 0.51).map_or(f64::NAN, |p| rate * p.0);
    Ok(Answer::default().share("angular velocity [rad/s]", (0.5 * G / 0.5f64).sqrt(), slips, 0.02))
}
