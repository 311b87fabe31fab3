//! P1: a hybrid body of ever greater stiffness moves like a rigid one.

use crate::chart::Chart;
use crate::lab::{G, Lab, body, obstacle, scene};
use crate::problem::{Answer, Problem};
use anyhow::Result;
use pliant::MeshLibrary;
use pliant::math::{Quat, Vec3};
use pliant::shape::box_mesh;

pub const PROBLEM: Problem = Problem {
    title: "Hybrid body in the rigid limit",
    source: "[TW88] section 5: as the weights grow the motion tends to that of a rigid body, at no cost.",
    setup: "A hybrid block falls on a corner, slides and tips for 0.75 s, with weights from 1e4 to 1e12 times a soft one's: \
            farthest that any of its places is from those of a rigid block with the same surface.",
    why: "1e-8 m at 1e12: round-off of the solve.",
    fast: true,
    outside: None,
    solve,
};

fn solve() -> Result<Answer> {
    let meshes = MeshLibrary::from([("box.obj".to_string(), box_mesh(Vec3::new(0.2, 0.3, 0.25), [2, 2, 2]))]);
    let run = |kind: &str, shape: &str, more: &str| -> Result<Vec<(Vec3, Quat)>> {
        let keys = format!(
            "rotation = [20.0, 30.0, 10.0]\nspin = [200.0, -90.0, 140.0]\nvelocity = [0.6, 0.0, 0.2]\n\
             material = {{ density = 800.0, friction = 0.4 }}\n{more}"
        );
        let text = scene(60.0, [0.0, -G, 0.0])
            + &body("a", kind, shape, [0.0, 0.6, 0.0], &keys)
            + &obstacle("floor", "plane = {}", "");
        let mut lab = Lab::with_meshes(&text, &meshes)?;
        let mut places = vec![];
        for _ in 0..90 {
            lab.world.step()?;
            let object = &lab.world.frame().objects[0];
            places.push((object.translation, object.rotation));
        }
        Ok(places)
    };
    let rigid = run("rigid", "mesh = \"box.obj\"", "")?;
    let mut errors = vec![];
    for power in [4, 6, 8, 12] {
        let w = 10f64.powi(power);
        let weights = format!("resolution = [2]\nweights = {{ w0 = {:?}, w1 = {:?} }}", 1e4 * w, 1e3 * w);
        let places = run("hybrid", "box = [0.2, 0.3, 0.25]", &weights)?;
        let off = |((p, q), (r, s)): (&(Vec3, Quat), &(Vec3, Quat))| {
            p.distance(*r).max((*q * Vec3::splat(0.2) - *s * Vec3::splat(0.2)).length())
        };
        errors.push((w, places.iter().zip(&rigid).map(off).fold(0.0, f64::max)));
    }
    let chart = Chart::new("Hybrid against rigid", "times stiffer", "farthest off [m]").logarithmic();
    Ok(Answer::default()
        .size("1e12 times stiffer: off by [m]", 0.0, errors[3].1, 1e-8)
        .chart(chart.dots("Pliant", errors)))
}
