//! Two blocks meet and go on together.

use crate::lab::{Lab, body, scene};
use crate::problem::{Answer, Problem};
use anyhow::Result;

pub const PROBLEM: Problem = Problem {
    title: "Rigid blocks collide and go on together",
    source: "momentum; [BW92] section 3.2: contact is inelastic where nothing can store energy.",
    setup: "A rigid block of 1 kg at 2 m/s hits one of 2 kg at rest, face to face: speeds and energy afterwards.",
    why: "1e-8: the solver stops at 1e-9 of the speeds, three times that of the speed which is left.",
    fast: true,
    outside: None,
    solve,
};

fn solve() -> Result<Answer> {
    let cube = |name: &str, x: f64, density: f64, v: f64| {
        let keys =
            format!("velocity = [{v:?}, 0.0, 0.0]\nmaterial = {{ density = {density:?}, friction = 0.0 }}");
        body(name, "rigid", "box = [0.1, 0.1, 0.1]", [x, 0.0, 0.0], &keys)
    };
    let text = scene(60.0, [0.0; 3]) + &cube("a", -0.2, 1000.0, 2.0) + &cube("b", 0.0, 2000.0, 0.0);
    let mut lab = Lab::new(&text)?;
    lab.run(0.5)?;
    let (a, b) = (lab.measures(0), lab.measures(1));
    Ok(Answer::default()
        .share("speed of the first [m/s]", 2.0 / 3.0, a.momentum.x / a.mass, 1e-8)
        .share("speed of the second [m/s]", 2.0 / 3.0, b.momentum.x / b.mass, 1e-8)
        .share("energy left [J]", 2.0 / 3.0, a.kinetic + b.kinetic, 1e-8))
}
