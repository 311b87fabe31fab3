//! What bodies are made of: cells as edges, skeletons and seeds as dots. Drawn over the picture as if the body were clear;
//! what is farther back is fainter.

use super::{Canvas, Overlays};
use crate::camera::Camera;
use pliant::math::Vec3;
use pliant::{Frame, ObjectFrame, Topology};

/// Cells on light bodies, and on dark ones.
const CELLS: [[u8; 3]; 2] = [[0x12, 0x2a, 0x4a], [0xff, 0xf2, 0xd6]];
/// Brightness, of 255, below which a body counts as dark.
const DARK: f64 = 110.0;
const SKELETONS: [u8; 3] = [0x10, 0x10, 0x10];
const RIM: [u8; 3] = [0xff, 0xff, 0xff];
const SEEDS: [u8; 3] = [0x0b, 0x6e, 0x8f];

/// Opacity of what is nearest and of what is farthest. Cells behind cells would make a tangle.
const NEAR: f64 = 235.0;
const FAR: f64 = 45.0;
const FAR_CELLS: f64 = 0.0;

/// Draws what is asked for of one frame; `thick` is the width of an ordinary line.
pub(super) fn draw(
    canvas: &mut Canvas,
    what: &Overlays,
    camera: &Camera,
    topology: &Topology,
    frame: &Frame,
    thick: f64,
) {
    for (object, rest) in frame.objects.iter().zip(&topology.objects) {
        let has_cells = !rest.cell_edges.is_empty();
        if what.cells && has_cells {
            let corners = object.points.iter().copied().chain(object.nodes.points());
            let view = View::new(camera, object, corners);
            let mut edges: Vec<([[f64; 2]; 2], f64)> = rest
                .cell_edges
                .iter()
                .filter_map(|e| {
                    let [a, b] = e.map(|k| view.points.get(k as usize).copied().flatten());
                    let (a, b) = (a?, b?);
                    Some(([a.0, b.0], 0.5 * (a.1 + b.1)))
                })
                .collect();
            edges.sort_by(|a, b| b.1.total_cmp(&a.1));
            let ink = CELLS[usize::from(view.is_dark(canvas))];
            for (line, depth) in edges {
                canvas.line(&line, 0.4 * thick, view.ink(ink, FAR_CELLS, depth));
            }
        }
        if what.seeds {
            let view = View::new(camera, object, object.seeds.points());
            for (at, depth) in view.farthest_first() {
                canvas.dot(at, 1.3 * thick, view.ink(RIM, FAR, depth));
                canvas.dot(at, 0.9 * thick, view.ink(SEEDS, FAR, depth));
            }
        }
        if what.skeletons && !has_cells {
            let view = View::new(camera, object, object.nodes.points());
            for (at, depth) in view.farthest_first() {
                canvas.dot(at, 3.2 * thick, view.ink(RIM, FAR, depth));
                canvas.dot(at, 2.4 * thick, view.ink(SKELETONS, FAR, depth));
            }
        }
    }
}

/// Points of an object as the camera sees them.
struct View {
    /// Pixel and distance; none behind the camera.
    points: Vec<Option<([f64; 2], f64)>>,
    /// Least and largest distance.
    range: (f64, f64),
}

impl View {
    fn new(camera: &Camera, object: &ObjectFrame, points: impl Iterator<Item = [f32; 3]>) -> Self {
        let world = |p: [f32; 3]| object.translation + object.rotation * Vec3::from(p.map(f64::from));
        let points: Vec<_> = points.map(|p| camera.project(world(p))).collect();
        let depths = || points.iter().flatten().map(|p| p.1);
        let range = (depths().fold(f64::INFINITY, f64::min), depths().fold(0.0, f64::max));
        Self { points, range }
    }

    /// The points that can be seen, the farthest first.
    fn farthest_first(&self) -> Vec<([f64; 2], f64)> {
        let mut seen: Vec<_> = self.points.iter().flatten().copied().collect();
        seen.sort_by(|a, b| b.1.total_cmp(&a.1));
        seen
    }

    /// Whether the picture is dark where the points are.
    fn is_dark(&self, canvas: &Canvas) -> bool {
        let seen = || self.points.iter().flatten().filter_map(|p| canvas.brightness(p.0));
        let count = seen().count();
        count > 0 && seen().sum::<f64>() < DARK * count as f64
    }

    /// A colour, the fainter the farther.
    fn ink(&self, [r, g, b]: [u8; 3], far: f64, depth: f64) -> [u8; 4] {
        let span = self.range.1 - self.range.0;
        let back = if span > 0.0 { (depth - self.range.0) / span } else { 0.0 };
        // What is near stands out from what is halfway back.
        [r, g, b, (far + (NEAR - far) * (1.0 - back).powi(2)).clamp(0.0, 255.0) as u8]
    }
}
