//! The boxes on stairs of our `stairs` in Jolt: rigid, 60 steps per second, one thread.
//!
//! usage: jolt_stairs COUNT [SECONDS]

use pliant_bench_jolt::shared::{Watch, row};
use pliant_bench_jolt::{argument, stairs_deepest, stairs_new, stairs_step};

const HZ: f64 = 60.0;

fn main() {
    let (layers, seconds) = ((argument(1, None) / 100.0).round() as usize, argument(2, Some(5.0)));
    // SAFETY: the scene is made once and never freed; the other side keeps no pointer of ours.
    let scene = unsafe { stairs_new(layers as i32) };
    let mut watch = Watch::default();
    for step in 0..(seconds * HZ).round() as usize {
        // SAFETY: as above.
        watch.run(|| unsafe { stairs_step(scene, 1.0 / HZ, step % 30 == 29) });
    }
    let per_second = Watch { cpu: watch.cpu / seconds, wall: watch.wall / seconds };
    // SAFETY: as above.
    let deepest = 1e3 * unsafe { stairs_deepest(scene) };
    row("Jolt rigid", 100 * layers, 1, &per_second, &[("deepest_mm", deepest)]);
}
