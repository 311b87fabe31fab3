//! A block on a slope topples once its weight passes its lower edge.

use crate::lab::{G, Lab, body, obstacle, scene};
use crate::problem::{Answer, Problem};
use anyhow::Result;
use pliant::math::Vec3;

pub const PROBLEM: Problem = Problem {
    title: "Toppling block",
    source: "statics: a block of width b and height h on a slope stands while b/h > tan.",
    setup: "Rigid blocks of b/h = 0.48, 0.49, 0.51 and 0.52 on a slope of tan = 1/2 with friction 2: the narrow ones must \
            topple within 8 s, the wide ones stand.",
    why: "the limit is between the two in the middle: 2 %.",
    fast: true,
    outside: None,
    solve,
};

fn solve() -> Result<Answer> {
    let mut answer = Answer::default();
    for (ratio, topples) in [(0.48, true), (0.49, true), (0.51, false), (0.52, false)] {
        answer = answer.holds(format!("b/h = {ratio}: topples"), topples, falls(ratio)?);
    }
    Ok(answer)
}

fn falls(ratio: f64) -> Result<bool> {
    let (b, h) = (0.2 * ratio, 0.2);
    let at = Vec3::new(0.5, 1.0, 0.0).normalize() * (0.5 * h + 1e-4);
    let keys =
        format!("rotation = [0.0, 0.0, {:?}]\nmaterial = {{ friction = 2.0 }}", -0.5f64.atan().to_degrees());
    let block = body("a", "rigid", &format!("box = [{b:?}, {h:?}, 0.2]"), at.to_array(), &keys);
    let hill = obstacle("hill", "plane = { normal = [0.5, 1.0, 0.0] }", "friction = 2.0");
    let mut lab = Lab::new(&(scene(60.0, [0.0, -G, 0.0]) + &block + &hill))?;
    let start = lab.world.bodies()[0].rotation();
    lab.run(8.0)?;
    let turned = start.inverse() * lab.world.bodies()[0].rotation();
    Ok(turned.to_axis_angle().1.to_degrees() > 30.0)
}
