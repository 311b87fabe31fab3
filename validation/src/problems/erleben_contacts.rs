//! V30: the contacts that are degenerate for meshes.

use crate::lab::certified;
use crate::problem::{Answer, Problem};
use anyhow::Result;

pub const PROBLEM: Problem = Problem {
    title: "Erleben's ten degenerate contacts",
    source: "[Erl18]: spikes, wedges, cracks, holes, cliff edges and internal edges; nothing may cross, all must come to rest.",
    setup: "The ten scenes `scenes/contact/erleben_*.toml` are run and recorded; the certificate, which shares no geometry with \
            the solver, counts frames in which anything crosses. Speed at the end of the fastest body.",
    why: "no crossing at all; 5 cm/s for scenes that end sliding.",
    fast: false,
    outside: None,
    solve,
};

const SCENES: [&str; 10] = [
    "01_spike_meets_spike",
    "02_spike_meets_wedge",
    "03_wedge_meets_wedge",
    "04_spike_falls_in_hole",
    "05_spike_falls_in_crack",
    "06_wedge_falls_in_crack",
    "07_spike_slides",
    "08_wedge_slides",
    "09_cliff_edges",
    "10_internal_edges",
];

fn solve() -> Result<Answer> {
    let mut answer = Answer::default();
    for name in SCENES {
        let (crossing, speed) = certified(&format!("contact/erleben_{name}.toml"))?;
        answer = answer.size(format!("{name}: crossing frames"), 0.0, crossing, 0.0);
        if !name.contains("slides") && !name.contains("internal") {
            answer = answer.size(format!("{name}: speed at the end [m/s]"), 0.0, speed, 0.05);
        }
    }
    Ok(answer)
}
