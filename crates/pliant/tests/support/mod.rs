//! Small builders for scenes, a runner that watches every step, and an intersection check of its own.

pub mod overlap;

use pliant::{Frame, MeshLibrary, SceneSpec, Topology, World};

/// A scene from its TOML text.
pub fn spec(text: &str) -> SceneSpec {
    toml::from_str(text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// A world from a scene's TOML text.
pub fn world(text: &str) -> World {
    World::new(&spec(text), &MeshLibrary::new()).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// `[scene]` with gravity along -y and sleep off, so that nothing hides behind sleep.
pub const EARTH: &str = "[scene]\nsleep = false\n";

/// `[scene]` without gravity.
pub const SPACE: &str = "[scene]\nsleep = false\ngravity = [0.0, 0.0, 0.0]\n";

/// A floor at y = 0.
pub const FLOOR: &str = "[[obstacle]]\nname = \"floor\"\nshape = { plane = {} }\n";

/// One `[[body]]`; `rest` are further keys, one per line.
pub fn body(name: &str, kind: &str, shape: &str, position: [f64; 3], rest: &str) -> String {
    format!(
        "[[body]]\nname = \"{name}\"\nkind = \"{kind}\"\nshape = {{ {shape} }}\nposition = {position:?}\n{rest}\n"
    )
}

/// What must hold in every step of every scene: contact gives no energy, nothing intersects.
///
/// The work of contact is compared with the kinetic energy before contact; 1e-9 allows for the solver's own
/// tolerance, which is 1e-9 of the speeds at the contacts.
pub struct Watched {
    pub world: World,
    topology: Topology,
    /// Whether frames are checked for intersections: off for scenes with large meshes.
    pub look: bool,
    /// Whether the engine's own report of penetration counts too.
    pub trust: bool,
}

impl Watched {
    pub fn new(text: &str) -> Self {
        let world = world(text);
        let topology = world.topology();
        Self { world, topology, look: true, trust: true }
    }

    /// Runs for some seconds; calls `each` after every frame.
    pub fn run(&mut self, seconds: f64, mut each: impl FnMut(&World, &Frame)) -> Frame {
        let frames = (seconds * self.world.scene().scene.fps).round() as usize;
        let mut frame = self.world.frame();
        for _ in 0..frames {
            frame = self.world.next_frame(&mut ()).unwrap();
            if self.look {
                let found = overlap::first(self.world.scene(), &self.topology, &frame);
                assert!(found.is_none(), "{} at t = {}", found.unwrap(), frame.time);
            }
            let (work, depth) = (frame.report.max_contact_work, frame.report.max_penetration);
            assert!(work <= 1e-9, "contact added {work:e} of the kinetic energy before t = {}", frame.time);
            assert!(
                depth == 0.0 || !self.trust,
                "the engine reports {depth:e} m of penetration before t = {}",
                frame.time
            );
            each(&self.world, &frame);
        }
        frame
    }

    /// Runs without watching anything but the numbers the caller looks at.
    pub fn finish(&mut self, seconds: f64) -> Frame {
        self.run(seconds, |_, _| ())
    }
}

/// Takes a number of steps.
pub fn steps(world: &mut World, count: usize) {
    for _ in 0..count {
        world.step().unwrap();
    }
}

/// Steps for a time `[s]`, however short the world's steps are; returns how many.
pub fn run_for(world: &mut World, seconds: f64) -> usize {
    let count = (seconds / world.step_length()).round() as usize;
    steps(world, count);
    count
}

/// Further keys that keep a kind affordable where its steps are short: few cells.
pub fn coarse(kind: &str) -> &'static str {
    match kind {
        "lattice" => "resolution = 2\n",
        "clay" => "spacing = 0.07\n",
        _ => "",
    }
}

/// Largest distance that a body's centre of mass lies from where it was in another frame.
pub fn drift(a: &Frame, b: &Frame) -> f64 {
    a.measures.iter().zip(&b.measures).map(|(p, q)| p.centre.distance(q.centre)).fold(0.0, f64::max)
}
