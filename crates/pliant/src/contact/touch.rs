//! Touching places of two convex pieces that a plane separates.
//!
//! Only what lies in the slab around the plane can touch: corners over faces, faces over corners, and edges that
//! cross when seen along the normal.

use super::distance::Separation;
use crate::math::Vec3;
use crate::skin::{Skin, SkinPoint};
use smallvec::SmallVec;

/// Share of an edge that belongs to its ends. A corner counts as over a face up to twice that outside of it, so that
/// nothing is lost between corners over faces and edges that cross.
const END: f64 = 1e-6;

/// Corners near a plane: most often few enough not to ask the allocator.
struct Close {
    list: SmallVec<[u32; 16]>,
    /// A bit for every point of the skin, to look at the faces of a piece; none where the skin has so many points that
    /// looking through the list is cheaper.
    marks: SmallVec<[u64; 8]>,
}

/// Skins with more points have no marks.
const MARKED: usize = 2048;

impl Close {
    /// Answers whether corners are near, for many of them one after the other.
    fn finder(&self) -> impl Fn(u32) -> bool + '_ {
        let (list, marks) = (&self.list[..], &self.marks[..]);
        move |i| match marks.get(i as usize / 64) {
            Some(word) => word >> (i % 64) & 1 == 1,
            None => list.contains(&i),
        }
    }
}

/// A piece of a skin: all of it, or some of its faces.
#[derive(Clone, Copy)]
pub struct Piece<'a> {
    /// The skin it belongs to.
    pub skin: &'a Skin,
    /// Its number, or the whole.
    pub piece: Option<u32>,
    /// Positions at which the piece is looked at.
    pub points: &'a [Vec3],
}

impl<'a> Piece<'a> {
    /// The whole skin or a piece, at the start of the step.
    pub fn at_start(skin: &'a Skin, piece: Option<u32>) -> Self {
        Self { skin, piece, points: &skin.points }
    }
    fn corner(&self, k: usize) -> u32 {
        self.skin.corners(self.piece).map_or(k as u32, |c| c[k])
    }
    /// Its faces that have a corner near the plane.
    fn each_face(&self, close: &Close, mut see: impl FnMut(&[u32])) {
        let form = &self.skin.form;
        match self.piece {
            None => form.around.faces(&close.list).iter().for_each(|f| see(&form.faces[*f as usize])),
            Some(p) => {
                let is_near = close.finder();
                let faces = form.pieces.faces(p).iter().map(|f| &form.faces[*f as usize]);
                faces.filter(|f| f.iter().any(|i| is_near(*i))).for_each(see);
            }
        }
    }
    /// Its edges that end near the plane.
    fn each_edge(&self, close: &Close, mut see: impl FnMut([u32; 2])) {
        let form = &self.skin.form;
        match self.piece {
            None => form.around.edges(&close.list).iter().for_each(|e| see(form.edges[*e as usize])),
            Some(p) => {
                let is_near = close.finder();
                let edges = form.pieces.edges(p).iter();
                edges.filter(|e| is_near(e[0]) || is_near(e[1])).for_each(|e| see(*e));
            }
        }
    }
    fn is_single_face(&self) -> bool {
        self.piece.is_some_and(|p| self.skin.form.pieces.halves(p).is_none())
    }
    /// What tells places over different faces of a piece apart.
    fn name(&self, p: &SkinPoint) -> u64 {
        let [i, j, k] = p.corners.map(u64::from);
        self.piece.map_or(0, |_| 1 + (i * 31 + j) * 31 + k)
    }
}

/// One touching place.
#[derive(Clone, Copy, Debug)]
pub struct Touch {
    /// Point of the first skin.
    pub a: SkinPoint,
    /// Point of the second.
    pub b: SkinPoint,
    /// From the second to the first.
    pub normal: Vec3,
    /// Gap along the normal where the pieces were looked at, radii taken off `[m]`.
    pub gap: f64,
    /// Which features touch: the same number in the next step means the same place.
    pub id: u64,
}

