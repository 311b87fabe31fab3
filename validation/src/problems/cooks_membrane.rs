//! V8: Cook's tapered panel, whose sides cut through the cells.

use crate::chart::Chart;
use crate::lab::{Lab, body, control, scene};
use crate::problem::{Answer, Problem};
use anyhow::Result;
use pliant::MeshLibrary;
use pliant::math::Vec3;
use pliant::shape::box_mesh;

pub const PROBLEM: Problem = Problem {
    title: "Cook's membrane",
    source: "plane stress, E = 1, Poisson 1/3, unit load: middle of the loaded edge rises by 23.97; FinEtools, and 23.964 by \
             quadratic elements on 48 x 48.",
    setup: "The panel 48 x (44 -> 16), scaled to 1 m, rides in a lattice of boxes whose edges do not follow its slanted sides: \
            12, 24 and 48 cells along it, one across. Small loads.",
    why: "3 % with 48 cells, 10 % with 12: cells that are filled in part resist by their share, which is a first-order \
          picture of a slanted side.",
    fast: false,
    outside: None,
    solve,
};

fn solve() -> Result<Answer> {
    let mut answer = Answer::default();
    let mut ours = vec![];
    for (cells, most) in [(12, 0.1), (24, 0.05), (48, 0.03)] {
        let rises = panel(cells)?;
        answer = answer.share(format!("{cells} cells: rise of the middle"), 23.97, rises, most);
        ours.push((f64::from(cells), rises));
    }
    let chart = Chart::new("Cook's membrane", "cells along it", "rise, E t/F");
    Ok(answer.chart(chart.line("known", vec![(12.0, 23.97), (48.0, 23.97)]).dots("lattice", ours)))
}

fn panel(cells: u32) -> Result<f64> {
    let thick = 1.0 / f64::from(cells);
    // A panel 1 m long: from 44/48 to 16/48 high.
    let mesh = box_mesh(Vec3::new(1.0, 1.0, thick), [cells, cells, 1]).map(|p| {
        let s = p.x + 0.5;
        let (low, high) = (44.0 * s, 44.0 + 16.0 * s);
        Vec3::new(s, (low + (p.y + 0.5) * (high - low)) / 48.0, p.z)
    });
    let meshes = MeshLibrary::from([("panel.obj".to_string(), mesh)]);
    let young = 1e6;
    let force = 0.002 * young * thick / 23.97;
    let keys = format!(
        "cell = {thick:?}\nlaw = \"st_venant_kirchhoff\"\nviscous_time = 0.04\n\
         material = {{ density = 1000.0, young = {young:?}, poisson = 0.333333333333 }}"
    );
    let text = scene(60.0, [0.0; 3])
        + &body("a", "lattice", "mesh = \"panel.obj\"", [0.0; 3], &keys)
        + &control("hold", "left = 0.0001", "")
        + &control("force", "right = 0.0001", &format!("force = [0.0, {force:?}, 0.0]"));
    let mut lab = Lab::with_meshes(&text, &meshes)?;
    let middle = |l: &Lab| l.way(0, |p| p.x > 0.9999 && (p.y - 52.0 / 48.0).abs() < 1e-3).y;
    lab.run(1.5)?;
    Ok(middle(&lab) * young * thick / force)
}
