//! Bars become thinner as they are pulled.

use crate::lab::{Lab, body, control, scene};
use crate::problem::{Answer, Problem};
use anyhow::Result;

pub const PROBLEM: Problem = Problem {
    title: "Stiffness and lateral contraction",
    source: "sigma/E along, -nu sigma/E across.",
    setup: "Bars of 0.6 x 0.1 x 0.1 m with E = 1 MPa, pulled at both ends by 10 N (strain 0.001): global of \
            order 2 and lattice of 12 x 2 x 2 cells, for Poisson 0, 0.3 and 0.45; measured over the middle third.",
    why: "1 % along and 0.02 across: the pull is spread evenly over the points of the ends, edges included, which is not quite an even \
          stress.",
    fast: true,
    outside: None,
    solve,
};

fn solve() -> Result<Answer> {
    let mut answer = Answer::default();
    for poisson in [0.0, 0.3, 0.45] {
        let material =
            format!("material = {{ density = 1000.0, young = 1e6, poisson = {poisson:?}, damping = 0.7 }}");
        let global = format!("order = 2\nresolution = [6, 2, 2]\n{material}");
        let lattice = format!(
            "resolution = [12, 2, 2]\nlaw = \"st_venant_kirchhoff\"\nviscous_time = 0.001\n{material}"
        );
        for (kind, keys, most) in [("global", global, 0.01), ("lattice", lattice, 0.01)] {
            let text = scene(60.0, [0.0; 3])
                + &body("a", kind, "box = [0.6, 0.1, 0.1]", [0.0; 3], &keys)
                + &control("force", "left = 0.0001", "force = [-10.0, 0.0, 0.0]")
                + &control("force", "right = 0.0001", "force = [10.0, 0.0, 0.0]");
            let mut lab = Lab::new(&text)?;
            lab.run(4.0)?;
            let at = |x: f64| lab.way(0, |p| (p.x - x).abs() < 1e-4).x;
            let along = (at(0.1) - at(-0.1)) / 0.2;
            let outer = lab.way(0, |p| p.x.abs() < 1e-4 && p.y > 0.0499).y;
            let inner = lab.way(0, |p| p.x.abs() < 1e-4 && p.y < -0.0499).y;
            let across = (outer - inner) / 0.1;
            answer = answer.share(format!("{kind}, nu = {poisson}: strain along"), 1e-3, along, most);
            answer = answer.size(
                format!("{kind}, nu = {poisson}: contraction over it"),
                poisson,
                -across / along,
                0.02,
            );
        }
    }
    Ok(answer)
}
