//! V17: a beam held at one end swings up and down.

use crate::lab::{Beam, Lab, control, frequency, scene};
use crate::problem::{Answer, Problem};
use anyhow::Result;
use std::f64::consts::TAU;

pub const PROBLEM: Problem = Problem {
    title: "Bending vibration of a cantilever",
    source: "b^2/(2 pi L^2) sqrt(E I/(rho A)), b = 1.87510, 4.69409, 7.85476.",
    setup: "A lattice beam of 1 x 0.04 x 0.04 m and 50 x 2 x 2 cells, Poisson 0, undamped; its tip is pushed for a moment, and \
            the first three frequencies are read off its swinging.",
    why: "1 %, 1 % and 2.5 %: shear and the turning of sections lower the third by 1.4 % at L/h = 25 (Timoshenko).",
    fast: false,
    outside: None,
    solve,
};

fn solve() -> Result<Answer> {
    let b = Beam {
        size: [1.0, 0.04, 0.04],
        cells: [50, 2, 2],
        young: 1e6,
        poisson: 0.0,
        density: 1000.0,
        damping: 0.0,
    };
    let push = control("force", "right = 0.0001", "force = [0.0, 0.02, 0.0]\nuntil = 0.05");
    let mut lab = Lab::new(&(scene(40.0, [0.0; 3]) + &b.held() + &push))?;
    lab.run(0.1)?;
    let history = lab.watch(40.0, |l| l.tip(1.0).y)?;
    let mut answer = Answer::default();
    for (k, (beta, most)) in [(1.875_10, 0.01), (4.694_09, 0.01), (7.854_76, 0.025)].into_iter().enumerate() {
        let known = f64::powi(beta / 1.875_104, 2) * b.omega() / TAU;
        let ours = frequency(&history, 0.85 * known, 1.15 * known);
        answer = answer.share(format!("frequency {} [1/s]", k + 1), known, ours, most);
    }
    Ok(answer)
}
