//! Vectors at all nodes, stored by component: so rows of nodes fit into vector registers.

use crate::math::Vec3;

/// How many cells are worked on together. Results do not depend on it.
pub const BLOCK: usize = 8;

/// One vector per node; behind the last stand a few zeros, so that a block may reach beyond the end of a row.
#[derive(Clone, Debug, Default)]
pub struct Field(pub [Vec<f64>; 3]);

impl Field {
    /// Zeros.
    pub fn new(nodes: usize) -> Self {
        Self(std::array::from_fn(|_| vec![0.0; nodes + BLOCK]))
    }

    /// Of vectors.
    pub fn of(all: &[Vec3]) -> Self {
        let mut field = Self::new(all.len());
        field.set(all);
        field
    }

    /// Number of nodes.
    pub(super) fn len(&self) -> usize {
        self.0[0].len() - BLOCK
    }

    /// Takes over vectors.
    pub fn set(&mut self, all: &[Vec3]) {
        let [x, y, z] = &mut self.0;
        for (((v, x), y), z) in all.iter().zip(x).zip(y).zip(z) {
            (*x, *y, *z) = (v.x, v.y, v.z);
        }
    }

    /// Hands out vectors.
    pub fn get(&self, all: &mut [Vec3]) {
        let [x, y, z] = &self.0;
        for (((v, x), y), z) in all.iter_mut().zip(x).zip(y).zip(z) {
            *v = Vec3::new(*x, *y, *z);
        }
    }

    /// Zeros again.
    pub fn clear(&mut self) {
        self.0.iter_mut().for_each(|c| c.fill(0.0));
    }

    /// One node's vector.
    pub fn at(&self, node: usize) -> Vec3 {
        let [x, y, z] = &self.0;
        Vec3::new(x[node], y[node], z[node])
    }

    /// Adds to that.
    pub fn add_at(&mut self, node: usize, v: Vec3) {
        let [x, y, z] = &mut self.0;
        x[node] += v.x;
        y[node] += v.y;
        z[node] += v.z;
    }

    /// `self = other s`.
    pub fn set_to(&mut self, other: &Field, s: f64) {
        for (to, from) in self.0.iter_mut().zip(&other.0) {
            to.iter_mut().zip(from).for_each(|(to, from)| *to = from * s);
        }
    }

    /// `self += other s`.
    pub fn add(&mut self, other: &Field, s: f64) {
        for (to, from) in self.0.iter_mut().zip(&other.0) {
            to.iter_mut().zip(from).for_each(|(to, from)| *to += from * s);
        }
    }

    /// `self = self s + v`, a number for each node and a vector for all.
    pub fn scale_and_add(&mut self, s: &[f64], v: Vec3) {
        for (to, v) in self.0.iter_mut().zip(v.to_array()) {
            to.iter_mut().zip(s).for_each(|(to, s)| *to = *to * s + v);
        }
    }

    /// `self *= s`.
    pub fn scale_by(&mut self, s: f64) {
        self.0.iter_mut().flatten().for_each(|to| *to *= s);
    }

    /// The largest component; not a number if one is none.
    pub fn largest(&self) -> f64 {
        let all = self.0.iter().flatten();
        all.fold(0.0, |most, c| if c.abs() <= most { most } else { c.abs() })
    }

    /// `self *= s`, a number for each node.
    pub fn scale(&mut self, s: &[f64]) {
        for to in &mut self.0 {
            to.iter_mut().zip(s).for_each(|(to, s)| *to *= s);
        }
    }
}
