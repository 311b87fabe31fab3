//! What a cell's deformation costs: energy per rest volume and its gradient.
//!
//! | law | energy | when |
//! |---|---|---|
//! | `neo_hookean` | `mu/2 (M:G - 3) - mu ln J + lambda/2 ln^2 J` | default: stiffens in compression, comes back from inversion |
//! | `st_venant_kirchhoff` | `mu E:E + lambda/2 tr(E)^2`, `E = (M G - 1)/2`, plus variations | the paper's (`[PB88]` Eq. 43 has `lambda = 0`): goes soft in compression |
//!
//! `G` is the averaged metric, `M` the inverse of the rest metric (1 until the cell is moulded), `J` the signed volume of
//! the whole cell. Since volume enters by one number per cell, nothing locks as Poisson's ratio nears 1/2. `M:G` sees
//! warps as well as stretches, and a little is added for volume that varies within a cell, or pressure would warp it. The
//! second law gets the variations of `metric.rs` beside it, those of stretches with Young's modulus: then a bent cell is
//! as stiff as the bar it is part of.
//!
//! Neo-Hookean cells whose volume varies by more than a share of itself resist that harder: otherwise a corner could be
//! inside out while the whole is not.
//!
//! Neither law as written survives inversion: logarithms end at `J = 0`, and the metric cannot tell a mirror image. Below
//! `SQUASHED` the pressure of the first goes on along a straight line, and the second gets one that rises from there.

use super::lanes::Number;
use super::metric::{Metric, SPREAD, metric, metric_force, metric_rate, rate_force, units};
use super::modes::{Cell, Modes};
use crate::math::portable::plain_ln;

/// Which energy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Law {
    /// Stable neo-Hookean.
    #[default]
    NeoHookean,
    /// The paper's: linear in the metric.
    StVenantKirchhoff,
}

/// A material as cells see it.
#[derive(Clone, Copy, Debug)]
pub struct Elastic {
    /// Which energy.
    pub law: Law,
    /// Lamé's shear modulus `[Pa]`.
    pub mu: f64,
    /// Lamé's other modulus `[Pa]`.
    pub lambda: f64,
    /// Time by which viscous stress lags: stress is that of the metric plus this times that of its rate `[s]`.
    pub viscous_time: f64,
    /// Whether multipliers hold the volume: then the law has no say in it.
    pub holds_volume: bool,
}

/// Share of its volume below which a cell is as good as inverted.
const SQUASHED: f64 = 0.4;
/// How hard the second law pushes a cell out of that, in moduli.
const RECOVERY: f64 = 4.0;
/// Share of its volume by which a cell's volume may vary from its middle to where it is measured (`X` below) before that is
/// resisted as inversion is: beyond 1 a part of the cell would be inside out though the whole is not.
const WARPED: f64 = 0.5;
/// Below any variation that matters, squared.
const NOTHING: f64 = 1e-12;

/// Inverse rest metric of a cell: `11 22 33 12 13 23`.
pub type Inverse<T> = [T; 6];

/// Of a cell that has not been moulded.
pub const UNMOULDED: Inverse<f64> = [1.0, 1.0, 1.0, 0.0, 0.0, 0.0];

impl Elastic {
    /// From Young's modulus and Poisson's ratio.
    pub fn new(law: Law, young: f64, poisson: f64) -> Self {
        Self {
            law,
            mu: young / (2.0 * (1.0 + poisson)),
            lambda: young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson)),
            viscous_time: 0.0,
            holds_volume: false,
        }
    }

    fn young(&self) -> f64 {
        self.mu * (3.0 * self.lambda + 2.0 * self.mu) / (self.lambda + self.mu)
    }

    /// What it costs that volume varies within a cell: as much as makes a bent cube of cells as stiff as it should be, and
    /// more where volume is held, since pressure makes warps soft.
    #[inline(always)]
    fn variation_modulus(&self) -> f64 {
        self.mu * if self.holds_volume { 2.0 } else { 0.6 } / 3.0
    }

    /// Modulus of each variation: energy is half of it times the variation squared.
    #[inline(always)]
    fn warp_moduli(&self) -> [f64; 12] {
        let young = self.young();
        std::array::from_fn(|e| SPREAD[e] * if e < 9 { 0.25 * young } else { self.mu })
    }
}

