//! V18: NAFEMS FV32, a tapered panel swings in its plane.

use crate::lab::{Lab, body, control, frequency, scene};
use crate::problem::{Answer, Problem};
use anyhow::Result;
use pliant::MeshLibrary;
use pliant::math::Vec3;
use pliant::shape::box_mesh;

pub const PROBLEM: Problem = Problem {
    title: "Tapered cantilever membrane (NAFEMS FV32)",
    source: "NAFEMS FV32: 44.623, 130.03, 162.70 Hz for E = 200 GPa, 8000 kg/m^3, L = 10 m, 5 m -> 1 m, Poisson 0.3.",
    setup: "The panel scaled to 1 m and a slower stuff (frequencies scale with c/L), riding in a lattice of 40 cells along it \
            and one across; pushed at its end for a moment in its plane, undamped.",
    why: "3 %: the slanted sides cut through cells, as in Cook's membrane.",
    fast: false,
    outside: None,
    solve,
};

fn solve() -> Result<Answer> {
    let cell = 0.025;
    let mesh = box_mesh(Vec3::new(1.0, 1.0, cell), [40, 20, 1]).map(|p| {
        let s = p.x + 0.5;
        Vec3::new(s, p.y * (0.5 - 0.4 * s), p.z)
    });
    let meshes = MeshLibrary::from([("panel.obj".to_string(), mesh)]);
    let keys = format!(
        "cell = {cell:?}\nlaw = \"st_venant_kirchhoff\"\nviscous_time = 0.0\n\
         material = {{ density = 1000.0, young = 1e6, poisson = 0.3 }}"
    );
    let text = scene(300.0, [0.0; 3])
        + &body("a", "lattice", "mesh = \"panel.obj\"", [0.0; 3], &keys)
        + &control("hold", "left = 0.0001", "")
        + &control("force", "right = 0.0001", "force = [0.4, 0.2, 0.0]\nuntil = 0.01");
    let mut lab = Lab::with_meshes(&text, &meshes)?;
    lab.run(0.02)?;
    let mut along = vec![];
    let across = lab.watch(4.0, |l| {
        let way = l.way(0, |p| p.x > 0.9999);
        along.push((l.world.time(), way.x));
        way.y
    })?;
    // c/L is 500 /s there and 31.62 /s here.
    let here = |f: f64| f * 1000f64.sqrt() / 500.0;
    let near = |list: &[(f64, f64)], f: f64| frequency(list, 0.9 * here(f), 1.1 * here(f)) / here(f) * f;
    Ok(Answer::default()
        .share("first bending [Hz]", 44.623, near(&across, 44.623), 0.03)
        .share("second bending [Hz]", 130.03, near(&across, 130.03), 0.03)
        .share("first along itself [Hz]", 162.70, near(&along, 162.70), 0.03))
}
