//! V4: a slender beam bends far under a load at its end.

use crate::chart::Chart;
use crate::lab::{Beam, Lab, control, scene};
use crate::problem::{Answer, Problem};
use anyhow::Result;

pub const PROBLEM: Problem = Problem {
    title: "Large deflection under a tip load",
    source: "the elastica, a = P L^2/(E I); values integrated anew.",
    setup: "A lattice beam of 1 x 0.05 x 0.05 m and 40 x 2 x 2 cells, Poisson 0, loaded at its tip by P that grows from one \
            value to the next and waits: tip down and tip back, over the length.",
    why: "1.5 %: the elastica neither stretches nor shears; at L/h = 20 both are below 1 % of the deflection.",
    fast: false,
    outside: None,
    solve,
};

/// `a`, down over length, back over length.
const KNOWN: [(f64, f64, f64); 5] = [
    (1.0, 0.30172, 0.05643),
    (2.0, 0.49346, 0.16064),
    (3.0, 0.60325, 0.25442),
    (5.0, 0.71379, 0.38763),
    (10.0, 0.81061, 0.55500),
];

fn solve() -> Result<Answer> {
    let b = Beam {
        size: [1.0, 0.05, 0.05],
        cells: [40, 2, 2],
        young: 1e6,
        poisson: 0.0,
        density: 1000.0,
        damping: 0.35,
    };
    let wait = 20.0 / b.omega();
    let keys: Vec<String> = KNOWN
        .iter()
        .enumerate()
        .flat_map(|(k, (a, ..))| {
            let force = -a * b.bending();
            let at = |t: f64| format!("{{ t = {t:?}, value = [0.0, {force:?}, 0.0] }}");
            [at(wait * (k as f64 + 0.2)), at(wait * (k as f64 + 1.0))]
        })
        .collect();
    let keys = format!("force = [{{ t = 0.0, value = [0.0, 0.0, 0.0] }}, {}]", keys.join(", "));
    let mut lab = Lab::new(&(scene(60.0, [0.0; 3]) + &b.held() + &control("force", "right = 0.001", &keys)))?;
    let mut answer = Answer::default();
    let (mut down, mut back) = (vec![], vec![]);
    for (a, y, x) in KNOWN {
        lab.run(wait)?;
        let tip = -lab.tip(1.0);
        answer = answer.share(format!("a = {a}: down"), y, tip.y, 0.015).share(
            format!("a = {a}: back"),
            x,
            tip.x,
            0.015,
        );
        down.push((a, tip.y));
        back.push((a, tip.x));
    }
    let chart = Chart::new("Elastica under a tip load", "P L^2/(E I)", "tip's way over length");
    let chart = chart.line("Pliant, down", down).line("Pliant, back", back);
    Ok(answer
        .chart(chart.dots("elastica", KNOWN.iter().flat_map(|(a, y, x)| [(*a, *y), (*a, *x)]).collect())))
}