/// Number of the place where nothing but the closest points of two hulls is known to touch.
const OF_HULLS: u64 = 4 << 60;

impl Touch {
    /// Whether it is a place of the hulls only: neither a corner over a face nor two edges.
    pub fn is_of_hulls(&self) -> bool {
        self.id == OF_HULLS
    }
}

/// Finds the touching places of two separated pieces with gaps up to `reach`.
pub fn touches(a: &Piece, b: &Piece, plane: &Separation, reach: f64, out: &mut Vec<Touch>) {
    let first = out.len();
    let n = plane.normal;
    let radii = a.skin.form.radius + b.skin.form.radius;
    let view = View::new(n);
    let slab = reach + radii;
    let above = near(a, n, slab - plane.gap, true);
    let below = near(b, n, slab - plane.gap, false);
    let key = |kind: u64, i: u64, j: u64| kind << 60 | (i & 0x3fff_ffff) << 30 | (j & 0x3fff_ffff);
    let (tops, bottoms) = (facing(b, &below, &view, true), facing(a, &above, &view, false));
    for &i in &above.list {
        let x = a.points[i as usize];
        if let Some((point, height)) = over(b, &tops, &view, x, true) {
            let gap = n.dot(x) - height - radii;
            if gap <= reach {
                let (from, id) = (SkinPoint::corner(i, x), key(1, i.into(), b.name(&point)));
                out.push(touch(a, b, from, point, n, gap, id));
            }
        }
    }
    for &j in &below.list {
        let x = b.points[j as usize];
        if let Some((point, height)) = over(a, &bottoms, &view, x, false) {
            let gap = height - n.dot(x) - radii;
            if gap <= reach {
                let (to, id) = (SkinPoint::corner(j, x), key(2, a.name(&point), j.into()));
                out.push(touch(a, b, point, to, n, gap, id));
            }
        }
    }
    cross_edges(a, b, &view, (&above, &below), reach + radii, |ea, u, eb, w, gap| {
        let at = |p: &Piece, e: [u32; 2], s: f64| {
            let (x, y) = (p.points[e[0] as usize], p.points[e[1] as usize]);
            SkinPoint::edge(e, s, x + (y - x) * s)
        };
        let name = |e: [u32; 2]| u64::from(e[0]) << 15 ^ u64::from(e[1]);
        out.push(touch(a, b, at(a, ea, u), at(b, eb, w), n, gap - radii, key(3, name(ea), name(eb))));
    });
    if out.len() == first && plane.gap - radii <= reach && !plane.witness.is_empty() {
        out.push(closest_touch(a, b, plane, radii));
    }
}

/// The closest points themselves: what is left when a corner meets a corner or an edge, and for balls.
fn closest_touch(a: &Piece, b: &Piece, plane: &Separation, radii: f64) -> Touch {
    let gather = |piece: &Piece, pick: fn(&(u32, u32, f64)) -> u32| {
        let mut point =
            SkinPoint { corners: [pick(&plane.witness[0]); 3], weights: [0.0; 3], at: Vec3::ZERO };
        for w in &plane.witness {
            let corner = pick(w);
            let slot = (0..3).find(|k| point.corners[*k] == corner && (point.weights[*k] > 0.0 || *k == 0));
            let slot = slot.or_else(|| (1..3).find(|k| point.weights[*k] == 0.0)).unwrap_or(2);
            point.corners[slot] = corner;
            point.weights[slot] += w.2;
            point.at += piece.points[corner as usize] * w.2;
        }
        point
    };
    let (pa, pb) = (gather(a, |w| w.0), gather(b, |w| w.1));
    touch(a, b, pa, pb, plane.normal, plane.gap - radii, OF_HULLS)
}

