//! `[TW88]` claims that the hybrid formulation stays well conditioned as a body becomes more rigid, while a formulation in
//! positions alone (Eq. 8) does not. A closed planar hoop of 50 nodes and length 1 m, steps of 0.02 s, rigidity `s`.
//!
//! Known numbers: the table of the checked equations of the paper, made with another program.

use crate::chart::Chart;
use crate::problem::{Answer, Problem};
use anyhow::Result;
use pliant::math::{Vec3, symmetric_eigen};
use pliant::shape::{Section, curve_net};
use pliant::spline::{Spline, Stiffness, Weights};

const NODES: usize = 50;
const STEP: f64 = 0.02;
/// Order 0, 1 and 2.
const WEIGHTS: [f64; 3] = [1.0, 1e-2, 1e-5];

/// One rigidity: of the hybrid matrix and of Eq. 8 at rest, the condition number and how many steps conjugate gradients
/// take; whether Eq. 8 is positive definite when the hoop is deformed by a tenth.
struct Known {
    rigidity: f64,
    hybrid: (f64, f64),
    positions: (f64, f64),
    definite: bool,
}

const fn known(rigidity: f64, hybrid: (f64, f64), positions: (f64, f64), definite: bool) -> Known {
    Known { rigidity, hybrid, positions, definite }
}

const KNOWN: [Known; 6] = [
    known(1e0, (1.44, 8.0), (9.0, 23.0), true),
    known(1e2, (43.0, 26.0), (8.0e2, 68.0), true),
    known(1e4, (8.8e2, 32.0), (8.0e4, 89.0), false),
    known(1e6, (1.1e3, 33.0), (8.0e6, 160.0), false),
    known(1e8, (1.1e3, 34.0), (8.0e8, 182.0), false),
    known(1e10, (1.1e3, 33.0), (8.0e10, 320.0), false),
];

pub const PROBLEM: Problem = Problem {
    title: "Conditioning as a body becomes rigid",
    source: "[TW88] Eq. 38 claims it; the numbers were made with another program from the corrected equations.",
    setup: "A closed planar hoop of 50 nodes and 1 m, steps of 0.02 s: condition number of the matrix of a step for the \
            hybrid formulation, and for one in positions alone ([TW88] Eq. 8), as the rigidity grows by ten decades; steps \
            of conjugate gradients to 1e-8 with both; whether the second is positive definite once the hoop is deformed by a \
            tenth.",
    why: "5 %: the reference is given with two digits. Steps of conjugate gradients are whole numbers that rounding moves, and \
          lengths are chords here and arcs there: 15 %.",
    fast: true,
    outside: None,
    solve,
};

fn solve() -> Result<Answer> {
    let hoop = hoop();
    let hybrid = hybrid_stiffness(&hoop);
    let deformed: Vec<f64> = hoop.iter().flat_map(|p| [1.1 * p.x, 0.9 * p.y]).collect();
    let rest: Vec<f64> = hoop.iter().flat_map(|p| [p.x, p.y]).collect();
    let (positions, bent) = (position_stiffness(&rest, &rest), position_stiffness(&rest, &deformed));
    let mut answer = Answer::default();
    let (mut ours, mut other) = (vec![], vec![]);
    for known in KNOWN {
        let s = known.rigidity;
        let (a, b) = (of_step(&hybrid, NODES, s), of_step(&positions, 2 * NODES, s));
        let (condition, condition8) = (condition(&a, NODES), condition(&b, 2 * NODES));
        answer = answer.share(format!("hybrid, rigidity {s:.0e}"), known.hybrid.0, condition, 0.05);
        answer = answer.share(format!("positions, rigidity {s:.0e}"), known.positions.0, condition8, 0.05);
        for (name, steps, found) in [
            ("hybrid", known.hybrid, conjugate_gradients(&a, NODES)),
            ("positions", known.positions, conjugate_gradients(&b, 2 * NODES)),
        ] {
            answer = answer.share(format!("{name}, rigidity {s:.0e}: steps"), steps.1, found, 0.15);
        }
        let least = symmetric_eigen(&of_step(&bent, 2 * NODES, s), 2 * NODES).0;
        let definite = least.iter().all(|v| *v > 0.0);
        answer = answer.holds(
            format!("positions, deformed, rigidity {s:.0e}: definite"),
            known.definite,
            definite,
        );
        ours.push((s, condition));
        other.push((s, condition8));
    }
    let chart =
        Chart::new("Condition number of a step's matrix", "rigidity", "condition number").logarithmic();
    let chart = chart.line("hybrid", ours).line("positions alone", other);
    let dots = KNOWN.iter().flat_map(|k| [(k.rigidity, k.hybrid.0), (k.rigidity, k.positions.0)]);
    Ok(answer.chart(chart.dots("known", dots.collect())))
}

