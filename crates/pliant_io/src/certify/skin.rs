//! What the certificate needs to know of an object once: how its triangles hang together.

use super::predicates::{
    Triangle, corner_neighbours_intersect, edge_neighbours_intersect, triangles_intersect,
};
use super::tree::{Aabb, Fitted, Tree};
use pliant::math::{Quat, Vec3};
use pliant::{ObjectFrame, ObjectTopology};
use std::collections::{BTreeMap, BTreeSet};

/// The unchanging side of an object.
#[derive(Debug)]
pub(super) struct Skin {
    pub name: String,
    kind: String,
    pub is_body: bool,
    pub incompressible: bool,
    /// Every frame brings triangles of its own; all else here is then that of the start, or of one frame.
    pub remeshed: bool,
    /// Every edge is passed once in each direction: the skin bounds a solid.
    pub closed: bool,
    /// An obstacle that is one flat sheet: the ground, with its inside below.
    pub ground: bool,
    /// Volume of the rest shape `[m^3]`, by the same formula as in the frames.
    pub rest_volume: f64,
    /// Size of the rest shape `[m]`.
    pub diagonal: f64,
    pub tree: Tree,
    /// One point of each connected part.
    pub part_points: Vec<u32>,
    deforms: bool,
    rest_points: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    /// Per triangle its corners, with points at one place counted as one.
    welded: Vec<[u32; 3]>,
    /// Per triangle the connected part it belongs to.
    part: Vec<u32>,
    /// Pairs of parts that overlap already at rest, as unions of shapes may; they are not held against the body.
    overlapping: BTreeSet<(u32, u32)>,
}

impl Skin {
    pub fn new(object: &ObjectTopology) -> Self {
        let rest_points: Vec<Vec3> = object.points.iter().map(|p| Vec3::from(p.map(f64::from))).collect();
        let welds = weld(&object.points);
        let welded: Vec<[u32; 3]> = object.triangles.iter().map(|t| t.map(|i| welds[i as usize])).collect();
        let (part, part_points) = parts(&welded, rest_points.len());
        let rest = corners(&object.triangles, &rest_points);
        let closed = is_closed(&welded);
        let mut skin = Self {
            name: object.name.clone(),
            kind: object.kind.clone(),
            is_body: object.is_body(),
            incompressible: object.incompressible,
            remeshed: object.remeshed,
            closed,
            ground: !object.is_body() && !closed && is_flat(&rest),
            rest_volume: if closed { volume(&rest) } else { 0.0 },
            diagonal: Aabb::of(rest_points.iter().copied()).diagonal(),
            tree: Tree::new(&rest),
            part_points,
            deforms: object.deforms || object.remeshed,
            rest_points,
            triangles: object.triangles.clone(),
            welded,
            part,
            overlapping: BTreeSet::new(),
        };
        // A surface that is made anew has no excuse for meeting itself.
        if skin.deforms && !skin.remeshed {
            skin.find_overlapping_parts(&rest);
        }
        skin
    }

    /// The skin of a remeshed object as it is in one frame.
    pub fn of_frame(&self, state: &ObjectFrame) -> Option<Self> {
        let surface = state.surface.as_ref()?;
        Some(Self::new(&ObjectTopology {
            name: self.name.clone(),
            kind: self.kind.clone(),
            deforms: true,
            remeshed: true,
            smooth: true,
            triangles: surface.triangles.clone(),
            points: state.points.clone(),
            rest_volume: 0.0,
            incompressible: self.incompressible,
            freedoms: 0,
            cell_edges: vec![],
        }))
    }

    /// World positions of the corners of all triangles.
    pub fn place(&self, translation: Vec3, rotation: Quat, points: &[[f32; 3]]) -> Placed<'_> {
        let world = |p: Vec3| translation + rotation * p;
        let points: Vec<Vec3> = if self.deforms {
            points.iter().map(|p| world(Vec3::from(p.map(f64::from)))).collect()
        } else {
            self.rest_points.iter().map(|p| world(*p)).collect()
        };
        let triangles = corners(&self.triangles, &points);
        let boxes = self.tree.fit(&triangles);
        Placed { skin: self, points, triangles, boxes }
    }

    /// Parts that overlap at rest and are therefore not tested against each other.
    pub fn has_untested_parts(&self) -> bool {
        !self.overlapping.is_empty()
    }

    fn find_overlapping_parts(&mut self, rest: &[Triangle]) {
        let boxes = self.tree.fit(rest);
        let fitted = Fitted { tree: &self.tree, boxes: &boxes, triangles: rest };
        let mut found = BTreeSet::new();
        fitted.find_pair(fitted, |s, t| {
            let pair = self.part_pair(s, t);
            if s < t && !found.contains(&pair) && self.meet(s, t, rest) {
                found.insert(pair);
            }
            false
        });
        self.overlapping = found;
    }

    fn part_pair(&self, s: u32, t: u32) -> (u32, u32) {
        let [a, b] = [s, t].map(|i| self.part[i as usize]);
        (a.min(b), a.max(b))
    }

    /// Whether two triangles of this skin meet beyond the corners they share.
    fn meet(&self, s: u32, t: u32, triangles: &[Triangle]) -> bool {
        let [ids, other_ids] = [s, t].map(|i| self.welded[i as usize]);
        let [a, b] = [s, t].map(|i| &triangles[i as usize]);
        let own = |i: usize| !other_ids.contains(&ids[i]);
        let others = |i: usize| !ids.contains(&other_ids[i]);
        let apart: Vec<usize> = (0..3).filter(|i| own(*i)).collect();
        let other_apart: Vec<usize> = (0..3).filter(|i| others(*i)).collect();
        match (apart.as_slice(), other_apart.as_slice()) {
            (&[i, j], &[k, l]) => corner_neighbours_intersect(a[3 - i - j], [a[i], a[j]], [b[k], b[l]]),
            (&[i], &[k]) => edge_neighbours_intersect([a[(i + 1) % 3], a[(i + 2) % 3]], a[i], b[k]),
            (&[_, _, _], &[_, _, _]) => triangles_intersect(a, b),
            // The same triangle twice, or one without area.
            _ => false,
        }
    }
}

