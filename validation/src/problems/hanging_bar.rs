//! V2: bars stretch under their own weight.

use crate::chart::Chart;
use crate::lab::{G, Lab, body, control, scene};
use crate::problem::{Answer, Problem};
use anyhow::Result;

pub const PROBLEM: Problem = Problem {
    title: "Bar under its own weight",
    source: "rho g L^2/(2 E).",
    setup: "Bars of 1 m held by their upper end, E = 1 MPa, Poisson 0: global of order 2, lattice of 4, 8 and 16 cells. The \
            law is St. Venant-Kirchhoff, so the closed form is solved for it exactly (0.7 % less than the line).",
    why: "global: 0.2 %, its quadratic shape holds the linear solution and not quite the other; lattice: 0.2 %, the mean \
          strain of each cell is right, so that the tip is right for any number of cells.",
    fast: true,
    outside: None,
    solve,
};

const LOAD: f64 = 1000.0 * G;
const YOUNG: f64 = 1e6;

fn solve() -> Result<Answer> {
    let known = exact();
    let hold = control("hold", "top = 0.001", "");
    let mut answer = Answer::default();
    let global = "order = 2\nmaterial = { young = 1e6, poisson = 0.0, damping = 1.0 }".to_string();
    let lattice = |n: u32| {
        format!(
            "resolution = [1, {n}, 1]\nlaw = \"st_venant_kirchhoff\"\nviscous_time = 0.04\n\
             material = {{ young = 1e6, poisson = 0.0 }}"
        )
    };
    let mut ours = vec![];
    for (name, kind, keys, cells) in [
        ("global, order 2", "global", global, 0.0),
        ("lattice, 4 cells", "lattice", lattice(4), 4.0),
        ("lattice, 8 cells", "lattice", lattice(8), 8.0),
        ("lattice, 16 cells", "lattice", lattice(16), 16.0),
    ] {
        let bar = body("a", kind, "box = [0.1, 1.0, 0.1]", [0.0; 3], &keys);
        let mut lab = Lab::new(&(scene(60.0, [0.0, -G, 0.0]) + &bar + &hold))?;
        lab.run(3.0)?;
        let tip = -lab.way(0, |p| p.y < -0.499).y;
        answer = answer.share(format!("{name}: tip [m]"), known, tip, 0.002);
        if cells > 0.0 {
            ours.push((cells, tip));
        }
    }
    let chart = Chart::new("Tip of a hanging bar", "cells along it", "stretch [m]");
    Ok(answer.chart(chart.line("exact", vec![(4.0, known), (16.0, known)]).dots("lattice", ours)))
}

/// The stress per rest area at each height is the weight below: E l (l^2 - 1)/2 = load.
fn exact() -> f64 {
    let n = 2000;
    let stretch = |i: i32| {
        let load = LOAD * (f64::from(i) + 0.5) / f64::from(n);
        (0..50).fold(1.0, |l: f64, _| {
            l - (0.5 * l * (l * l - 1.0) * YOUNG - load) / (0.5 * (3.0 * l * l - 1.0) * YOUNG)
        })
    };
    (0..n).map(|i| (stretch(i) - 1.0) / f64::from(n)).sum()
}