fn hoop() -> Vec<Vec3> {
    let radius = 1.0 / std::f64::consts::TAU;
    let angle = |i: usize| std::f64::consts::TAU * i as f64 / NODES as f64;
    (0..NODES).map(|i| Vec3::new(angle(i).cos(), angle(i).sin(), 0.0) * radius).collect()
}

/// `M/h^2 + s K` with unit mass per unit length.
fn of_step(stiffness: &[f64], n: usize, s: f64) -> Vec<f64> {
    let mut a: Vec<f64> = stiffness.iter().map(|k| s * k).collect();
    (0..n).for_each(|i| a[i * n + i] += 1.0 / (STEP * STEP));
    a
}

fn condition(a: &[f64], n: usize) -> f64 {
    let values = symmetric_eigen(a, n).0;
    let (least, most) =
        values.iter().fold((f64::INFINITY, 0.0f64), |(l, m), v| (l.min(v.abs()), m.max(v.abs())));
    most / least
}

/// Steps of plain conjugate gradients until the residual has fallen to 1e-8.
fn conjugate_gradients(a: &[f64], n: usize) -> f64 {
    let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    let mut r: Vec<f64> = (0..n).map(|i| (1.7 * i as f64).sin() + 0.3).collect();
    let mut p = r.clone();
    let mut size = dot(&r, &r);
    let enough = 1e-16 * size;
    let mut steps = 0.0;
    while size > enough && steps < 5000.0 {
        let ap: Vec<f64> = a.chunks_exact(n).map(|row| dot(row, &p)).collect();
        let alpha = size / dot(&p, &ap);
        r.iter_mut().zip(&ap).for_each(|(r, ap)| *r -= alpha * ap);
        let next = dot(&r, &r);
        p.iter_mut().zip(&r).for_each(|(p, r)| *p = r + next / size * *p);
        size = next;
        steps += 1.0;
    }
    steps
}

/// The engine's own stiffness matrix, per unit length.
fn hybrid_stiffness(hoop: &[Vec3]) -> Vec<f64> {
    let (_, net) = curve_net(hoop, true, Section::Round { radius: 1e-3 });
    let spline = Spline::new(&net, &Weights::uniform(&net, WEIGHTS));
    let stiffness = Stiffness::new(&spline, NODES);
    let mut dense = vec![0.0; NODES * NODES];
    for i in 0..NODES {
        for (j, k) in stiffness.row(i) {
            dense[i * NODES + j] = k / net.measure[i];
        }
    }
    dense
}

/// Hessian at `here` of an energy of positions that does not change under rigid motion: squares of stretch, and of the size
/// of the second derivative against those at rest, by differences of its gradient.
fn position_stiffness(rest: &[f64], here: &[f64]) -> Vec<f64> {
    let n = 2 * NODES;
    let h = 1.0 / NODES as f64;
    let first = |x: &[f64], i: usize, d: usize| (x[2 * ((i + 1) % NODES) + d] - x[2 * i + d]) / h;
    let second = |x: &[f64], i: usize, d: usize| {
        let at = |k: usize| x[2 * (k % NODES) + d];
        (at(i + 1) - 2.0 * at(i) + at(i + NODES - 1)) / (h * h)
    };
    let size = |v: [f64; 2]| v[0] * v[0] + v[1] * v[1];
    let gradient = |x: &[f64]| {
        let mut g = vec![0.0; n];
        for i in 0..NODES {
            let (u, u0) = ([0, 1].map(|d| first(x, i, d)), [0, 1].map(|d| first(rest, i, d)));
            let (b, b0) = ([0, 1].map(|d| second(x, i, d)), [0, 1].map(|d| second(rest, i, d)));
            let stretch = 100.0 * WEIGHTS[1] * (size(u) - size(u0));
            let bend = WEIGHTS[2] / 10.0 * (size(b) - size(b0));
            for d in 0..2 {
                g[2 * i + d] -= stretch * u[d] / h;
                g[2 * ((i + 1) % NODES) + d] += stretch * u[d] / h;
                g[2 * ((i + 1) % NODES) + d] += bend * b[d] / (h * h);
                g[2 * i + d] -= 2.0 * bend * b[d] / (h * h);
                g[2 * ((i + NODES - 1) % NODES) + d] += bend * b[d] / (h * h);
            }
        }
        g
    };
    let mut dense = vec![0.0; n * n];
    let step = 1e-6;
    for j in 0..n {
        let moved = |by: f64| {
            let mut x = here.to_vec();
            x[j] += by;
            gradient(&x)
        };
        let (up, down) = (moved(step), moved(-step));
        for i in 0..n {
            let slope = (up[i] - down[i]) / (2.0 * step);
            dense[i * n + j] += 0.5 * slope;
            dense[j * n + i] += 0.5 * slope;
        }
    }
    dense
}
