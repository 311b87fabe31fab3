//! Bodies on stairs: 0.2 m boxes in a block above twenty steps, 60 steps per second, the same scene in Rapier (rigid
//! boxes) and in Pliant (rigid, affine, quadratic). Alternating runs, the least time of each; ratios are what counts.
//!
//! usage: stairs [--layers 10] [--seconds 5] [--repeat 3] [--threads 2] [--only rapier,rigid,affine,quadratic]

use pliant::scene::{BodySpec, Keyed, Material, MaterialSpec, ObstacleSpec, SceneSettings, ShapeSpec};
use pliant::{MeshLibrary, PhaseObserver, SceneSpec, World};
use pliant_bench::{Watch, cpu, row};
use rapier3d::prelude::*;
use std::collections::BTreeMap;
use std::time::Instant;

const HZ: f64 = 60.0;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let option = |name: &str, default: &str| {
        let at = args.iter().position(|a| a == name);
        at.and_then(|i| args.get(i + 1)).cloned().unwrap_or_else(|| default.into())
    };
    let layers: usize = option("--layers", "10").parse().expect("--layers takes a whole number");
    let seconds: f64 = option("--seconds", "5").parse().expect("--seconds takes a number");
    let repeat: usize = option("--repeat", "3").parse().expect("--repeat takes a whole number");
    let threads: usize = option("--threads", "2").parse().expect("--threads takes a whole number");
    let only = option("--only", "rapier,rigid,affine,quadratic");
    rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().expect("one thread pool");
    let names: Vec<&str> = only.split(',').collect();
    let mut best: BTreeMap<&str, Run> = BTreeMap::new();
    for _ in 0..repeat {
        for name in &names {
            let run = match *name {
                "rapier" => rapier(layers, seconds, threads),
                "rigid" => pliant(layers, seconds, "rigid", None),
                "affine" => pliant(layers, seconds, "global", Some(1)),
                "quadratic" => pliant(layers, seconds, "global", Some(2)),
                other => panic!("unknown peer {other}"),
            };
            let least = best.entry(name).or_insert_with(|| run.clone());
            if run.wall < least.wall {
                *least = run;
            }
        }
    }
    for (name, run) in &best {
        let watch = Watch { cpu: run.cpu / seconds, wall: run.wall / seconds };
        let engine = if *name == "rapier" { "Rapier rigid".to_string() } else { format!("Pliant {name}") };
        row(&engine, 100 * layers, threads, &watch, &[("deepest_mm", run.deepest)]);
        eprintln!("{name}: {}", run.remarks);
    }
}

#[derive(Clone)]
struct Run {
    wall: f64,
    cpu: f64,
    deepest: f64,
    remarks: String,
}

/// Where box (i, j, k) starts; y is up. Offsets as in the usual scene but smaller: there the boxes overlap at the
/// start, which Pliant refuses.
fn place(i: usize, j: usize, k: usize) -> [f64; 3] {
    let o = 0.008 * ((i * 7 + j * 3 + k * 5) % 5) as f64 - 0.016;
    [0.3 + 0.25 * i as f64 + o, 0.5 + 0.25 * k as f64, 1.125 - 0.25 * j as f64 + o]
}

