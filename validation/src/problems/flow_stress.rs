//! V14: the stress at which a mouldable block flows.

use crate::chart::Chart;
use crate::lab::{Lab, body, obstacle, scene};
use crate::problem::{Answer, Problem};
use anyhow::Result;

pub const PROBLEM: Problem = Problem {
    title: "Flow stress of a mouldable block",
    source: "yield where the deviatoric logarithmic strain reaches s: deviatoric stress 2 mu s, so sqrt 6 mu s under one-sided \
             load (von Mises; sqrt 2 mu s = 1/sqrt 3 of it in shear).",
    setup: "An incompressible mouldable lattice block of 0.2 m (4 x 4 x 4 cells), yield strain 0.02, is squeezed to 0.8 of its \
            height between plates without friction: true stress once it flows.",
    why: "3 %: neo-Hookean stress at 2 % strain is not quite linear (1 %), the plates' motion adds a little.",
    fast: false,
    outside: None,
    solve,
};

fn solve() -> Result<Answer> {
    let (young, poisson, limit) = (5e4, 0.45, 0.02);
    let mu = young / (2.0 * (1.0 + poisson));
    let keys = format!(
        "resolution = 4\nmaterial = {{ young = {young:?}, poisson = {poisson:?}, damping = 0.1, friction = 0.0, \
         incompressible = true, yield_strain = {limit:?} }}"
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
        + &plate("upper", 0.1105, "keys = [{ t = 0, at = [0, 0, 0] }, { t = 4.0, at = [0, -0.04, 0] }]");
    let mut lab = Lab::new(&text)?;
    let upper = lab.world.find("upper").unwrap_or(2);
    let mut strain = vec![];
    let history = lab.watch(4.0, |l| {
        let height = l.mean(0, |p| p.y > 0.0999).y - l.mean(0, |p| p.y < -0.0999).y;
        let stress = l.world.patch_force(0, upper).y.abs() * height / 0.008;
        strain.push((1.0 - height / 0.2, stress / (mu * limit)));
        stress
    })?;
    let late: Vec<f64> = history.iter().filter(|p| p.0 > 2.0).map(|p| p.1).collect();
    let mean = late.iter().sum::<f64>() / late.len() as f64;
    let chart = Chart::new("Squeezing a mouldable block", "shortening", "stress over mu s");
    let six = 6f64.sqrt();
    Ok(Answer::default()
        .share("stress over mu s while it flows", six, mean / (mu * limit), 0.03)
        .chart(chart.line("Pliant", strain).line("sqrt 6", vec![(0.0, six), (0.2, six)])))
}
