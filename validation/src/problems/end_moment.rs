//! V6: a straight beam is bent to a ring.

use crate::lab::{Beam, Lab, control, scene};
use crate::problem::{Answer, Problem};
use anyhow::Result;
use pliant::MeshLibrary;
use pliant::math::Vec3;
use pliant::shape::TriMesh;
use std::f64::consts::{PI, TAU};

pub const PROBLEM: Problem = Problem {
    title: "Beam bent to a ring",
    source: "A beam under an end moment M = 2 pi E I/L closes to a circle (Euler): its middle is at L/pi from its ends, it holds \
             2 pi^2 E I/L, and its ends bear no force.",
    setup: "A lattice beam of 1 x 0.02 x 0.02 m, 40 x 2 x 2 cells, E = 100 MPa, Poisson 0, held at its left end. Its right end \
            follows a moving mesh, from where it is to where the left one is and once round, in 4 s; 2 s later it is at rest. \
            Steps are implicit.",
    why: "0.5 % for the place and 1 % for the energy: a cell turns by 9 degrees, so the error of the cells is some thousandths; \
          the force, which is nothing, within 2 % of E I/L^2.",
    fast: false,
    outside: None,
    solve,
};

/// Frames of the end's motion, and how many a second.
const FRAMES: u32 = 240;
const FPS: f64 = 60.0;

/// The end as it is when the beam has been bent by an angle all along.
fn end(beam: &Beam, angle: f64) -> TriMesh {
    let [length, high, wide] = beam.size;
    let (sin, cos) = angle.sin_cos();
    let middle = match angle {
        0.0 => Vec3::new(length, 0.0, 0.0),
        _ => Vec3::new(length * sin / angle, length * (1.0 - cos) / angle, 0.0),
    };
    let corner = |y: f64, z: f64| {
        let start = Vec3::new(-0.5 * length, 0.0, z * wide);
        start + middle + Vec3::new(-sin, cos, 0.0) * (y * high)
    };
    TriMesh {
        points: vec![corner(-0.5, -0.5), corner(0.5, -0.5), corner(0.5, 0.5), corner(-0.5, 0.5)],
        triangles: vec![[0, 1, 2], [0, 2, 3]],
        ..TriMesh::default()
    }
}

fn solve() -> Result<Answer> {
    let beam = Beam {
        size: [1.0, 0.02, 0.02],
        cells: [40, 2, 2],
        young: 1e8,
        poisson: 0.0,
        density: 1000.0,
        damping: 0.5,
    };
    let share = |n: u32| f64::from(n) / f64::from(FRAMES);
    // Slowly at both ends of the way.
    let angle = |n: u32| TAU * share(n) * share(n) * (3.0 - 2.0 * share(n));
    let meshes: MeshLibrary =
        (0..=FRAMES).map(|n| (format!("end.{n:04}.obj"), end(&beam, angle(n)))).collect();
    let text = scene(FPS, [0.0; 3])
        + &beam.held()
        + &control(
            "follow",
            "right = 0.0001",
            &format!("motion = {{ mesh = \"end.####.obj\", frames = [0, {FRAMES}], fps = {FPS:?} }}"),
        );
    let mut lab = Lab::with_meshes(&text, &meshes)?;
    lab.run(f64::from(FRAMES) / FPS + 2.0)?;
    let middle = lab.mean(0, |p| p.x.abs() < 1e-4 && p.y.abs() < 1e-4);
    let held = lab.mean(0, |p| p.x < -0.4999 && p.y.abs() < 1e-4);
    let force = lab.frame()?.controls[1].force.length();
    let [length, stiff] = [beam.size[0], beam.bending()];
    Ok(Answer::default()
        .share("middle from the ends [m]", length / PI, middle.distance(held), 0.005)
        .share("elastic energy [J]", 2.0 * PI * PI * stiff / length, lab.measures(0).elastic, 0.01)
        .size("force on the ends over E I/L^2", 0.0, force / stiff * length * length, 0.02))
}
