//! V20: an elastic bar hits a wall lengthwise.

use crate::chart::Chart;
use crate::lab::{Lab, body, obstacle, scene};
use crate::problem::{Answer, Problem};
use anyhow::Result;

pub const PROBLEM: Problem = Problem {
    title: "Elastic bar hits a rigid wall",
    source: "waves in a bar (Saint-Venant): contact for 2 L/c, force rho c A v, rebound at v.",
    setup: "A lattice bar of 1 x 0.05 x 0.05 m and 80 x 2 x 2 cells, E = 1 MPa, Poisson 0, undamped, meets a wall at 0.2 m/s. \
            Steps are explicit, as waves ask for.",
    why: "3 %: the front of the wave is as steep as a cell is short; behind it cells ring, and a bar that rings keeps some \
          energy from its flight.",
    fast: true,
    outside: None,
    solve,
};

fn solve() -> Result<Answer> {
    let (speed, c) = (0.2, 1000f64.sqrt());
    let keys = format!(
        "velocity = [{speed:?}, 0.0, 0.0]\nresolution = [80, 2, 2]\nlaw = \"st_venant_kirchhoff\"\nviscous_time = 0.0\n\
         stepping = \"explicit\"\n         material = {{ density = 1000.0, young = 1e6, poisson = 0.0, friction = 0.0 }}"
    );
    let text = scene(1200.0, [0.0; 3])
        + "clearance = 1e-5\n"
        + &body("a", "lattice", "box = [1.0, 0.05, 0.05]", [0.0; 3], &keys)
        + &obstacle("wall", "plane = { normal = [-1, 0, 0], offset = -0.5001 }", "");
    let mut lab = Lab::new(&text)?;
    let history = lab.watch(0.1, |l| l.measures(0).momentum.x / l.measures(0).mass)?;
    // Half way down and half way up again: the force is constant in between.
    let down = history.iter().find(|p| p.1 < 0.5 * speed).map_or(f64::NAN, |p| p.0);
    let up = history.iter().find(|p| p.1 < -0.5 * speed).map_or(f64::NAN, |p| p.0);
    let away = -history.iter().map(|p| p.1).fold(f64::INFINITY, f64::min);
    let mass = lab.measures(0).mass;
    let force = mass * speed / (up - down);
    let shown = history.iter().map(|(t, v)| (*t, v / speed)).collect();
    let hit = down - 0.5 / c;
    let known = vec![(0.0, 1.0), (hit, 1.0), (hit + 2.0 / c, -1.0), (0.1, -1.0)];
    let chart = Chart::new("A bar hits a wall", "time [s]", "mean speed over that before");
    Ok(Answer::default()
        .share("force [N]", 1000.0 * c * 0.0025 * speed, force, 0.03)
        .share("time in contact [s]", 2.0 / c, 2.0 * (up - down), 0.03)
        .share("speed away over speed before", 1.0, away / speed, 0.03)
        .chart(chart.line("Pliant", shown).line("waves", known)))
}
