//! V3: a beam held at one end sags a little.

use crate::chart::Chart;
use crate::lab::{Beam, G, Lab, control, scene};
use crate::problem::{Answer, Problem};
use anyhow::Result;

pub const PROBLEM: Problem = Problem {
    title: "Cantilever, small deflection",
    source: "q L^4/(8 E I) and P L^3/(3 E I), with the shear of Timoshenko's beam added (q L^2/(2 k G A) and P L/(k G A), \
             k = 5/6); the first is the case in Rapier's own bench: 0.0491 m without shear.",
    setup: "A lattice beam of 2 x 0.2 x 0.2 m, E = 12 MPa, Poisson 0, 100 kg/m^3: under its own weight with 8, 12 and 16 \
            cells along it, and under 20 N at its tip.",
    why: "1 % with 12 and 16 cells, 2 % with 8 of them: cells bend by their warps, so few are enough; the tip's weight \
          follows a beam of finite slope (0.05 % here).",
    fast: true,
    outside: None,
    solve,
};

fn beam(cells: [u32; 3]) -> Beam {
    Beam { size: [2.0, 0.2, 0.2], cells, young: 1.2e7, poisson: 0.0, density: 100.0, damping: 0.1 }
}

fn solve() -> Result<Answer> {
    let b = beam([10, 1, 1]);
    let (l, area) = (2.0f64, 0.04);
    let shear = 5.0 / 6.0 * 0.5 * b.young * area;
    let q = b.weight() * G;
    let known = q * l.powi(4) / (8.0 * b.bending()) + q * l * l / (2.0 * shear);
    let mut answer = Answer::default();
    let mut ours = vec![];
    for (cells, tolerance) in [([8, 2, 2], 0.02), ([12, 2, 2], 0.01), ([16, 2, 2], 0.01)] {
        let b = beam(cells);
        let mut lab = Lab::new(&(scene(120.0, [0.0, -G, 0.0]) + &b.held()))?;
        lab.run(80.0 / b.omega())?;
        let tip = -lab.way(0, |p| p.x > 0.999).y;
        answer = answer.share(format!("own weight, {} cells: tip [m]", cells[0]), known, tip, tolerance);
        ours.push((f64::from(cells[0]), tip));
    }
    let b = beam([16, 2, 2]);
    let text =
        scene(120.0, [0.0; 3]) + &b.held() + &control("force", "right = 0.001", "force = [0.0, -20.0, 0.0]");
    let mut lab = Lab::new(&text)?;
    lab.run(80.0 / b.omega())?;
    let tip = -lab.way(0, |p| p.x > 0.999).y;
    let chart = Chart::new("Tip of a cantilever under its own weight", "cells along it", "deflection [m]");
    Ok(answer
        .share(
            "20 N at the tip, 16 cells: tip [m]",
            20.0 * l.powi(3) / (3.0 * b.bending()) + 20.0 * l / shear,
            tip,
            0.01,
        )
        .chart(chart.line("Timoshenko", vec![(8.0, known), (16.0, known)]).dots("lattice", ours)))
}
