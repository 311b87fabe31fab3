//! The jello cube that all peers were measured on.

use crate::chart::Chart;
use crate::lab::{G, Lab, body, obstacle, scene};
use crate::problem::{Answer, Problem};
use anyhow::Result;

pub const PROBLEM: Problem = Problem {
    title: "Jello cube falls and rebounds",
    source: "converged hexahedra with eight Gauss points, explicit, neo-Hookean, another program: rest height 0.1972 m, lowest \
             height 0.1678 m, centre rebounds to 0.1417 m.",
    setup: "A lattice cube of 0.2 m, E = 50 kPa, Poisson 0.3, viscous time 1 ms, friction 0.5, dropped 0.1 m on a plane, 12 x 12 x \
            12 cells.",
    why: "1 % of the rest height and 3 % of the others, which is what a drop converges to at this size.",
    fast: false,
    outside: None,
    solve,
};

fn solve() -> Result<Answer> {
    let keys = "resolution = 12\nviscous_time = 0.001\nmaterial = { density = 1000.0, young = 5e4, poisson = 0.3, friction = 0.5 }";
    let text = scene(120.0, [0.0, -G, 0.0])
        + &body("a", "lattice", "box = [0.2, 0.2, 0.2]", [0.0, 0.2, 0.0], keys)
        + &obstacle("floor", "plane = {}", "");
    let mut lab = Lab::new(&text)?;
    let mut heights = vec![];
    let centres = lab.watch(3.0, |l| {
        let height = l.mean(0, |p| p.y > 0.0999).y - l.mean(0, |p| p.y < -0.0999).y;
        heights.push((l.world.time(), height));
        l.measures(0).centre.y
    })?;
    let lowest = heights.iter().map(|p| p.1).fold(f64::INFINITY, f64::min);
    let bottom =
        centres.iter().filter(|p| p.0 < 0.5).copied().fold((0.0, 9.0), |a, b| if b.1 < a.1 { b } else { a });
    let rebound = centres.iter().filter(|p| p.0 > bottom.0).map(|p| p.1).fold(0.0, f64::max);
    let late: Vec<f64> = heights.iter().filter(|p| p.0 > 2.0).map(|p| p.1).collect();
    let rest = late.iter().sum::<f64>() / late.len() as f64;
    let chart = Chart::new("Jello cube", "time [s]", "height [m]");
    Ok(Answer::default()
        .share("rest height [m]", 0.1972, rest, 0.01)
        .share("lowest height [m]", 0.1678, lowest, 0.03)
        .share("centre's rebound [m]", 0.1417, rebound, 0.03)
        .chart(chart.line("centre", centres).line("height of the cube", heights)))
}
