//! A scene of ours as users run it, frames and all, on one thread; the least of several runs.
//!
//! usage: scene FILE NAME [--repeat 5] [--threads 1]

use pliant::World;
use pliant_bench::{Watch, number, row};
use pliant_io::scene_file;
use std::path::Path;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let [_, file, name, ..] = &args[..] else { panic!("usage: scene FILE NAME") };
    let threads = number("--threads", 1.0) as usize;
    rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().expect("one thread pool");
    let scene = scene_file::load(Path::new(file), &[], false).expect("a scene that can be read");
    let mut best = Watch { cpu: f64::INFINITY, wall: f64::INFINITY };
    let mut bodies = 0;
    for _ in 0..number("--repeat", 5.0) as usize {
        let mut world = World::new(&scene.spec, &scene.meshes).expect("a scene that can be built");
        let mut watch = Watch::default();
        watch.run(|| {
            while world.time() < scene.spec.scene.duration - 1e-9 {
                world.next_frame(&mut ()).expect("a finite step");
            }
        });
        bodies = world.bodies().len();
        let seconds = world.time();
        best.cpu = best.cpu.min(watch.cpu / seconds);
        best.wall = best.wall.min(watch.wall / seconds);
    }
    row(&format!("Pliant {name}"), bodies, threads, &best, &[]);
}
