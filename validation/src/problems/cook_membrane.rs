//! V8: Cook's membrane, nearly incompressible.

use crate::lab::{Lab, PLANE_STRAIN, body, control, scene};
use crate::problem::{Answer, Problem};
use anyhow::Result;
use pliant::MeshLibrary;
use pliant::math::Vec3;
use pliant::shape::box_mesh;

pub const PROBLEM: Problem = Problem {
    title: "Cook's membrane, nearly incompressible",
    source: "Plane strain, Poisson 0.4999: with E = 1 and a shear force of 1 the middle of the right side rises by 18.51, its upper \
             corner by 19.43 (quadratic elements, extrapolated).",
    setup: "A panel of 0.48 m, at its left side 0.44 and at its right one 0.16 m high, held at the left and pushed up at the right \
            by so much that it rises by half a millimetre; planes hold its two faces apart. It rides in a lattice of cells of \
            3, 2 and 1.5 cm, one across; damped, at rest.",
    why: "2 %, coarser cells 4 %: the slanted sides cut through cells. What locks is far too stiff, by tens of per cent.",
    fast: false,
    outside: None,
    solve,
};

/// How far the middle of the right side is to rise `[m]`, and what it rises by for a unit of force over `E`.
const RISE: f64 = 5e-4;
const MIDDLE: f64 = 18.51;
const CORNER: f64 = 19.43;
const YOUNG: f64 = 1e5;

/// Rise of the middle of the right side and of its upper corner `[m]`.
fn rise(cells: u32) -> Result<[f64; 2]> {
    let cell = 0.48 / f64::from(cells);
    let n = cells;
    let mesh = box_mesh(Vec3::new(1.0, 1.0, cell), [n, n, 1]).map(|p| {
        let (s, t) = (p.x + 0.5, p.y + 0.5);
        Vec3::new(0.48 * s, 0.44 * s + t * (0.44 - 0.28 * s), p.z)
    });
    let meshes = MeshLibrary::from([("panel.obj".to_string(), mesh)]);
    let force = RISE / MIDDLE * YOUNG * cell;
    let keys = format!(
        "cell = {cell:?}\nviscous_time = 0.05\nstepping = \"explicit\"\n\
         material = {{ density = 1000.0, young = {YOUNG:?}, poisson = 0.4999 }}"
    );
    let text = scene(60.0, [0.0; 3])
        + &body("a", "lattice", "mesh = \"panel.obj\"", [0.0; 3], &keys)
        + &control("hold", "left = 0.0001", "")
        + PLANE_STRAIN
        + &control("force", "right = 0.0001", &format!("force = [0.0, {force:?}, 0.0]"));
    let mut lab = Lab::with_meshes(&text, &meshes)?;
    lab.run(2.0)?;
    let right = |y: f64| move |p: Vec3| p.x > 0.4799 && (p.y - y).abs() < 1e-6;
    Ok([0.52, 0.60].map(|y| lab.way(0, right(y)).y))
}

fn solve() -> Result<Answer> {
    let mut answer = Answer::default();
    for (cells, allowed) in [(16, 0.04), (24, 0.02), (32, 0.02)] {
        let [middle, corner] = rise(cells)?.map(|r| r / RISE * MIDDLE);
        answer = answer
            .share(format!("{cells} cells: middle of the right side"), MIDDLE, middle, allowed)
            .share(format!("{cells} cells: upper corner"), CORNER, corner, allowed);
    }
    Ok(answer)
}
