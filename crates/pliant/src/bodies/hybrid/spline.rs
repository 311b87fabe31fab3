//! The controlled-continuity spline energy of a net, as a sum of squares: [TW88] Eq. 13 for p = 2.
//!
//! `E = 1/2 sum_k weight_k |sum_i factor_ki e_i|^2`. Every row is one difference operator of [TW88] Eq. 27-30 on
//! physical lengths, its weight the typed `w` times the length, area or volume it stands for. A row that would leave the
//! domain is left out, which is the natural boundary of [TW88] Eq. 31; so is a row across a break. The stiffness matrix
//! made from such rows is symmetric and has no negative eigenvalue, whatever the weights vary like.

use super::weights::{Term, Weights};
use crate::math::Vec3;
use crate::shape::{Net, Weave};

/// Rows of the energy, laid end to end.
#[derive(Clone, Debug, Default)]
pub struct Spline {
    /// Where each row begins; one more at the end.
    starts: Vec<u32>,
    nodes: Vec<u32>,
    factors: Vec<f64>,
    /// `a_k w_k`: with the squared difference an energy `[J]`.
    pub weights: Vec<f64>,
    /// 0, 1 or 2: which derivative the row measures.
    pub orders: Vec<u8>,
}

/// One row.
pub struct Row<'a> {
    /// The nodes it reads.
    pub nodes: &'a [u32],
    /// What each is multiplied by.
    pub factors: &'a [f64],
    /// Its weight.
    pub weight: f64,
    /// Which derivative it measures.
    pub order: u8,
}

impl Spline {
    /// The energy of a net with the given weights.
    pub fn new(net: &Net, weights: &Weights) -> Self {
        let mut rows = Builder { spline: Self { starts: vec![0], ..Self::default() }, net, weights };
        match &net.weave {
            Weave::Line { closed } => rows.line(*closed),
            Weave::Sheet { counts, wrap, poles } => rows.sheet(*counts, *wrap, *poles),
            Weave::Block { counts } => rows.block(*counts),
            Weave::Mesh { triangles } => rows.mesh(triangles),
        }
        rows.spline
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.weights.len()
    }

    /// Whether nothing resists.
    pub fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// Row `k`.
    pub fn row(&self, k: usize) -> Row<'_> {
        let part = self.starts[k] as usize..self.starts[k + 1] as usize;
        Row {
            nodes: &self.nodes[part.clone()],
            factors: &self.factors[part],
            weight: self.weights[k],
            order: self.orders[k],
        }
    }

    /// All rows.
    pub fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        (0..self.len()).map(|k| self.row(k))
    }

    /// The energy of a displacement `[J]`: half the sum of all weighted squares.
    pub fn energy(&self, e: &[Vec3]) -> f64 {
        // Four numbers a node fill a register.
        let e: Vec<[f64; 4]> = e.iter().map(|e| [e.x, e.y, e.z, 0.0]).collect();
        0.5 * pulp::Arch::new().dispatch(Squares { spline: self, e: &e })
    }

    /// Adds a row; one without weight is not kept.
    pub fn push(&mut self, order: u8, weight: f64, terms: &[(u32, f64)]) {
        if weight <= 0.0 {
            return;
        }
        if self.starts.is_empty() {
            self.starts.push(0);
        }
        for (node, factor) in terms {
            self.nodes.push(*node);
            self.factors.push(*factor);
        }
        self.starts.push(self.nodes.len() as u32);
        self.weights.push(weight);
        self.orders.push(order);
    }

    /// The rows that `keep` says, in their order.
    pub fn filtered(&self, keep: impl Fn(&Row) -> bool) -> Self {
        let mut kept = Self { starts: vec![0], ..Self::default() };
        for row in self.rows().filter(|r| keep(r)) {
            let terms: Vec<_> = row.nodes.iter().copied().zip(row.factors.iter().copied()).collect();
            kept.push(row.order, row.weight, &terms);
        }
        kept
    }
}

