//! The surface of the coat as triangles: closed, each edge between two of them, whatever the skeletons do.
//!
//! Space is cut into cubes. Where the inside function changes its sign along an edge of a cube, a point is put exactly
//! there; what the points of a cube make is decided by its corners alone, so neighbours always fit. The cubes stand still
//! in the world, so a body at rest keeps its triangles. Cubes come in blocks, and where boxes lie inside
//! or outside for sure (`sure.rs`) no corner is looked at: what is computed grows with the surface.

mod block;
mod cases;
mod corners;
mod cross;
mod sure;

use super::felt::Local;
use super::field::Field;
use crate::contact::{Bounds, Limit, Sculptor, Surface};
use crate::math::{Vec3, Work, widely};
use block::{Block, Place};
use corners::{Corners, SIDE};
use rayon::prelude::*;

/// Nothing but the field limits the body.
pub struct Unlimited;

impl Limit for Unlimited {
    fn limits(&self, _: &Bounds) -> bool {
        false
    }
    fn at(&self, _: Vec3, f: f64, gradient: Vec3) -> (f64, Vec3) {
        (f - 1.0, gradient)
    }
    fn about(&self, _: &Bounds) -> Box<dyn Limit> {
        Box::new(Self)
    }
}

/// The surface of a field within a limit, with cubes of an edge.
pub fn surface(field: &Field, edge: f64, limit: &dyn Limit) -> Surface {
    Sculpture::new(field, edge).made(limit, None, false)
}

/// A surface of which parts can be made anew.
pub struct Sculpture<'a> {
    field: &'a Field,
    edge: f64,
    /// Blocks that the field may reach, in order, and the surface in each.
    places: Vec<[i32; 3]>,
    blocks: Vec<Option<Block>>,
    /// Whether limits are looked at in every block, because blocks have once not fitted together.
    everywhere: bool,
}

impl Sculptor for Sculpture<'_> {
    fn surface(&mut self, limit: &dyn Limit, changed: Option<&[Bounds]>) -> Surface {
        self.made(limit, changed, true)
    }
}

impl<'a> Sculpture<'a> {
    /// That of a field, with cubes of an edge; nothing is made yet.
    pub fn new(field: &'a Field, edge: f64) -> Self {
        let places = blocks(field, edge * f64::from(SIDE));
        let blocks = places.iter().map(|_| None).collect();
        Self { field, edge, places, blocks, everywhere: false }
    }

    /// The surface within a limit, which has changed only in some boxes if any are given; blocks may be `kept` to be used again.
    fn made(&mut self, limit: &dyn Limit, changed: Option<&[Bounds]>, kept: bool) -> Surface {
        self.make(limit, changed);
        let (made, fits) = join(&self.places, &mut self.blocks, kept);
        if fits || self.everywhere {
            return made;
        }
        // Neighbours can disagree about a corner between them only if one of them is limited there and the other is not.
        self.everywhere = true;
        self.make(limit, None);
        join(&self.places, &mut self.blocks, kept).0
    }

    fn make(&mut self, limit: &dyn Limit, changed: Option<&[Bounds]>) {
        let everywhere = Everywhere(limit);
        let limit: &dyn Limit = if self.everywhere { &everywhere } else { limit };
        let (field, edge) = (self.field, self.edge);
        let one = |room: &mut (Local<'a>, Corners<'a>), (at, block): (&[i32; 3], &mut Option<Block>)| {
            let around = bounds_of(*at, edge);
            if changed.is_none_or(|boxes| boxes.iter().any(|b| b.overlaps(&around))) {
                *block = None;
                widely(One { field, at: *at, edge, limit, room }, block);
            }
        };
        self.places.par_iter().zip(&mut self.blocks).for_each_init(Default::default, one);
    }
}

/// The box of a block, up to the first corners of the next.
fn bounds_of(at: [i32; 3], edge: f64) -> Bounds {
    let corner = |c: [i32; 3]| Vec3::from(c.map(|c| f64::from(c) * f64::from(SIDE) * edge));
    Bounds { low: corner(at), high: corner(at.map(|c| c + 1)) }
}

/// A limit that is looked at in every block, whether it seems near or not, and by all in the same way.
struct Everywhere<'a>(&'a dyn Limit);

