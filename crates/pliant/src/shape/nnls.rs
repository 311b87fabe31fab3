//! Non-negative least squares after Lawson and Hanson, with an updated orthogonal factorisation.
//!
//! Minimise `|A x - b|` subject to `x >= 0`. The columns in use ("passive") are factored as `Q R`; a column joins by
//! Gram-Schmidt and leaves by Givens rotations, so that no step costs more than a few products with `A`.

use crate::math::portable;

/// The columns in use of a non-negative solution.
#[derive(Debug, Default)]
pub struct Solution {
    /// Column index and its positive factor.
    pub terms: Vec<(usize, f64)>,
    /// `|A x - b|`.
    pub residual: f64,
}

/// [LH74] algorithm NNLS (chapter 23): `columns` of equal length, right-hand side `b`, until the residual is at most
/// `tolerance` or no column lowers it. The columns in the answer are linearly independent.
pub fn non_negative_least_squares(columns: &[Vec<f64>], b: &[f64], tolerance: f64) -> Solution {
    let norms: Vec<f64> = columns.iter().map(|c| dot(c, c).sqrt()).collect();
    let mut factor = Factor::new(b);
    let mut x: Vec<f64> = vec![];
    // Bounds the work on inputs that cannot be solved; feasible ones need about one round per row of `b`.
    for _ in 0..12 * b.len() + 20 {
        if norm(&factor.rest) <= tolerance {
            break;
        }
        let mut order: Vec<(f64, usize)> = (0..columns.len())
            .filter(|j| norms[*j] > 0.0 && !factor.passive.contains(j))
            .map(|j| (dot(&columns[j], &factor.rest) / norms[j], j))
            .filter(|&(slope, _)| slope > 0.0)
            .collect();
        order.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        // The steepest column may be dependent on those in use, or turn negative at once through rounding.
        let joined = order.iter().take(50).any(|&(_, j)| factor.join(columns, j, norms[j]));
        if !joined {
            break;
        }
        x.push(0.0);
        settle(&mut factor, &mut x);
    }
    factor.polish(columns, b, &mut x);
    Solution { residual: norm(&factor.rest), terms: factor.passive.into_iter().zip(x).collect() }
}

/// Moves `x` towards the unconstrained solution over the columns in use; those that reach zero leave.
fn settle(factor: &mut Factor, x: &mut Vec<f64>) {
    loop {
        let z = factor.solve(&factor.projection);
        let mut step = 1.0;
        let mut leaving = None;
        for (i, (&xi, &zi)) in x.iter().zip(&z).enumerate() {
            if zi <= 0.0 && xi / (xi - zi) < step {
                step = xi / (xi - zi);
                leaving = Some(i);
            }
        }
        // A newcomer at x = 0 with z = 0 gives 0 / 0 above; it may stay, the next round decides.
        let Some(first) = leaving else {
            *x = z;
            return;
        };
        for (xi, zi) in x.iter_mut().zip(&z) {
            *xi += step * (zi - *xi);
        }
        x[first] = 0.0;
        for i in (0..x.len()).rev() {
            if x[i] <= 0.0 {
                x.remove(i);
                factor.leave(i);
            }
        }
        factor.refresh();
    }
}

/// Orthogonal factorisation of the columns in use.
struct Factor<'a> {
    b: &'a [f64],
    /// Column numbers, in the order of `r`'s columns.
    passive: Vec<usize>,
    /// Orthonormal vectors.
    q: Vec<Vec<f64>>,
    /// Columns of the upper triangle, column `i` with `i + 1` entries.
    r: Vec<Vec<f64>>,
    /// `Q^T b`.
    projection: Vec<f64>,
    /// `b - Q Q^T b`.
    rest: Vec<f64>,
}

impl<'a> Factor<'a> {
    fn new(b: &'a [f64]) -> Self {
        Factor { b, passive: vec![], q: vec![], r: vec![], projection: vec![], rest: b.to_vec() }
    }

    /// Adds a column unless it depends on those in use or would enter with a negative factor.
    fn join(&mut self, columns: &[Vec<f64>], j: usize, length: f64) -> bool {
        let mut v = columns[j].clone();
        let mut r = vec![0.0; self.q.len()];
        // Twice is enough for orthogonality to round-off.
        for _ in 0..2 {
            for (ri, qi) in r.iter_mut().zip(&self.q) {
                let d = dot(qi, &v);
                *ri += d;
                subtract(&mut v, d, qi);
            }
        }
        let left = norm(&v);
        if left < 1e-9 * length {
            return false;
        }
        v.iter_mut().for_each(|e| *e /= left);
        let along = dot(&v, &self.rest);
        if along <= 0.0 {
            return false;
        }
        r.push(left);
        subtract(&mut self.rest, along, &v);
        self.passive.push(j);
        self.q.push(v);
        self.r.push(r);
        self.projection.push(along);
        true
    }

