//! V29: a block on a turntable flies off once friction cannot turn it any more.

use crate::lab::{G, Lab, body, obstacle, scene};
use crate::problem::{Answer, Problem};
use anyhow::Result;

pub const PROBLEM: Problem = Problem {
    title: "Block on a turntable",
    source: "w^2 r = mu g.",
    setup: "A small rigid block 0.5 m from the axis of a table that is spun up in 6 s to 0.97 and to 1.03 of the limit, friction \
            0.5, and then turns evenly for 3 s: does the block slide outwards by more than 3 cm?",
    why: "3 % of the angular velocity. Steps of 1/2400 s, since a block that goes along with the table moves on straight lines \
          and so drifts outwards by w^2 r h/2 per second.",
    fast: true,
    outside: None,
    solve,
};

fn solve() -> Result<Answer> {
    let limit = (0.5 * G / 0.5f64).sqrt();
    Ok(Answer::default().holds("0.97 of the limit: slides", false, slides(0.97 * limit)?).holds(
        "1.03 of the limit: slides",
        true,
        slides(1.03 * limit)?,
    ))
}

fn slides(speed: f64) -> Result<bool> {
    let spun_up = 6.0;
    let angle =
        |t: f64| if t < spun_up { 0.5 * speed * t * t / spun_up } else { speed * (t - 0.5 * spun_up) };
    let keys: Vec<String> = (0..=900)
        .map(|k| 0.01 * f64::from(k))
        .map(|t| format!("{{ t = {t:?}, rotation = [0.0, {:?}, 0.0] }}", angle(t).to_degrees()))
        .collect();
    let table = obstacle(
        "table",
        "box = [3.0, 0.1, 3.0]",
        &format!("position = [0.0, -0.05, 0.0]\nfriction = 0.5\nkeys = [{}]", keys.join(", ")),
    );
    let block =
        body("a", "rigid", "box = [0.04, 0.02, 0.04]", [0.5, 0.0101, 0.0], "material = { friction = 0.5 }");
    let mut lab = Lab::new(&(scene(120.0, [0.0, -G, 0.0]) + "substeps = 20\n" + &block + &table))?;
    lab.run(9.0)?;
    Ok(lab.measures(0).centre.x.hypot(lab.measures(0).centre.z) > 0.53)
}
