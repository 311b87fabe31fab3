//! The jello cube: 0.2 m, 50 kPa, Poisson 0.3, dropped on a plane; 2 s. Rest height, rebound and lowest height beside the
//! time they cost, so that nobody wins by being wrong.
//!
//! usage: jello [--cells 8,16] [--drop 0.1] [--seconds 2] [--threads 1] [--law neo_hookean] [--young 5e4] [--tau 1e-3] [--substeps n]

use pliant::scene::{BodySpec, Keyed, Material, MaterialSpec, ObstacleSpec, SceneSettings, ShapeSpec};
use pliant::{MeshLibrary, PhaseObserver, SceneSpec, World};
use pliant_bench::{Watch, cpu, row};
use std::collections::BTreeMap;
use std::time::Instant;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let option = |name: &str, default: &str| {
        let at = args.iter().position(|a| a == name);
        at.and_then(|i| args.get(i + 1)).cloned().unwrap_or_else(|| default.into())
    };
    let number = |name: &str, default: &str| -> f64 { option(name, default).parse().expect("a number") };
    let (drop, seconds, young) = (number("--drop", "0.1"), number("--seconds", "2"), number("--young", "5e4"));
    let threads = number("--threads", "1") as usize;
    let substeps = option("--substeps", "").parse().ok();
    rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().expect("one thread pool");
    for n in option("--cells", "8,16").split(',').map(|n| n.parse::<i64>().expect("cells")) {
        let mut own = BTreeMap::new();
        own.insert("resolution".to_string(), n.into());
        own.insert("law".to_string(), option("--law", "neo_hookean").into());
        own.insert("viscous_time".to_string(), number("--tau", "1e-3").into());
        let material = Material { young, poisson: 0.3, density: 1000.0, friction: 0.5, ..Material::default() };
        let spec = SceneSpec {
            scene: SceneSettings {
                duration: seconds,
                gravity: Keyed::Constant([0.0, -9.81, 0.0]),
                sleep: false,
                substeps,
                ..SceneSettings::default()
            },
            body: vec![BodySpec {
                name: "jello".into(),
                kind: "lattice".into(),
                shape: ShapeSpec::Box([0.2; 3]),
                position: [0.0, 0.1 + drop, 0.0],
                rotation: [0.0; 3],
                velocity: [0.0; 3],
                spin: [0.0; 3],
                material: MaterialSpec::Numbers(material),
                copies: None,
                own,
            }],
            obstacle: vec![ObstacleSpec {
                name: "floor".into(),
                shape: ShapeSpec::Plane { normal: [0.0, 1.0, 0.0], offset: 0.0 },
                position: [0.0; 3],
                rotation: [0.0; 3],
                friction: None,
                keys: vec![],
            }],
            ..SceneSpec::default()
        };
        let mut world = World::new(&spec, &MeshLibrary::default()).expect("a scene");
        let topology = world.topology();
        let frames = (seconds * 60.0) as usize;
        let mut phases = Phases::default();
        let (mut lowest, mut rebound, mut bottom, mut steps) = (f64::INFINITY, 0.0f64, f64::INFINITY, 0);
        let (mut least_volume, mut height) = (f64::INFINITY, 0.0);
        let (start, before) = (Instant::now(), cpu());
        let mut looking = 0.0;
        for _ in 0..frames {
            let frame = world.next_frame(&mut phases).expect("a step");
            phases.phase("other");
            let look = cpu();
            steps = frame.report.steps;
            let body = &world.bodies()[0];
            let points = &body.skin().points;
            let rest = &topology.objects[0].points;
            let mean = |side: f64| {
                let mut sum = (0.0, 0);
                for (p, q) in points.iter().zip(rest) {
                    if f64::from(q[1]) * side > 0.0999 {
                        sum = (sum.0 + p.y, sum.1 + 1);
                    }
                }
                sum.0 / f64::from(sum.1)
            };
            height = mean(1.0) - mean(-1.0);
            lowest = lowest.min(height);
            let m = &frame.measures[0];
            if m.centre.y < bottom {
                (bottom, rebound) = (m.centre.y, m.centre.y);
            }
            rebound = rebound.max(m.centre.y);
            least_volume = least_volume.min(m.volume / 0.008);
            looking += cpu() - look;
        }
        let watch = Watch {
            cpu: (cpu() - before - looking) / seconds,
            wall: start.elapsed().as_secs_f64() / seconds - looking / seconds,
        };
        let per_cell = 1e9 * watch.cpu * seconds / (f64::from(steps) * frames as f64 * (n * n * n) as f64);
        let answer = [
            ("height", height),
            ("lowest", lowest),
            ("rebound", rebound),
            ("ns_per_cell_step", per_cell),
            ("least_volume", least_volume),
        ];
        row("Pliant lattice", n as usize, threads, &watch, &answer);
        eprintln!("{n}^3, {steps} steps a frame: {}", phases.shares());
    }
}

#[derive(Default)]
struct Phases {
    now: Option<(&'static str, Instant)>,
    times: BTreeMap<&'static str, f64>,
}

impl Phases {
    fn shares(&self) -> String {
        let all: f64 = self.times.values().sum();
        self.times.iter().map(|(name, t)| format!("{name} {:.0}%", 100.0 * t / all)).collect::<Vec<_>>().join(" ")
    }
}

impl PhaseObserver for Phases {
    fn phase(&mut self, name: &'static str) {
        let now = Instant::now();
        if let Some((last, since)) = self.now.replace((name, now)) {
            *self.times.entry(last).or_default() += (now - since).as_secs_f64();
        }
    }
}
