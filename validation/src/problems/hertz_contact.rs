//! V24: a ball is pressed between plates.

use crate::chart::Chart;
use crate::lab::{Lab, body, obstacle, scene};
use crate::problem::{Answer, Problem};
use anyhow::Result;
use pliant::MeshLibrary;
use pliant::shape::sphere_mesh;

pub const PROBLEM: Problem = Problem {
    title: "Hertz contact of a ball and a plane",
    source: "Hertz: F = (4/3) E/(1 - nu^2) sqrt(R) d^1.5.",
    setup: "A ball of R = 0.1 m in a lattice of 36 cells across, Poisson 0.3, between two plates without friction that come \
            nearer: force at a depth d/R of 0.04, 0.06 and 0.08 on either side.",
    why: "10 %: the patch is only 4 to 5 cells wide in radius, and at d/R of some per cent Hertz' half space is itself off by \
          several per cent.",
    fast: false,
    outside: None,
    solve,
};

fn solve() -> Result<Answer> {
    let (young, poisson, radius) = (1e5, 0.3, 0.1);
    let meshes = MeshLibrary::from([("ball.obj".to_string(), sphere_mesh(radius, 5))]);
    let keys = format!(
        "resolution = 36\nviscous_time = 0.005\n\
         material = {{ density = 1000.0, young = {young:?}, poisson = {poisson:?}, friction = 0.0 }}"
    );
    let plate = |name: &str, side: f64| {
        let (place, way) = (side * 0.1101, -side * 0.009);
        let keys = format!(
            "position = [0.0, {place:?}, 0.0]\nfriction = 0.0\n\
             keys = [{{ t = 0, at = [0, 0, 0] }}, {{ t = 1.0, at = [0, {way:?}, 0] }}]"
        );
        obstacle(name, "box = [0.4, 0.02, 0.4]", &keys)
    };
    let text = scene(120.0, [0.0; 3])
        + "clearance = 1e-4\n"
        + &body("a", "lattice", "mesh = \"ball.obj\"", [0.0; 3], &keys)
        + &plate("lower", -1.0)
        + &plate("upper", 1.0);
    let mut lab = Lab::with_meshes(&text, &meshes)?;
    let upper = lab.world.find("upper").unwrap_or(2);
    let mut curve = vec![];
    lab.watch(1.0, |l| {
        // The pole and its antipode tell the depth, whatever gap the plates keep.
        let height = l.mean(0, |p| p.y > 0.0999).y - l.mean(0, |p| p.y < -0.0999).y;
        curve.push((radius - 0.5 * height, l.world.patch_force(0, upper).y.abs()));
        0.0
    })?;
    let law = |d: f64| 4.0 / 3.0 * young / (1.0 - poisson * poisson) * radius.sqrt() * d.max(0.0).powf(1.5);
    let mut answer = Answer::default();
    for depth in [0.004, 0.006, 0.008] {
        let near = curve.iter().filter(|(d, _)| (d - depth).abs() < 0.0006);
        let ratios: Vec<f64> = near.map(|(d, f)| f / law(*d)).collect();
        let ratio = ratios.iter().sum::<f64>() / ratios.len() as f64;
        answer =
            answer.share(format!("force at {} mm [N]", 1e3 * depth), law(depth), ratio * law(depth), 0.1);
    }
    let dots = (0..=8).map(|k| 0.001 * f64::from(k)).map(|d| (d, law(d))).collect();
    let chart = Chart::new("Pressing a ball", "depth [m]", "force [N]");
    Ok(answer.chart(chart.line("Pliant", curve).dots("Hertz", dots)))
}
