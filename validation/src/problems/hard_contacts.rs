//! V31: speed, mass ratio and stiffness ratio.

use crate::lab::certified;
use crate::problem::{Answer, Problem};
use anyhow::Result;

pub const PROBLEM: Problem = Problem {
    title: "Fast, heavy and stiff contacts",
    source: "unit scenes of Incremental Potential Contact [LFS20] and Rigid-IPC [FLS21]: nothing may cross.",
    setup: "Five fast cubes, a bullet on two thin walls at 200 m/s, a mass ratio of 1 to 10000, a stiffness ratio of 1 to a million, \
            an arch of twelve stones and a tower of twenty boxes, as `scenes/contact/` has them: frames in which the certificate \
            finds anything crossing.",
    why: "no crossing at all.",
    fast: false,
    outside: None,
    solve,
};

fn solve() -> Result<Answer> {
    let mut answer = Answer::default();
    for name in [
        "five_cubes_fast",
        "bullet_hits_two_thin_walls_at_200_m_s",
        "mass_ratio_1_to_10000",
        "stiffness_ratio_1_to_1e6",
        "arch_of_12_stones_stands",
        "tower_of_20_boxes_stands",
    ] {
        let (crossing, _) = certified(&format!("contact/{name}.toml"))?;
        answer = answer.size(format!("{name}: crossing frames"), 0.0, crossing, 0.0);
    }
    Ok(answer)
}
