//! The coat: a field around the skeletons whose value 1 is the surface (`[DG94]` section 2 and 3).

use super::neighbours::Buckets;
use crate::math::Vec3;

/// How the field of one skeleton falls off; `q` is the distance over the coat's thickness `e`, and all are 1 at 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// The inverse cube, brought to nothing at three thicknesses: never more than the inverse cube, so what merges does
    /// not gain volume.
    #[default]
    Cubic,
    /// The paper's inverse cube, cut off at six thicknesses where it is half a percent.
    InverseCube,
    /// A parabola that ends at two thicknesses.
    Quadratic,
}

/// Closer to a skeleton than this, over the thickness, the field stays what it is there.
const CORE: f64 = 0.3;

impl Shape {
    /// Thicknesses after which there is nothing.
    pub fn reach(self) -> f64 {
        match self {
            Shape::Cubic => 3.0,
            Shape::InverseCube => 6.0,
            Shape::Quadratic => 2.0,
        }
    }

    /// Value and slope at `q`.
    #[inline]
    pub fn at(self, q: f64) -> (f64, f64) {
        if q >= self.reach() {
            return (0.0, 0.0);
        }
        match self {
            Shape::Cubic => {
                // ((1/q)^3 - (1/R)^3 (4 - 3 q/R)) over what that is at 1, R = 3.
                const AT_ONE: f64 = 1.0 - 3.0 / 27.0;
                let q = q.max(CORE);
                let cube = 1.0 / (q * q * q);
                ((cube - (4.0 - q) / 27.0) / AT_ONE, (-3.0 * cube / q + 1.0 / 27.0) / AT_ONE)
            }
            Shape::InverseCube => {
                let q = q.max(CORE);
                let cube = 1.0 / (q * q * q);
                (cube, -3.0 * cube / q)
            }
            Shape::Quadratic => ((2.0 - q) * (2.0 - q), 2.0 * (q - 2.0)),
        }
    }
}

/// The field of many skeletons.
#[derive(Clone, Debug, Default)]
pub struct Field {
    pub shape: Shape,
    pub x: Vec<Vec3>,
    /// Thickness of the coat about each `[m]`.
    pub thickness: Vec<f64>,
    /// The largest of them.
    thickest: f64,
    buckets: Buckets,
}

impl Field {
    pub fn new(shape: Shape, x: &[Vec3], thickness: &[f64]) -> Self {
        let thickest = thickness.iter().copied().fold(0.0, f64::max);
        Self {
            shape,
            buckets: Buckets::new(x, shape.reach() * thickest),
            x: x.to_vec(),
            thickness: thickness.to_vec(),
            thickest,
        }
    }

    /// Farther from every skeleton than this there is nothing `[m]`.
    pub fn reach(&self) -> f64 {
        self.shape.reach() * self.thickest
    }

    /// Calls `each` with every skeleton that is felt at a place: number, value, gradient.
    #[inline]
    pub fn parts(&self, p: Vec3, mut each: impl FnMut(usize, f64, Vec3)) {
        self.buckets.near(p, self.reach(), |i| {
            let (d, e) = (p - self.x[i], self.thickness[i]);
            let square = d.length_squared();
            let far = self.shape.reach() * e;
            if square < far * far {
                let r = square.sqrt();
                let (f, slope) = self.shape.at(r / e);
                each(i, f, d * (slope / (e * r.max(1e-3 * e))));
            }
        });
    }

    /// Value at a place.
    pub fn value(&self, p: Vec3) -> f64 {
        let mut sum = 0.0;
        self.parts(p, |_, f, _| sum += f);
        sum
    }

    /// The field within a distance of a place.
    pub fn about(&self, p: Vec3, distance: f64) -> Local {
        let mut near = vec![];
        self.buckets.near(p, self.reach() + distance, |i| {
            let (x, e) = (self.x[i], self.thickness[i]);
            let far = self.shape.reach() * e + distance;
            if p.distance_squared(x) < far * far {
                near.push((x, e));
            }
        });
        Local { shape: self.shape, near }
    }

    /// Value and gradient at a place.
    pub fn at(&self, p: Vec3) -> (f64, Vec3) {
        let (mut sum, mut gradient) = (0.0, Vec3::ZERO);
        self.parts(p, |_, f, g| {
            sum += f;
            gradient += g;
        });
        (sum, gradient)
    }
}

/// A field in the surroundings of a place.
pub struct Local {
    shape: Shape,
    /// Places and thicknesses of the skeletons that are felt there.
    near: Vec<(Vec3, f64)>,
}

impl Local {
    /// Value at a place.
    #[inline]
    pub fn value(&self, p: Vec3) -> f64 {
        self.near.iter().map(|(x, e)| self.shape.at(p.distance(*x) / e).0).sum()
    }

    /// Value and gradient at a place.
    pub fn at(&self, p: Vec3) -> (f64, Vec3) {
        let (mut sum, mut gradient) = (0.0, Vec3::ZERO);
        for (x, e) in &self.near {
            let d = p - *x;
            let r = d.length();
            let (f, slope) = self.shape.at(r / e);
            sum += f;
            gradient += d * (slope / (e * r.max(1e-3 * e)));
        }
        (sum, gradient)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_fields_are_one_at_one_and_never_gain_volume_by_merging_where_they_claim_so() {
        for shape in [Shape::Cubic, Shape::InverseCube, Shape::Quadratic] {
            assert!((shape.at(1.0).0 - 1.0).abs() < 1e-15);
            for k in 1..80 {
                let q = 0.35 + 0.07 * f64::from(k);
                let d = 1e-6;
                let slope = (shape.at(q + d).0 - shape.at(q - d).0) / (2.0 * d);
                assert!((slope - shape.at(q).1).abs() < 1e-4 * (1.0 + slope.abs()), "{shape:?} {q}");
                if shape == Shape::Cubic && q > 1.0 {
                    assert!(shape.at(q).0 <= q.powi(-3) + 1e-15);
                }
            }
        }
    }

    #[test]
    fn the_gradient_is_the_slope_of_the_value() {
        let x: Vec<Vec3> =
            (0..9).map(|k| Vec3::new(0.1 * f64::from(k), 0.03 * f64::from(k % 3), 0.0)).collect();
        let field = Field::new(Shape::Cubic, &x, &[0.11; 9]);
        let p = Vec3::new(0.33, 0.12, 0.05);
        let (f, g) = field.at(p);
        assert!((f - field.value(p)).abs() < 1e-12);
        for d in [Vec3::X, Vec3::Y, Vec3::Z] {
            let slope = (field.value(p + d * 1e-6) - field.value(p - d * 1e-6)) / 2e-6;
            assert!((slope - g.dot(d)).abs() < 1e-5 * (1.0 + slope.abs()));
        }
    }
}
