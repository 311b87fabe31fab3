//! A column under its critical load, and beyond it.

use crate::chart::Chart;
use crate::lab::{Beam, Lab, control, scene};
use crate::problem::{Answer, Problem};
use anyhow::Result;
use std::f64::consts::PI;

pub const PROBLEM: Problem = Problem {
    title: "Euler buckling",
    source: "pi^2 E I/(4 L^2); beam-columns: a side load's deflection grows by 3 (tan u - u)/u^3, u = L sqrt(P/(E I)); beyond, \
             the elastica (Timoshenko and Gere, Theory of Elastic Stability, table 2-4).",
    setup: "A lattice column of 1 x 0.05 x 0.05 m, 40 x 2 x 2 cells, held at one end: side deflection at half the critical load \
            over that without, and where the end goes at 1.152 times the critical load after a push.",
    why: "2 %: shear and shortening at L/h = 20; the growth at half load doubles any error of the critical load.",
    fast: false,
    outside: None,
    solve,
};

fn solve() -> Result<Answer> {
    let b = Beam {
        size: [1.0, 0.05, 0.05],
        cells: [40, 2, 2],
        young: 1e6,
        poisson: 0.0,
        density: 1000.0,
        damping: 0.35,
    };
    let critical = PI * PI * b.bending() / 4.0;
    let side = 0.02 * b.bending();
    let deflection = |load: f64| -> Result<f64> {
        let press = control("force", "right = 0.0001", &format!("force = [{:?}, {:?}, 0.0]", -load, -side));
        let mut lab = Lab::new(&(scene(60.0, [0.0; 3]) + &b.held() + &press))?;
        lab.run(34.0 / b.omega())?;
        Ok(-lab.tip(1.0).y)
    };
    let u = (0.5f64 * PI * PI / 4.0).sqrt();
    let known = 3.0 * (u.tan() - u) / u.powi(3);
    let growth = deflection(0.5 * critical)? / deflection(0.0)?;
    let press = control("force", "right = 0.0001", &format!("force = [{:?}, 0.0, 0.0]", -1.152 * critical));
    let until = 3.0 / b.omega();
    let push = control(
        "force",
        "right = 0.0001",
        &format!("force = [0.0, {:?}, 0.0]\nuntil = {until:?}", -b.bending()),
    );
    let mut lab = Lab::new(&(scene(60.0, [0.0; 3]) + &b.held() + &press + &push))?;
    let history = lab.watch(60.0 / b.omega(), |l| -l.tip(1.0).y)?;
    let tip = lab.tip(1.0);
    let chart = Chart::new(
        "A column pushed at 1.152 of its critical load",
        "time [s]",
        "side deflection over length",
    );
    let level = vec![(0.0, 0.593), (60.0 / b.omega(), 0.593)];
    Ok(Answer::default()
        .share("growth of a side deflection at half load", known, growth, 0.02)
        .share("buckled: end to the side, over length", 0.593, -tip.y, 0.02)
        .share("buckled: end's height, over length", 0.741, 1.0 + tip.x, 0.02)
        .chart(chart.line("Pliant", history).line("elastica", level)))
}
