//! P6: a path is kept whatever the weight.

use crate::lab::{Lab, body, control, scene};
use crate::problem::{Answer, Problem};
use anyhow::Result;

pub const PROBLEM: Problem = Problem {
    title: "Path under gravity and under ten times gravity",
    source: "[PB88] section 4: a reaction constraint keeps its path whatever the load; a penalty sags by the load over its \
             stiffness.",
    setup: "The upper side of a block of each kind is carried along a path under 9.81 and 98.1 m/s^2; a rigid block also by a \
            penalty of 10 kN/m, whose mean sag is measured.",
    why: "1 um for exact paths: the solve's tolerance; 2 % for the sag, the mean of an undamped swing.",
    fast: true,
    outside: None,
    solve,
};

fn solve() -> Result<Answer> {
    let mut answer = Answer::default();
    let path = "keys = [{ t = 0, at = [0, 0, 0] }, { t = 0.3, at = [0, 0.2, 0.1] }]";
    for (kind, more) in [
        ("rigid", ""),
        ("global", "material = { young = 1e5, damping = 0.05 }"),
        ("hybrid", "material = { young = 1e5, damping = 0.05 }"),
        ("lattice", "resolution = 4\nmaterial = { young = 1e5, damping = 0.05 }"),
    ] {
        for g in [9.81, 98.1] {
            let text = scene(60.0, [0.0, -g, 0.0])
                + &body("a", kind, "box = [0.2, 0.2, 0.2]", [0.0; 3], more)
                + &control("path", "top = 0.001", path);
            let mut lab = Lab::new(&text)?;
            let mut worst = 0.0f64;
            for _ in 0..40 {
                worst = worst.max(lab.frame()?.report.max_control_error);
            }
            answer = answer.size(format!("{kind}, {g} m/s^2: farthest off [m]"), 0.0, worst, 1e-6);
        }
    }
    let stiffness = 1e4;
    for g in [9.81, 98.1] {
        let text = scene(960.0, [0.0, -g, 0.0])
            + &body("a", "rigid", "box = [0.2, 0.2, 0.2]", [0.0; 3], "")
            + &control("hold", "top = 0.001", &format!("method = \"penalty\"\nstiffness = {stiffness:?}"));
        let mut lab = Lab::new(&text)?;
        let sag = lab.watch(5.0, |l| -l.measures(0).centre.y)?;
        let mean = sag.iter().map(|p| p.1).sum::<f64>() / sag.len() as f64;
        answer = answer.share(format!("penalty, {g} m/s^2: mean sag [m]"), 8.0 * g / stiffness, mean, 0.02);
    }
    Ok(answer)
}
