//! V16: bars swing along themselves.

use crate::lab::{Lab, body, control, frequency, scene};
use crate::problem::{Answer, Problem};
use anyhow::Result;

pub const PROBLEM: Problem = Problem {
    title: "Axial vibration of a bar",
    source: "c/(4 L) held at one end, c/(2 L) free, c = sqrt(E/rho).",
    setup: "A lattice bar of 1 x 0.05 x 0.05 m and 40 x 2 x 2 cells, E = 1 MPa, Poisson 0, undamped: held and pulled by sudden \
            gravity along itself; free and pulled at both ends for 20 ms.",
    why: "0.5 %: 40 cells a length are off by 1e-4 in space, the spectrum of 1 s of swinging by less than 0.3 %.",
    fast: true,
    outside: None,
    solve,
};

fn solve() -> Result<Answer> {
    let keys = "resolution = [40, 2, 2]\nlaw = \"st_venant_kirchhoff\"\nviscous_time = 0.0\n\
                material = { density = 1000.0, young = 1e6, poisson = 0.0 }";
    let bar = body("a", "lattice", "box = [1.0, 0.05, 0.05]", [0.0; 3], keys);
    let c = 1000f64.sqrt();
    let length = |l: &Lab| l.mean(0, |p| p.x > 0.4999).x - l.mean(0, |p| p.x < -0.4999).x;
    let mut lab = Lab::new(&(scene(600.0, [0.1, 0.0, 0.0]) + &bar + &control("hold", "left = 0.0001", "")))?;
    let held = frequency(&lab.watch(2.0, length)?, 0.2 * c, 0.32 * c);
    let pull = |side: &str, f: f64| {
        control("force", &format!("{side} = 0.0001"), &format!("force = [{f:?}, 0.0, 0.0]\nuntil = 0.02"))
    };
    let text = scene(600.0, [0.0; 3]) + &bar + &pull("left", -1.0) + &pull("right", 1.0);
    let mut lab = Lab::new(&text)?;
    lab.run(0.025)?;
    let free = frequency(&lab.watch(1.0, length)?, 0.4 * c, 0.6 * c);
    Ok(Answer::default().share("held at one end [1/s]", 0.25 * c, held, 0.005).share(
        "free [1/s]",
        0.5 * c,
        free,
        0.005,
    ))
}
