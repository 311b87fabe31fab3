//! Everything a ray can meet at one moment: triangles in a tree, endless planes, and what they are made of.

mod creases;
mod tree;

pub(crate) use tree::{Hit, PLANE, TOGETHER, Tree, Waiting};

use crate::material::{self, Surface};
use crate::overlay::Paint;
use creases::Creases;
use glam::Vec3A;
use pliant::math::{Quat, Vec3};
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
    /// Of the smooth surface, at the corners of the tree's triangles in their order: all that a place needs lies together in
    /// memory.
    pub bends: Vec<[Vec3A; 3]>,
    normals: Vec<Vec3A>,
    /// Colours that take the place of the surfaces' own, if an overlay paints them or a body brings some: per point, where
    /// there is one.
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
            bends: vec![],
            normals: vec![],
            painted: (paint.is_some() || cast.topology.objects.iter().any(|o| o.remeshed)).then(Vec::new),
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
        let normal = |n: u32| stage.normals[n as usize];
        stage.bends = stage.tree.faces.iter().map(|f| f.normals.map(normal)).collect();
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
        let points = if state.points.is_empty() && !object.remeshed { &object.points } else { &state.points };
        let world = |p: &[f32; 3]| {
            let p = Vec3::new(p[0].into(), p[1].into(), p[2].into());
            cast.place(state.translation + state.rotation * p)
        };
        self.points.extend(points.iter().map(world));
        let first_normal = self.normals.len() as u32;
        if let Some(fresh) = &state.surface {
            self.enter_fresh(i, points, fresh, state.rotation);
        } else {
            self.rest.extend(object.points.iter().map(|p| Vec3A::from_array(*p)));
            if let Some(painted) = &mut self.painted {
                match paint {
                    Some(paint) => painted.extend(paint.colours(frame, i, object)),
                    None => painted.resize(self.points.len(), None),
                }
            }
            let own = &self.points[base as usize..];
            self.normals.extend(cast.creases[i].normals(own, &object.triangles));
        }
        for (t, corners) in state.triangles(object).iter().enumerate() {
            // A surface that is made anew has one normal per point.
            let normals = if state.surface.is_some() { *corners } else { cast.creases[i].corners[t] };
            faces.push(Face {
                object: i as u32,
                points: corners.map(|v| base + v),
                normals: normals.map(|n| first_normal + n),
            });
        }
    }

    /// Takes normals and colours of a surface that was made for this frame. Nothing is known of its rest shape, so it has
    /// no squares: its own colours, or the plain one.
    fn enter_fresh(&mut self, i: usize, points: &[[f32; 3]], fresh: &pliant::Surface, turn: Quat) {
        self.rest.extend(points.iter().map(|p| Vec3A::from_array(*p)));
        self.normals.extend(fresh.normals.iter().map(|n| (turn * Vec3::from(n.map(f64::from))).as_vec3a()));
        let plain = self.surface(i as u32).colour;
        if let Some(painted) = &mut self.painted {
            let colour = |k: usize| fresh.colours.get(k).map_or(plain, |c| Vec3A::from_array(*c));
            painted.extend((0..points.len()).map(|k| Some(colour(k))));
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
