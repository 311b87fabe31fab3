//! V12: an incompressible block is squashed to half its height.

use crate::chart::Chart;
use crate::lab::{Lab, body, obstacle, scene};
use crate::problem::{Answer, Problem};
use anyhow::Result;

pub const PROBLEM: Problem = Problem {
    title: "Incompressible block squashed to half its height",
    source: "sides stretch by sqrt 2; neo-Hookean stress mu (l^2 - 1/l) = -1.75 mu; no change of volume.",
    setup: "A lattice block of 0.2 m, 6 x 6 x 6 cells, neo-Hookean and incompressible, between two plates without friction, \
            one of which comes down.",
    why: "1 % for the stretch and 3 % for the stress: plates keep a gap of 0.2 % of the block, and viscous stress \
          fades over the two seconds that the plate stands still before the stress is read; 0.01 % for the volume in every frame.",
    fast: false,
    outside: None,
    solve,
};

fn solve() -> Result<Answer> {
    let (young, poisson) = (5e4, 0.45);
    let mu = young / (2.0 * (1.0 + poisson));
    let keys = format!(
        "resolution = 6\nmaterial = {{ young = {young:?}, poisson = {poisson:?}, damping = 0.5, friction = 0.0, \
         incompressible = true }}"
    );
    let plate = |name: &str, y: f64, keys: &str| {
        obstacle(
            name,
            "box = [1.0, 0.02, 1.0]",
            &format!("position = [0.0, {y:?}, 0.0]\nfriction = 0.0\n{keys}"),
        )
    };
    let text = scene(60.0, [0.0; 3])
        + &body("a", "lattice", "box = [0.2, 0.2, 0.2]", [0.0; 3], &keys)
        + &plate("lower", -0.1105, "")
        + &plate("upper", 0.1105, "keys = [{ t = 0, at = [0, 0, 0] }, { t = 1.0, at = [0, -0.1, 0] }]");
    let mut lab = Lab::new(&text)?;
    let mut worst = 0.0f64;
    let mut curve = vec![];
    let upper = lab.world.find("upper").unwrap_or(2);
    lab.watch(4.0, |l| {
        worst = worst.max((l.measures(0).volume / 0.008 - 1.0).abs());
        let height = l.mean(0, |p| p.y > 0.0999).y - l.mean(0, |p| p.y < -0.0999).y;
        let stretch = height / 0.2;
        // True stress: the section is the volume over the height.
        let stress = -l.world.patch_force(0, upper).y.abs() * height / 0.008 / mu;
        curve.push((stretch, stress));
        stress
    })?;
    // At rest: the viscous part of the stress halves every third of a second once the plate stands still.
    let late = &curve[210..];
    let mean = |part: fn(&(f64, f64)) -> f64| late.iter().map(part).sum::<f64>() / late.len() as f64;
    let squeezed = (mean(|p| p.0), mean(|p| p.1));
    let sides: Vec<f64> = lab
        .marks(0, |p| p.x.abs() > 0.0999 || p.z.abs() > 0.0999)
        .iter()
        .flat_map(|(r, p)| [(r.x.abs() > 0.0999).then(|| p.x / r.x), (r.z.abs() > 0.0999).then(|| p.z / r.z)])
        .flatten()
        .collect();
    let widened = sides.iter().sum::<f64>() / sides.len() as f64;
    let law = |l: f64| l * l - 1.0 / l;
    let chart = Chart::new("Squashing an incompressible block", "height over rest", "stress over mu");
    let known = (0..=10).map(|k| 0.5 + 0.05 * f64::from(k)).map(|l| (l, law(l))).collect();
    Ok(Answer::default()
        .share("sides' stretch at half height", (1.0 / squeezed.0).sqrt(), widened, 0.01)
        .share("stress over mu", law(squeezed.0), squeezed.1, 0.03)
        .size("largest change of volume", 0.0, worst, 1e-4)
        .chart(chart.line("Pliant", curve).dots("mu (l^2 - 1/l)", known)))
}
