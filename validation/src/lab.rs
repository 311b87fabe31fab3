//! What most problems need: scenes as text, a world with marks on it, time, frequencies.

use anyhow::Result;
use pliant::math::Vec3;
use pliant::{Frame, Measures, MeshLibrary, SceneSpec, World};
use std::f64::consts::{PI, TAU};

/// Standard gravity as scenes have it `[m/s^2]`.
pub const G: f64 = 9.81;

/// `[scene]` with frames per second and gravity; nothing falls asleep.
pub fn scene(fps: f64, gravity: [f64; 3]) -> String {
    format!("[scene]\nsleep = false\nfps = {fps:?}\ngravity = {gravity:?}\n")
}

/// One `[[body]]`; `keys` are further lines.
pub fn body(name: &str, kind: &str, shape: &str, position: [f64; 3], keys: &str) -> String {
    format!(
        "[[body]]\nname = \"{name}\"\nkind = \"{kind}\"\nshape = {{ {shape} }}\nposition = {position:?}\n{keys}\n"
    )
}

/// One `[[obstacle]]`.
pub fn obstacle(name: &str, shape: &str, keys: &str) -> String {
    format!("[[obstacle]]\nname = \"{name}\"\nshape = {{ {shape} }}\n{keys}\n")
}

/// One `[[control]]` of a body named `a`.
pub fn control(kind: &str, select: &str, keys: &str) -> String {
    format!("[[control]]\nbody = \"a\"\nkind = \"{kind}\"\nselect = {{ {select} }}\n{keys}\n")
}

/// A beam of lattice cells named `a`, held by its left end: sides, cells, stuff.
pub struct Beam {
    /// Sides `[m]`.
    pub size: [f64; 3],
    /// Cells along them.
    pub cells: [u32; 3],
    /// Young's modulus `[Pa]`.
    pub young: f64,
    /// Poisson's ratio.
    pub poisson: f64,
    /// `[kg/m^3]`.
    pub density: f64,
    /// Viscous time over that which damps the slowest bending critically.
    pub damping: f64,
}

impl Beam {
    /// Circular frequency of the slowest bending up and down, held at one end (Euler and Bernoulli).
    pub fn omega(&self) -> f64 {
        1.875_104f64.powi(2) / self.size[0].powi(2) * (self.bending() / self.weight()).sqrt()
    }

    /// `E I` for bending up and down.
    pub fn bending(&self) -> f64 {
        self.young * self.size[2] * self.size[1].powi(3) / 12.0
    }

    /// Mass per length.
    pub fn weight(&self) -> f64 {
        self.density * self.size[1] * self.size[2]
    }

    /// The body as text.
    pub fn text(&self, more: &str) -> String {
        // What is to ring for ever takes explicit steps.
        let stepping = if self.damping == 0.0 { "stepping = \"explicit\"\n" } else { "" };
        let keys = format!(
            "{stepping}resolution = {:?}\nlaw = \"st_venant_kirchhoff\"\nviscous_time = {:?}\n\
             material = {{ density = {:?}, young = {:?}, poisson = {:?}, friction = 0.0 }}\n{more}",
            self.cells,
            2.0 * self.damping / self.omega(),
            self.density,
            self.young,
            self.poisson
        );
        let [x, y, z] = self.size;
        body("a", "lattice", &format!("box = [{x:?}, {y:?}, {z:?}]"), [0.0; 3], &keys)
    }

    /// The same, held by its left end.
    pub fn held(&self) -> String {
        self.text("") + &control("hold", "left = 0.0001", "")
    }
}

/// A world under observation.
pub struct Lab {
    /// The world.
    pub world: World,
    /// Places of skin points at the start, in the shape's own coordinates and in the world's.
    start: Vec<Vec<(Vec3, Vec3)>>,
}

impl Lab {
    /// From a scene's text.
    pub fn new(text: &str) -> Result<Self> {
        Self::with_meshes(text, &MeshLibrary::new())
    }

    /// The same, with meshes that the text names.
    pub fn with_meshes(text: &str, meshes: &MeshLibrary) -> Result<Self> {
        let spec: SceneSpec = toml::from_str(text)?;
        let world = World::new(&spec, meshes)?;
        let start = world.bodies().iter().zip(&spec.body).map(|(body, spec)| {
            let to_shape = |p: Vec3| p - Vec3::from(spec.position);
            body.skin().points.iter().map(|p| (to_shape(*p), *p)).collect()
        });
        Ok(Self { start: start.collect(), world })
    }

    /// Steps to the next frame.
    pub fn frame(&mut self) -> Result<Frame> {
        Ok(self.world.next_frame(&mut ())?)
    }

    /// Runs for a time, to the next whole frame.
    pub fn run(&mut self, seconds: f64) -> Result<()> {
        self.watch(seconds, |_| 0.0).map(|_| ())
    }

