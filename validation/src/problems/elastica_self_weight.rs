//! V5: a slender beam bends far under its own weight.

use crate::chart::Chart;
use crate::lab::{Beam, Lab};
use crate::problem::{Answer, Problem};
use anyhow::Result;

pub const PROBLEM: Problem = Problem {
    title: "Large deflection under self weight",
    source: "the heavy elastica, a = rho g A L^3/(E I); values integrated anew.",
    setup: "A lattice beam of 1 x 0.05 x 0.05 m and 40 x 2 x 2 cells, Poisson 0, under gravity that grows from one value to \
            the next and waits: tip down and tip back, over the length.",
    why: "1.5 % up to a = 20: shear and stretch at L/h = 20. 3 % beyond, where the beam hangs and stretches under its own \
          weight by 0.2 to 1 %.",
    fast: false,
    outside: None,
    solve,
};

/// `a`, down over length, back over length.
const KNOWN: [(f64, f64, f64); 7] = [
    (1.0, 0.12347, 0.00875),
    (2.0, 0.23851, 0.03311),
    (5.0, 0.49591, 0.15334),
    (10.0, 0.70020, 0.34365),
    (20.0, 0.82988, 0.55477),
    (50.0, 0.90792, 0.75499),
    (100.0, 0.93752, 0.84078),
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
            let gravity = -a * b.bending() / b.weight();
            let at = |t: f64| format!("{{ t = {t:?}, value = [0.0, {gravity:?}, 0.0] }}");
            [at(wait * (k as f64 + 0.2)), at(wait * (k as f64 + 1.0))]
        })
        .collect();
    let head = format!(
        "[scene]\nsleep = false\nfps = 60\ngravity = [{{ t = 0.0, value = [0.0, 0.0, 0.0] }}, {}]\n",
        keys.join(", ")
    );
    let mut lab = Lab::new(&(head + &b.held()))?;
    let mut answer = Answer::default();
    let (mut down, mut back) = (vec![], vec![]);
    for (a, y, x) in KNOWN {
        lab.run(wait)?;
        let tip = -lab.tip(1.0);
        let most = if a > 20.0 { 0.03 } else { 0.015 };
        answer = answer.share(format!("a = {a}: down"), y, tip.y, most).share(
            format!("a = {a}: back"),
            x,
            tip.x,
            most,
        );
        down.push((a, tip.y));
        back.push((a, tip.x));
    }
    let chart = Chart {
        logarithmic: [true, false],
        ..Chart::new("Heavy elastica", "rho g A L^3/(E I)", "tip's way over length")
    };
    let chart = chart.line("Pliant, down", down).line("Pliant, back", back);
    Ok(answer
        .chart(chart.dots("elastica", KNOWN.iter().flat_map(|(a, y, x)| [(*a, *y), (*a, *x)]).collect())))
}
