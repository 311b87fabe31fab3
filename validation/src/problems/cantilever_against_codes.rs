//! The stout cantilever that two independent codes have solved: static and sudden.

use crate::chart::Chart;
use crate::lab::{Beam, Lab, scene};
use crate::problem::{Answer, Problem};
use anyhow::Result;

pub const PROBLEM: Problem = Problem {
    title: "Stout cantilever against two other codes",
    source: "scikit-fem with quadratic hexahedra (static) and CalculiX with C3D20 (sudden gravity), St. Venant-Kirchhoff.",
    setup: "A lattice beam of 1 x 0.2 x 0.2 m, E = 1 MPa, Poisson 0, 1000 kg/m^3 held at one end: at rest under 0.0981 and \
            9.81 m/s^2 with 16 x 4 x 4 cells, and swinging after sudden gravity with 32 x 8 x 8.",
    why: "1 %, 2 % for the way back: the references are converged to three digits.",
    fast: false,
    outside: None,
    solve,
};

fn beam(cells: [u32; 3], damping: f64) -> Beam {
    Beam { size: [1.0, 0.2, 0.2], cells, young: 1e6, poisson: 0.0, density: 1000.0, damping }
}

fn solve() -> Result<Answer> {
    let rest = |g: f64| -> Result<_> {
        let b = beam([16, 4, 4], 0.7);
        let mut lab = Lab::new(&(scene(60.0, [0.0, -g, 0.0]) + &b.held()))?;
        lab.run(20.0 / b.omega())?;
        Ok(-lab.tip(1.0))
    };
    let (small, large) = (rest(0.0981)?, rest(9.81)?);
    let mut lab = Lab::new(&(scene(400.0, [0.0, -9.81, 0.0]) + &beam([32, 8, 8], 0.0).held()))?;
    let history = lab.watch(0.9, |l| -l.tip(1.0).y)?;
    let peak =
        history.iter().filter(|p| p.0 < 0.7).copied().fold((0.0, 0.0), |a, b| if b.1 > a.1 { b } else { a });
    let chart = Chart::new("Tip after sudden gravity", "time [s]", "deflection [m]");
    let chart =
        chart.line("Pliant, 32 x 8 x 8", history).dots("CalculiX and scikit-fem", vec![(0.481, 0.6334)]);
    Ok(Answer::default()
        .share("0.0981 m/s^2: tip down [m]", 3.794e-3, small.y, 0.01)
        .share("9.81 m/s^2: tip down [m]", 0.3477, large.y, 0.01)
        .share("9.81 m/s^2: tip back [m]", 0.0710, large.x, 0.02)
        .share("sudden: lowest tip [m]", 0.6334, peak.1, 0.01)
        .share("sudden: when [s]", 0.481, peak.0, 0.01)
        .chart(chart))
}
