//! Worlds of clay of growing size, surface and all: time for each skeleton and step, and the memory it takes. Each size runs in
//! a process of its own, so that memory is its own. There a tiny world goes first: what the process holds after that, code and
//! threads for the most part, it would hold for any number of skeletons and is not counted.
//!
//! usage: clay_world COUNT...

use pliant::scene::{BodySpec, Keyed, Material, MaterialSpec, ObstacleSpec, SceneSettings, ShapeSpec};
use pliant::{MeshLibrary, SceneSpec, World};
use pliant_bench::{Watch, memory};
use std::process::Command;

/// Distance of skeletons `[m]`; the closest packing has one in so much of its cube.
const SPACING: f64 = 0.05;
const PACKED: f64 = std::f64::consts::FRAC_1_SQRT_2;
/// Skeletons of the world that goes first.
const TINY: usize = 60;
/// Time that is simulated: a fall of 2 cm at 2 m/s, and the blow `[s]`.
const SECONDS: f64 = 0.03;
/// Said to the process that does the work.
const ALONE: &str = "--alone";

fn main() {
    let args: Vec<String> = std::env::args().collect();
    if args[1] == ALONE {
        return alone(args[2].parse().expect("a number"));
    }
    println!(
        "| skeletons | steps | ns per skeleton and step | surface, ns per skeleton | memory of steps, bytes per skeleton | \
         memory, bytes per skeleton |"
    );
    println!("|---|---|---|---|---|---|");
    for count in &args[1..] {
        let status = Command::new(&args[0]).args([ALONE, count]).status().expect("itself");
        assert!(status.success(), "{count} skeletons: {status}");
    }
}

/// A cube of about so many skeletons above a floor.
fn cube(count: usize) -> SceneSpec {
    let side = SPACING * (count as f64 * PACKED).cbrt();
    let mut scene = SceneSpec {
        scene: SceneSettings {
            duration: 1.0,
            fps: 60.0,
            gravity: Keyed::Constant([0.0, -9.81, 0.0]),
            ..SceneSettings::default()
        },
        ..SceneSpec::default()
    };
    scene.body.push(BodySpec {
        name: "clay".into(),
        kind: "clay".into(),
        shape: ShapeSpec::Box([side; 3]),
        position: [0.0, 0.5 * side + 0.02, 0.0],
        rotation: [0.0; 3],
        velocity: [0.0, -2.0, 0.0],
        spin: [0.0; 3],
        material: MaterialSpec::Numbers(Material { young: 2e4, ..Material::default() }),
        copies: None,
        own: [("spacing".to_string(), SPACING.into())].into_iter().collect(),
    });
    scene.obstacle.push(ObstacleSpec {
        name: "floor".into(),
        shape: ShapeSpec::Box([4.0 * side, 1.0, 4.0 * side]),
        position: [0.0, -0.5, 0.0],
        rotation: [0.0; 3],
        friction: None,
        keys: vec![],
    });
    scene
}

/// What so many skeletons take until they have hit the floor and are shown.
fn alone(count: usize) {
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global().expect("one thread pool");
    fall(TINY);
    let before = memory();
    let [steps, shown, of_steps, count, number] = fall(count);
    let ns = |seconds: f64| 1e9 * seconds / count;
    let bytes = |held: f64| (held - before) * 1048576.0 / count;
    println!(
        "| {count} | {number} | {:.0} | {:.0} | {:.0} | {:.0} |",
        ns(steps) / number,
        ns(shown),
        bytes(of_steps),
        bytes(memory())
    );
}

/// Time of all steps and of the frame `[s]`, memory before that `[MB]`, and how many skeletons and steps there were.
fn fall(count: usize) -> [f64; 5] {
    let mut world = World::new(&cube(count), &MeshLibrary::new()).expect("a good scene");
    let count = world.bodies()[0].skin().points.len();
    let mut steps = Watch::default();
    while world.time() < SECONDS {
        steps.run(|| world.step().expect("finite numbers"));
    }
    let of_steps = memory();
    let mut shown = Watch::default();
    let frame = shown.run(|| world.frame());
    assert!(!frame.objects.is_empty());
    [steps.cpu, shown.cpu, of_steps, count as f64, (world.time() / world.step_length()).round()]
}