/// An object at one moment.
pub(super) struct Placed<'a> {
    pub skin: &'a Skin,
    pub points: Vec<Vec3>,
    triangles: Vec<Triangle>,
    boxes: Vec<Aabb>,
}

impl<'a> Placed<'a> {
    pub fn fitted(&'a self) -> Fitted<'a> {
        Fitted { tree: &self.skin.tree, boxes: &self.boxes, triangles: &self.triangles }
    }
    /// The box around everything.
    pub fn bounds(&self) -> Aabb {
        self.boxes.first().copied().unwrap_or(Aabb::EMPTY)
    }
    pub fn triangles(&self) -> &[Triangle] {
        &self.triangles
    }
    pub fn volume(&self) -> f64 {
        volume(&self.triangles)
    }
    /// Middle of the boxes of two triangles that meet.
    pub fn meeting_place(&self, s: u32, other: &Placed, t: u32) -> Vec3 {
        Aabb::of(self.triangles[s as usize]).common_middle(&Aabb::of(other.triangles[t as usize]))
    }
    /// Where a deforming skin passes through itself.
    pub fn self_intersection(&self) -> Option<Vec3> {
        if !self.skin.deforms {
            return None;
        }
        let skin = self.skin;
        let tested = |s, t| s < t && !skin.overlapping.contains(&skin.part_pair(s, t));
        let pair =
            self.fitted().find_pair(self.fitted(), |s, t| tested(s, t) && skin.meet(s, t, &self.triangles));
        pair.map(|(s, t)| self.meeting_place(s, self, t))
    }
}

fn corners(triangles: &[[u32; 3]], points: &[Vec3]) -> Vec<Triangle> {
    triangles.iter().map(|t| t.map(|i| points[i as usize])).collect()
}

/// Volume to the inside of counter-clockwise triangles. Measured from a corner near by, so that little is lost to
/// rounding far from the origin.
fn volume(triangles: &[Triangle]) -> f64 {
    let Some([origin, ..]) = triangles.first().copied() else { return 0.0 };
    let six = |[a, b, c]: &Triangle| (*a - origin).dot((*b - origin).cross(*c - origin));
    triangles.iter().map(six).sum::<f64>() / 6.0
}

/// For every point the first point at the very same place: meshes with hard edges or seams list points twice.
fn weld(points: &[[f32; 3]]) -> Vec<u32> {
    // `+ 0.0` makes the two zeros one.
    let key = |p: &[f32; 3]| p.map(|c| (c + 0.0).to_bits());
    let mut first = BTreeMap::new();
    points.iter().zip(0..).map(|(p, i)| *first.entry(key(p)).or_insert(i)).collect()
}

/// Numbers the connected parts: per triangle its part, per part one point.
fn parts(triangles: &[[u32; 3]], points: usize) -> (Vec<u32>, Vec<u32>) {
    let mut parent: Vec<u32> = (0..points as u32).collect();
    fn root(parent: &mut [u32], mut i: u32) -> u32 {
        while parent[i as usize] != i {
            parent[i as usize] = parent[parent[i as usize] as usize];
            i = parent[i as usize];
        }
        i
    }
    for [a, b, c] in triangles {
        for other in [b, c] {
            let [x, y] = [root(&mut parent, *a), root(&mut parent, *other)];
            parent[x.max(y) as usize] = x.min(y);
        }
    }
    let mut numbers = BTreeMap::new();
    let mut part_points = vec![];
    let part = triangles.iter().map(|[a, ..]| {
        let r = root(&mut parent, *a);
        *numbers.entry(r).or_insert_with(|| {
            part_points.push(r);
            part_points.len() as u32 - 1
        })
    });
    (part.collect(), part_points)
}

fn is_closed(triangles: &[[u32; 3]]) -> bool {
    let mut balance: BTreeMap<(u32, u32), i32> = BTreeMap::new();
    for t in triangles {
        for i in 0..3 {
            let (a, b) = (t[i], t[(i + 1) % 3]);
            *balance.entry((a.min(b), a.max(b))).or_default() += if a < b { 1 } else { -1 };
        }
    }
    !triangles.is_empty() && balance.values().all(|n| *n == 0)
}

/// Whether all triangles lie in one plane and face the same way.
fn is_flat(triangles: &[Triangle]) -> bool {
    let normal = |[a, b, c]: &Triangle| (*b - *a).cross(*c - *a).normalize_or_zero();
    let Some(first) = triangles.first() else { return false };
    let (n, size) = (normal(first), Aabb::of(triangles.iter().flatten().copied()).diagonal());
    let flat = |t: &Triangle| t.iter().all(|p| (*p - first[0]).dot(n).abs() <= 1e-6 * size);
    triangles.iter().all(|t| flat(t) && normal(t).dot(n) > 0.5)
}
