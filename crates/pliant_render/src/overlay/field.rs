//! Quantities on the points of bodies, and their colours.

use super::Field;
use super::colours::Scale;
use glam::Vec3A;
use pliant::math::Vec3;
use pliant::{Frame, ObjectTopology, Topology};

/// A quantity and the range of its colours, the same for a whole film.
#[derive(Clone, Debug)]
pub(crate) struct Paint {
    pub field: Field,
    pub scale: Scale,
}

impl Paint {
    /// Finds the range of a quantity in some frames.
    pub fn new<'a>(field: Field, topology: &Topology, frames: impl Iterator<Item = &'a Frame>) -> Self {
        let (mut low, mut high) = (0.0_f64, 0.0_f64);
        for frame in frames {
            for (i, object) in topology.objects.iter().enumerate().filter(|(_, o)| is_painted(o)) {
                for value in values(field, frame, i, object) {
                    (low, high) = (low.min(value), high.max(value));
                }
            }
        }
        // A scale that goes both ways has its pale middle at zero.
        let scale = match field {
            Field::Volume => {
                let most = high.max(-low).max(1e-6);
                Scale { low: -most, high: most }
            }
            Field::Strain | Field::Pressure => Scale { low: 0.0, high: high.max(1e-9) },
        };
        Self { field, scale }
    }

    /// Colours of the points of one object that keeps its triangles; obstacles keep their own.
    pub fn colours(&self, frame: &Frame, i: usize, object: &ObjectTopology) -> Vec<Option<Vec3A>> {
        if !is_painted(object) {
            return vec![None; object.points.len()];
        }
        values(self.field, frame, i, object).into_iter().map(|v| Some(self.scale.colour(v))).collect()
    }
}

/// Whether quantities are shown on an object: it must be a body, and have a rest shape to compare with.
fn is_painted(object: &ObjectTopology) -> bool {
    object.is_body() && !object.remeshed
}

/// The quantity on every point of a body.
fn values(field: Field, frame: &Frame, i: usize, object: &ObjectTopology) -> Vec<f64> {
    let count = object.points.len();
    match field {
        Field::Strain => strain(frame, i, object),
        Field::Pressure => pressure(frame, i, object),
        Field::Volume => {
            let volume = frame.measures.get(i).map_or(0.0, |m| m.volume);
            let change = if object.rest_volume > 0.0 { volume / object.rest_volume - 1.0 } else { 0.0 };
            vec![change; count]
        }
    }
}

/// Largest principal strain, in size, of the triangles around each point.
fn strain(frame: &Frame, i: usize, object: &ObjectTopology) -> Vec<f64> {
    let now = points(frame, i, object);
    let (mut sums, mut areas) = (vec![0.0; now.len()], vec![0.0; now.len()]);
    for t in &object.triangles {
        let rest = t.map(|v| Vec3::from(object.points[v as usize].map(f64::from)));
        let here = t.map(|v| now[v as usize]);
        let (strain, area) = triangle_strain(rest, here);
        for v in t {
            sums[*v as usize] += strain * area;
            areas[*v as usize] += area;
        }
    }
    sums.iter().zip(&areas).map(|(s, a)| if *a > 0.0 { s / a } else { 0.0 }).collect()
}

/// Largest principal stretch minus one, in size, and the rest area.
fn triangle_strain(rest: [Vec3; 3], now: [Vec3; 3]) -> (f64, f64) {
    let (a, b) = (rest[1] - rest[0], rest[2] - rest[0]);
    let double_area = a.cross(b).length();
    let Some(x) = a.try_normalize() else { return (0.0, 0.0) };
    let y = (b - x * b.dot(x)).try_normalize().unwrap_or(Vec3::ZERO);
    let (ax, bx, by) = (a.length(), b.dot(x), b.dot(y));
    if by <= 1e-12 * ax {
        return (0.0, 0.0);
    }
    // Images of the plane's axes, and their metric.
    let u = (now[1] - now[0]) / ax;
    let v = ((now[2] - now[0]) - u * bx) / by;
    let (e, f, g) = (u.dot(u), u.dot(v), v.dot(v));
    let (mean, radius) = (0.5 * (e + g), (0.25 * (e - g) * (e - g) + f * f).sqrt());
    let stretches = [(mean + radius).max(0.0).sqrt(), (mean - radius).max(0.0).sqrt()];
    (stretches.map(|s| (s - 1.0).abs()).into_iter().fold(0.0, f64::max), 0.5 * double_area)
}