/// Moves both points out to the rounded surfaces.
fn touch(a: &Piece, b: &Piece, mut pa: SkinPoint, mut pb: SkinPoint, n: Vec3, gap: f64, id: u64) -> Touch {
    pa.at -= n * a.skin.form.radius;
    pb.at += n * b.skin.form.radius;
    Touch { a: pa, b: pb, normal: n, gap, id }
}

/// Two axes across the normal, right-handed with it.
pub struct View {
    n: Vec3,
    x: Vec3,
    y: Vec3,
}

impl View {
    /// Axes for a normal, the same for the same normal.
    pub fn new(n: Vec3) -> Self {
        let x = n.any_orthonormal_vector();
        Self { n, x, y: n.cross(x) }
    }
    #[inline]
    fn flat(&self, p: Vec3) -> [f64; 2] {
        [self.x.dot(p), self.y.dot(p)]
    }
}

/// Corners within `depth` of the piece's own support plane.
fn near(piece: &Piece, n: Vec3, depth: f64, lowest: bool) -> Close {
    let sign = if lowest { 1.0 } else { -1.0 };
    let height = |p: &Vec3| sign * n.dot(*p);
    let heights: SmallVec<[f64; 32]> = match piece.skin.corners(piece.piece) {
        None => piece.points.iter().map(height).collect(),
        Some(corners) => corners.iter().map(|i| height(&piece.points[*i as usize])).collect(),
    };
    let least = heights.iter().copied().fold(f64::INFINITY, f64::min);
    let close = heights.iter().enumerate().filter(|(_, h)| **h <= least + depth);
    let list: SmallVec<_> = close.map(|(k, _)| piece.corner(k)).collect();
    let mut marks = SmallVec::new();
    if piece.piece.is_some() && piece.points.len() <= MARKED {
        marks.resize(piece.points.len().div_ceil(64), 0u64);
        list.iter().for_each(|i| marks[*i as usize / 64] |= 1u64 << (i % 64));
    }
    Close { list, marks }
}

/// A triangle seen along the normal.
struct FlatTriangle {
    corners: [u32; 3],
    /// Their places in the view.
    at: [[f64; 2]; 3],
    /// Twice its area there.
    area: f64,
}

/// Twice the area of a triangle in the view.
#[inline]
fn area(u: [f64; 2], v: [f64; 2], w: [f64; 2]) -> f64 {
    (v[0] - u[0]) * (w[1] - u[1]) - (v[1] - u[1]) * (w[0] - u[0])
}

/// Triangles of a piece that have a corner near the plane and look at the other piece. `up`: along the normal (the piece
/// is the lower one).
fn facing(piece: &Piece, close: &Close, view: &View, up: bool) -> SmallVec<[FlatTriangle; 8]> {
    let mut found = SmallVec::new();
    let either = piece.is_single_face();
    piece.each_face(close, |face| {
        // What has a single corner has no side.
        if face.len() < 3 {
            return;
        }
        let flat = |i: u32| view.flat(piece.points[i as usize]);
        let a = flat(face[0]);
        let mut c = flat(face[1]);
        for k in 1..face.len() - 1 {
            let b = std::mem::replace(&mut c, flat(face[k + 1]));
            let size = area(a, b, c);
            let scale = (b[0] - a[0]).abs() + (b[1] - a[1]).abs() + (c[0] - a[0]).abs() + (c[1] - a[1]).abs();
            // A single face may be seen from either side; a face among others must look at the other piece.
            let facing = if either {
                size.abs()
            } else if up {
                size
            } else {
                -size
            };
            if facing > 1e-6 * scale * scale {
                let corners = [face[0], face[k], face[k + 1]];
                found.push(FlatTriangle { corners, at: [a, b, c], area: size });
            }
        }
    });
    found
}

