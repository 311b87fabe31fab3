//! A sparse Cholesky factor of a small matrix, and solves with it.
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

#[cfg(test)]
mod tests {
    use crate::bodies::hybrid::{Factor, Method, Spline, Stiffness, Weights};
    use crate::math::Vec3;
    use crate::shape::{Section, curve_net};

    /// What a solve returns, times the matrix, is what it was given; one, two and single numbers alike.
    #[test]
    fn solutions_fulfil_their_equations() {
        let n = 40;
        let line: Vec<Vec3> = (0..n).map(|i| Vec3::new(0.1 * i as f64, 0.02 * (i % 3) as f64, 0.0)).collect();
        let (_, net) = curve_net(&line, false, Section::Round { radius: 1e-2 });
        let stiffness = Stiffness::new(&Spline::new(&net, &Weights::uniform(&net, [0.5, 3.0, 0.2])), n);
        let mass: Vec<f64> = (0..n).map(|i| 1.0 + 0.1 * (i % 5) as f64).collect();
        let s = 0.7;
        let factor = Factor::new(&mass, &stiffness, s, Method::Direct).unwrap();
        let given: Vec<Vec3> = (0..n).map(|i| Vec3::new(1.0, i as f64, -(i as f64) * 0.3)).collect();
        let other: Vec<Vec3> = given.iter().map(|v| Vec3::new(v.z, 2.0, v.x * v.y)).collect();
        let times = |x: &[Vec3]| -> Vec<Vec3> {
            let stiff = stiffness.times(x);
            (0..n).map(|i| x[i] * mass[i] + stiff[i] * s).collect()
        };
        let (mut x, mut y) = (given.clone(), other.clone());
        factor.solve_all([&mut x, &mut y]);
        for (solved, wanted) in [(&x, &given), (&y, &other)] {
            for (a, b) in times(solved).iter().zip(wanted) {
                assert!(a.distance(*b) < 1e-10 * (1.0 + b.length()), "{a} {b}");
            }
        }
        let (mut alone, mut numbers) = (given.clone(), given.iter().map(|v| v.y).collect::<Vec<_>>());
        factor.solve(&mut alone);
        factor.solve_numbers(&mut numbers);
        assert_eq!(alone, x, "the same whether solved alone or beside another");
        for (number, v) in numbers.iter().zip(&x) {
            assert!((number - v.y).abs() < 1e-12 * (1.0 + v.y.abs()));
        }
    }
}
