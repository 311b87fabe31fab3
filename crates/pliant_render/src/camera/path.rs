//! Where the camera is at which time: still, turning about the scene, going along with a body, or keyed.

use super::Camera;
use pliant::Frame;
use pliant::math::{Quat, Vec3};
use pliant::scene::{CameraKey, CameraSpec};

/// A camera that may move.
#[derive(Clone, Debug)]
pub(crate) struct CameraPath {
    spec: CameraSpec,
    /// The camera at the start.
    first: Camera,
    target: Vec3,
    /// Number of the body it goes along with, and where that body's centre was in the first frame.
    follow: Option<(usize, Vec3)>,
}

impl CameraPath {
    /// From the scene's camera and the one that would be chosen if it said nothing.
    pub fn new(spec: &CameraSpec, automatic: &Camera, first: &Frame, names: &[String]) -> Self {
        let far = automatic.focus;
        let automatic_target = automatic.eye + automatic.turn * (-Vec3::Z * far);
        let (eye, target) = match (spec.at, spec.look_at) {
            (Some(at), Some(target)) => (Vec3::from(at), Vec3::from(target)),
            (Some(at), None) => (Vec3::from(at), automatic_target),
            // The chosen view, moved as a whole.
            (None, Some(target)) => {
                (automatic.eye + Vec3::from(target) - automatic_target, Vec3::from(target))
            }
            (None, None) => (automatic.eye, automatic_target),
        };
        let mut camera = Camera::looking_at(eye, target, Vec3::from(spec.up), automatic.fov, automatic.size);
        camera.aperture = spec.aperture;
        let body = spec.follow.as_ref().and_then(|name| names.iter().position(|n| n == name));
        let follow = body.and_then(|i| Some((i, first.measures.get(i)?.centre)));
        Self { spec: spec.clone(), first: camera, target, follow }
    }

    /// The camera at the time of a frame.
    pub fn at(&self, frame: &Frame) -> Camera {
        let (mut eye, mut target) = match curve(&self.spec.keys, frame.time) {
            Some(keyed) => keyed,
            None => (self.first.eye, self.target),
        };
        if let Some((body, start)) = self.follow
            && let Some(measures) = frame.measures.get(body)
        {
            let moved = measures.centre - start;
            (eye, target) = (eye + moved, target + moved);
        }
        let turn = Quat::from_axis_angle(self.up(), (self.spec.orbit * frame.time).to_radians());
        eye = target + turn * (eye - target);
        let moved = Camera::looking_at(eye, target, self.up(), self.first.fov, self.first.size);
        Camera { aperture: self.spec.aperture, focus: self.spec.focus.unwrap_or(moved.focus), ..moved }
    }

    fn up(&self) -> Vec3 {
        Vec3::from(self.spec.up).try_normalize().unwrap_or(Vec3::Y)
    }
}

/// Eye and target on a smooth curve through the keys ([Catmull-Rom] with the keys' own times); at rest beyond the ends.
fn curve(keys: &[CameraKey], t: f64) -> Option<(Vec3, Vec3)> {
    let (first, last) = (keys.first()?, keys.last()?);
    let place = |k: &CameraKey| (Vec3::from(k.at), Vec3::from(k.look_at));
    if t <= first.t {
        return Some(place(first));
    }
    if t >= last.t {
        return Some(place(last));
    }
    let i = keys.partition_point(|k| k.t <= t) - 1;
    let (a, b) = (&keys[i], &keys[i + 1]);
    let (before, after) = (&keys[i.saturating_sub(1)], &keys[(i + 2).min(keys.len() - 1)]);
    let span = b.t - a.t;
    let s = (t - a.t) / span;
    let hermite = |p: fn(&CameraKey) -> Vec3| {
        let slope = |from: &CameraKey, to: &CameraKey| (p(to) - p(from)) / (to.t - from.t);
        let (start, end) = (slope(before, b) * span, slope(a, after) * span);
        let (s2, s3) = (s * s, s * s * s);
        p(a) * (2.0 * s3 - 3.0 * s2 + 1.0)
            + start * (s3 - 2.0 * s2 + s)
            + p(b) * (3.0 * s2 - 2.0 * s3)
            + end * (s3 - s2)
    };
    Some((hermite(|k| Vec3::from(k.at)), hermite(|k| Vec3::from(k.look_at))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curve_goes_through_its_keys_without_a_jump() {
        let key = |t: f64, x: f64| CameraKey { t, at: [x, 1.0, 0.0], look_at: [0.0, x, 0.0] };
        let keys = [key(0.0, 0.0), key(1.0, 2.0), key(1.5, 3.0), key(4.0, -1.0)];
        for k in &keys {
            let (eye, target) = curve(&keys, k.t).expect("there are keys");
            assert!(
                (eye - Vec3::from(k.at)).length() < 1e-12
                    && (target - Vec3::from(k.look_at)).length() < 1e-12
            );
        }
        let speed = |t: f64| {
            let x = |t| curve(&keys, t).expect("there are keys").0;
            (x(t + 1e-6) - x(t - 1e-6)) / 2e-6
        };
        assert!((speed(1.0 - 1e-5) - speed(1.0 + 1e-5)).length() < 1e-2, "no kink at a key");
        assert!(curve(&[], 1.0).is_none());
    }
}
