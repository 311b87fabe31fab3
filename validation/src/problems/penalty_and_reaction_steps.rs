//! `[PB88]` section 4 claims that reaction constraints take much larger steps than the penalty method. Both are measured
//! by simulating a mass that lies on a plane, in steps of symplectic Euler.
//!
//! Known numbers: eigenvalues of one step. A spring is stable up to `sqrt(k/m) dt = 2`; with critical damping an eigenvalue
//! reaches -1 at `2 (sqrt 2 - 1)`; the negative one outweighs the positive one, and throws the mass off a plane that
//! holds from one side only, from `sqrt 3 - 1` on.

use crate::problem::{Answer, Problem};
use anyhow::Result;
use pliant::constraint::RestingLoad;

pub const PROBLEM: Problem = Problem {
    title: "Largest steps of penalty and reaction constraints",
    source: "eigenvalues of one step of symplectic Euler; the claim is that of [PB88] section 4.",
    setup: "A mass of 2 kg lies on a plane, held by a penalty that lets it sink 0.1 mm, or by a reaction constraint that \
            makes an error good in 0.1 s. The largest step at which it comes to rest is sought by halving. At equal \
            stiffness the penalty takes longer steps; at equal accuracy the reaction constraint does, and does not care \
            for the load.",
    why: "0.1 %: what halving an interval leaves, and telling slow growth from none.",
    fast: true,
    outside: None,
    solve,
};

fn solve() -> Result<Answer> {
    let load = RestingLoad { mass: 2.0, load: 19.62, depth: 1e-4, rate: 10.0 };
    let steps = load.largest_steps();
    let heavy = RestingLoad { load: 10.0 * load.load, ..load };
    let heavy_steps = heavy.largest_steps();
    let spring = |load: &RestingLoad| (load.penalty_stiffness() / load.mass).sqrt();
    let (both_sides, one_side) = (2.0 * (2f64.sqrt() - 1.0), 3f64.sqrt() - 1.0);
    let most = 1e-3;
    Ok(Answer::default()
        .share("penalty: sqrt(k/m) dt", 2.0, steps.penalty * spring(&load), most)
        .share("reaction on a plane: sqrt(k/m) dt", both_sides, steps.reaction_on_plane * load.rate, most)
        .share("reaction on one side: sqrt(k/m) dt", one_side, steps.reaction_contact * load.rate, most)
        .share("penalty under 1 g: step [s]", 2.0 / spring(&load), steps.penalty, most)
        .share("reaction under 1 g: step [s]", one_side / load.rate, steps.reaction_contact, most)
        .share("penalty under 10 g: step [s]", 2.0 / spring(&heavy), heavy_steps.penalty, most)
        .share("reaction under 10 g: step [s]", one_side / load.rate, heavy_steps.reaction_contact, most))
}
