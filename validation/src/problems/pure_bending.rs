//! V6: a beam bent to an arc by turning its end.

use crate::lab::{Beam, Lab, control, obstacle, scene};
use crate::problem::{Answer, Problem};
use anyhow::Result;
use pliant::math::Vec3;
use std::f64::consts::PI;

pub const PROBLEM: Problem = Problem {
    title: "Beam bent to a half circle",
    source: "an end moment M = E I phi/L bends a beam to an arc of the angle phi with the energy E I phi^2/(2 L); MuJoCo's \
             test CantileverIntoCircle.",
    setup: "The end of a lattice beam of 1 x 0.04 x 0.04 m (40 x 2 x 2 cells) is glued to a block that moves on keys along the \
            curve that the end of an arc describes, to 180 degrees: stored energy, and where the middle lies.",
    why: "2 % for the energy: St. Venant-Kirchhoff is 0.4 % softer at 6 % strain, and the end is turned along a path of 60 \
          straight pieces; 0.5 % of the length for the middle.",
    fast: false,
    outside: None,
    solve,
};

fn solve() -> Result<Answer> {
    let b = Beam {
        size: [1.0, 0.04, 0.04],
        cells: [40, 2, 2],
        young: 1e6,
        poisson: 0.0,
        density: 1000.0,
        damping: 0.3,
    };
    let (time, pieces) = (12.0 / b.omega(), 60);
    // The end of an arc of the angle a, from the held end at x = -0.5; it bends downwards.
    let end = |a: f64| {
        if a == 0.0 { Vec3::X } else { Vec3::new(a.sin() / a, (a.cos() - 1.0) / a, 0.0) }
    };
    let keys: Vec<String> = (0..=pieces)
        .map(|k| f64::from(k) / f64::from(pieces))
        .map(|s| {
            let a = s * PI;
            let at = end(a) - Vec3::X;
            format!(
                "{{ t = {:?}, at = {:?}, rotation = [0.0, 0.0, {:?}] }}",
                s * time,
                at.to_array(),
                -a.to_degrees()
            )
        })
        .collect();
    // The block's own origin is the end's middle; it stands on the far side.
    let shape = "hull = [[0.002, -0.02, -0.02], [0.002, 0.02, -0.02], [0.002, -0.02, 0.02], [0.002, 0.02, 0.02], \
                 [0.03, -0.02, -0.02], [0.03, 0.02, -0.02], [0.03, -0.02, 0.02], [0.03, 0.02, 0.02]]";
    let grip = obstacle("grip", shape, &format!("position = [0.5, 0.0, 0.0]\nkeys = [{}]", keys.join(", ")));
    let glue = control("attach", "right = 0.001", "to = \"grip\"");
    let mut lab = Lab::new(&(scene(60.0, [0.0; 3]) + &b.held() + &glue + &grip))?;
    lab.run(time + 24.0 / b.omega())?;
    let middle = lab.mean(0, |p| p.x.abs() < 1e-4) + Vec3::X * 0.5;
    let known = 0.5 * end(0.5 * PI);
    Ok(Answer::default()
        .share("stored energy [J]", b.bending() * PI * PI / 2.0, lab.measures(0).elastic, 0.02)
        .size("middle, along [m]", known.x, middle.x, 0.005)
        .size("middle, down [m]", known.y, middle.y, 0.005))
}
