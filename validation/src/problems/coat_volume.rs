//! P2: the volume that two skeletons enclose, as they part.

use crate::chart::Chart;
use crate::problem::{Answer, Problem};
use anyhow::Result;
use pliant::clay::{Field, FieldShape, Unlimited, surface};
use pliant::math::Vec3;
use std::f64::consts::PI;

pub const PROBLEM: Problem = Problem {
    title: "Volume of a coat about two skeletons",
    source: "[DG94] Fig. 4 with f = (e/r)^3: the volume of (e/a)^3 + (e/b)^3 > 1, integrated anew: over that of two balls 1.1085 at \
             d = e, at most 1.181 at 1.82 e, 1.0048 at 6 e. The paper's count of voxels says 19 % near 2 e.",
    setup: "Clay's own surface about two skeletons at growing distance, cubes of e/20: enclosed volume over that of two balls.",
    why: "0.5 %: flat triangles between points of the surface enclose a little less than a round body.",
    fast: true,
    outside: None,
    solve,
};

fn solve() -> Result<Answer> {
    let volume = |d: f64| {
        let field = Field::new(FieldShape::InverseCube, &[Vec3::ZERO, Vec3::X * d], &[1.0, 1.0]);
        surface(&field, 0.05, &Unlimited).flat_volume() / (8.0 / 3.0 * PI)
    };
    let curve: Vec<(f64, f64)> =
        (0..=24).map(|k| 0.02 + 0.25 * f64::from(k)).map(|d| (d, volume(d))).collect();
    let known = vec![(1e-3, 1.0), (1.0, 1.1085), (1.82, 1.181), (6.0, 1.0048)];
    let mut answer = Answer::default();
    for (d, v) in &known {
        answer = answer.share(format!("distance {d} e: volume over two balls"), *v, volume(*d), 0.005);
    }
    let chart = Chart::new("Volume of a coat", "distance over e", "volume over two balls");
    Ok(answer.chart(chart.line("Pliant", curve).dots("integral", known)))
}