/// A material in cells of a size: what the formulas need, multiplied out. Forces of modes are per rest volume.
#[derive(Clone, Copy, Debug)]
pub struct Moduli {
    law: Law,
    /// Lamé's shear modulus `[Pa]`.
    pub mu: f64,
    lambda: f64,
    /// What the law says of volume counts this much, and beside it stands the pressure that balances the trace at rest.
    free: f64,
    balance: f64,
    /// Shares of the rest volume out of volumes of modes.
    per_volume: f64,
    variation: f64,
    units: Metric<f64>,
    /// Trace of the metric: of edges and of warps.
    edges: [f64; 3],
    warps: [f64; 4],
    /// Variations of the metric, and the same for its rate.
    warp: [f64; 12],
    viscous: Metric<f64>,
    viscous_trace: [f64; 3],
    bulk: f64,
}

impl Moduli {
    /// Of a material and a cell.
    pub fn new(elastic: &Elastic, cell: &Cell) -> Self {
        let (mu, lambda, time) = (elastic.mu, elastic.lambda, elastic.viscous_time);
        let units = units(cell);
        let edges = [0, 1, 2].map(|e| mu * units[e]);
        let [x, y, z] = edges.map(|m| m / 3.0);
        let warp = elastic.warp_moduli();
        let per_volume = cell.per_volume();
        let held = elastic.holds_volume && elastic.law == Law::NeoHookean;
        Self {
            law: elastic.law,
            mu,
            lambda,
            free: if held { 0.0 } else { 1.0 },
            balance: if held { -mu } else { 0.0 },
            per_volume,
            variation: elastic.variation_modulus() * per_volume * per_volume,
            edges,
            warps: [x + y, x + z, y + z, (x + y + z) / 3.0],
            warp: std::array::from_fn(|e| warp[e] * units[6 + e] * units[6 + e]),
            viscous: std::array::from_fn(|e| {
                time * units[e] * units[e] * if e < 6 { mu } else { warp[e - 6] }
            }),
            viscous_trace: [0, 1, 2].map(|e| 0.5 * lambda * time * units[e]),
            bulk: match elastic.law {
                Law::NeoHookean => lambda + mu,
                Law::StVenantKirchhoff => lambda + 2.0 * mu,
            },
            units,
        }
    }

    /// Neo-Hookean: by how much the variation of volume, `X = |dJ/d(x, y, z)|`, exceeds what a cell of volume `j` bears; and
    /// that over `X`. The energy is half of `RECOVERY` moduli times the square of the first.
    #[inline(always)]
    fn excess<T: Number>(&self, variation: [T; 3], j: T) -> [T; 2] {
        let [x, y, z] = variation.map(|v| v * T::of(self.per_volume));
        let square = x * x + y * y + z * z + T::of(NOTHING);
        let [root, _] = square.apply(|s| [s.sqrt(), 0.5 / s.sqrt()]);
        let beyond = root - j * T::of(WARPED);
        let [excess, _] = beyond.apply(|d| [d.max(0.0), if d > 0.0 { 1.0 } else { 0.0 }]);
        let [over, _] = root.apply(|r| [1.0 / r, -1.0 / (r * r)]);
        [excess, excess * over]
    }

    /// Neo-Hookean: the part of the energy that depends on volume alone, and its first two derivatives. No branches: loops
    /// over cells must be free of them.
    #[inline(always)]
    fn of_volume(&self, j: f64) -> [f64; 3] {
        let below = (j - SQUASHED).min(0.0);
        let at = j.max(SQUASHED);
        let (log, over) = (plain_ln(at), 1.0 / at);
        let slope = (self.lambda * log - self.mu) * over;
        let second = (self.lambda + self.mu - self.lambda * log) * (over * over);
        let energy = (0.5 * self.lambda * log - self.mu) * log + (slope + 0.5 * second * below) * below;
        [
            self.free * energy + self.balance * (j - 1.0),
            self.free * (slope + second * below) + self.balance,
            self.free * second,
        ]
    }

    /// St. Venant-Kirchhoff: the same of what pushes a cell out of inversion.
    #[inline(always)]
    fn of_inversion(&self, j: f64) -> [f64; 3] {
        let below = (j - SQUASHED).min(0.0);
        let stiff = RECOVERY * self.bulk;
        [0.5 * stiff * below * below, stiff * below, if below < 0.0 { stiff } else { 0.0 }]
    }

