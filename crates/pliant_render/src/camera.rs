//! The camera: which ray belongs to which place in the picture, and where a point in space is seen.

mod framing;
mod path;

pub(crate) use framing::Action;
pub(crate) use path::CameraPath;

use glam::{Vec2, Vec3A};
use pliant::math::{Quat, Vec3};

/// A camera at one moment. Lengths in metres, angles in radians.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Where it stands.
    pub eye: Vec3,
    /// Turns the camera's axes (x right, y up, looking along -z) into the world's.
    pub turn: Quat,
    /// Angle of view from the lower to the upper edge.
    pub fov: f64,
    /// Pixels across and down.
    pub size: [u32; 2],
    /// Diameter of the lens.
    pub aperture: f64,
    /// Distance that is sharp.
    pub focus: f64,
}

impl Camera {
    /// A camera at `eye` with `target` in the middle of the picture.
    pub fn looking_at(eye: Vec3, target: Vec3, up: Vec3, fov: f64, size: [u32; 2]) -> Self {
        let back = (eye - target).try_normalize().unwrap_or(Vec3::Z);
        // Straight up or down there is no natural right; any will do.
        let right = up.cross(back).try_normalize().unwrap_or_else(|| back.any_orthonormal_vector());
        let turn =
            Quat::from_mat3(&pliant::math::Mat3::from_cols(right, back.cross(right), back)).normalize();
        Self { eye, turn, fov, size, aperture: 0.0, focus: (eye - target).length() }
    }

    /// Distance of the picture from the eye, in pixels.
    pub fn focal_length(&self) -> f64 {
        0.5 * f64::from(self.size[1]) / (0.5 * self.fov).tan()
    }

    /// Where a point is seen, in pixels from the left and from the top, and how far in front of the camera it lies;
    /// nothing if it lies behind.
    pub fn project(&self, point: Vec3) -> Option<([f64; 2], f64)> {
        let local = self.turn.conjugate() * (point - self.eye);
        let depth = -local.z;
        let scale = self.focal_length() / depth;
        let [w, h] = self.size.map(f64::from);
        if depth > 1e-9 {
            Some(([0.5 * w + scale * local.x, 0.5 * h - scale * local.y], depth))
        } else {
            None
        }
    }

    /// The camera as the tracer uses it: in single precision, around `centre`.
    pub(crate) fn lens(&self, centre: Vec3) -> Lens {
        let f = self.focal_length();
        let [w, h] = self.size.map(f64::from);
        let axes = |v: Vec3| (self.turn * v).as_vec3a();
        Lens {
            eye: (self.eye - centre).as_vec3a(),
            corner: axes(Vec3::new(-0.5 * w / f, 0.5 * h / f, -1.0)),
            across: axes(Vec3::X / f),
            down: axes(-Vec3::Y / f),
            sides: [axes(Vec3::X), axes(Vec3::Y)],
            radius: 0.5 * self.aperture as f32,
            focus: self.focus as f32,
        }
    }
}

/// A camera in the tracer's terms.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lens {
    eye: Vec3A,
    corner: Vec3A,
    pub across: Vec3A,
    down: Vec3A,
    sides: [Vec3A; 2],
    radius: f32,
    focus: f32,
}

impl Lens {
    /// Whether rays of one pixel start at different places.
    pub fn is_wide(&self) -> bool {
        self.radius > 0.0
    }

    /// Origin and direction of the ray through a place in the picture and a place on the lens, as one of the unit disc.
    pub fn ray(&self, x: f32, y: f32, on_lens: Vec2) -> (Vec3A, Vec3A) {
        let through = self.corner + self.across * x + self.down * y;
        if self.radius == 0.0 {
            return (self.eye, through.normalize());
        }
        let shift = on_lens * self.radius;
        let start = self.sides[0] * shift.x + self.sides[1] * shift.y;
        (self.eye + start, (through * self.focus - start).normalize())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rays_go_where_points_are_seen() {
        let eye = Vec3::new(3.0, 2.0, 5.0);
        let camera = Camera::looking_at(eye, Vec3::new(0.5, 0.2, -1.0), Vec3::Y, 0.7, [320, 200]);
        let lens = camera.lens(Vec3::ZERO);
        for p in [Vec3::new(0.5, 0.2, -1.0), Vec3::new(1.0, 1.0, 0.0), Vec3::new(-0.4, 0.9, 1.2)] {
            let ([x, y], _) = camera.project(p).expect("in front of the camera");
            let (origin, direction) = lens.ray(x as f32, y as f32, Vec2::ZERO);
            let off = (p.as_vec3a() - origin).cross(direction).length();
            assert!(off < 1e-5, "ray misses by {off}");
        }
        let ([x, y], _) = camera.project(Vec3::new(0.5, 0.2, -1.0)).expect("in front of the camera");
        assert!((x - 160.0).abs() < 1e-9 && (y - 100.0).abs() < 1e-9);
        assert!(camera.project(eye + (eye - Vec3::new(0.5, 0.2, -1.0))).is_none());
    }
}
