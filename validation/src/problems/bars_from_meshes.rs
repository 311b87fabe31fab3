//! Bars given as meshes, askew in their files, bend as beams do.

use crate::lab::{Lab, body, control, frequency, scene};
use crate::problem::{Answer, Problem};
use anyhow::Result;
use pliant::MeshLibrary;
use pliant::math::{Quat, Vec3};
use pliant::shape::{TriMesh, box_mesh, cylinder_mesh};
use std::f64::consts::TAU;

pub const PROBLEM: Problem = Problem {
    title: "Bars given as meshes",
    source: "q L^4/(8 E I) with the shear of Timoshenko's beam (q L^2/(2 k G A), k = 5/6 and 0.9), and the slowest swing of \
             Euler and Bernoulli's beam, 1.8751^2 sqrt(E I/(m L^4)), less what the same shear takes off it.",
    setup: "A square bar of 0.1 m and a round one of radius 0.06 m, 0.8 m long, E = 1 MPa, Poisson 0.3, as meshes that are \
            turned by 30 degrees in their files and turned back by their bodies, held at one end under a fiftieth of gravity; 8 \
            cells along them, the square one 16 too.",
    why: "4 % with 16 cells, 2 of them across, and 5 % with 8, which is what cells across do to bending (1 part in 30 with two \
          of them); the round bar in a single row of cells is 0.5 % too soft. Frequencies, with 16 cells: half of that, and 1 % for masses \
          at nodes.",
    fast: true,
    outside: None,
    solve,
};

const LENGTH: f64 = 0.8;
const YOUNG: f64 = 1e6;
const DENSITY: f64 = 1000.0;
const PULL: f64 = 9.81 / 50.0;

/// A bar along y, askew, with its area, second moment and what Timoshenko takes of its area for shear.
fn bars() -> [(&'static str, TriMesh, f64, f64, f64); 2] {
    let turn = Quat::from_rotation_z(30f64.to_radians());
    let (width, radius, around) = (0.1f64, 0.06f64, 32);
    let angle = TAU / f64::from(around);
    // The prism's, a little less than the circle's.
    let area = 0.5 * f64::from(around) * radius * radius * angle.sin();
    let bending = area * radius * radius * (2.0 + angle.cos()) / 12.0;
    let square = box_mesh(Vec3::new(width, LENGTH, width), [1, 4, 1]).map(|p| turn * p);
    let round = cylinder_mesh(radius, LENGTH, around).map(|p| turn * p);
    [("square", square, width * width, width.powi(4) / 12.0, 5.0 / 6.0), ("round", round, area, bending, 0.9)]
}

/// The scene of a bar along x, held by its left end; `keys` say how it is damped.
fn held(cells: u32, keys: &str, gravity: f64) -> String {
    let keys = format!(
        "resolution = {cells}\nrotation = [0.0, 0.0, -120.0]\n{keys}\n\
         material = {{ density = {DENSITY:?}, young = {YOUNG:?}, poisson = 0.3, damping = 0.0 }}\n"
    );
    scene(60.0, [0.0, -gravity, 0.0])
        + &body("a", "lattice", "mesh = \"bar.obj\"", [0.0; 3], &keys)
        + &control("hold", "left = 0.0001", "")
}

fn solve() -> Result<Answer> {
    let mut answer = Answer::default();
    for (name, mesh, area, bending, share) in bars() {
        let meshes = MeshLibrary::from([("bar.obj".to_string(), mesh)]);
        let (weight, stiff) = (DENSITY * area, YOUNG * bending);
        let shear = share * YOUNG / 2.6 * area;
        let by_bending = weight * PULL * LENGTH.powi(4) / (8.0 * stiff);
        let by_shear = weight * PULL * LENGTH.powi(2) / (2.0 * shear);
        let plain = 1.875_104f64.powi(2) / LENGTH.powi(2) * (stiff / weight).sqrt();
        let omega = plain / (1.0 + by_shear / by_bending).sqrt();
        let known = if name == "square" { &[(8, 0.05), (16, 0.04)][..] } else { &[(8, 0.05)] };
        for &(cells, sag) in known {
            let tip = |lab: &Lab| -lab.way(0, |p| p.x > 0.5 * LENGTH - 1e-4).y;
            let damped =
                held(cells, &format!("stepping = \"implicit\"\nviscous_time = {:?}", 0.4 / omega), PULL);
            let mut lab = Lab::with_meshes(&damped, &meshes)?;
            lab.run(40.0 / omega)?;
            answer = answer.share(
                format!("{name}, {cells} cells: tip [m]"),
                by_bending + by_shear,
                tip(&lab),
                sag,
            );
            if cells < 16 {
                continue;
            }
            let ringing = held(cells, "stepping = \"explicit\"", PULL);
            let mut lab = Lab::with_meshes(&ringing, &meshes)?;
            let history = lab.watch(20.0 / omega, tip)?;
            let found = frequency(&history, 0.7 * omega / TAU, 1.4 * omega / TAU);
            answer = answer.share(format!("{name}, {cells} cells: swings [1/s]"), omega / TAU, found, 0.03);
        }
    }
    Ok(answer)
}
