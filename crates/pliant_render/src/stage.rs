//! Everything a ray can meet at one moment: triangles in a tree, endless planes, and what they are made of.

mod creases;
mod tree;

pub(crate) use tree::{Hit, PLANE, Tree};

use crate::material::{self, Surface};
use crate::overlay::Paint;
use creases::Creases;
use glam::Vec3A;
use pliant::math::Vec3;
use pliant::scene::{SceneSpec, ShapeSpec};
use pliant::{Frame, Topology};

/// What stays the same through a film: shapes, surfaces, where normals break.
#[derive(Debug)]
pub(crate) struct Cast {
    pub topology: Topology,
    pub surfaces: Vec<Option<Surface>>,
    creases: Vec<Creases>,
    /// Objects that stand for endless planes: normal and foot point in their own frame.
    planes: Vec<Option<(Vec3, Vec3)>>,
    /// Subtracted from every position, so that single precision suffices far from the origin `[m]`.
    pub centre: Vec3,
    /// How far the action reaches from the centre `[m]`.
    pub radius: f64,
}

impl Cast {
    pub fn new(spec: &SceneSpec, topology: &Topology, centre: Vec3, radius: f64) -> Self {
        let objects = &topology.objects;
        let plane = |name: &str| {
            let spec = spec.obstacle.iter().find(|o| o.name == name)?;
            match &spec.shape {
                ShapeSpec::Plane { normal, offset } => {
                    let n = Vec3::from(*normal).try_normalize()?;
                    Some((n, n * *offset))
                }
                _ => None,
            }
        };
        Self {
            topology: topology.clone(),
            surfaces: material::surfaces(spec, objects),
            creases: objects.iter().map(Creases::new).collect(),
            planes: objects.iter().map(|o| if o.is_body() { None } else { plane(&o.name) }).collect(),
            centre,
            radius,
        }
    }

    /// Takes the shine off everything: colours that mean numbers must not be mirrored or seen through.
    pub fn make_matte(&mut self) {
        self.surfaces.iter_mut().flatten().for_each(|s| s.finish = pliant::scene::Finish::Matte);
    }

    /// A position as the tracer sees it.
    pub fn place(&self, p: Vec3) -> Vec3A {
        (p - self.centre).as_vec3a()
    }
}

/// Which objects of a frame are put on stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Who {
    Everyone,
    BodiesOnly,
    ObstaclesOnly,
}

/// A triangle's part in the picture, beside its geometry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Face {
    pub object: u32,
    /// Corners in `Stage::points`, `Stage::rest` and `Stage::values`.
    pub points: [u32; 3],
    /// Corners in `Stage::normals`.
    pub normals: [u32; 3],
}

/// An endless plane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plane {
    pub object: u32,
    pub normal: Vec3A,
    /// Distance from the origin along the normal.
    pub offset: f32,
}

/// One moment, or several at once for a stroboscopic picture.
pub(crate) struct Stage<'a> {
    pub cast: &'a Cast,
    pub tree: Tree,
    pub points: Vec<Vec3A>,
    pub rest: Vec<Vec3A>,
    pub normals: Vec<Vec3A>,
    /// Colours that take the place of the surfaces' own, if an overlay paints them: per point, where there is one.
    pub painted: Option<Vec<Option<Vec3A>>>,
    pub planes: Vec<Plane>,
    /// Whether light goes through anything.
    pub has_gelatin: bool,
}

impl<'a> Stage<'a> {
    /// Puts the objects of some frames on stage. `paint` colours the points of an object.
    pub fn new(cast: &'a Cast, frames: &[(&Frame, Who)], paint: Option<&Paint>) -> Self {
        let mut stage = Self {
            cast,
            tree: Tree::default(),
            points: vec![],
            rest: vec![],
            normals: vec![],
            painted: paint.map(|_| vec![]),
            planes: vec![],
            has_gelatin: false,
        };
        let mut faces = vec![];
        for (frame, who) in frames {
            for i in 0..cast.topology.objects.len() {
                stage.enter(frame, i, *who, paint, &mut faces);
            }
        }
        stage.tree = Tree::new(faces, &stage.points);
        stage
    }

    fn enter(&mut self, frame: &Frame, i: usize, who: Who, paint: Option<&Paint>, faces: &mut Vec<Face>) {
        let cast = self.cast;
        let object = &cast.topology.objects[i];
        let wanted = match who {
            Who::Everyone => true,
            Who::BodiesOnly => object.is_body(),
            Who::ObstaclesOnly => !object.is_body(),
        };
        let (Some(surface), Some(state), true) = (&cast.surfaces[i], frame.objects.get(i), wanted) else {
            return;
        };
        self.has_gelatin |= surface.finish == pliant::scene::Finish::Gelatin;
        if let Some((n, foot)) = cast.planes[i] {
            let normal = state.rotation * n;
            let through = state.translation + state.rotation * foot - cast.centre;
            let offset = normal.dot(through) as f32;
            self.planes.push(Plane { object: i as u32, normal: normal.as_vec3a(), offset });
            return;
        }
        let base = self.points.len() as u32;
        let points = if state.points.is_empty() { &object.points } else { &state.points };
        let world = |p: &[f32; 3]| {
            let p = Vec3::new(p[0].into(), p[1].into(), p[2].into());
            cast.place(state.translation + state.rotation * p)
        };
        self.points.extend(points.iter().map(world));
        self.rest.extend(object.points.iter().map(|p| Vec3A::from_array(*p)));
        if let (Some(painted), Some(paint)) = (&mut self.painted, paint) {
            painted.extend(paint.colours(frame, i, object));
        }
        let normals = self.normals.len() as u32;
        let own = &self.points[base as usize..];
        self.normals.extend(cast.creases[i].normals(own, &object.triangles));
        for (t, corners) in object.triangles.iter().enumerate() {
            faces.push(Face {
                object: i as u32,
                points: corners.map(|v| base + v),
                normals: cast.creases[i].corners[t].map(|n| normals + n),
            });
        }
    }

    /// Corners of all triangles.
    pub fn corners(&self) -> Vec<[[f32; 3]; 3]> {
        let corner = |p: u32| self.points[p as usize].to_array();
        self.tree.faces.iter().map(|f| f.points.map(corner)).collect()
    }

    /// The surface of an object that is on stage.
    pub fn surface(&self, object: u32) -> &Surface {
        // Only objects with a surface are put on stage.
        self.cast.surfaces[object as usize].as_ref().expect("hidden objects are not on stage")
    }
}
