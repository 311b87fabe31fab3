//! V4 and V5: a beam held at one end bends far.

use crate::chart::Chart;
use crate::lab::{Beam, Lab, control, scene};
use crate::problem::{Answer, Problem};
use anyhow::Result;

pub const PROBLEM: Problem = Problem {
    title: "Cantilever, large deflection",
    source: "The elastica, integrated numerically: tip down and tip back over the length, for a load a = P L^2/(E I) at the tip \
             and a weight a = q L^3/(E I).",
    setup: "A lattice beam of 1 x 0.02 x 0.02 m, 32 cells along it and 2 across, E = 100 MPa, Poisson 0, strongly damped, at \
            rest after 6 s; of the load 3 also with 8 and 16 cells along it. Steps are implicit, 120 a second: explicit ones \
            would be tens of thousands.",
    why: "0.1 % for tips down and 0.2 % for the much smaller tips back: the beam is thin, so shear and stretch, which the \
          elastica does not have, are below that; the error of the cells falls by at least four for twice as many.",
    fast: true,
    outside: None,
    solve,
};

/// `a`, tip down, tip back.
const LOADS: [[f64; 3]; 4] =
    [[1.0, 0.30172, 0.05643], [2.0, 0.49346, 0.16064], [3.0, 0.60325, 0.25442], [5.0, 0.71379, 0.38763]];
const WEIGHTS: [[f64; 3]; 4] =
    [[1.0, 0.12347, 0.00875], [2.0, 0.23851, 0.03311], [5.0, 0.49591, 0.15334], [10.0, 0.70020, 0.34365]];

fn beam(along: u32) -> Beam {
    Beam {
        size: [1.0, 0.02, 0.02],
        cells: [along, 2, 2],
        young: 1e8,
        poisson: 0.0,
        density: 1000.0,
        damping: 0.8,
    }
}

/// Tip down and tip back at rest.
fn tip(beam: &Beam, gravity: f64, load: f64) -> Result<[f64; 2]> {
    let mut text = scene(120.0, [0.0, -gravity, 0.0]) + &beam.held();
    if load > 0.0 {
        text += &control("force", "right = 0.0001", &format!("force = [0.0, {:?}, 0.0]", -load));
    }
    let mut lab = Lab::new(&text)?;
    lab.run(6.0)?;
    let way = lab.tip(1.0);
    Ok([-way.y, -way.x])
}

fn solve() -> Result<Answer> {
    let fine = beam(32);
    let mut answer = Answer::default();
    let (mut loaded, mut heavy) = (vec![], vec![]);
    for [a, down, back] in LOADS {
        let ours = tip(&fine, 0.0, a * fine.bending())?;
        answer = answer.share(format!("load {a}: tip down"), down, ours[0], 0.001).share(
            format!("load {a}: tip back"),
            back,
            ours[1],
            0.002,
        );
        loaded.push((a, ours[0]));
    }
    for [a, down, back] in WEIGHTS {
        let ours = tip(&fine, a * fine.bending() / fine.weight(), 0.0)?;
        answer = answer.share(format!("weight {a}: tip down"), down, ours[0], 0.001).share(
            format!("weight {a}: tip back"),
            back,
            ours[1],
            0.002,
        );
        heavy.push((a, ours[0]));
    }
    let known = LOADS[2][1];
    for (along, allowed) in [(8, 0.04), (16, 0.005)] {
        let b = beam(along);
        let [ours, _] = tip(&b, 0.0, 3.0 * b.bending())?;
        answer = answer.share(format!("load 3, {along} cells: tip down"), known, ours, allowed);
    }
    let chart = Chart::new("Tip of a cantilever that bends far", "load or weight", "tip down over length");
    let line = |all: &[[f64; 3]]| all.iter().map(|[a, down, _]| (*a, *down)).collect::<Vec<_>>();
    Ok(answer.chart(
        chart
            .line("elastica, load", line(&LOADS))
            .dots("lattice, load", loaded)
            .line("elastica, weight", line(&WEIGHTS))
            .dots("lattice, weight", heavy),
    ))
}
