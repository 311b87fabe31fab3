//! V19: a free elastic ball breathes.

use crate::lab::{Lab, body, control, frequency, scene};
use crate::problem::{Answer, Problem};
use anyhow::Result;
use pliant::MeshLibrary;
use pliant::shape::sphere_mesh;
use std::f64::consts::TAU;

pub const PROBLEM: Problem = Problem {
    title: "Breathing of a free elastic ball",
    source: "Lamb: w a/c_p = 0.816 pi for Poisson 1/4.",
    setup: "A ball of 0.1 m in a lattice of 20 cells across, E = 100 kPa, undamped, pulled outwards at six places for 5 ms: the \
            strongest frequency of its volume, which only breathing changes.",
    why: "3 %: a ball of cubes; the cells of its surface are filled in part and weigh and resist by their share.",
    fast: false,
    outside: None,
    solve,
};

fn solve() -> Result<Answer> {
    let (young, poisson): (f64, f64) = (1e5, 0.25);
    let meshes = MeshLibrary::from([("ball.obj".to_string(), sphere_mesh(0.1, 4))]);
    let keys = format!(
        "resolution = 20\nviscous_time = 0.0\nmaterial = {{ density = 1000.0, young = {young:?}, poisson = {poisson:?} }}"
    );
    let mut text = scene(1000.0, [0.0; 3]) + &body("a", "lattice", "mesh = \"ball.obj\"", [0.0; 3], &keys);
    for axis in 0..3 {
        for side in [-1.0, 1.0] {
            let mut centre = [0.0; 3];
            let mut force = [0.0; 3];
            (centre[axis], force[axis]) = (0.1 * side, 5.0 * side);
            let select = format!("ball = {{ centre = {centre:?}, radius = 0.06 }}");
            text += &control("force", &select, &format!("force = {force:?}\nuntil = 0.005"));
        }
    }
    let mut lab = Lab::with_meshes(&text, &meshes)?;
    lab.run(0.01)?;
    let volume = lab.watch(0.5, |l| l.measures(0).volume)?;
    let speed = (young * (1.0 - poisson) / ((1.0 + poisson) * (1.0 - 2.0 * poisson)) / 1000.0).sqrt();
    let known = 0.816 * std::f64::consts::PI * speed / 0.1 / TAU;
    Ok(Answer::default().share("frequency [1/s]", known, frequency(&volume, 0.7 * known, 1.3 * known), 0.03))
}
