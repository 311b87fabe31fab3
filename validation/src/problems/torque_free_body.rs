//! V22: a free body spun about its middle axis flips over and over.

use crate::chart::Chart;
use crate::lab::{Lab, body, elliptic_k, period, scene};
use crate::problem::{Answer, Problem};
use anyhow::Result;

pub const PROBLEM: Problem = Problem {
    title: "Torque-free asymmetric body",
    source: "Euler's equations by elliptic functions: Landau and Lifshitz, Mechanics, section 37.",
    setup: "A rigid box of 0.3 x 0.1 x 0.2 m, spun at 170 degrees/s about its middle axis and 5 about its long one: \
            period of its flips, energy and angular momentum over 200 s.",
    why: "0.1 %: the midpoint rule is off by (w h)^2/12, 5e-5 in steps of 1/120 s; the invariants are exact but for \
          round-off.",
    fast: true,
    outside: None,
    solve,
};

fn solve() -> Result<Answer> {
    let keys = "spin = [5.0, 0.0, 170.0]";
    let wing = body("a", "rigid", "box = [0.3, 0.1, 0.2]", [0.0; 3], keys);
    let mut lab = Lab::new(&(scene(120.0, [0.0; 3]) + &wing))?;
    let start = lab.measures(0);
    // Moments about x < z < y.
    let inertia = |a: f64, b: f64| start.mass * (a * a + b * b) / 12.0;
    let [least, middle, most] = [inertia(0.1, 0.2), inertia(0.3, 0.1), inertia(0.3, 0.2)];
    let (energy, l2) = (2.0 * start.kinetic, start.angular_momentum.length_squared());
    // For L^2 < 2 T I_middle, with the largest and the least moment exchanged.
    let k2 = (middle - most) * (energy * least - l2) / ((least - middle) * (l2 - energy * most));
    let unit = (least * middle * most / ((least - middle) * (l2 - energy * most))).sqrt();
    let known = 4.0 * elliptic_k(k2.sqrt()) * unit;
    let along = |l: &Lab| {
        let turned = l.world.bodies()[0].rotation().inverse() * l.measures(0).angular_momentum;
        turned.z / turned.length()
    };
    let history = lab.watch(200.0, along)?;
    let end = lab.measures(0);
    let off = (end.angular_momentum - start.angular_momentum).length() / start.angular_momentum.length();
    let shown: Vec<(f64, f64)> = history.iter().filter(|p| p.0 < 40.0).step_by(8).copied().collect();
    let chart = Chart::new("Angular momentum along the middle axis", "time [s]", "share of the whole");
    Ok(Answer::default()
        .share("period of two flips [s]", known, period(&history), 0.001)
        .size("relative change of energy in 200 s", 0.0, end.kinetic / start.kinetic - 1.0, 1e-10)
        .size("relative change of angular momentum", 0.0, off, 1e-10)
        .chart(chart.line("Pliant", shown)))
}