    /// Energy per rest volume by the first law.
    #[inline(always)]
    pub fn neo_hookean_energy(&self, m: &Modes<f64>, inverse: &Inverse<f64>) -> f64 {
        let raw = metric(m);
        let g: Metric<f64> = std::array::from_fn(|e| raw[e] * self.units[e]);
        let j = m.volume() * self.per_volume;
        let ([volume, ..], [x, y, z]) = (self.of_volume(j), m.volume_variation());
        let [excess, _] = self.excess([x, y, z], j);
        0.5 * self.mu * (contract(inverse, &g) - 3.0)
            + volume
            + 0.5 * self.variation * (x * x + y * y + z * z)
            + 0.5 * RECOVERY * self.bulk * excess * excess
    }

    /// The same by the second.
    #[inline(always)]
    pub fn st_venant_kirchhoff_energy(&self, m: &Modes<f64>, inverse: &Inverse<f64>) -> f64 {
        let raw = metric(m);
        let g: Metric<f64> = std::array::from_fn(|e| raw[e] * self.units[e]);
        let [volume, ..] = self.of_inversion(m.volume() * self.per_volume);
        // S:(G - R)/4, where S:R follows from the trace alone.
        let (s, trace) = self.stress(&g, inverse);
        let average = 0.25 * (contract(&s, &g) - trace * (self.mu + 1.5 * self.lambda));
        (0..12).fold(average + volume, |sum, e| sum + 0.5 * self.warp[e] * raw[6 + e] * raw[6 + e])
    }

    /// Gradient of the energy with respect to the modes; without an inverse rest metric, of a cell never moulded.
    pub fn gradient<T: Number>(&self, m: &Modes<T>, inverse: Option<&Inverse<T>>) -> Modes<T> {
        match self.law {
            Law::NeoHookean => self.neo_hookean(m, inverse),
            Law::StVenantKirchhoff => self.st_venant_kirchhoff(m, inverse),
        }
    }

    /// The same by the first law.
    #[inline(always)]
    pub fn neo_hookean<T: Number>(&self, m: &Modes<T>, inverse: Option<&Inverse<T>>) -> Modes<T> {
        let [e1, e2, e3, q1, q2, q3, _] = m.0;
        let ((volume, [d1, d2, d3]), [c1, c2, c3]) = (m.volume_and_faces(), m.faces());
        let j = volume * T::of(self.per_volume);
        let [slope, _] = j.apply(|j| {
            let [_, slope, second] = self.of_volume(j);
            [slope, second]
        });
        let stiff = RECOVERY * self.bulk * self.per_volume;
        let varies = m.volume_variation();
        let [excess, share] = self.excess(varies, j);
        let pressure = slope * T::of(self.per_volume) - excess * T::of(stiff * WARPED);
        let on_warps = pressure * T::of(1.0 / 3.0);
        // Volume that varies: what stands before each of the three face vectors.
        let modulus = T::of(self.variation) + share * T::of(stiff * self.per_volume);
        let [x, y, z] = varies.map(|v| v * modulus);
        let a1 = q1.times(y) + q2.times(z);
        let a2 = q1.times(x) + q3.times(z);
        let a3 = q2.times(x) + q3.times(y);
        let [t1, t2, t3, u1, u2, u3, u4] = match inverse {
            None => self.trace(m).0,
            Some(inverse) => self.moulded_trace(m, inverse).0,
        };
        Modes([
            t1 + d1.times(pressure) + (a2.cross(e3) + e2.cross(a3)),
            t2 + d2.times(pressure) + (e3.cross(a1) + a3.cross(e1)),
            t3 + d3.times(pressure) + (a1.cross(e2) + e1.cross(a2)),
            u1 + (e2.cross(q3) - e1.cross(q2)).times(on_warps) + (c2.times(x) + c1.times(y)),
            u2 + (e1.cross(q1) - e3.cross(q3)).times(on_warps) + (c3.times(x) + c1.times(z)),
            u3 + (e3.cross(q2) - e2.cross(q1)).times(on_warps) + (c3.times(y) + c2.times(z)),
            u4,
        ])
    }