#[derive(Default)]
struct Phases {
    now: Option<(&'static str, Instant)>,
    times: BTreeMap<&'static str, f64>,
}

impl PhaseObserver for Phases {
    fn phase(&mut self, name: &'static str) {
        let now = Instant::now();
        if let Some((last, since)) = self.now.replace((name, now)) {
            *self.times.entry(last).or_default() += (now - since).as_secs_f64();
        }
    }
}

fn pliant(layers: usize, seconds: f64, kind: &str, order: Option<i64>) -> Run {
    let mut scene = SceneSpec {
        scene: SceneSettings {
            duration: seconds,
            fps: HZ,
            substeps: Some(1),
            gravity: Keyed::Constant([0.0, -9.81, 0.0]),
            sleep: false,
            ..SceneSettings::default()
        },
        ..SceneSpec::default()
    };
    for i in 0..10 {
        for j in 0..10 {
            for k in 0..layers {
                scene.body.push(BodySpec {
                    name: format!("{i}-{j}-{k}"),
                    kind: kind.into(),
                    shape: ShapeSpec::Box([0.2; 3]),
                    position: place(i, j, k),
                    rotation: [0.0; 3],
                    velocity: [0.0; 3],
                    spin: [0.0; 3],
                    material: MaterialSpec::Numbers(Material { young: 5e4, damping: 0.1, ..Material::default() }),
                    copies: None,
                    own: order.map(|o| ("order".to_string(), o.into())).into_iter().collect(),
                });
            }
        }
    }
    let obstacle = |name: String, size: [f64; 3], at: [f64; 3]| ObstacleSpec {
        name,
        shape: ShapeSpec::Box(size),
        position: at,
        rotation: [0.0; 3],
        friction: None,
        keys: vec![],
    };
    for i in 0..20 {
        let x = i as f64;
        scene.obstacle.push(obstacle(format!("step {i}"), [0.5, 1.0, 10.0], [0.5 * x + 0.25, -0.25 * x - 0.5, 0.0]));
    }
    scene.obstacle.push(obstacle("floor".into(), [60.0, 1.0, 60.0], [10.0, -5.5, 0.0]));
    scene.obstacle.push(obstacle("wall".into(), [1.0, 20.0, 10.0], [-0.5, 0.0, 0.0]));
    let mut world = World::new(&scene, &MeshLibrary::new()).expect("a good scene");
    let mut phases = Phases::default();
    let (wall, start) = (Instant::now(), cpu());
    let (mut least, mut work, mut held, mut contacts, mut rounds) = (f64::INFINITY, f64::NEG_INFINITY, 0, 0, 0);
    for _ in 0..(seconds * HZ).round() as usize {
        let report = world.step_observed(&mut phases).expect("finite numbers");
        least = least.min(report.min_distance);
        work = f64::max(work, report.contact_work / report.kinetic.max(1e-300));
        held += report.held_back;
        contacts = contacts.max(report.contacts);
        rounds += report.position_rounds;
    }
    let (wall, cpu) = (wall.elapsed().as_secs_f64(), cpu() - start);
    let per = 1e6 / (seconds * HZ * 100.0 * layers as f64);
    let phases: Vec<String> = phases.times.iter().map(|(n, t)| format!("{n} {:.2}", t * per)).collect();
    Run {
        wall,
        cpu,
        deepest: (-1e3 * least).max(0.0),
        remarks: format!(
            "least gap {least:.1e} m; contact work at most {work:.1e} of kinetic; held back {held}; rounds {rounds}; contacts up to {contacts}; {}",
            phases.join(" ")
        ),
    }
}

fn rapier(layers: usize, seconds: f64, threads: usize) -> Run {
    let mut w = PhysicsWorld::new();
    w.configure_thread_pool(threads).expect("rapier's threads");
    w.gravity = Vector::new(0.0, -9.81, 0.0);
    w.integration_parameters.dt = 1.0 / HZ as f32;
    let mut fixed = |half: [f32; 3], at: [f32; 3]| {
        w.insert(
            RigidBodyBuilder::fixed().translation(Vector::new(at[0], at[1], at[2])),
            ColliderBuilder::cuboid(half[0], half[1], half[2]).friction(0.5),
        );
    };
    for i in 0..20 {
        let x = i as f32;
        fixed([0.25, 0.5, 5.0], [0.5 * x + 0.25, -0.25 * x - 0.5, 0.0]);
    }
    fixed([30.0, 0.5, 30.0], [10.0, -5.5, 0.0]);
    fixed([0.5, 10.0, 5.0], [-0.5, 0.0, 0.0]);
    for i in 0..10 {
        for j in 0..10 {
            for k in 0..layers {
                let [x, y, z] = place(i, j, k).map(|v| v as f32);
                w.insert(
                    RigidBodyBuilder::dynamic().translation(Vector::new(x, y, z)).can_sleep(false),
                    ColliderBuilder::cuboid(0.1, 0.1, 0.1).density(1000.0).friction(0.5),
                );
            }
        }
    }
    let (wall, start) = (Instant::now(), cpu());
    let mut deepest = 0.0f32;
    let mut watched = 0.0;
    for s in 0..(seconds * HZ).round() as usize {
        w.step();
        if s % 30 == 29 {
            let pause = Instant::now();
            let pairs = w.narrow_phase.contact_pairs();
            let depths = pairs.flat_map(|p| p.manifolds().iter().flat_map(|m| m.points.iter().map(|q| -q.dist)).collect::<Vec<_>>());
            deepest = depths.fold(deepest, f32::max);
            watched += pause.elapsed().as_secs_f64();
        }
    }
    Run {
        wall: wall.elapsed().as_secs_f64() - watched,
        cpu: cpu() - start - watched,
        deepest: f64::from(1e3 * deepest),
        remarks: format!("deepest penetration {:.0} mm", deepest * 1e3),
    }
}
