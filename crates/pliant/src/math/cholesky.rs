//! Sparse Cholesky factors of symmetric positive matrices: made once, solved with many times.

use super::triangle::Triangle;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::LltRegularization;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LltRef, SymbolicCholesky, SymmetricOrdering, factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMat, Triplet};
use faer::{Conj, MatMut, Par, Side};

/// The factor of a matrix.
pub enum Cholesky {
    /// In blocks, as large ones are kept.
    Blocks {
        /// Where entries stand.
        symbolic: Box<SymbolicCholesky<usize>>,
        /// The entries.
        values: Vec<f64>,
    },
    /// Entry by entry, of matrices so small that blocks do not pay.
    Entries(Triangle),
}

impl Cholesky {
    /// Factors the matrix of `n` rows whose lower triangle has these entries, `(row, column, value)`; entries of one place
    /// add up. None if round-off leaves it without a factor.
    pub fn new(n: usize, lower: impl IntoIterator<Item = (usize, usize, f64)>) -> Option<Self> {
        let entries: Vec<_> = lower.into_iter().map(|(i, j, v)| Triplet::new(i, j, v)).collect();
        let matrix = SparseColMat::<usize, f64>::try_new_from_triplets(n, n, &entries).ok()?;
        let symbolic = factorize_symbolic_cholesky(
            matrix.symbolic(),
            Side::Lower,
            SymmetricOrdering::Amd,
            CholeskySymbolicParams::default(),
        )
        .ok()?;
        let mut values = vec![0.0; symbolic.len_val()];
        let scratch = symbolic.factorize_numeric_llt_scratch::<f64>(Par::Seq, Default::default());
        let mut scratch = MemBuffer::new(scratch);
        symbolic
            .factorize_numeric_llt(
                &mut values,
                matrix.as_ref(),
                Side::Lower,
                LltRegularization::default(),
                Par::Seq,
                MemStack::new(&mut scratch),
                Default::default(),
            )
            .ok()?;
        Some(match Triangle::new(&symbolic, &values) {
            Some(triangle) => Self::Entries(triangle),
            None => Self::Blocks { symbolic: Box::new(symbolic), values },
        })
    }

    /// Bytes of the factor's numbers.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Blocks { values, .. } => 8 * values.len(),
            Self::Entries(triangle) => triangle.bytes(),
        }
    }

    /// Replaces so many right-hand sides, one behind the other, by solutions.
    pub fn solve(&self, b: &mut [f64], count: usize) {
        let n = b.len() / count;
        match self {
            Self::Blocks { symbolic, values } => {
                let mut scratch = MemBuffer::new(symbolic.solve_in_place_scratch::<f64>(count, Par::Seq));
                let right = MatMut::from_column_major_slice_mut(b, n, count);
                LltRef::new(symbolic, values).solve_in_place_with_conj(
                    Conj::No,
                    right,
                    Par::Seq,
                    MemStack::new(&mut scratch),
                );
            }
            Self::Entries(triangle) => {
                for b in b.chunks_exact_mut(n) {
                    let mut x: Vec<[f64; 1]> = triangle.order().map(|i| [b[i]]).collect();
                    triangle.solve(&mut x);
                    triangle.order().zip(x).for_each(|(i, [x])| b[i] = x);
                }
            }
        }
    }
}
