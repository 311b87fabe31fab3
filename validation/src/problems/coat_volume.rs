//! P2: the volume that two skeletons enclose, as they part.

use crate::chart::Chart;
use crate::problem::{Answer, Problem};
use anyhow::Result;
use pliant::clay::{Field, FieldShape, Unlimited, surface};
use pliant::math::Vec3;
use std::f64::consts::PI;

pub const PROBLEM: Problem = Problem {
    title: "Volume of a coat about two skeletons",
    source: "[DG94] Fig. 5 with f = (e/r)^3: the volume of (e/a)^3 + (e/b)^3 > 1, integrated anew: over that of two balls 1.1085 at \
             d = e, at most 1.181 at 1.80 to 1.82 e, 1.0048 at 6 e. The paper's count of voxels says 19 % near 2 e. The other fields, integrated \
             likewise: cubic that ends at 3 e, 0.914 at 0 and at most 1.102 at 1.85 e; quadratic that ends at 2 e, 1.081 at 0 and at \
             most 1.125 at 1.80 e.",
    setup: "Clay's own surface about two skeletons at growing distance, for each of its fields, cubes of e/20: enclosed volume over that \
            of two balls.",
    why: "0.5 %: flat triangles between points of the surface enclose a little less than a round body.",
    fast: true,
    outside: None,
    solve,
};

/// A field, what it is called, and distances with volumes that are known.
type Known = (FieldShape, &'static str, &'static [(f64, f64)]);

const KNOWN: [Known; 3] = [
    (
        FieldShape::InverseCube,
        "inverse cube",
        &[(1e-3, 1.0), (1.0, 1.1085), (1.8, 1.181), (1.82, 1.181), (6.0, 1.0048)],
    ),
    (FieldShape::Cubic, "cubic", &[(1e-3, 0.914), (1.85, 1.102)]),
    (FieldShape::Quadratic, "quadratic", &[(1e-3, 1.081), (1.8, 1.125)]),
];

fn solve() -> Result<Answer> {
    let mut answer = Answer::default();
    let mut chart = Chart::new("Volume of a coat", "distance over e", "volume over two balls");
    for (shape, name, known) in KNOWN {
        let volume = |d: f64| {
            let field = Field::new(shape, &[Vec3::ZERO, Vec3::X * d], &[1.0, 1.0]);
            surface(&field, 0.05, &Unlimited).flat_volume() / (8.0 / 3.0 * PI)
        };
        for (d, v) in known {
            answer =
                answer.share(format!("{name}, distance {d} e: volume over two balls"), *v, volume(*d), 0.005);
        }
        let curve = (0..=24).map(|k| 0.02 + 0.25 * f64::from(k)).map(|d| (d, volume(d))).collect();
        chart = chart.line(name, curve).dots(&format!("{name}, integral"), known.to_vec());
    }
    Ok(answer.chart(chart))
}
