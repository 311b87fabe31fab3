//! V15: a mouldable bar keeps what goes beyond the yield strain.

use crate::lab::{Lab, body, control, scene};
use crate::problem::{Answer, Problem};
use anyhow::Result;

pub const PROBLEM: Problem = Problem {
    title: "Mouldable bar keeps its stretch",
    source: "[PB88] section 6 in the limit of fast flow: what is left is the strain less the yield strain, both logarithmic \
             and without their mean; rest volume is kept.",
    setup: "Lattice bars of 0.6 m and 12 x 2 x 2 cells with yield strains 0.03, 0.05 and 0.08 are pulled by 20 % and let go: \
            strain of the middle while pulled and once at rest.",
    why: "0.004 of strain: the held ends disturb the middle a little, and it swings once when it is let go.",
    fast: true,
    outside: None,
    solve,
};

fn solve() -> Result<Answer> {
    let mut answer = Answer::default();
    for limit in [0.03, 0.05, 0.08] {
        let keys = format!(
            "resolution = [12, 2, 2]\n\
             material = {{ young = 5e4, poisson = 0.3, damping = 0.8, yield_strain = {limit:?} }}"
        );
        let pull = |side: &str, x: f64| {
            let keys = format!(
                "keys = [{{ t = 0, at = [0, 0, 0] }}, {{ t = 0.5, at = [{x:?}, 0, 0] }}]\nuntil = 0.7"
            );
            control("path", &format!("{side} = 0.001"), &keys)
        };
        let text = scene(60.0, [0.0; 3])
            + &body("a", "lattice", "box = [0.6, 0.1, 0.1]", [0.0; 3], &keys)
            + &pull("left", -0.06)
            + &pull("right", 0.06);
        let mut lab = Lab::new(&text)?;
        lab.run(0.66)?;
        let pulled = strain(&lab);
        lab.run(1.5)?;
        answer =
            answer.size(format!("yield strain {limit}: strain left"), pulled - limit, strain(&lab), 0.004);
    }
    Ok(answer)
}

/// Norm of the logarithmic strain of the middle without its mean.
fn strain(lab: &Lab) -> f64 {
    let at = |x: f64| lab.mean(0, |p| (p.x - x).abs() < 1e-4).x;
    let side = lab.mean(0, |p| p.x.abs() < 1e-4 && p.y > 0.049).y / 0.05;
    let (along, across) = (((at(0.05) - at(-0.05)) / 0.1).ln(), side.ln());
    (along - across) * (2.0f64 / 3.0).sqrt()
}
