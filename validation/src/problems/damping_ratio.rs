//! The damping that a material asks for.

use crate::chart::Chart;
use crate::lab::{Lab, body, control, scene};
use crate::problem::{Answer, Problem};
use anyhow::Result;
use std::f64::consts::TAU;

pub const PROBLEM: Problem = Problem {
    title: "Damping ratio by logarithmic decrement",
    source: "peaks of a damped swing fall by exp(-2 pi z/sqrt(1 - z^2)).",
    setup: "Free bars of 1 m pulled at both ends and let go, with `damping` 0.02 and 0.05, which means the damping ratio of the \
            lowest elastic mode: global of order 1, whose lowest mode along itself is the lowest of all (Poisson 0).",
    why: "3 %: peaks are read off frames, symplectic steps of 1/960 s.",
    fast: true,
    outside: None,
    solve,
};

fn solve() -> Result<Answer> {
    let mut answer = Answer::default();
    let mut chart = Chart::new("Length of a bar that was let go", "time [s]", "stretch [mm]");
    for ratio in [0.02, 0.05] {
        let keys = format!(
            "order = 1\nmaterial = {{ density = 1000.0, young = 1e5, poisson = 0.0, damping = {ratio:?} }}"
        );
        let pull = |side: &str, f: f64| {
            control("force", &format!("{side} = 0.0001"), &format!("force = [{f:?}, 0.0, 0.0]\nuntil = 0.05"))
        };
        let text = scene(960.0, [0.0; 3])
            + &body("a", "global", "box = [1.0, 0.1, 0.1]", [0.0; 3], &keys)
            + &pull("left", -2.0)
            + &pull("right", 2.0);
        let mut lab = Lab::new(&text)?;
        lab.run(0.1)?;
        let history =
            lab.watch(2.0, |l| l.mean(0, |p| p.x > 0.4999).x - l.mean(0, |p| p.x < -0.4999).x - 1.0)?;
        let peaks: Vec<f64> = history
            .windows(3)
            .filter(|w| w[1].1 > w[0].1 && w[1].1 >= w[2].1 && w[1].1 > 0.0)
            .map(|w| w[1].1)
            .collect();
        let falls = (peaks[0] / peaks[peaks.len() - 1]).ln() / (peaks.len() - 1) as f64;
        let ours = falls / (TAU * TAU + falls * falls).sqrt();
        answer = answer.share(format!("damping {ratio}"), ratio, ours, 0.03);
        chart = chart.line(&format!("damping {ratio}"), history.iter().map(|(t, x)| (*t, 1e3 * x)).collect());
    }
    Ok(answer.chart(chart))
}