    /// The same by the second.
    #[inline(always)]
    pub fn st_venant_kirchhoff<T: Number>(&self, m: &Modes<T>, inverse: Option<&Inverse<T>>) -> Modes<T> {
        let raw = metric(m);
        let g: Metric<T> = std::array::from_fn(|e| raw[e] * T::of(self.units[e]));
        let (s, _) = self.stress(&g, &inverse.copied().unwrap_or(UNMOULDED.map(T::of)));
        let w: Metric<T> = std::array::from_fn(|e| match e {
            0..3 => s[e] * T::of(0.5 * self.units[e]),
            3..6 => s[e] * T::of(self.units[e]),
            _ => raw[e] * T::of(self.warp[e - 6]),
        });
        let [slope, _] = (m.volume() * T::of(self.per_volume)).apply(|j| {
            let [_, slope, second] = self.of_inversion(j);
            [slope, second]
        });
        metric_force(m, &w).plus(&m.volume_gradient().times(slope * T::of(self.per_volume)))
    }

    /// By the first law over a step, from modes in its middle and half of their change: the pressure is that of the mean of the volumes
    /// before and after, since in the middle all that turns looks smaller than it is.
    #[inline(always)]
    pub fn neo_hookean_over(&self, m: &Modes<f64>, half: &Modes<f64>, inverse: &Inverse<f64>) -> Modes<f64> {
        let pressure = |volume: f64| self.of_volume(volume * self.per_volume)[1] * self.per_volume;
        let mean = 0.5 * (m.plus(half).volume() + m.plus(&half.times(-1.0)).volume());
        let more = pressure(mean) - pressure(m.volume());
        self.neo_hookean(m, Some(inverse)).plus(&m.volume_gradient().times(more))
    }

    /// By the second law over a step, likewise with the mean of metrics and volumes. The metric is quadratic, so its mean is that
    /// in the middle and that of half of the change.
    #[inline(always)]
    pub fn st_venant_kirchhoff_over(
        &self,
        m: &Modes<f64>,
        half: &Modes<f64>,
        inverse: &Inverse<f64>,
    ) -> Modes<f64> {
        let (raw, more) = (metric(m), metric(half));
        let of_metric = |raw: &Metric<f64>| -> Metric<f64> {
            let g: Metric<f64> = std::array::from_fn(|e| raw[e] * self.units[e]);
            let (s, _) = self.stress(&g, inverse);
            std::array::from_fn(|e| match e {
                0..3 => s[e] * 0.5 * self.units[e],
                3..6 => s[e] * self.units[e],
                _ => raw[e] * self.warp[e - 6],
            })
        };
        let (middle, mean) = (of_metric(&raw), of_metric(&std::array::from_fn(|e| raw[e] + more[e])));
        let pressure = |volume: f64| self.of_inversion(volume * self.per_volume)[1] * self.per_volume;
        let mean_volume = 0.5 * (m.plus(half).volume() + m.plus(&half.times(-1.0)).volume());
        let added = pressure(mean_volume) - pressure(m.volume());
        self.st_venant_kirchhoff(m, Some(inverse))
            .plus(&metric_force(m, &std::array::from_fn(|e| mean[e] - middle[e])))
            .plus(&m.volume_gradient().times(added))
    }

    /// Gradient of the viscous potential: the force against changes of the metric (`[PB88]` Eq. 45), per rest volume.
    #[inline(always)]
    pub fn viscous<T: Number>(&self, m: &Modes<T>, v: &Modes<T>) -> Modes<T> {
        let rate = metric_rate(m, v);
        let [x, y, z, ..] = self.units.map(T::of);
        let trace = rate[0] * x + rate[1] * y + rate[2] * z;
        let mut w: Metric<T> = std::array::from_fn(|e| rate[e] * T::of(self.viscous[e]));
        let [x, y, z] = self.viscous_trace.map(|t| trace * T::of(t));
        (w[0], w[1], w[2]) = (w[0] + x, w[1] + y, w[2] + z);
        rate_force(m, &w)
    }