    /// Runs for a time and reads a number off each frame, with its time.
    pub fn watch(&mut self, seconds: f64, mut read: impl FnMut(&Self) -> f64) -> Result<Vec<(f64, f64)>> {
        let frames = (seconds * self.world.scene().scene.fps).ceil() as usize;
        let mut list = Vec::with_capacity(frames);
        for _ in 0..frames {
            self.frame()?;
            list.push((self.world.time(), read(self)));
        }
        Ok(list)
    }

    /// Runs for a time step by step and reads a number after each, with its time. Makes no frames, which of clay cost much.
    pub fn watch_steps(
        &mut self,
        seconds: f64,
        mut read: impl FnMut(&Self) -> f64,
    ) -> Result<Vec<(f64, f64)>> {
        let end = self.world.time() + seconds;
        let mut list = vec![];
        while self.world.time() < end {
            self.world.step()?;
            list.push((self.world.time(), read(self)));
        }
        Ok(list)
    }

    /// What can be measured of a body now.
    pub fn measures(&self, body: usize) -> Measures {
        self.world.bodies()[body].measure()
    }

    /// Place at the start, in the shape's own coordinates, and place now of the skin points that are of a kind. The body
    /// must start unturned.
    pub fn marks(&self, body: usize, which: impl Fn(Vec3) -> bool) -> Vec<(Vec3, Vec3)> {
        let points = &self.world.bodies()[body].skin().points;
        let all = self.start[body].iter().zip(points).filter(|((shape, _), _)| which(*shape));
        all.map(|((shape, _), now)| (*shape, *now)).collect()
    }

    /// Mean place now of those.
    pub fn mean(&self, body: usize, which: impl Fn(Vec3) -> bool) -> Vec3 {
        let marks = self.marks(body, which);
        marks.iter().map(|(_, now)| *now).sum::<Vec3>() / marks.len() as f64
    }

    /// Mean way of those since the start.
    pub fn way(&self, body: usize, which: impl Fn(Vec3) -> bool) -> Vec3 {
        let points = &self.world.bodies()[body].skin().points;
        let all = self.start[body].iter().zip(points).filter(|((shape, _), _)| which(*shape));
        let ways: Vec<Vec3> = all.map(|((_, start), now)| *now - *start).collect();
        ways.iter().sum::<Vec3>() / ways.len() as f64
    }

    /// Way of the middle line's end of a beam along x of a length.
    pub fn tip(&self, length: f64) -> Vec3 {
        self.way(0, |p| p.x > 0.5 * length - 1e-4 && p.y.abs() < 1e-4)
    }
}

/// The strongest frequency of a history between two others, by a Hann window and a fine scan `[1/s]`.
pub fn frequency(history: &[(f64, f64)], from: f64, to: f64) -> f64 {
    let n = history.len() as f64;
    let mean = history.iter().map(|p| p.1).sum::<f64>() / n;
    let power = |f: f64| {
        let (mut re, mut im) = (0.0, 0.0);
        for (k, (t, v)) in history.iter().enumerate() {
            let window = 0.5 - 0.5 * (TAU * (k as f64 + 0.5) / n).cos();
            re += window * (v - mean) * (TAU * f * t).cos();
            im += window * (v - mean) * (TAU * f * t).sin();
        }
        re * re + im * im
    };
    let steps = 400;
    let at = |k: f64| from + (to - from) * k / f64::from(steps);
    let best =
        (1..steps).map(f64::from).max_by(|a, b| power(at(*a)).total_cmp(&power(at(*b)))).unwrap_or(1.0);
    // The top of the parabola through three logarithms.
    let [a, b, c] = [-1.0, 0.0, 1.0].map(|d| power(at(best + d)).ln());
    at(best + 0.5 * (a - c) / (a - 2.0 * b + c))
}

/// Where a history passes zero upwards, by straight lines in between.
pub fn crossings(history: &[(f64, f64)]) -> Vec<f64> {
    let pairs = history.windows(2).filter(|w| w[0].1 < 0.0 && w[1].1 >= 0.0);
    pairs.map(|w| w[0].0 - w[0].1 * (w[1].0 - w[0].0) / (w[1].1 - w[0].1)).collect()
}

/// Mean period of a history that swings about zero.
pub fn period(history: &[(f64, f64)]) -> f64 {
    let list = crossings(history);
    match list.as_slice() {
        [first, .., last] => (last - first) / (list.len() - 1) as f64,
        _ => f64::NAN,
    }
}

/// Complete elliptic integral of the first kind, of the modulus `k`, by arithmetic and geometric means.
pub fn elliptic_k(k: f64) -> f64 {
    let (mut a, mut b) = (1.0, (1.0 - k * k).sqrt());
    for _ in 0..40 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    0.5 * PI / a
}
