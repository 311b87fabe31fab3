//! What others see and touch of a body or an obstacle.
//!
//! Contact knows bodies only through their skins: points that move on straight lines from where they stand
//! before a step (`points`) to where they stand after it (`next`), the triangles and edges between them, and a
//! radius by which the whole is rounded.

use crate::around::Around;
use crate::contact::parts_at_rest;
use crate::loops::Loops;
use crate::math::Vec3;
use crate::pieces::{Parts, Pieces};
use crate::shape::TriMesh;
use std::sync::Arc;

/// A touchable surface at the start and at the end of a step.
#[derive(Clone, Debug)]
pub struct Skin {
    /// The unchanging part, shared by copies of a body.
    pub form: Arc<SkinForm>,
    /// World positions before the step `[m]`.
    pub points: Vec<Vec3>,
    /// World positions after the step `[m]`.
    pub next: Vec<Vec3>,
}

/// The unchanging part of a skin.
#[derive(Debug)]
pub struct SkinForm {
    /// How the points make a surface.
    pub solid: Solid,
    /// Triangles between points, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Edges that can touch other edges: those between triangles that are not, or do not stay, coplanar.
    pub edges: Vec<[u32; 2]>,
    /// Convex flat faces as loops of points: coplanar triangles merged, where faces stay flat.
    pub faces: Loops,
    /// Which of the faces and edges meet at each point.
    pub(crate) around: Around,
    /// The faces in groups; none where the points' hull is the surface.
    pub(crate) pieces: Pieces,
    /// The surface lies this far outside the points `[m]`: a ball is one point, a capsule two.
    pub radius: f64,
    /// Whether flat faces stay flat, so that a face is held by its corners alone.
    pub stays_flat: bool,
    /// How many places hold it where it lies on something flat: four a flat face, eight one that bends as a whole, all
    /// where every point moves on its own.
    pub(crate) places: usize,
    /// Smallest extent of the rest shape `[m]`; sets the gap kept to neighbours.
    pub size: f64,
    /// What is known of its smallest parts if it can fold onto itself.
    pub(crate) folding: Option<Folding>,
    /// Red, green and blue painted on each point, 0 to 1; empty where nothing is painted.
    pub(crate) paint: Vec<[f32; 3]>,
}

/// A skin that can fold onto itself: corners then touch faces, and edges other edges.
#[derive(Debug)]
pub(crate) struct Folding {
    pub parts: Parts,
    /// Parts so near each other at rest that they count as one; sorted.
    pub joined: Vec<(u32, u32)>,
    /// Least distance at rest of two other parts without a common corner `[m]`.
    pub gap: f64,
    /// Mean length of an edge at rest `[m]`.
    pub edge: f64,
}

/// How the points of a skin make a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Solid {
    /// The convex hull of the points, and convex it stays.
    Hull,
    /// The faces, whatever they enclose.
    Faces,
    /// Everything below a plane through the one point, with this outward normal.
    HalfSpace(Vec3),
}

/// A point of a skin: a corner, a point of an edge, or a point of a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SkinPoint {
    /// Corners; unused ones repeat the first with weight 0.
    pub corners: [u32; 3],
    /// Barycentric weights.
    pub weights: [f64; 3],
    /// World position of the touching place before the step, on the rounded surface.
    pub at: Vec3,
}

impl SkinForm {
    /// The form of a triangle mesh whose faces may bend.
    pub fn bending(mesh: &TriMesh) -> Self {
        let faces: Vec<Vec<u32>> = mesh.triangles.iter().map(|t| t.to_vec()).collect();
        let edges = mesh.edges();
        Self {
            around: Around::new(&faces, &edges),
            pieces: Pieces::new(&faces, &mesh.points),
            solid: Solid::Faces,
            triangles: mesh.triangles.clone(),
            edges,
            faces: Loops::from(&faces[..]),
            radius: 0.0,
            stays_flat: false,
            places: 8,
            size: smallest_extent(&mesh.points),
            folding: None,
            paint: paint_of(mesh),
        }
    }

    /// The form of a triangle mesh of which every point moves on its own.
    pub fn loose(mesh: &TriMesh) -> Self {
        Self { places: usize::MAX, ..Self::bending(mesh) }
    }

    /// The same, of a body so soft that it can fold onto itself.
    pub fn folding(mesh: &TriMesh) -> Self {
        let mut form = Self::loose(mesh);
        let parts = form.pieces.add_parts(&form.edges, mesh.points.len());
        let length = |e: &[u32; 2]| mesh.points[e[0] as usize].distance(mesh.points[e[1] as usize]);
        let edge = form.edges.iter().map(length).sum::<f64>() / form.edges.len().max(1) as f64;
        let (joined, gap) = parts_at_rest(&form, &parts, &mesh.points, edge);
        form.folding = Some(Folding { parts, joined, gap, edge });
        form
    }

