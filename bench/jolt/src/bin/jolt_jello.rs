//! The jello cube of our `jello` as a soft body of Jolt, five iterations a step, one thread.
//!
//! usage: jolt_jello CELLS HZ [SECONDS]

use pliant_bench_jolt::shared::{Watch, row};
use pliant_bench_jolt::{argument, jello_look, jello_new, jello_step};

fn main() {
    let (cells, hz, seconds) = (argument(1, None), argument(2, None), argument(3, Some(2.0)));
    // SAFETY: the scene is made once and never freed; the other side keeps no pointer of ours.
    let scene = unsafe { jello_new(cells as i32) };
    let mut watch = Watch::default();
    let (mut centre, mut height, mut lowest) = (0.0, 0.0, f64::MAX);
    let (mut bottom, mut rebound) = (f64::MAX, 0.0);
    let frame = (hz / 60.0).round().max(1.0) as usize;
    for step in 1..=(seconds * hz).round() as usize {
        // SAFETY: as above.
        watch.run(|| unsafe { jello_step(scene, 1.0 / hz) });
        if step % frame == 0 {
            // SAFETY: as above.
            unsafe { jello_look(scene, &mut centre, &mut height) };
            lowest = height.min(lowest);
            if centre < bottom {
                (bottom, rebound) = (centre, centre);
            }
            rebound = centre.max(rebound);
        }
    }
    let per_second = Watch { cpu: watch.cpu / seconds, wall: watch.wall / seconds };
    let answer = [("height", height), ("lowest", lowest), ("rebound", rebound)];
    row(&format!("Jolt soft body {hz} Hz"), cells as usize, 1, &per_second, &answer);
}
