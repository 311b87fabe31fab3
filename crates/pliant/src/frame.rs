//! What leaves the engine: plain snapshots for recordings, exporters, viewers and checks.

use crate::math::{Quat, Vec3};
use serde::{Deserialize, Serialize};

/// What does not change from frame to frame.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Topology {
    /// Bodies in scene order, then obstacles.
    pub objects: Vec<ObjectTopology>,
}

/// One body or obstacle.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ObjectTopology {
    /// Unique name from the scene.
    pub name: String,
    /// The body's kind, or `obstacle`.
    pub kind: String,
    /// Whether `ObjectFrame::points` is given in every frame.
    pub deforms: bool,
    /// Whether every frame brings a surface of its own, `ObjectFrame::surface`; `triangles` and `points` here are then
    /// those at the start.
    pub remeshed: bool,
    /// Whether neighbouring triangles should be shaded as one smooth surface.
    pub smooth: bool,
    /// Counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Rest positions in the object's own frame `[m]`.
    pub points: Vec<[f32; 3]>,
    /// Rest volume `[m^3]`; 0 for obstacles without one.
    pub rest_volume: f64,
    /// Whether the certificate must hold the volume to its rest value.
    pub incompressible: bool,
    /// Numbers that say where a body is: 6 for a rigid one, 0 for obstacles.
    pub freedoms: u32,
    /// Edges of the cells that a body is made of, to be looked at; empty if it has none. Ends are numbers of its points,
    /// and beyond those of `ObjectFrame::nodes`.
    pub cell_edges: Vec<[u32; 2]>,
}

impl ObjectTopology {
    /// Whether this object is moved by forces.
    pub fn is_body(&self) -> bool {
        self.kind != "obstacle"
    }
}

/// One moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// 0 is the start.
    pub index: u64,
    /// Simulated time `[s]`.
    pub time: f64,
    /// In the order of `Topology::objects`.
    pub objects: Vec<ObjectFrame>,
    /// Touching places.
    pub contacts: Vec<ContactFrame>,
    /// Per body, in scene order (obstacles have none).
    pub measures: Vec<Measures>,
    /// Per control, in scene order; then the hands that have hold of something.
    pub controls: Vec<ControlFrame>,
    /// Worst values of the steps since the last frame.
    pub report: FrameReport,
    /// 128-bit hash of the exact state.
    pub state_hash: [u64; 2],
}

/// Where one object is. World position of point `p` is `translation + rotation * p`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ObjectFrame {
    /// Origin of the object's frame `[m]`.
    pub translation: Vec3,
    /// Orientation of the object's frame.
    pub rotation: Quat,
    /// Points in the object's own frame, if it deforms; otherwise empty and the rest points hold.
    pub points: Vec<[f32; 3]>,
    /// What the points make, if that changes from frame to frame.
    pub surface: Option<Surface>,
    /// What carries the body inside, to be looked at: corners of its cells that are no points of it, or the skeletons of
    /// clay. In the object's own frame.
    pub nodes: Inner,
    /// Where the coat of clay is sampled for contact, in the object's own frame.
    pub seeds: Inner,
}

/// Points that are only looked at: places between the ends of a box, at a 65535th of it. Half the room that floats take.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Inner {
    /// Lower and upper ends of the box `[m]`.
    pub ends: [[f32; 3]; 2],
    /// Places in it.
    pub places: Vec<[u16; 3]>,
}

impl Inner {
    /// Rounds points.
    pub fn new(points: impl Iterator<Item = Vec3> + Clone) -> Self {
        let box_of = |f: fn(Vec3, Vec3) -> Vec3| points.clone().reduce(f).unwrap_or_default().as_vec3();
        let (low, high) = (box_of(Vec3::min), box_of(Vec3::max));
        let span = (high - low).max(glam::Vec3::splat(f32::MIN_POSITIVE)).as_dvec3();
        let places = points.map(|p| {
            let share = (p - low.as_dvec3()) / span * f64::from(u16::MAX);
            // What is beyond the ends by rounding, or not a number, goes to an end.
            share.to_array().map(|x| x.round() as u16)
        });
        Self { places: places.collect(), ends: [low.to_array(), high.to_array()] }
    }

    /// The points.
    pub fn points(&self) -> impl ExactSizeIterator<Item = [f32; 3]> + Clone + '_ {
        let [low, high] = self.ends;
        let along =
            move |d: usize, x: u16| low[d] + (high[d] - low[d]) * (f32::from(x) / f32::from(u16::MAX));
        self.places.iter().map(move |p| std::array::from_fn(|d| along(d, p[d])))
    }
}

