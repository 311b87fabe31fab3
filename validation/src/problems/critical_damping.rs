//! P6: which damping a reaction constraint needs, and that multipliers meet conditions exactly.

use crate::chart::Chart;
use crate::problem::{Answer, Problem};
use anyhow::Result;
use pliant::constraint::{Augmented, MassPoint, Problem as Minimum, ReactionConstraint, Target};
use pliant::math::Vec3;
use std::f64::consts::PI;

pub const PROBLEM: Problem = Problem {
    title: "Constraint methods: overshoot and exactness",
    source: "[PB88]: critical damping is 2 sqrt(k m); the printed sqrt(2 k) overshoots by exp(-pi) = 4.3 % for 1 kg. Section 5: an \
             augmented Lagrangian meets its condition for any strength, at the minimum of the energy.",
    setup: "A mass of 1 kg off its path returns by a reaction constraint, and by the printed formula; the point of the line x + y \
            = 1 nearest to the origin is sought with strengths 0.1, 1 and 10.",
    why: "0.1 % of the start for the overshoot, in steps of 1 ms; 1e-9 for conditions that are met exactly.",
    fast: true,
    outside: None,
    solve,
};

fn solve() -> Result<Answer> {
    let (k, dt) = (100.0, 1e-4);
    let ours = ReactionConstraint { stiffness: k };
    let returning = |force: &dyn Fn(&MassPoint) -> Vec3| {
        let mut point = MassPoint::at(Vec3::X, 1.0);
        let list: Vec<(f64, f64)> = (0..20_000)
            .map(|n| {
                point.step(force(&point), dt);
                (f64::from(n + 1) * dt, point.position.x)
            })
            .collect();
        list
    };
    let critical = returning(&|p| ours.follow(p, &Target::default(), Vec3::ZERO).output);
    let printed = returning(&|p| -p.velocity * (2.0 * k).sqrt() - p.position * k);
    let overshoot = |list: &[(f64, f64)]| -list.iter().map(|p| p.1).fold(0.0, f64::min);
    let energy = |x: &[f64], gradient: &mut [f64]| {
        gradient.copy_from_slice(&[2.0 * x[0], 2.0 * x[1]]);
        x[0] * x[0] + x[1] * x[1]
    };
    let line = |x: &[f64], gradient: &mut [f64]| {
        gradient.copy_from_slice(&[1.0, 1.0]);
        x[0] + x[1] - 1.0
    };
    let problem = Minimum::new(&energy).equal(&line);
    let mut answer = Answer::default().size("critical: overshoot", 0.0, overshoot(&critical), 1e-3).size(
        "as printed: overshoot",
        (-PI).exp(),
        overshoot(&printed),
        1e-3,
    );
    for strength in [0.1, 1.0, 10.0] {
        let mut method = Augmented::new(&problem, strength);
        let mut x = [3.0, -1.0];
        let step = 0.2 / (1.0 + strength);
        for _ in 0..60_000 {
            method.step(&problem, &mut x, step);
        }
        answer = answer.size(format!("strength {strength}: off the line"), 0.0, problem.values(&x)[0], 1e-9);
        answer = answer.size(format!("strength {strength}: energy"), 0.5, problem.energy(&x), 1e-9);
    }
    let chart = Chart::new("Return to a path", "time [s]", "distance over that at the start");
    let thin = |list: Vec<(f64, f64)>| list.into_iter().step_by(50).collect();
    Ok(answer.chart(chart.line("2 sqrt(k m)", thin(critical)).line("sqrt(2 k), as printed", thin(printed))))
}
