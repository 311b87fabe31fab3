//! From a scene to a world.

use super::{MeshLibrary, Rest, World};
use crate::bodies::{self, Blueprint, Body, Prototype, Start};
use crate::contact::{CoatMemory, Contacts, Near, Rows, Solver, pairs};
use crate::control::Control;
use crate::environment::Environment;
use crate::frame::FrameReport;
use crate::math::Vec3;
use crate::obstacle::Obstacle;
use crate::report::StepReport;
use crate::scene::{BodySpec, SceneError, SceneSpec, rotation_from_degrees};
use crate::state::{Reader, Writer};
use crate::{material, scene_check, shape};

impl World {
    /// Builds a world at time 0, or says which key of the scene is wrong.
    pub fn new(spec: &SceneSpec, meshes: &MeshLibrary) -> Result<Self, SceneError> {
        scene_check::check(spec)?;
        let (h, prototypes) = prototypes(spec, meshes)?;
        let (mut names, mut paths) = (vec![], vec![]);
        let mut bodies: Vec<Box<dyn Body>> = vec![];
        for (i, body) in spec.body.iter().enumerate() {
            let path = format!("body[{i}]");
            let prototype = prototypes.iter().find(|(other, _)| same_form(body, other));
            let prototype = &prototype.expect("every body has its prototype").1;
            let wrong = |(key, message)| SceneError::new(format!("{path}.{key}"), message);
            prototype.check_start(body).map_err(wrong)?;
            for (name, start) in starts(body) {
                names.push(name);
                paths.push(path.clone());
                bodies.push(prototype.instance(&start));
            }
        }
        let mut obstacles = vec![];
        for (i, obstacle) in spec.obstacle.iter().enumerate() {
            let path = format!("obstacle[{i}]");
            obstacles.push(Obstacle::new(obstacle, meshes, &path)?);
            names.push(obstacle.name.clone());
            paths.push(path);
        }
        let mut controls = vec![];
        for (i, control) in spec.control.iter().enumerate() {
            let find = |name: &str| names.iter().position(|n| n == name);
            controls.push(Control::new(control, i, &format!("control[{i}]"), find, &bodies, meshes)?);
        }
        let contacts = Contacts::new(bodies.len() + obstacles.len());
        let report = FrameReport { min_distance: f64::INFINITY, ..FrameReport::default() };
        let mut world = Self {
            rest: Rest::new(bodies.len(), spec.scene.sleep),
            environment: Environment::at(&spec.scene, 0.0),
            solver: Solver { sweeps: spec.scene.sweeps, h },
            rooms: vec![],
            coat_touches: vec![],
            presses: vec![],
            coat_memory: CoatMemory::default(),
            rows: Rows::new(std::iter::empty(), vec![]),
            step_roots: vec![],
            spec: spec.clone(),
            names,
            object_of: (0..bodies.len()).collect(),
            bodies,
            obstacles,
            controls,
            contacts,
            step: h,
            h,
            steps_per_frame: (1.0 / (spec.scene.fps * h)).round() as u32,
            ticks: 0,
            index: 0,
            untangled: vec![],
            report,
            step_report: StepReport::default(),
        };
        if spec.scene.untangle {
            world.untangle(&paths)?;
        }
        world.part_touching(&paths)?;
        Ok(world)
    }

    /// A start that intersects is refused, naming both and the place. Bodies that merely touch are moved apart by
    /// the clearance that is kept between all.
    fn part_touching(&mut self, paths: &[String]) -> Result<(), SceneError> {
        const TRIES: u32 = 60;
        let start: Vec<Writer> = self.bodies.iter().map(|b| saved(b.as_ref())).collect();
        for round in 0..TRIES {
            let tuning = self.tuning();
            let mut contacts = std::mem::take(&mut self.contacts);
            let near = {
                let info = self.object_info();
                let objects = contacts.boxes.objects(&info, &tuning);
                contacts.memory.look(&objects, &pairs(&objects, None), &tuning)
            };
            self.contacts = contacts;
            // Later rounds open gaps; on the way a pair may be pushed together before it is pushed apart.
            let overlapping = near.iter().find(|n| overlaps(n));
            if let Some(n) = overlapping.filter(|_| round == 0 || round + 1 == TRIES) {
                return Err(self.overlap_error(n.a as usize, n.b as usize, paths));
            }
            if near.iter().all(|n| n.gap >= 0.5 * n.clearance) {
                break;
            }
            self.contacts.near = near;
            if round == TRIES / 2 {
                // Heavy on light is slow to part by mass; once more, from the ground up.
                for (body, bytes) in self.bodies.iter_mut().zip(&start) {
                    let read = body.load(&mut Reader::new(&bytes.bytes));
                    debug_assert!(read.is_ok(), "a body reads what it wrote");
                }
                continue;
            }
            self.open_gaps(round > TRIES / 2);
        }
        self.contacts.near.clear();
        match self.coats_that_overlap() {
            Some((a, b)) => Err(self.overlap_error(a, b, paths)),
            None => {
                self.find_coat_touches();
                Ok(())
            }
        }
    }