/// A closed surface through the points of one frame, of as many pieces as it has in that frame.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Surface {
    /// Counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Outward unit normal at each point, in the object's own frame.
    pub normals: Vec<[f32; 3]>,
    /// Linear red, green and blue at each point, carried by the material; empty if it has but one colour.
    pub colours: Vec<[f32; 3]>,
    /// Connected piece of each point, counted from 0.
    pub pieces: Vec<u32>,
}

impl ObjectFrame {
    /// The triangles of this frame.
    pub fn triangles<'a>(&'a self, topology: &'a ObjectTopology) -> &'a [[u32; 3]] {
        self.surface.as_ref().map_or(&topology.triangles, |s| &s.triangles)
    }
}

/// One touching place.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContactFrame {
    /// Index into `Topology::objects` of the object that is pushed along `force`.
    pub a: u32,
    /// Index into `Topology::objects` of the other.
    pub b: u32,
    /// Place `[m]`.
    pub position: [f32; 3],
    /// Direction from b to a.
    pub normal: [f32; 3],
    /// Force on a `[N]`, averaged over the last step.
    pub force: [f32; 3],
    /// Gap `[m]`.
    pub gap: f32,
}

/// What one control did in the last step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ControlFrame {
    /// Total force on its body `[N]`.
    pub force: Vec3,
    /// Whether it was pulled harder than it bears, and is gone.
    pub broken: bool,
    /// Whether it claims that its points are at their targets. Springs, hands, servos and whatever has a limited force or
    /// asks for another method lag behind by design.
    pub exact: bool,
    /// Largest distance of its points from their targets `[m]`; of a hand, from the held place to the hand.
    pub error: f64,
}

/// What can be measured of one body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Measures {
    /// Mass `[kg]`.
    pub mass: f64,
    /// Centre of mass `[m]`.
    pub centre: Vec3,
    /// Linear momentum `[kg m/s]`.
    pub momentum: Vec3,
    /// Angular momentum about the world origin `[kg m^2/s]`.
    pub angular_momentum: Vec3,
    /// Kinetic energy `[J]`.
    pub kinetic: f64,
    /// Elastic energy `[J]`.
    pub elastic: f64,
    /// Volume enclosed by the skin `[m^3]`.
    pub volume: f64,
    /// Smallest determinant of the deformation gradient over the body (1 at rest, negative when inverted).
    pub least_jacobian: f64,
    /// Whether it is asleep.
    pub asleep: bool,
}

/// A step counts as solved to the end if no contact's velocity changed by more than this share of the largest relative speed
/// at a contact before contact acted.
pub const SOLVED: f64 = 1e-6;

/// Worst values over the steps since the last frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FrameReport {
    /// Steps taken.
    pub steps: u32,
    /// Contacts in the last step.
    pub contacts: u32,
    /// Smallest gap seen `[m]`; infinite if nothing was near.
    pub min_distance: f64,
    /// Deepest penetration `[m]`; 0 unless the guarantee failed.
    pub max_penetration: f64,
    /// Largest work of contact in one step over the kinetic energy (never above 0 when solved).
    pub max_contact_work: f64,
    /// Largest change of a contact's velocity in the last sweep of a solve `[m/s]`.
    pub residual: f64,
    /// The same over the largest relative speed at a contact of the same island before contact acted.
    pub relative_residual: f64,
    /// Steps in which that was more than [`SOLVED`].
    pub unsolved: u32,
    /// Largest distance of a controlled point from its target `[m]`, by controls that claim to be exact.
    pub max_control_error: f64,
    /// Impulse of gravity, air, controls and obstacles on all bodies since the start `[N s]`.
    pub external_impulse: Vec3,
    /// Work of gravity, air, controls and moving obstacles on all bodies since the start `[J]`.
    pub external_work: f64,
    /// Bodies held back to just before a crossing, summed over steps.
    pub held_back: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inner_points_are_where_they_were_to_a_65535th_of_the_box() {
        let points: Vec<Vec3> =
            (0..50).map(|k| Vec3::new(0.1 * f64::from(k), 7.0, -0.03 * f64::from(k * k))).collect();
        let inner = Inner::new(points.iter().copied());
        for (p, q) in points.iter().zip(inner.points()) {
            let off = (*p - Vec3::from(q.map(f64::from))).abs();
            assert!(
                off.x < 4.9 / 131070.0 + 1e-6 && off.y == 0.0 && off.z < 72.03 / 131070.0 + 1e-5,
                "{off:?}"
            );
        }
        // Rounding twice changes nothing more than rounding once.
        let again = Inner::new(inner.points().map(|p| Vec3::from(p.map(f64::from))));
        assert_eq!(again.places, inner.places);
        assert_eq!(Inner::new(std::iter::empty()).points().len(), 0);
    }
}
