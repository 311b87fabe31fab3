//! A sparse Cholesky factor of a small body, and solves with it.
//!
//! For a few right-hand sides at once, a general solver reads and writes each column of them apart. Here the numbers of a
//! node stand side by side, so each entry of the factor is read once and works on all of them.

use faer::sparse::linalg::cholesky::{SymbolicCholesky, SymbolicCholeskyRaw};

/// A lower triangle by columns, without its diagonal, in the order in which nodes are eliminated.
pub struct Triangle {
    /// Where each column begins; one more at the end.
    starts: Vec<u32>,
    rows: Vec<u32>,
    values: Vec<f64>,
    /// One over the diagonal.
    inverse: Vec<f64>,
    /// Which node is eliminated when.
    order: Vec<u32>,
}

impl Triangle {
    /// From a factor that is stored entry by entry; none of one that is stored in blocks, as large ones are.
    pub fn new(symbolic: &SymbolicCholesky<usize>, values: &[f64]) -> Option<Self> {
        let SymbolicCholeskyRaw::Simplicial(entries) = symbolic.raw() else { return None };
        let (starts, rows) = (entries.col_ptr(), entries.row_idx());
        let n = starts.len() - 1;
        let mut triangle =
            Self { starts: vec![0], rows: vec![], values: vec![], inverse: vec![], order: vec![] };
        for j in 0..n {
            let column = starts[j]..starts[j + 1];
            // The diagonal comes first.
            if rows.get(column.start) != Some(&j) {
                return None;
            }
            triangle.inverse.push(1.0 / values[column.start]);
            for k in column.skip(1) {
                triangle.rows.push(rows[k] as u32);
                triangle.values.push(values[k]);
            }
            triangle.starts.push(triangle.rows.len() as u32);
        }
        triangle.order = match symbolic.perm() {
            Some(order) => order.arrays().0.iter().map(|i| *i as u32).collect(),
            None => (0..n as u32).collect(),
        };
        Some(triangle)
    }

    /// Bytes of the numbers.
    pub fn bytes(&self) -> usize {
        8 * (self.values.len() + self.inverse.len())
    }

    /// Which node is eliminated when: right-hand sides are given and returned in this order.
    pub fn order(&self) -> impl Iterator<Item = usize> + '_ {
        self.order.iter().map(|i| *i as usize)
    }

    /// Replaces right-hand sides, `W` numbers a node, by solutions.
    pub fn solve<const W: usize>(&self, x: &mut [[f64; W]]) {
        pulp::Arch::new().dispatch(Solve { triangle: self, x });
    }

    #[inline(always)]
    fn column(&self, j: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let run = self.starts[j] as usize..self.starts[j + 1] as usize;
        self.rows[run.clone()].iter().zip(&self.values[run]).map(|(i, v)| (*i as usize, *v))
    }
}

struct Solve<'a, const W: usize> {
    triangle: &'a Triangle,
    x: &'a mut [[f64; W]],
}

impl<const W: usize> pulp::WithSimd for Solve<'_, W> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        let (triangle, x) = (self.triangle, self.x);
        for j in 0..x.len() {
            let own = x[j].map(|v| v * triangle.inverse[j]);
            x[j] = own;
            for (i, l) in triangle.column(j) {
                for k in 0..W {
                    x[i][k] -= l * own[k];
                }
            }
        }
        for j in (0..x.len()).rev() {
            let mut own = x[j];
            for (i, l) in triangle.column(j) {
                for k in 0..W {
                    own[k] -= l * x[i][k];
                }
            }
            x[j] = own.map(|v| v * triangle.inverse[j]);
        }
    }
}