    pub(super) fn overlap_error(&self, a: usize, b: usize, paths: &[String]) -> SceneError {
        let place = |i: usize| {
            let points = &self.skin(i).points;
            points.iter().sum::<Vec3>() / points.len() as f64
        };
        let other = place(b);
        let nearest = self
            .skin(a)
            .points
            .iter()
            .copied()
            .min_by(|p, q| p.distance_squared(other).total_cmp(&q.distance_squared(other)));
        let at = nearest.unwrap_or(other);
        SceneError::new(
            format!("{}.position", paths[a]),
            format!(
                "\"{}\" and \"{}\" intersect at the start, near ({:.4}, {:.4}, {:.4}); move one of them, or have them \
                 pulled apart by `--untangle`",
                self.names[a], self.names[b], at.x, at.y, at.z
            ),
        )
    }
}

/// Whether two overlap by more than what counts as touching.
pub(super) fn overlaps(near: &Near) -> bool {
    near.gap < -1e-5 * near.size || near.planes.iter().any(|p| p.normal == Vec3::ZERO)
}

fn saved(body: &dyn Body) -> Writer {
    let mut out = Writer::default();
    body.save(&mut out);
    out
}

fn same_form(a: &BodySpec, b: &BodySpec) -> bool {
    a.kind == b.kind && a.shape == b.shape && a.material == b.material && a.own == b.own
}

/// Steps per frame that a body may ask for.
const MOST_STEPS: f64 = 10_000.0;

/// What bodies are made from, and the step that suits all of them. Bodies that differ only in where they start share
/// everything else.
#[allow(clippy::type_complexity, reason = "a list of pairs, used once")]
fn prototypes<'s>(
    spec: &'s SceneSpec,
    meshes: &MeshLibrary,
) -> Result<(f64, Vec<(&'s BodySpec, Box<dyn Prototype>)>), SceneError> {
    let mut h = spec.scene.step();
    loop {
        let mut list: Vec<(&BodySpec, Box<dyn Prototype>)> = vec![];
        for (i, body) in spec.body.iter().enumerate() {
            if !list.iter().any(|(other, _)| same_form(body, other)) {
                list.push((body, prototype(body, &format!("body[{i}]"), meshes, h)?));
            }
        }
        let longest = list.iter().map(|(_, p)| p.longest_step()).fold(f64::INFINITY, f64::min);
        if longest >= h || spec.scene.substeps.is_some() {
            return Ok((h, list));
        }
        // Some are made for a given step, so all are made anew.
        let steps = (1.0 / (spec.scene.fps * longest) - 1e-9).ceil();
        if steps > MOST_STEPS {
            let slowest = list.iter().find(|(_, p)| p.longest_step() == longest).map(|(b, _)| *b);
            let index = spec.body.iter().position(|b| Some(b) == slowest).unwrap_or(0);
            let message = format!(
                "would need {steps} steps per frame; at most {MOST_STEPS} are taken: make it softer or heavier, give it \
                 fewer cells, or use a `hybrid`, `global` or `rigid` body"
            );
            return Err(SceneError::new(format!("body[{index}].material.young"), message));
        }
        h = 1.0 / (spec.scene.fps * steps);
    }
}

fn prototype(
    body: &BodySpec,
    path: &str,
    meshes: &MeshLibrary,
    step: f64,
) -> Result<Box<dyn Prototype>, SceneError> {
    let kind = bodies::find(&body.kind, path)?;
    let material = material::resolve(&body.material, &format!("{path}.material"))?;
    let shape = shape::build(&body.shape, meshes, &format!("{path}.shape"))?;
    (kind.prepare)(&Blueprint { spec: body, path, shape: &shape, material: &material, step })
}

/// Names and starts of a body and its copies.
fn starts(body: &BodySpec) -> Vec<(String, Start)> {
    let start = |offset: Vec3| Start {
        position: Vec3::from(body.position) + offset,
        rotation: rotation_from_degrees(body.rotation),
        velocity: Vec3::from(body.velocity),
        spin: Vec3::from(body.spin.map(f64::to_radians)),
    };
    let Some(copies) = &body.copies else {
        return vec![(body.name.clone(), start(Vec3::ZERO))];
    };
    let [nx, ny, nz] = copies.count;
    let mut all = vec![];
    let mut seed = 0x9e37_79b9_7f4a_7c15u64;
    let mut random = || {
        // SplitMix64: the same offsets for the same scene, on every machine.
        seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = seed;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
    };
    for i in 0..nx {
        for j in 0..ny {
            for k in 0..nz {
                let grid = Vec3::new(f64::from(i), f64::from(j), f64::from(k)) * Vec3::from(copies.spacing);
                let jitter = Vec3::new(random(), random(), random()) * copies.jitter;
                all.push((format!("{}.{:03}", body.name, all.len()), start(grid + jitter)));
            }
        }
    }
    all
}
