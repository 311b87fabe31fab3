//! A hand-made run: a tumbling box, a squashed and turning ball, a table that stays; on demand also a lump of clay whose
//! surface is another in every frame. 24 frames, nothing touches.

use pliant::math::{Quat, Vec3};
use pliant::{Frame, ObjectFrame, ObjectTopology, Surface, Topology};
use pliant_io::export::{self, ExportError, SinkInfo};
use std::path::Path;

pub const FRAMES: usize = 24;
pub const FPS: f64 = 24.0;
pub const BOX: usize = 0;
pub const BALL: usize = 1;
pub const TABLE: usize = 2;
pub const CLAY: usize = 3;

pub struct Run {
    pub topology: Topology,
    pub frames: Vec<Frame>,
}

impl Run {
    pub fn new() -> Self {
        let topology = Topology { objects: vec![tumbling_box(), ball(), table()] };
        let frames = (0..FRAMES).map(|k| frame(k, &topology)).collect();
        Self { topology, frames }
    }

    /// The same with a lump of clay, which falls into two halfway.
    pub fn with_clay() -> Self {
        let mut run = Self::new();
        for (k, frame) in run.frames.iter_mut().enumerate() {
            frame.objects.push(clay(k));
        }
        let start = &run.frames[0].objects[CLAY];
        let triangles = start.surface.as_ref().unwrap().triangles.clone();
        run.topology.objects.push(ObjectTopology {
            deforms: true,
            remeshed: true,
            smooth: true,
            ..object("clay", "clay", start.points.clone(), triangles)
        });
        run
    }

    /// The clay's surface in frame `k`.
    pub fn clay(&self, k: usize) -> &Surface {
        self.frames[k].objects[CLAY].surface.as_ref().unwrap()
    }

    pub fn info(&self) -> SinkInfo<'_> {
        SinkInfo { topology: &self.topology, fps: FPS, frame_count: FRAMES, title: "Fixture \"one\"; a=b" }
    }

    /// Writes all frames to `path`.
    pub fn export(&self, path: &Path) -> Result<(), ExportError> {
        let mut sink = export::open(path, &self.info())?;
        for frame in &self.frames {
            sink.frame(frame)?;
        }
        sink.finish()
    }

    /// World positions of object `i` in frame `k`, computed without the exporters' code.
    pub fn world(&self, k: usize, i: usize) -> Vec<[f64; 3]> {
        let state = &self.frames[k].objects[i];
        let points = if state.points.is_empty() { &self.topology.objects[i].points } else { &state.points };
        points.iter().map(|p| place(state, *p)).collect()
    }

    /// World positions of all objects in frame `k`.
    pub fn whole_world(&self, k: usize) -> Vec<[f64; 3]> {
        (0..self.topology.objects.len()).flat_map(|i| self.world(k, i)).collect()
    }
}

/// A direction of an object in the world.
pub fn turned(state: &ObjectFrame, n: [f32; 3]) -> [f64; 3] {
    place(&ObjectFrame { translation: Vec3::ZERO, ..state.clone() }, n)
}

/// Rodrigues' formula, so that a wrong quaternion convention in the exporters cannot hide.
fn place(state: &ObjectFrame, p: [f32; 3]) -> [f64; 3] {
    let q = state.rotation.normalize();
    let (u, w) = (q.xyz(), q.w);
    let p = Vec3::new(p[0].into(), p[1].into(), p[2].into());
    let turned = 2.0 * u.dot(p) * u + (w * w - u.dot(u)) * p + 2.0 * w * u.cross(p);
    (state.translation + turned).to_array()
}

/// Largest distance along an axis.
pub fn error<A: Into<f64> + Copy, B: Into<f64> + Copy>(a: &[[A; 3]], b: &[[B; 3]]) -> f64 {
    assert_eq!(a.len(), b.len());
    let pairs = a.as_flattened().iter().zip(b.as_flattened());
    pairs.map(|(&x, &y)| (x.into() - y.into()).abs()).fold(0.0, f64::max)
}

fn object(name: &str, kind: &str, points: Vec<[f32; 3]>, triangles: Vec<[u32; 3]>) -> ObjectTopology {
    ObjectTopology {
        name: name.into(),
        kind: kind.into(),
        deforms: false,
        remeshed: false,
        smooth: false,
        triangles,
        points,
        rest_volume: 0.0,
        incompressible: false,
        freedoms: 0,
        cell_edges: vec![],
    }
}

fn block(half: [f32; 3]) -> (Vec<[f32; 3]>, Vec<[u32; 3]>) {
    let corner = |k: u32| std::array::from_fn(|c| if k >> c & 1 == 1 { half[c] } else { -half[c] });
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    ((0..8).map(corner).collect(), triangles)
}

