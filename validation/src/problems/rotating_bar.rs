//! V2: a bar spun about its middle is pulled long.

use crate::lab::{Lab, body, scene};
use crate::problem::{Answer, Problem};
use anyhow::Result;

pub const PROBLEM: Problem = Problem {
    title: "Rotating bar",
    source: "each half of length l grows by rho w^2 l^3/(3 E); tests the centrifugal term of [TW88].",
    setup: "A bar of 1 m, E = 1 MPa, spun at 200 degrees/s, hybrid and lattice, once its swinging has died down. The spin \
            that counts is that of the end, from the angular momentum.",
    why: "2 %: 20 cells, whose masses stand at their corners (1 % of the moment of inertia), and the moment of inertia taken of the rest shape, 0.2 % less than of the stretched one. The lattice has little viscosity, which \
          resists steady turning by a term of the first order in the step.",
    fast: true,
    outside: None,
    solve,
};

fn solve() -> Result<Answer> {
    let hybrid = "resolution = [20, 2, 2]\nmaterial = { density = 1000.0, young = 1e6, damping = 0.7 }";
    let lattice = "resolution = [20, 2, 2]\nlaw = \"st_venant_kirchhoff\"\nviscous_time = 0.001\n\
                   material = { density = 1000.0, young = 1e6, poisson = 0.0 }";
    let mut answer = Answer::default();
    for (kind, keys) in [("hybrid", hybrid), ("lattice", lattice)] {
        let keys = format!("spin = [0.0, 0.0, 200.0]\n{keys}");
        let bar = body("a", kind, "box = [1.0, 0.05, 0.05]", [0.0; 3], &keys);
        let mut lab = Lab::new(&(scene(60.0, [0.0; 3]) + &bar))?;
        lab.run(4.0)?;
        let m = lab.measures(0);
        let inertia = m.mass * (1.0 + 0.05f64.powi(2)) / 12.0;
        let spin = m.angular_momentum.z / inertia;
        let known = 2.0 * 1000.0 * spin * spin * 0.125 / 3e6;
        let (left, right) = (lab.mean(0, |p| p.x < -0.499), lab.mean(0, |p| p.x > 0.499));
        answer = answer.share(format!("{kind}: stretch [m]"), known, left.distance(right) - 1.0, 0.02);
    }
    Ok(answer)
}
