//! A place for the camera from which all that happens is seen.

use super::Camera;
use crate::stage::{Cast, Stage, Waiting, Who};
use pliant::math::Vec3;
use pliant::{Frame, Topology};

/// Part of the picture's height and width that the action may fill.
const FILLED: f64 = 0.86;
/// How far the camera looks down `[degrees]`.
const DOWN: f64 = 20.0;

/// Where bodies are during a film: the corners of their boxes in some of its frames.
#[derive(Clone, Debug, Default)]
pub(crate) struct Action {
    corners: Vec<Vec3>,
    /// Middles of bodies, which the camera should see.
    middles: Vec<Vec3>,
}

impl Action {
    /// Takes note of one frame.
    pub fn add(&mut self, topology: &Topology, frame: &Frame) {
        for (object, state) in topology.objects.iter().zip(&frame.objects).filter(|(o, _)| o.is_body()) {
            let points =
                if state.points.is_empty() && !object.remeshed { &object.points } else { &state.points };
            let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
            for p in points {
                let p = state.translation + state.rotation * Vec3::from(p.map(f64::from));
                (low, high) = (low.min(p), high.max(p));
            }
            if !low.is_finite() || !high.is_finite() {
                continue;
            }
            let corner = |k: usize| {
                let pick = |axis: usize, l: f64, h: f64| if k >> axis & 1 == 0 { l } else { h };
                Vec3::new(pick(0, low.x, high.x), pick(1, low.y, high.y), pick(2, low.z, high.z))
            };
            self.corners.extend((0..8).map(corner));
            self.middles.push(0.5 * (low + high));
        }
    }

    /// Leaves out what flies far away from where most of the action is.
    pub fn trimmed(mut self) -> Self {
        let n = self.middles.len();
        if n == 0 {
            return self;
        }
        let median = |axis: fn(Vec3) -> f64| {
            let mut all: Vec<f64> = self.middles.iter().map(|m| axis(*m)).collect();
            all.sort_unstable_by(f64::total_cmp);
            all[n / 2]
        };
        let core = Vec3::new(median(|v| v.x), median(|v| v.y), median(|v| v.z));
        let mut far: Vec<f64> = self.corners.iter().map(|c| c.distance(core)).collect();
        far.sort_unstable_by(f64::total_cmp);
        let most = 2.5 * far[far.len() * 4 / 5];
        self.corners.retain(|c| c.distance(core) <= most);
        self.middles.retain(|c| c.distance(core) <= most);
        self
    }

    /// Middle and radius of the action.
    pub fn ball(&self) -> (Vec3, f64) {
        let bounds = |f: fn(Vec3, Vec3) -> Vec3| self.corners.iter().copied().reduce(f);
        match (bounds(Vec3::min), bounds(Vec3::max)) {
            (Some(low), Some(high)) => (0.5 * (low + high), (0.5 * (high - low).length()).max(1e-6)),
            _ => (Vec3::ZERO, 1.0),
        }
    }

    /// A camera that sees as much as possible, chosen among views from all around. `first` is any frame: obstacles in
    /// it hide what is behind them.
    pub fn camera(&self, cast: &Cast, first: &Frame, fov: f64, size: [u32; 2], up: Vec3) -> Camera {
        let (middle, _) = self.ball();
        let stage = Stage::new(cast, &[(first, Who::ObstaclesOnly)], None);
        let across = self.direction_of_motion();
        let mut best: Option<(f64, Camera)> = None;
        // Obliquely from the side of the motion is best; the others are tried in case something is in the way.
        for (rank, degrees) in
            [-25.0, 25.0, 155.0, -155.0, 0.0, 180.0, -60.0, 60.0, 120.0, -120.0].iter().enumerate()
        {
            let angle = f64::to_radians(*degrees);
            let side = across.cross(Vec3::Y);
            let level = side * angle.cos() + across * angle.sin();
            let towards = (level + Vec3::Y * DOWN.to_radians().tan()).normalize();
            let camera = self.fit(middle, towards, fov, size, up);
            let seen = self.visible(&stage, &camera);
            let score = seen - 0.01 * rank as f64;
            if best.as_ref().is_none_or(|(s, _)| score > *s) {
                best = Some((score, camera));
            }
        }
        match best {
            Some((_, camera)) => camera,
            None => Camera::looking_at(middle + Vec3::Z, middle, up, fov, size),
        }
    }

