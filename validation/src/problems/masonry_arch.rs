//! V29: how thick a half circle of stones must be.

use crate::lab::{G, Lab, body, obstacle, scene};
use crate::problem::{Answer, Problem};
use anyhow::Result;
use std::f64::consts::PI;

pub const PROBLEM: Problem = Problem {
    title: "Least thickness of a masonry arch",
    source: "Milankovitch 1907, [Hey69]: a half circle of stones stands if its thickness is at least 0.1075 of its mean \
             radius; many stones and friction enough.",
    setup: "Half circles of 24 rigid wedges, 0.09, 0.10, 0.12 and 0.13 of the radius thick, friction 1: does the crown \
            fall within 4 s?",
    why: "the limit lies between 0.10 and 0.12: 10 %, since stones start with the joints' gap and rock a little.",
    fast: false,
    outside: None,
    solve,
};

const STONES: usize = 24;

fn solve() -> Result<Answer> {
    let mut answer = Answer::default();
    for (thickness, stands) in [(0.09, false), (0.10, false), (0.12, true), (0.13, true)] {
        answer = answer.holds(format!("t/R = {thickness}: stands"), stands, stands_for(thickness)?);
    }
    Ok(answer)
}

fn stands_for(thickness: f64) -> Result<bool> {
    let half = 0.5 * PI / STONES as f64;
    let (inner, outer) = (1.0 - 0.5 * thickness, 1.0 + 0.5 * thickness);
    let mut corners = vec![];
    for z in [-0.1, 0.1] {
        for r in [inner, outer] {
            for side in [-1.0, 1.0] {
                let a = side * (half - 2e-5);
                corners.push(format!("[{:?}, {:?}, {z:?}]", r * a.cos(), r * a.sin()));
            }
        }
    }
    let hull = format!("hull = [{}]", corners.join(", "));
    let mut text = scene(60.0, [0.0, -G, 0.0]) + "clearance = 0.0005\n";
    for k in 0..STONES {
        let keys = format!(
            "rotation = [0.0, 0.0, {:?}]\nmaterial = {{ density = 2500.0, friction = 1.0 }}",
            ((2 * k + 1) as f64 * half).to_degrees()
        );
        text += &body(&format!("s{k}"), "rigid", &hull, [0.0, 1e-5, 0.0], &keys);
    }
    let mut lab = Lab::new(&(text + &obstacle("ground", "plane = {}", "friction = 1.0")))?;
    let start = lab.measures(STONES / 2).centre.y;
    lab.run(4.0)?;
    Ok(lab.measures(STONES / 2).centre.y > start - 0.05)
}