impl Limit for Everywhere<'_> {
    fn limits(&self, _: &Bounds) -> bool {
        true
    }
    fn at(&self, p: Vec3, f: f64, gradient: Vec3) -> (f64, Vec3) {
        self.0.at(p, f, gradient)
    }
    fn about<'a>(&'a self, _: &Bounds) -> Box<dyn Limit + 'a> {
        Box::new(Everywhere(self.0))
    }
}

/// Blocks that the field may reach, in order.
fn blocks(field: &Field, size: f64) -> Vec<[i32; 3]> {
    let block = |p: Vec3| (p / size).floor().to_array().map(|c| c as i32);
    let mut homes: Vec<([i32; 3], u32)> = field.x.iter().map(|p| block(*p)).zip(0..).collect();
    homes.sort_unstable();
    let mut found = vec![];
    for same in homes.chunk_by(|a, b| a.0 == b.0) {
        let reached = Bounds::of(same.iter().map(|(_, i)| field.x[*i as usize])).grown(field.reach());
        let (low, high) = (block(reached.low), block(reached.high));
        for z in low[2]..=high[2] {
            for y in low[1]..=high[1] {
                found.extend((low[0]..=high[0]).map(|x| [x, y, z]));
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// One block, made with the widest instructions that there are; none of them rounds differently.
struct One<'a, 'b> {
    field: &'a Field,
    at: [i32; 3],
    edge: f64,
    limit: &'b dyn Limit,
    room: &'b mut (Local<'a>, Corners<'a>),
}

impl Work for One<'_, '_> {
    type Output = Option<Block>;

    #[inline(always)]
    fn run(self, made: &mut Option<Block>) {
        let Self { field, at, edge, limit, room: (near, corners) } = self;
        field.within(&bounds_of(at, edge), near);
        if near.is_empty() {
            return;
        }
        corners.place_at(at, edge, near);
        let limits = std::array::from_fn(|octant| {
            let own = corners.with_edges(octant);
            limit.limits(&own).then(|| limit.about(&own))
        });
        *made = Block::new(at, near, &limits, corners);
    }
}

/// One surface from those of all blocks, and whether they fit together; triangles that do not are left out. A point on the face
/// between two belongs to the later one.
fn join(places: &[[i32; 3]], blocks: &mut [Option<Block>], kept: bool) -> (Surface, bool) {
    let mut starts = vec![0];
    let counts = blocks.iter().map(|b| b.as_ref().map_or(0, |b| b.points.len() as u32));
    counts.for_each(|count| starts.push(starts[starts.len() - 1] + count));
    let count = *starts.last().expect("one more than there are blocks") as usize;
    let mut made = Surface {
        points: Vec::with_capacity(count),
        normals: Vec::with_capacity(count),
        owners: Vec::with_capacity(count),
        triangles: Vec::with_capacity(blocks.iter().flatten().map(|b| b.triangles().len()).sum()),
    };
    for block in blocks.iter_mut().flatten() {
        made.points.extend_from_slice(&block.points);
        made.normals.extend_from_slice(&block.normals);
        made.owners.extend_from_slice(&block.owners);
        if !kept {
            // So that nothing is held twice.
            (block.points, block.normals, block.owners) = (vec![], vec![], vec![]);
        }
    }
    let blocks = &*blocks;
    let find = |at: [i32; 3]| places.binary_search(&at).unwrap_or(usize::MAX);
    let mut fits = blocks.iter().flatten().all(|block| block.fits);
    for (b, block) in blocks.iter().enumerate().filter_map(|(b, block)| Some((b, block.as_ref()?))) {
        let neighbours: [usize; 8] = std::array::from_fn(|d| match d {
            0 => b,
            _ => find([0, 1, 2].map(|axis| block.at[axis] + (d >> axis & 1) as i32)),
        });
        let point = |place: Place| match place {
            Place::Here(number) => Some(starts[b] + number),
            Place::There(direction, edge) => {
                let owner = neighbours[direction];
                let number = blocks.get(owner)?.as_ref()?.point_on(edge)?;
                Some(starts[owner] + number)
            }
        };
        for [a, b, c] in block.triangles() {
            match (point(a), point(b), point(c)) {
                (Some(a), Some(b), Some(c)) => made.triangles.push([a, b, c]),
                _ => fits = false,
            }
        }
    }
    (made, fits)
}

#[cfg(test)]
mod tests {
    use super::super::field::Shape;
    use super::*;
    use crate::shape::TriMesh;

    fn closed(s: &Surface) {
        let mesh = TriMesh { points: s.points.clone(), triangles: s.triangles.clone(), ..TriMesh::default() };
        mesh.check_solid().unwrap();
    }

    #[test]
    fn a_ball_is_round_closed_and_of_the_right_volume() {
        let e = 0.1;
        let field = Field::new(Shape::Cubic, &[Vec3::new(0.013, 0.2, -0.7)], &[e]);
        let s = surface(&field, e / 4.0, &Unlimited);
        closed(&s);
        for (p, n) in s.points.iter().zip(&s.normals) {
            let out = *p - field.x[0];
            assert!((out.length() / e - 1.0).abs() < 1e-5, "{}", out.length() / e);
            assert!(out.normalize().dot(*n) > 0.9999);
        }
        let ball = 4.0 / 3.0 * std::f64::consts::PI * e.powi(3);
        // The triangles cut off some of it, the surface through their points and normals does not.
        assert!((s.volume() / ball - 1.0).abs() < 0.001, "{}", s.volume() / ball);
        assert!(s.flat_volume() < s.volume());
        assert!(s.pieces().iter().all(|p| *p == 0));
    }

    /// [DG94] Fig. 5 as corrected: 18.1 % at 1.80 e for the inverse cube.
    #[test]
    fn two_skeletons_gain_the_volume_that_the_field_says() {
        let volume = |d: f64| {
            let field = Field::new(Shape::InverseCube, &[Vec3::ZERO, Vec3::X * d], &[1.0; 2]);
            surface(&field, 0.06, &Unlimited).volume() / (2.0 * 4.0 / 3.0 * std::f64::consts::PI)
        };
        assert!((volume(1.8) - 1.181).abs() < 0.004, "{}", volume(1.8));
        assert!((volume(1.0) - 1.109).abs() < 0.004, "{}", volume(1.0));
    }

    #[test]
    fn scattered_skeletons_make_closed_surfaces_of_several_pieces() {
        let part = |k: usize, a: f64| (k as f64 * a).fract();
        let x: Vec<Vec3> =
            (1..=60).map(|k| Vec3::new(part(k, 0.618_034), part(k, 0.414_214), part(k, 0.732_051))).collect();
        let s = surface(&Field::new(Shape::Cubic, &x, &[0.07; 60]), 0.02, &Unlimited);
        closed(&s);
        assert!(s.pieces().iter().max().unwrap() > &3);
    }

    /// Skeletons of several thicknesses, some far from the others.
    fn cloud(count: usize, thickness: [f64; 2]) -> (Vec<Vec3>, Vec<f64>) {
        let part = |k: usize, a: f64| ((k + 1) as f64 * a).fract();
        let place = |k: usize| Vec3::new(part(k, 0.618_034), part(k, 0.414_214), part(k, 0.732_051));
        let [thin, thick] = thickness;
        (0..count).map(|k| (place(k), thin + (thick - thin) * part(k, 0.236_068))).unzip()
    }

    /// Nothing is missed where corners are not looked at: of all edges of the grid, those have a point whose ends lie on
    /// different sides of the surface, in bodies that are thin, thick, hollow, and for cubes small and large.
    #[test]
    fn just_those_edges_have_points_that_the_surface_crosses() {
        for shape in [Shape::Cubic, Shape::InverseCube, Shape::Quadratic] {
            for (count, thickness, edge) in [
                (25, [0.05, 0.09], 0.03),
                (60, [0.1, 0.2], 0.04),
                (300, [0.12, 0.13], 0.1),
                (9, [0.3, 0.3], 0.05),
            ] {
                let (x, e) = cloud(count, thickness);
                let field = Field::new(shape, &x, &e);
                let found = surface(&field, edge, &Unlimited);
                closed(&found);
                let reach = Bounds::of(x.iter().copied()).grown(field.reach());
                let low = (reach.low / edge).floor().to_array().map(|c| c as i32);
                let size = ((reach.high - reach.low) / edge).ceil().max_element() as i32 + 2;
                let corner = |n: i32| [n % size, n / size % size, n / (size * size)];
                let value = |n: i32| {
                    field.at(Vec3::from([0, 1, 2].map(|d| f64::from(low[d] + corner(n)[d]) * edge))).0
                };
                let values: Vec<f64> = (0..size.pow(3)).into_par_iter().map(value).collect();
                assert!(
                    values.iter().all(|f| (f - 1.0).abs() > 1e-6),
                    "a corner on the surface says nothing"
                );
                let mut crossed = 0;
                for n in 0..size.pow(3) {
                    for (d, step) in [1, size, size * size].into_iter().enumerate() {
                        let is_edge = corner(n)[d] + 1 < size;
                        let ends = [n, n + if is_edge { step } else { 0 }].map(|n| values[n as usize] > 1.0);
                        crossed += usize::from(ends[0] != ends[1]);
                    }
                }
                assert_eq!(found.points.len(), crossed, "{shape:?} {count}");
                for (p, n) in found.points.iter().zip(&found.normals) {
                    let (f, slope) = field.at(*p);
                    // The inverse cube ends with a step, and several may end together.
                    let step = if shape == Shape::InverseCube { 0.02 } else { 0.0 };
                    assert!((f - 1.0).abs() < 1e-3 * slope.length() * edge + step, "{shape:?} {f}");
                    assert!((-slope).normalize().dot(*n) > 0.999);
                }
            }
        }
    }

    /// The same triangles whether corners are looked at only where it is needed or everywhere.
    #[test]
    fn looking_everywhere_finds_the_same() {
        struct Nothing;
        impl Limit for Nothing {
            fn limits(&self, _: &Bounds) -> bool {
                true
            }
            fn at(&self, _: Vec3, f: f64, gradient: Vec3) -> (f64, Vec3) {
                (f - 1.0, gradient)
            }
            fn about(&self, _: &Bounds) -> Box<dyn Limit> {
                Box::new(Self)
            }
        }
        let (x, e) = cloud(400, [0.1, 0.16]);
        let field = Field::new(Shape::Cubic, &x, &e);
        for edge in [0.02, 0.05, 0.12] {
            let [some, all] = [surface(&field, edge, &Unlimited), surface(&field, edge, &Nothing)];
            assert_eq!(some.triangles, all.triangles);
            assert_eq!(some.owners, all.owners);
            assert!(some.points.iter().zip(&all.points).all(|(a, b)| a.distance(*b) < 1e-5 * edge));
        }
    }

    struct Floor;

    impl Limit for Floor {
        fn limits(&self, within: &Bounds) -> bool {
            within.low.y < 0.5
        }
        fn at(&self, p: Vec3, f: f64, gradient: Vec3) -> (f64, Vec3) {
            let above = 3.0 * (p.y + 0.5);
            if above < f - 1.0 { (above, Vec3::Y * 3.0) } else { (f - 1.0, gradient) }
        }
        fn about(&self, _: &Bounds) -> Box<dyn Limit> {
            Box::new(Self)
        }
    }

    /// A limit that some do not know of though it cuts them, as where a solid is told to be farther than it is.
    struct Late(f64);

    impl Limit for Late {
        fn limits(&self, within: &Bounds) -> bool {
            within.low.x < self.0
        }
        fn at(&self, p: Vec3, f: f64, gradient: Vec3) -> (f64, Vec3) {
            Floor.at(p, f, gradient)
        }
        fn about(&self, _: &Bounds) -> Box<dyn Limit> {
            Box::new(Floor)
        }
    }

    #[test]
    fn blocks_that_disagree_are_made_again_and_close() {
        let field = Field::new(Shape::Cubic, &[Vec3::ZERO], &[1.0]);
        // Known to one of two blocks, and to one of two octants of a block.
        for side in [0.0, 0.3] {
            let s = surface(&field, 0.07, &Late(side));
            closed(&s);
            let lowest = s.points.iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
            assert!((lowest + 0.5).abs() < 1e-4, "{side} {lowest}");
        }
    }

    #[test]
    fn a_limit_cuts_the_body_off_flat() {
        let field = Field::new(Shape::Cubic, &[Vec3::ZERO], &[1.0]);
        let s = surface(&field, 0.21, &Floor);
        closed(&s);
        let lowest = s.points.iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
        assert!((lowest + 0.5).abs() < 1e-4, "{lowest}");
        let flat = s.points.iter().zip(&s.normals).filter(|(p, n)| p.y < -0.4999 && n.y < -0.999).count();
        assert!(flat > 20, "{flat}");
    }
}