fn tumbling_box() -> ObjectTopology {
    let (points, triangles) = block([0.3, 0.2, 0.1]);
    // The name must be cleaned for USD and collides there with nothing else.
    object("tumbling box", "rigid", points, triangles)
}

/// A ball of radius one half around the origin.
fn ball_mesh(rings: u32, sides: u32) -> (Vec<[f32; 3]>, Vec<[u32; 3]>) {
    let mut points = vec![[0.0, 0.5, 0.0]];
    for ring in 1..rings {
        let (s, c) = (std::f32::consts::PI * ring as f32 / rings as f32).sin_cos();
        for side in 0..sides {
            let (y, x) = (std::f32::consts::TAU * side as f32 / sides as f32).sin_cos();
            points.push([0.5 * s * x, 0.5 * c, -0.5 * s * y]);
        }
    }
    points.push([0.0, -0.5, 0.0]);
    let bottom = points.len() as u32 - 1;
    let at = |ring: u32, side: u32| 1 + (ring - 1) * sides + side % sides;
    let mut triangles = Vec::new();
    for side in 0..sides {
        triangles.push([0, at(1, side), at(1, side + 1)]);
        for ring in 1..rings - 1 {
            let (a, b) = (at(ring, side), at(ring, side + 1));
            let (c, d) = (at(ring + 1, side), at(ring + 1, side + 1));
            triangles.extend([[a, c, d], [a, d, b]]);
        }
        triangles.push([bottom, at(rings - 1, side + 1), at(rings - 1, side)]);
    }
    (points, triangles)
}

fn ball() -> ObjectTopology {
    let (points, triangles) = ball_mesh(8, 12);
    ObjectTopology {
        deforms: true,
        remeshed: false,
        smooth: true,
        ..object("jelly", "lattice", points, triangles)
    }
}

/// One ball in the first half of the run, two that part in the second; never the same number of points twice running.
fn clay(k: usize) -> ObjectFrame {
    let (sides, t) = (7 + k as u32 % 5, k as f32 / FPS as f32);
    let centres = if k < FRAMES / 2 { vec![0.0] } else { vec![-0.5 * t, 0.5 * t] };
    let (mut points, mut surface) = (vec![], Surface::default());
    for (piece, x) in centres.iter().enumerate() {
        let (ball, triangles) = ball_mesh(5 + piece as u32, sides);
        let base = points.len() as u32;
        let scale = 0.7 / centres.len() as f32;
        surface.triangles.extend(triangles.iter().map(|t| t.map(|v| base + v)));
        for p in ball {
            points.push([scale * p[0] + x, scale * p[1], scale * p[2]]);
            surface.normals.push(p.map(|c| 2.0 * c));
            surface.colours.push([0.5 + p[0], 0.5 + p[1], t]);
            surface.pieces.push(piece as u32);
        }
    }
    ObjectFrame {
        translation: Vec3::new(-2.0, 0.8, 1.5 + 0.1 * f64::from(t)),
        rotation: Quat::from_rotation_y(0.5 * f64::from(t)),
        points,
        surface: Some(surface),
        ..ObjectFrame::default()
    }
}

fn table() -> ObjectTopology {
    let (points, triangles) = block([4.0, 0.1, 4.0]);
    object("1 table/top", "obstacle", points, triangles)
}

fn frame(k: usize, topology: &Topology) -> Frame {
    let t = k as f64 / FPS;
    let spin = Quat::from_axis_angle(Vec3::new(1.0, 2.0, -0.5).normalize(), 9.0 * t);
    let tumbling = ObjectFrame {
        translation: Vec3::new(-1.0 + t, 2.0 + 3.0 * t - 4.9 * t * t, 0.3 * t),
        // The engine may give either sign; exporters must not let it jump.
        rotation: if k % 2 == 1 { -spin } else { spin },
        ..ObjectFrame::default()
    };
    let s = (1.0 + 0.3 * (7.0 * t).sin()) as f32;
    let squash = |p: &[f32; 3]| [p[0] / s.sqrt(), p[1] * s, p[2] / s.sqrt() + 0.1 * p[1] * p[1]];
    let jelly = ObjectFrame {
        translation: Vec3::new(1.5, 1.2, -0.4 * t),
        rotation: Quat::from_rotation_z(-1.5 * t),
        points: topology.objects[BALL].points.iter().map(squash).collect(),
        ..ObjectFrame::default()
    };
    let table = ObjectFrame {
        translation: Vec3::new(0.0, -0.2, 0.0),
        rotation: Quat::from_rotation_y(0.2),
        ..ObjectFrame::default()
    };
    Frame { index: k as u64, time: t, objects: vec![tumbling, jelly, table], ..Frame::default() }
}