    /// About how much stiffer than at rest a cell has become by being deformed, and by how much more viscous.
    #[inline(always)]
    pub fn stiffening<const STRETCHES: bool>(
        &self,
        m: &Modes<f64>,
        inverse: Option<&Inverse<f64>>,
    ) -> [f64; 2] {
        let [e1, e2, e3, ..] = m.0;
        let [c1, c2, c3] = m.faces();
        let [a, b, c, ..] = self.units;
        let most = |x: f64, y: f64, z: f64| larger(larger(x, y), larger(z, 1.0));
        let edges = most(e1.dot(e1) * a, e2.dot(e2) * b, e3.dot(e3) * c);
        let faces = most(c1.dot(c1) * (b * c), c2.dot(c2) * (a * c), c3.dot(c3) * (a * b));
        let j = m.volume() * self.per_volume;
        let [_, _, mut second] = if STRETCHES { self.of_inversion(j) } else { self.of_volume(j) };
        if !STRETCHES {
            let [excess, _] = self.excess(m.volume_variation(), j);
            second += if excess > 0.0 { RECOVERY * self.bulk } else { 0.0 };
        }
        let squeezed = faces * second * (1.0 / self.bulk);
        let stiffer = larger(squeezed, if STRETCHES { edges } else { 1.0 });
        // A cell moulded flat is as stiff across as a thinner one.
        let moulded = inverse.map_or(1.0, |m| most(m[0], m[1], m[2]));
        [stiffer * moulded, edges * edges]
    }

    /// The stress conjugate to half the metric, `mu (M G M - M) + lambda/2 tr(M G - 1) M`, and that trace.
    #[inline(always)]
    fn stress<T: Number>(&self, g: &Metric<T>, inverse: &Inverse<T>) -> ([T; 6], T) {
        let full = |s: &[T]| [[s[0], s[3], s[4]], [s[3], s[1], s[5]], [s[4], s[5], s[2]]];
        let (m, g3) = (full(inverse), full(&g[..6]));
        let times = |x: &[[T; 3]; 3], y: &[[T; 3]; 3]| -> [[T; 3]; 3] {
            std::array::from_fn(|i| {
                std::array::from_fn(|j| x[i][0] * y[0][j] + x[i][1] * y[1][j] + x[i][2] * y[2][j])
            })
        };
        let mg = times(&m, &g3);
        let mgm = times(&mg, &m);
        let trace = mg[0][0] + mg[1][1] + mg[2][2] - T::of(3.0);
        let bulk = trace * T::of(0.5 * self.lambda);
        let entry = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)];
        let s = entry.map(|(i, j): (usize, usize)| (mgm[i][j] - m[i][j]) * T::of(self.mu) + m[i][j] * bulk);
        (s, trace)
    }

    /// Gradient of `mu/2 tr G`: linear in the modes.
    #[inline(always)]
    fn trace<T: Number>(&self, m: &Modes<T>) -> Modes<T> {
        let [e1, e2, e3, q1, q2, q3, q4] = m.0;
        let ([x, y, z], [a, b, c, d]) = (self.edges, self.warps);
        Modes([
            e1.scaled(x),
            e2.scaled(y),
            e3.scaled(z),
            q1.scaled(a),
            q2.scaled(b),
            q3.scaled(c),
            q4.scaled(d),
        ])
    }

    /// Gradient of `mu/2 M : G`.
    #[inline(always)]
    fn moulded_trace<T: Number>(&self, m: &Modes<T>, inverse: &Inverse<T>) -> Modes<T> {
        let [e1, e2, e3, q1, q2, q3, q4] = m.0;
        let third = T::of(1.0 / 3.0);
        let [xx, yy, zz, xy, xz, yz]: Inverse<T> =
            std::array::from_fn(|e| inverse[e] * T::of(self.mu * self.units[e]));
        let (sx, sy, sz) = (xx * third, yy * third, zz * third);
        let (tx, ty, tz) = (yz * third, xz * third, xy * third);
        Modes([
            e1.times(xx) + e2.times(xy) + e3.times(xz),
            e1.times(xy) + e2.times(yy) + e3.times(yz),
            e1.times(xz) + e2.times(yz) + e3.times(zz),
            q1.times(sx + sy) + q3.times(ty) + q2.times(tx),
            q2.times(sx + sz) + q3.times(tz) + q1.times(tx),
            q3.times(sy + sz) + q2.times(tz) + q1.times(ty),
            q4.times((sx + sy + sz) * third),
        ])
    }
}

/// The larger of two; a comparison and a choice, which registers can do side by side.
#[inline(always)]
pub fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// `M : G` of the averages.
#[inline(always)]
fn contract(m: &Inverse<f64>, g: &[f64]) -> f64 {
    m[0] * g[0] + m[1] * g[1] + m[2] * g[2] + 2.0 * (m[3] * g[3] + m[4] * g[4] + m[5] * g[5])
}