/// The triangle that a point of the other piece lies over when seen along the normal: the place on it and its height.
fn over(
    piece: &Piece,
    triangles: &[FlatTriangle],
    view: &View,
    p: Vec3,
    up: bool,
) -> Option<(SkinPoint, f64)> {
    let q = view.flat(p);
    let mut best: Option<(SkinPoint, f64)> = None;
    for FlatTriangle { corners: t, at: [a, b, c], area: size } in triangles {
        let w = [area(*b, *c, q) / size, area(*c, *a, q) / size, area(*a, *b, q) / size];
        if w.iter().any(|x| *x < -2.0 * END) {
            continue;
        }
        let at = |k: usize| piece.points[t[k] as usize];
        let place = at(0) * w[0] + at(1) * w[1] + at(2) * w[2];
        let height = view.n.dot(place);
        let better = best.as_ref().is_none_or(|(_, h)| if up { height > *h } else { height < *h });
        if better {
            best = Some((SkinPoint { corners: *t, weights: w, at: place }, height));
        }
    }
    best
}

/// An edge seen along the normal: its corners, their places in the view, their heights.
type FlatEdge = ([u32; 2], [f64; 2], [f64; 2], f64, f64);

/// Calls `found` for edges that cross when seen along the normal.
fn cross_edges(
    a: &Piece,
    b: &Piece,
    view: &View,
    (above, below): (&Close, &Close),
    reach: f64,
    mut found: impl FnMut([u32; 2], f64, [u32; 2], f64, f64),
) {
    // An edge is nearest to the plane at one of its ends, so one end at least is near; a crossing in the open needs
    // more than one near corner in all.
    if above.list.len() + below.list.len() < 3 {
        return;
    }
    let keep = |p: &Piece, close: &Close| {
        let mut kept: SmallVec<[FlatEdge; 12]> = SmallVec::new();
        p.each_edge(close, |e| {
            let (x, y) = (p.points[e[0] as usize], p.points[e[1] as usize]);
            kept.push((e, view.flat(x), view.flat(y), view.n.dot(x), view.n.dot(y)));
        });
        kept
    };
    let lower = keep(b, below);
    for (ea, p, q, hp, hq) in keep(a, above) {
        let d = [q[0] - p[0], q[1] - p[1]];
        for (eb, r, s, hr, hs) in &lower {
            let e = [s[0] - r[0], s[1] - r[1]];
            let det = d[0] * e[1] - d[1] * e[0];
            let lengths = (d[0] * d[0] + d[1] * d[1]) * (e[0] * e[0] + e[1] * e[1]);
            if det * det <= 1e-12 * lengths {
                continue;
            }
            let f = [r[0] - p[0], r[1] - p[1]];
            let u = (f[0] * e[1] - f[1] * e[0]) / det;
            let w = (f[0] * d[1] - f[1] * d[0]) / det;
            // Ends belong to corners over faces.
            if u > END && u < 1.0 - END && w > END && w < 1.0 - END {
                let gap = hp + (hq - hp) * u - hr - (hs - hr) * w;
                if gap <= reach {
                    found(ea, u, *eb, w, gap);
                }
            }
        }
    }
}

/// Keeps at most `most` places: the one with the smallest gap, then each time the one farthest from those kept,
/// counting small gaps for more.
pub fn reduce(list: &mut Vec<Touch>, most: usize, expected: impl Fn(&Touch) -> f64) {
    if list.len() <= most {
        return;
    }
    let start =
        (0..list.len()).min_by(|i, j| expected(&list[*i]).total_cmp(&expected(&list[*j]))).unwrap_or(0);
    let mut kept = vec![start];
    while kept.len() < most {
        let spread = |i: usize| {
            let nearest = kept.iter().map(|k| list[*k].a.at.distance_squared(list[i].a.at));
            nearest.fold(f64::INFINITY, f64::min)
        };
        let next =
            (0..list.len()).filter(|i| !kept.contains(i)).max_by(|i, j| spread(*i).total_cmp(&spread(*j)));
        match next {
            Some(i) => kept.push(i),
            None => break,
        }
    }
    kept.sort_unstable();
    let mut k = 0;
    list.retain(|_| {
        k += 1;
        kept.contains(&(k - 1))
    });
}