impl Row<'_> {
    /// The difference it measures.
    pub fn of(&self, e: &[Vec3]) -> Vec3 {
        self.nodes.iter().zip(self.factors).map(|(n, f)| e[*n as usize] * *f).sum()
    }
}

/// The sum of all weighted squares, with the widest registers that the machine has; every sum is made in the order of the
/// rows.
struct Squares<'a> {
    spline: &'a Spline,
    e: &'a [[f64; 4]],
}

impl pulp::WithSimd for Squares<'_> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> f64 {
        let Spline { starts, nodes, factors, weights, .. } = self.spline;
        let mut total = 0.0;
        for (ends, weight) in starts.windows(2).zip(weights) {
            let part = ends[0] as usize..ends[1] as usize;
            let mut sum = [0.0; 4];
            for (n, f) in nodes[part.clone()].iter().zip(&factors[part]) {
                let e = &self.e[*n as usize];
                for d in 0..4 {
                    sum[d] += e[d] * f;
                }
            }
            total += weight * (sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
        }
        total
    }
}

/// Rows under construction.
struct Builder<'a> {
    spline: Spline,
    net: &'a Net,
    weights: &'a Weights,
}

impl Builder<'_> {
    fn at(&self, node: usize) -> Vec3 {
        self.net.nodes[node]
    }
    fn length(&self, i: usize, j: usize) -> f64 {
        self.at(i).distance(self.at(j))
    }
    fn measure(&self, node: usize) -> f64 {
        self.net.measure[node]
    }
    /// The typed weight of a term, as a mean over the row's nodes.
    fn typed(&self, term: Term, nodes: &[usize]) -> f64 {
        nodes.iter().map(|n| self.weights.at(term, *n)).sum::<f64>() / nodes.len() as f64
    }

    /// Order 0 at every node.
    fn anchors(&mut self) {
        for i in 0..self.net.nodes.len() {
            let weight = self.typed(Term::Zero, &[i]) * self.measure(i);
            self.spline.push(0, weight, &[(i as u32, 1.0)]);
        }
    }

    /// First difference `(e_j - e_i)/l` [TW88] Eq. 27, standing for `share` of the body.
    fn first(&mut self, term: Term, i: usize, j: usize, share: f64) {
        let l = self.length(i, j);
        let weight = self.typed(term, &[i, j]) * share;
        self.spline.push(1, weight, &[(i as u32, -1.0 / l), (j as u32, 1.0 / l)]);
    }

    /// Second difference along a line through `i` [TW88] Eq. 30, on lengths that may differ.
    fn second(&mut self, term: Term, before: usize, i: usize, after: usize, share: f64) {
        let (l, m) = (self.length(before, i), self.length(i, after));
        let half = 0.5 * (l + m);
        let terms = [
            (before as u32, 1.0 / (l * half)),
            (i as u32, -(1.0 / l + 1.0 / m) / half),
            (after as u32, 1.0 / (m * half)),
        ];
        let weight = self.typed(term, &[before, i, after]) * share;
        self.spline.push(2, weight, &terms);
    }

    /// Mixed difference on a cell [TW88] Eq. 29; the multinomial factor of Eq. 13 is the 2.
    fn mixed(&mut self, term: Term, [a, b, c, d]: [usize; 4], share: f64) {
        let u = 0.5 * (self.length(a, b) + self.length(d, c));
        let v = 0.5 * (self.length(a, d) + self.length(b, c));
        let f = 1.0 / (u * v);
        let weight = 2.0 * self.typed(term, &[a, b, c, d]) * share;
        let terms = [(a as u32, f), (b as u32, -f), (c as u32, f), (d as u32, -f)];
        self.spline.push(2, weight, &terms);
    }

    fn line(&mut self, closed: bool) {
        self.anchors();
        let n = self.net.nodes.len();
        let edges = if closed { n } else { n - 1 };
        for i in 0..edges {
            self.first(Term::First(0), i, (i + 1) % n, self.length(i, (i + 1) % n));
        }
        let bends = if closed { 0..n } else { 1..n - 1 };
        for i in bends {
            self.second(Term::Second(0, 0), (i + n - 1) % n, i, (i + 1) % n, self.measure(i));
        }
    }

    fn sheet(&mut self, [m, n]: [usize; 2], wrap: [bool; 2], poles: bool) {
        self.anchors();
        let id = |i: usize, j: usize| (i % m) * n + j % n;
        let poles = poles.then_some([m * n, m * n + 1]);
        // The node before the first row, or after the last: around, at a pole, or none.
        let above = |i: usize, j: usize| match (i, wrap[0], poles) {
            (0, true, _) => Some(id(m - 1, j)),
            (0, _, Some([first, _])) => Some(first),
            (0, ..) => None,
            _ => Some(id(i - 1, j)),
        };
        let below = |i: usize, j: usize| match (i + 1 == m, wrap[0], poles) {
            (true, true, _) => Some(id(0, j)),
            (true, _, Some([_, last])) => Some(last),
            (true, ..) => None,
            _ => Some(id(i + 1, j)),
        };
        let before = |i: usize, j: usize| (j > 0 || wrap[1]).then(|| id(i, j + n - 1));
        let after = |i: usize, j: usize| (j + 1 < n || wrap[1]).then(|| id(i, j + 1));
        let (rows, columns) = (if wrap[0] { m } else { m - 1 }, if wrap[1] { n } else { n - 1 });
        let mut edges = EdgeShares::default();
        for i in 0..rows {
            for j in 0..columns {
                let cell = [id(i, j), id(i + 1, j), id(i + 1, j + 1), id(i, j + 1)];
                let area = self.quad(cell);
                self.mixed(Term::Second(0, 1), cell, area);
                edges.add(cell[0], cell[1], 0.5 * area);
                edges.add(cell[3], cell[2], 0.5 * area);
                edges.add(cell[0], cell[3], 0.5 * area);
                edges.add(cell[1], cell[2], 0.5 * area);
            }
        }
        for (pole, i) in poles.into_iter().flatten().zip([0, m - 1]) {
            for j in 0..columns {
                let (a, b) = (id(i, j), id(i, j + 1));
                let area = 0.5 * (self.at(a) - self.at(pole)).cross(self.at(b) - self.at(pole)).length();
                edges.add(a, pole, 0.5 * area);
                edges.add(b, pole, 0.5 * area);
                edges.add(a, b, 0.5 * area);
            }
            self.across_pole(pole, i, n);
        }
        for i in 0..m {
            for j in 0..n {
                let here = id(i, j);
                if let (Some(a), Some(b)) = (above(i, j), below(i, j)) {
                    self.second(Term::Second(0, 0), a, here, b, self.measure(here));
                }
                if let (Some(a), Some(b)) = (before(i, j), after(i, j)) {
                    self.second(Term::Second(1, 1), a, here, b, self.measure(here));
                }
                if let Some(b) = below(i, j) {
                    self.first(Term::First(0), here, b, edges.of(here, b));
                }
                if let (0, Some([first, _])) = (i, poles) {
                    self.first(Term::First(0), here, first, edges.of(here, first));
                }
                if let Some(b) = after(i, j) {
                    self.first(Term::First(1), here, b, edges.of(here, b));
                }
            }
        }
    }

    /// Lines that run over a pole: from each node of its ring to the one opposite. Half of them, or each would count
    /// twice; the pole's area is shared among them.
    fn across_pole(&mut self, pole: usize, i: usize, n: usize) {
        let share = self.measure(pole) * 2.0 / n as f64;
        for j in 0..n / 2 {
            self.second(Term::Second(0, 0), i * n + j, pole, i * n + j + n / 2, share);
        }
    }

    fn quad(&self, [a, b, c, d]: [usize; 4]) -> f64 {
        0.5 * (self.at(c) - self.at(a)).cross(self.at(d) - self.at(b)).length()
    }

    fn block(&mut self, counts: [usize; 3]) {
        self.anchors();
        let stride = [counts[1] * counts[2], counts[2], 1];
        // A node's share along every direction but `free` (and `other`), full along those.
        for i in 0..counts[0] {
            for j in 0..counts[1] {
                for k in 0..counts[2] {
                    let at = [i, j, k];
                    let here = i * stride[0] + j * stride[1] + k;
                    self.block_rows(here, at, counts, stride);
                }
            }
        }
    }

    fn block_rows(&mut self, here: usize, at: [usize; 3], counts: [usize; 3], stride: [usize; 3]) {
        // Half a cell at the two ends of a direction.
        let end = |d: usize| if at[d] == 0 || at[d] + 1 == counts[d] { 2.0 } else { 1.0 };
        for d in 0..3 {
            let ahead = here + stride[d];
            if at[d] + 1 < counts[d] {
                // The edge's own direction is full, the others as at the node.
                self.first(Term::First(d as u8), here, ahead, self.measure(here) * end(d));
                if at[d] > 0 {
                    let term = Term::Second(d as u8, d as u8);
                    self.second(term, here - stride[d], here, ahead, self.measure(here));
                }
            }
            for f in d + 1..3 {
                if at[d] + 1 < counts[d] && at[f] + 1 < counts[f] {
                    let cell = [here, ahead, ahead + stride[f], here + stride[f]];
                    let share = self.measure(here) * end(d) * end(f);
                    self.mixed(Term::Second(d as u8, f as u8), cell, share);
                }
            }
        }
    }

    /// Any triangle mesh: the gradient on every triangle (two rows, along and across its first edge), and the cotangent
    /// Laplacian at every node that is not on the boundary.
    fn mesh(&mut self, triangles: &[[u32; 3]]) {
        self.anchors();
        let n = self.net.nodes.len();
        let mut laplacian: Vec<std::collections::BTreeMap<u32, f64>> = vec![Default::default(); n];
        let mut sides: std::collections::BTreeMap<(u32, u32), u32> = Default::default();
        for t in triangles {
            let [a, b, c] = t.map(|i| self.at(i as usize));
            let normal = (b - a).cross(c - a);
            let area = 0.5 * normal.length();
            let along = (b - a).normalize();
            let across = normal.normalize().cross(along);
            // Gradient of the function that is 1 at a corner and 0 at the others.
            let unit = normal / normal.length_squared();
            let slopes = [unit.cross(c - b), unit.cross(a - c), unit.cross(b - a)];
            for axis in [along, across] {
                let terms = [0, 1, 2].map(|k| (t[k], slopes[k].dot(axis)));
                let weight = self.typed(Term::First(0), &t.map(|i| i as usize)) * area;
                self.spline.push(1, weight, &terms);
            }
            for k in 0..3 {
                let (i, j) = (t[k], t[(k + 1) % 3]);
                let cotangent = -slopes[k].dot(slopes[(k + 1) % 3]) * area;
                for (p, q) in [(i, j), (j, i)] {
                    *laplacian[p as usize].entry(q).or_default() += cotangent;
                    *laplacian[p as usize].entry(p).or_default() -= cotangent;
                }
                *sides.entry((i.min(j), i.max(j))).or_default() += 1;
            }
        }
        let mut boundary = vec![false; n];
        for ((i, j), count) in sides {
            if count == 1 {
                boundary[i as usize] = true;
                boundary[j as usize] = true;
            }
        }
        for (i, row) in laplacian.iter().enumerate().filter(|(i, _)| !boundary[*i]) {
            let area = self.measure(i);
            let terms: Vec<(u32, f64)> = row.iter().map(|(j, w)| (*j, w / area)).collect();
            let weight = self.typed(Term::Second(0, 0), &[i]) * area;
            self.spline.push(2, weight, &terms);
        }
    }
}

/// The area that stands behind each edge of a sheet.
#[derive(Default)]
struct EdgeShares(std::collections::HashMap<(usize, usize), f64>);

impl EdgeShares {
    fn add(&mut self, i: usize, j: usize, share: f64) {
        *self.0.entry((i.min(j), i.max(j))).or_default() += share;
    }
    fn of(&self, i: usize, j: usize) -> f64 {
        self.0.get(&(i.min(j), i.max(j))).copied().unwrap_or(0.0)
    }
}