    /// The form of a triangle mesh whose faces stay flat.
    pub fn flat(mesh: &TriMesh, convex: bool) -> Self {
        let (faces, edges) = super::shape::merge_coplanar(mesh);
        let pieces = if convex { Pieces::default() } else { Pieces::new(&faces, &mesh.points) };
        Self {
            around: Around::new(&faces, &edges),
            pieces,
            solid: if convex { Solid::Hull } else { Solid::Faces },
            triangles: mesh.triangles.clone(),
            edges,
            faces: Loops::from(&faces[..]),
            radius: 0.0,
            stays_flat: true,
            places: 4,
            size: smallest_extent(&mesh.points),
            folding: None,
            paint: paint_of(mesh),
        }
    }

    /// Balls and capsules: the hull of a few points, rounded.
    pub fn round(points: &[Vec3], radius: f64) -> Self {
        let edges = if points.len() == 2 { vec![[0, 1]] } else { vec![] };
        Self {
            solid: Solid::Hull,
            triangles: vec![],
            around: Around::new(&[], &edges),
            edges,
            faces: Loops::default(),
            pieces: Pieces::default(),
            radius,
            stays_flat: true,
            places: 4,
            size: 2.0 * radius,
            folding: None,
            paint: vec![],
        }
    }

    /// Separate balls of one radius. Each is a face with a single corner.
    pub fn dots(points: &[Vec3], radius: f64) -> Self {
        let faces: Vec<Vec<u32>> = (0..points.len() as u32).map(|i| vec![i]).collect();
        let about = |side: f64| points.iter().map(move |p| *p + Vec3::splat(side * radius));
        Self {
            solid: Solid::Faces,
            pieces: Pieces::new(&faces, points),
            faces: Loops::from(&faces[..]),
            places: usize::MAX,
            size: smallest_extent(&about(-1.0).chain(about(1.0)).collect::<Vec<_>>()),
            ..Self::round(&[], radius)
        }
    }

    /// A half space.
    pub fn half_space(normal: Vec3) -> Self {
        Self {
            solid: Solid::HalfSpace(normal),
            triangles: vec![],
            around: Around::default(),
            edges: vec![],
            faces: Loops::default(),
            pieces: Pieces::default(),
            radius: 0.0,
            stays_flat: true,
            places: 4,
            size: f64::INFINITY,
            folding: None,
            paint: vec![],
        }
    }
}

impl Skin {
    /// A skin at rest at the given world positions.
    pub fn new(form: Arc<SkinForm>, points: Vec<Vec3>) -> Self {
        Self { form, next: points.clone(), points }
    }

    /// World position of a point between the start (0) and the end (1) of the step.
    #[inline]
    pub fn at(&self, i: usize, t: f64) -> Vec3 {
        self.points[i] + (self.next[i] - self.points[i]) * t
    }

    /// Corners of a piece, or none for the whole.
    pub(crate) fn corners(&self, piece: Option<u32>) -> Option<&[u32]> {
        piece.map(|p| self.form.pieces.corners(p))
    }

    /// Outward normal of a piece that is a single face, at the start of the step.
    pub(crate) fn face_normal(&self, piece: u32) -> Vec3 {
        let face = &self.form.faces[self.form.pieces.faces(piece)[0] as usize];
        let at = |k: usize| self.points[face[k] as usize];
        let fan = (1..face.len() - 1).map(|k| (at(k) - at(0)).cross(at(k + 1) - at(0)));
        fan.sum::<Vec3>().normalize_or_zero()
    }

    /// Displacement of a skin point over the step.
    pub fn displacement(&self, p: &SkinPoint) -> Vec3 {
        let mut d = Vec3::ZERO;
        for k in 0..3 {
            let i = p.corners[k] as usize;
            d += p.weights[k] * (self.next[i] - self.points[i]);
        }
        d
    }
}

impl SkinPoint {
    /// A corner.
    pub fn corner(i: u32, at: Vec3) -> Self {
        Self { corners: [i; 3], weights: [1.0, 0.0, 0.0], at }
    }
    /// A point of an edge.
    pub fn edge([i, j]: [u32; 2], u: f64, at: Vec3) -> Self {
        Self { corners: [i, j, i], weights: [1.0 - u, u, 0.0], at }
    }
}

fn paint_of(mesh: &TriMesh) -> Vec<[f32; 3]> {
    if mesh.is_painted() { mesh.colours.clone() } else { vec![] }
}

/// Smallest extent of the bounding box, but at least a hundredth of the largest.
fn smallest_extent(points: &[Vec3]) -> f64 {
    let low = points.iter().fold(Vec3::INFINITY, |a, p| a.min(*p));
    let high = points.iter().fold(Vec3::NEG_INFINITY, |a, p| a.max(*p));
    let extent = high - low;
    extent.min_element().max(0.01 * extent.max_element())
}
