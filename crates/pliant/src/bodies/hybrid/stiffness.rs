//! The stiffness matrix of a spline, ready to be multiplied. It acts on x, y and z alike, so one matrix of numbers
//! serves three-vectors, in any axes.

use super::spline::Spline;
use crate::math::Vec3;

/// A sparse symmetric matrix, row by row.
#[derive(Clone, Debug, Default)]
pub struct Stiffness {
    starts: Vec<u32>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

impl Stiffness {
    /// `K = sum_k weight_k d_k^T d_k` over `n` nodes.
    pub fn new(spline: &Spline, n: usize) -> Self {
        let mut counts = vec![0u32; n];
        for row in spline.rows() {
            row.nodes.iter().for_each(|i| counts[*i as usize] += row.nodes.len() as u32);
        }
        let mut at: Vec<usize> = Vec::with_capacity(n + 1);
        at.push(0);
        counts.iter().for_each(|c| at.push(at.last().copied().unwrap_or(0) + *c as usize));
        let mut entries = vec![(0u32, 0.0f64); at[n]];
        let mut fill = at.clone();
        for row in spline.rows() {
            for (i, fi) in row.nodes.iter().zip(row.factors) {
                for (j, fj) in row.nodes.iter().zip(row.factors) {
                    entries[fill[*i as usize]] = (*j, row.weight * fi * fj);
                    fill[*i as usize] += 1;
                }
            }
        }
        let mut out = Self { starts: vec![0], columns: vec![], values: vec![] };
        for i in 0..n {
            let part = &mut entries[at[i]..at[i + 1]];
            // Stable, so that sums are made in the order of the rows.
            part.sort_by_key(|e| e.0);
            for (column, value) in part.iter() {
                if out.columns.len() > out.starts[i] as usize && out.columns.last() == Some(column) {
                    *out.values.last_mut().expect("a column has a value") += value;
                } else {
                    out.columns.push(*column);
                    out.values.push(*value);
                }
            }
            out.starts.push(out.columns.len() as u32);
        }
        out
    }

    /// How many nodes.
    pub fn nodes(&self) -> usize {
        self.starts.len() - 1
    }

    /// Entries of row `i`: column and value.
    pub fn row(&self, i: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let part = self.starts[i] as usize..self.starts[i + 1] as usize;
        self.columns[part.clone()].iter().map(|c| *c as usize).zip(self.values[part].iter().copied())
    }

    /// `K e`.
    pub fn times(&self, e: &[Vec3]) -> Vec<Vec3> {
        // Four numbers a node fill a register.
        let e: Vec<[f64; 4]> = e.iter().map(|e| [e.x, e.y, e.z, 0.0]).collect();
        pulp::Arch::new().dispatch(Times { stiffness: self, e: &e })
    }
}

/// `K e`, with the widest registers that the machine has. Every sum is made in the order of the row, so it is the same on
/// every machine.
struct Times<'a> {
    stiffness: &'a Stiffness,
    e: &'a [[f64; 4]],
}

impl pulp::WithSimd for Times<'_> {
    type Output = Vec<Vec3>;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> Self::Output {
        let Stiffness { starts, columns, values } = self.stiffness;
        let mut out = Vec::with_capacity(self.e.len());
        for ends in starts.windows(2) {
            let part = ends[0] as usize..ends[1] as usize;
            let mut sum = [0.0; 4];
            for (j, k) in columns[part.clone()].iter().zip(&values[part]) {
                let e = &self.e[*j as usize];
                for d in 0..4 {
                    sum[d] += e[d] * k;
                }
            }
            out.push(Vec3::new(sum[0], sum[1], sum[2]));
        }
        out
    }
}
