//! `[PB88]` section 4 claims that reaction constraints take much larger steps than the penalty method. Both are measured
//! by simulating a mass that lies on a plane, in steps of symplectic Euler.
//!
//! Known numbers: eigenvalues of one step. A spring is stable up to `sqrt(k/m) dt = 2`; with critical damping an eigenvalue
//! reaches -1 at `2 (sqrt 2 - 1)`; the negative one outweighs the positive one, and throws the mass off a plane that
//! holds from one side only, from `sqrt 3 - 1` on.

use crate::Line;
use pliant::constraint::RestingLoad;

/// What may be left to halving an interval, and to telling slow growth from none.
const TOLERANCE: f64 = 1e-3;

/// Limits of both methods, then their steps `[s]` under one load and under ten times that load.
pub fn lines() -> Vec<Line> {
    let load = RestingLoad { mass: 2.0, load: 19.62, depth: 1e-4, rate: 10.0 };
    let steps = load.largest_steps();
    let heavy = RestingLoad { load: 10.0 * load.load, ..load };
    let heavy_steps = heavy.largest_steps();
    let spring = |load: &RestingLoad| (load.penalty_stiffness() / load.mass).sqrt();
    let line =
        |name: &str, known: f64, ours: f64| Line { name: name.into(), known, ours, tolerance: TOLERANCE };
    let (both_sides, one_side) = (2.0 * (2f64.sqrt() - 1.0), 3f64.sqrt() - 1.0);
    vec![
        line("penalty, sqrt(k/m) dt", 2.0, steps.penalty * spring(&load)),
        line("reaction on a plane, sqrt(k/m) dt", both_sides, steps.reaction_on_plane * load.rate),
        line("reaction on one side of a plane, sqrt(k/m) dt", one_side, steps.reaction_contact * load.rate),
        line("penalty, 0.1 mm deep under 1 g, dt [s]", 2.0 / spring(&load), steps.penalty),
        line(
            "reaction, time constant 0.1 s, under 1 g, dt [s]",
            one_side / load.rate,
            steps.reaction_contact,
        ),
        line("penalty, 0.1 mm deep under 10 g, dt [s]", 2.0 / spring(&heavy), heavy_steps.penalty),
        line(
            "reaction, time constant 0.1 s, under 10 g, dt [s]",
            one_side / load.rate,
            heavy_steps.reaction_contact,
        ),
    ]
}