/// Contact force per area: each contact's normal force, spread over the points around it so that its sum is kept.
fn pressure(frame: &Frame, i: usize, object: &ObjectTopology) -> Vec<f64> {
    let now = points(frame, i, object);
    let mut areas = vec![0.0; now.len()];
    for t in &object.triangles {
        let [a, b, c] = t.map(|v| now[v as usize]);
        let third = (b - a).cross(c - a).length() / 6.0;
        t.iter().for_each(|v| areas[*v as usize] += third);
    }
    let total: f64 = areas.iter().sum();
    // About the distance between neighbouring points, but never less than a twentieth of the body.
    let width = (2.0 * (total / now.len().max(1) as f64).sqrt()).max(0.05 * total.sqrt());
    let mut pressure = vec![0.0; now.len()];
    for contact in frame.contacts.iter().filter(|c| c.a as usize == i || c.b as usize == i) {
        let vector = |v: [f32; 3]| Vec3::from(v.map(f64::from));
        let force = vector(contact.force).dot(vector(contact.normal)).abs();
        let place = vector(contact.position);
        let weight = |p: &Vec3| (-(p.distance_squared(place)) / (width * width)).exp();
        let spread: f64 = now.iter().zip(&areas).map(|(p, a)| weight(p) * a).sum();
        if spread > 0.0 {
            for (value, p) in pressure.iter_mut().zip(&now) {
                *value += force * weight(p) / spread;
            }
        }
    }
    pressure
}

fn points(frame: &Frame, i: usize, object: &ObjectTopology) -> Vec<Vec3> {
    let state = &frame.objects[i];
    let local = if state.points.is_empty() { &object.points } else { &state.points };
    local.iter().map(|p| state.translation + state.rotation * Vec3::from(p.map(f64::from))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::{ContactFrame, ObjectFrame};

    fn square() -> (ObjectTopology, Frame) {
        let object = ObjectTopology {
            name: "square".into(),
            kind: "global".into(),
            deforms: true,
            remeshed: false,
            smooth: false,
            triangles: vec![[0, 1, 2], [0, 2, 3]],
            points: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.0, 1.0], [0.0, 0.0, 1.0]],
            rest_volume: 2.0,
            incompressible: false,
            freedoms: 0,
            cell_edges: vec![],
        };
        let mut frame = Frame::default();
        let rotation = pliant::math::Quat::from_rotation_x(0.7);
        frame.objects.push(ObjectFrame {
            translation: Vec3::ONE,
            rotation,
            points: object.points.clone(),
            ..ObjectFrame::default()
        });
        (object, frame)
    }

    #[test]
    fn strain_is_that_of_the_deformation_and_not_of_the_motion() {
        let (object, mut frame) = square();
        assert!(values(Field::Strain, &frame, 0, &object).iter().all(|s| s.abs() < 1e-12));
        frame.objects[0].points.iter_mut().for_each(|p| p[0] *= 1.25);
        assert!(values(Field::Strain, &frame, 0, &object).iter().all(|s| (s - 0.25).abs() < 1e-6));
    }

    #[test]
    fn pressure_over_the_area_is_the_force() {
        let (object, mut frame) = square();
        frame.contacts.push(ContactFrame {
            a: 0,
            b: 1,
            position: [1.3, 1.0, 1.2],
            normal: [0.0, 1.0, 0.0],
            force: [2.0, 12.0, 0.0],
            gap: 0.0,
        });
        let values = values(Field::Pressure, &frame, 0, &object);
        // Two corners belong to two triangles of area 1/2, the others to one.
        let areas = [1.0 / 3.0, 1.0 / 6.0, 1.0 / 3.0, 1.0 / 6.0];
        let force: f64 = values.iter().zip(areas).map(|(p, a)| p * a).sum();
        assert!((force - 12.0).abs() < 1e-9, "{force}");
    }
}