    /// Removes the column at position `i`; what follows is brought back to triangular form by Givens rotations.
    fn leave(&mut self, i: usize) {
        self.passive.remove(i);
        self.r.remove(i);
        for k in i..self.r.len() {
            // Column k now has k + 2 entries; rotate rows k and k + 1 to clear the last.
            let (a, b) = (self.r[k][k], self.r[k][k + 1]);
            let h = portable::hypot(a, b);
            let (c, s) = if h > 0.0 { (a / h, b / h) } else { (1.0, 0.0) };
            for column in &mut self.r[k..] {
                let (u, v) = (column[k], column[k + 1]);
                column[k] = c * u + s * v;
                column[k + 1] = c * v - s * u;
            }
            self.r[k].truncate(k + 1);
            let (head, tail) = self.q.split_at_mut(k + 1);
            for (u, v) in head[k].iter_mut().zip(tail[0].iter_mut()) {
                (*u, *v) = (c * *u + s * *v, c * *v - s * *u);
            }
        }
        self.q.pop();
    }

    /// Recomputes what depends on `b` after columns have left.
    fn refresh(&mut self) {
        self.rest = self.b.to_vec();
        self.projection.clear();
        for q in &self.q {
            let d = dot(q, &self.rest);
            subtract(&mut self.rest, d, q);
            self.projection.push(d);
        }
    }

    /// Solves `R x = y`.
    fn solve(&self, y: &[f64]) -> Vec<f64> {
        let mut x = y.to_vec();
        for i in (0..x.len()).rev() {
            x[i] /= self.r[i][i];
            let xi = x[i];
            for (above, r) in x[..i].iter_mut().zip(&self.r[i]) {
                *above -= xi * r;
            }
        }
        x
    }

    /// Two rounds of iterative refinement with the original columns; leaves the true residual in `rest`.
    fn polish(&mut self, columns: &[Vec<f64>], b: &[f64], x: &mut [f64]) {
        let residual = |x: &[f64]| {
            let mut rest = b.to_vec();
            for (&j, &xj) in self.passive.iter().zip(x) {
                subtract(&mut rest, xj, &columns[j]);
            }
            rest
        };
        for _ in 0..2 {
            let rest = residual(x);
            let y: Vec<f64> = self.q.iter().map(|q| dot(q, &rest)).collect();
            let better: Vec<f64> = x.iter().zip(self.solve(&y)).map(|(xi, d)| xi + d).collect();
            if better.iter().all(|&v| v > 0.0) && norm(&residual(&better)) < norm(&rest) {
                x.copy_from_slice(&better);
            }
        }
        self.rest = residual(x);
    }
}

/// Four running sums, in a fixed order, so that the compiler can use wide registers.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (ca, cb) = (a.chunks_exact(4), b.chunks_exact(4));
    let tail: f64 = ca.remainder().iter().zip(cb.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in ca.zip(cb) {
        for k in 0..4 {
            sums[k] += x[k] * y[k];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + tail
}

/// `a -= factor * b`.
pub fn subtract(a: &mut [f64], factor: f64, b: &[f64]) {
    for (x, y) in a.iter_mut().zip(b) {
        *x -= factor * y;
    }
}

/// Euclidean length.
pub fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_negative_component_is_clamped() {
        // Unconstrained solution is (2, -1); the best non-negative one is (1.5, 0).
        let columns = vec![vec![1.0, 1.0], vec![1.0, 0.0]];
        let s = non_negative_least_squares(&columns, &[1.0, 2.0], 0.0);
        assert_eq!(s.terms.len(), 1);
        assert_eq!(s.terms[0].0, 0);
        assert!((s.terms[0].1 - 1.5).abs() < 1e-15 && (s.residual - 0.5f64.sqrt()).abs() < 1e-15);
    }

    #[test]
    fn optimality_conditions_hold_for_pseudo_random_problems() {
        let mut state = 7u64;
        let mut random = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1u64 << 53) as f64 - 0.4
        };
        for _ in 0..20 {
            let columns: Vec<Vec<f64>> = (0..30).map(|_| (0..12).map(|_| random()).collect()).collect();
            let b: Vec<f64> = (0..12).map(|_| random()).collect();
            let s = non_negative_least_squares(&columns, &b, 1e-14);
            let mut rest = b.clone();
            for &(j, x) in &s.terms {
                assert!(x > 0.0);
                subtract(&mut rest, x, &columns[j]);
            }
            // Karush-Kuhn-Tucker: no column descends, those in use are stationary.
            for (j, c) in columns.iter().enumerate() {
                let slope = dot(c, &rest);
                assert!(slope < 1e-12, "{slope}");
                assert!(!s.terms.iter().any(|t| t.0 == j) || slope.abs() < 1e-12);
            }
        }
    }
}
