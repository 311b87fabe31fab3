//! P5: the energy that an impact takes falls with the number of elements.

use crate::chart::Chart;
use crate::lab::{Lab, body, obstacle, scene};
use crate::problem::{Answer, Problem};
use anyhow::{Context, Result};

pub const PROBLEM: Problem = Problem {
    title: "Energy lost at impact",
    source: "[BW92] section 3.2: an impulse that stops the end of a rod takes its share of the energy; for n linear elements \
             m_end/m by elimination of their mass matrix: 1/4, then about 0.289/n.",
    setup: "A rod of 1, 2, 4, 8 and 16 global bodies of order 1, glued end to end, runs lengthwise into a wall: energy lost in \
            the step of the impact.",
    why: "3 %: the impact may take two steps, of which the first only closes the gap.",
    fast: true,
    outside: None,
    solve,
};

const GAP: f64 = 1e-3;

fn solve() -> Result<Answer> {
    let mut answer = Answer::default();
    let (mut known, mut ours) = (vec![], vec![]);
    for n in [1u32, 2, 4, 8, 16] {
        let (expected, lost) = (end_mass(n), loss(n)?);
        answer = answer.share(format!("{n} elements: share lost"), expected, lost, 0.03);
        known.push((f64::from(n), expected));
        ours.push((f64::from(n), lost));
    }
    let chart = Chart::new("Energy lost at impact", "elements", "share of the energy").logarithmic();
    Ok(answer.chart(chart.line("closed form", known).dots("Pliant", ours)))
}

/// `m_end/m` of a rod of `n` linear elements.
fn end_mass(n: u32) -> f64 {
    let pivot = (1..n).fold(2.0, |p: f64, _| 4.0 - 1.0 / p);
    (2.0 - 1.0 / pivot) / (6.0 * f64::from(n))
}

fn loss(n: u32) -> Result<f64> {
    let length = (1.0 - f64::from(n - 1) * GAP) / f64::from(n);
    let mut text = scene(60.0, [0.0; 3]) + "substeps = 64\n";
    for k in 0..n {
        let x = -1.02 + 0.5 * length + f64::from(k) * (length + GAP);
        let keys = "order = 1\nvelocity = [0.5, 0.0, 0.0]\n\
                    material = { young = 1e5, poisson = 0.0, damping = 0.0, friction = 0.0 }";
        text +=
            &body(&format!("e{k}"), "global", &format!("box = [{length:?}, 0.1, 0.1]"), [x, 0.0, 0.0], keys);
    }
    for k in 1..n {
        text += &format!(
            "[[control]]\nbody = \"e{}\"\nkind = \"attach\"\nselect = {{ right = 0.001 }}\nto = \"e{k}\"\n",
            k - 1
        );
    }
    text += &obstacle("wall", "box = [0.1, 0.8, 0.8]", "position = [0.05, 0.0, 0.0]\nfriction = 0.0");
    let mut lab = Lab::new(&text)?;
    let state = |l: &Lab| {
        let all = (0..n as usize).map(|k| l.measures(k));
        all.fold((0.0, 0.0), |(e, p), m| (e + m.kinetic + m.elastic, p + m.momentum.x))
    };
    let (before, toward) = state(&lab);
    let mut now = (before, toward);
    for _ in 0..600 {
        lab.world.step()?;
        let next = state(&lab);
        if now.1 < toward * (1.0 - 1e-9) {
            return Ok(1.0 - next.0 / before);
        }
        now = next;
    }
    None.context("the rod never met the wall")
}
