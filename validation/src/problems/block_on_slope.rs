//! V27: a block on a slope at the limit of Coulomb friction.

use crate::lab::{G, Lab, body, obstacle, scene};
use crate::problem::{Answer, Problem};
use anyhow::Result;
use pliant::math::Vec3;

pub const PROBLEM: Problem = Problem {
    title: "Block on a slope at the limit of friction",
    source: "Coulomb's law; the setup is the friction example of Incremental Potential Contact [LFS20].",
    setup: "A rigid and a global block on a slope of tan = 1/2. With friction 0.5, the very limit, the rigid one must stay \
            for 5 s; with 0.49 both slide at 0.01 g cos = 0.0877 m/s^2.",
    why: "1 um of creep is what the solver's tolerance leaves; 1 % for sliding, since the step's h/2 is 0.1 % and the \
          global block's own sagging adds to the way.",
    fast: true,
    outside: None,
    solve,
};

fn solve() -> Result<Answer> {
    let stays = slides("rigid", 0.5, 5.0)?;
    let answer = Answer::default().size("friction 0.50, rigid: way in 5 s [m]", 0.0, stays, 1e-6);
    let (t, h) = (4.0, 1.0 / 120.0);
    let a = 0.01 * G / 1.25f64.sqrt();
    let rate = |kind: &str| slides(kind, 0.49, t).map(|way| 2.0 * way / (t * (t + h)));
    Ok(answer.share("friction 0.49, rigid: acceleration [m/s^2]", a, rate("rigid")?, 0.01).share(
        "friction 0.49, global: acceleration [m/s^2]",
        a,
        rate("global")?,
        0.01,
    ))
}

/// How far a block slides in a time.
fn slides(kind: &str, friction: f64, seconds: f64) -> Result<f64> {
    let at = Vec3::new(0.5, 1.0, 0.0).normalize() * 0.1;
    let keys = format!(
        "rotation = [0.0, 0.0, {:?}]\nmaterial = {{ friction = {friction:?}, young = 1e9 }}",
        -0.5f64.atan().to_degrees()
    );
    let block = body("a", kind, "box = [0.4, 0.2, 0.4]", at.to_array(), &keys);
    let hill = obstacle("hill", "plane = { normal = [0.5, 1.0, 0.0] }", "");
    let mut lab = Lab::new(&(scene(60.0, [0.0, -G, 0.0]) + &block + &hill))?;
    let start = lab.measures(0).centre;
    lab.run(seconds)?;
    Ok((lab.measures(0).centre - start).dot(Vec3::new(1.0, -0.5, 0.0).normalize()))
}