    /// The level direction along which bodies are spread most; +x if none stands out.
    fn direction_of_motion(&self) -> Vec3 {
        let n = self.middles.len().max(1) as f64;
        let mean = self.middles.iter().sum::<Vec3>() / n;
        let (mut xx, mut xz, mut zz) = (0.0, 0.0, 0.0);
        for d in self.middles.iter().map(|m| *m - mean) {
            xx += d.x * d.x;
            xz += d.x * d.z;
            zz += d.z * d.z;
        }
        let spread = ((xx - zz).powi(2) + 4.0 * xz * xz).sqrt();
        if spread <= 0.3 * (xx + zz) {
            return Vec3::X;
        }
        let angle = 0.5 * (2.0 * xz).atan2(xx - zz);
        let along = Vec3::new(angle.cos(), 0.0, angle.sin());
        // Motion from left to right reads most easily; +x to the right wherever there is a choice.
        if along.x < 0.0 { -along } else { along }
    }

    /// The nearest camera in direction `towards` that has all corners in the picture.
    pub fn fit(&self, middle: Vec3, towards: Vec3, fov: f64, size: [u32; 2], up: Vec3) -> Camera {
        let mut target = middle;
        let (tall, aspect) = ((0.5 * fov).tan() * FILLED, f64::from(size[0]) / f64::from(size[1]));
        let wide = tall * aspect;
        let mut distance: f64 = 0.0;
        for _ in 0..4 {
            let axes = Camera::looking_at(target + towards, target, up, fov, size).turn;
            let local = || self.corners.iter().map(|c| axes.conjugate() * (*c - target));
            distance = local().map(|p| (p.x.abs() / wide).max(p.y.abs() / tall) + p.z).fold(1e-6, f64::max);
            // Moves the target so that opposite edges of the picture are equally near to the action.
            let slope = |along: fn(Vec3) -> f64| {
                let all = local().map(|p| along(p) / (distance - p.z).max(1e-9));
                let (low, high) = all.fold((0.0_f64, 0.0_f64), |(l, h), s| (l.min(s), h.max(s)));
                0.5 * (low + high) * distance
            };
            let (x, y) = (slope(|p| p.x), slope(|p| p.y));
            target += axes * Vec3::new(x, y, 0.0);
        }
        Camera::looking_at(target + towards * distance, target, up, fov, size)
    }

    /// Part of the bodies' middles that can be seen.
    fn visible(&self, stage: &Stage, camera: &Camera) -> f64 {
        let eye = stage.cast.place(camera.eye);
        let mut waiting = Waiting::new();
        let mut seen = |p: &&Vec3| {
            let way = stage.cast.place(**p) - eye;
            let distance = way.length();
            !stage.tree.is_blocked(&mut waiting, (eye, way / distance), distance, &stage.planes)
        };
        // Below a floor nothing is blocked, but nothing can be seen either.
        let below = stage.planes.iter().any(|p| p.normal.dot(eye) < p.offset);
        if below {
            -1.0
        } else {
            self.middles.iter().filter(|p| seen(p)).count() as f64 / self.middles.len().max(1) as f64
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_in_the_picture_and_fills_it() {
        let corners = vec![Vec3::new(0.0, 0.0, 0.0), Vec3::new(4.0, -2.0, 0.3), Vec3::new(1.0, 0.5, 2.0)];
        let action = Action { middles: corners.clone(), corners };
        let towards = Vec3::new(0.3, 0.4, 1.0).normalize();
        let camera = action.fit(action.ball().0, towards, 0.6, [960, 540], Vec3::Y);
        let seen: Vec<[f64; 2]> =
            action.corners.iter().map(|c| camera.project(*c).expect("in front of the camera").0).collect();
        let margin = |k: usize, size: f64| {
            let (low, high) = seen.iter().fold((f64::MAX, f64::MIN), |(l, h), p| (l.min(p[k]), h.max(p[k])));
            (low / size, 1.0 - high / size)
        };
        let ((left, right), (top, bottom)) = (margin(0, 960.0), margin(1, 540.0));
        assert!(left > 0.05 && right > 0.05 && top > 0.05 && bottom > 0.05, "{left} {right} {top} {bottom}");
        assert!(left.min(top) < 0.09, "{left} {top}");
        assert!((left - right).abs() < 0.02 && (top - bottom).abs() < 0.02, "{left} {right} {top} {bottom}");
    }
}
