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
//! Neither law as written survives inversion: logarithms end at `J = 0`, and the metric cannot tell a mirror image. Below
//! `SQUASHED` the pressure of the first goes on along a straight line, and the second gets one that rises from there.

use super::lanes::{Four, Number, V3};
use super::metric::{Metric, SPREAD, metric, metric_force, metric_rate, rate_force};
use super::modes::{Cell, Modes};
use crate::math::portable::ln;

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

    /// The part of the energy that depends on volume alone, and its first two derivatives.
    #[inline(always)]
    fn of_volume(&self, j: f64) -> [f64; 3] {
        let below = (j - SQUASHED).min(0.0);
        match self.law {
            // What balances the trace at rest.
            Law::NeoHookean if self.holds_volume => [-self.mu * (j - 1.0), -self.mu, 0.0],
            Law::NeoHookean => {
                let at = j.max(SQUASHED);
                let log = ln(at);
                let slope = (self.lambda * log - self.mu) / at;
                let second = (self.lambda + self.mu - self.lambda * log) / (at * at);
                [
                    (0.5 * self.lambda * log - self.mu) * log + (slope + 0.5 * second * below) * below,
                    slope + second * below,
                    second,
                ]
            }
            Law::StVenantKirchhoff => {
                let stiff = RECOVERY * (self.lambda + 2.0 * self.mu);
                let second = if below < 0.0 { stiff } else { 0.0 };
                [0.5 * stiff * below * below, stiff * below, second]
            }
        }
    }

    /// What it costs that volume varies within a cell: as much as makes a bent cube of cells as stiff as it should be, and
    /// more where volume is held, since pressure makes warps soft.
    #[inline(always)]
    fn variation_modulus(&self) -> f64 {
        self.mu * if self.holds_volume { 2.0 } else { 0.6 } / 3.0
    }

    /// Derivative of the energy with respect to volume, and its own.
    #[inline(always)]
    fn pressure<T: Number>(&self, m: &Modes<T>, cell: &Cell) -> [T; 2] {
        m.volume(cell).apply(|j| {
            let [_, slope, second] = self.of_volume(j);
            [slope, second]
        })
    }

    /// Energy per rest volume.
    #[inline(always)]
    pub fn energy<T: Number>(&self, m: &Modes<T>, inverse: &Inverse<T>, cell: &Cell) -> T {
        let g = metric(m, cell);
        match self.law {
            Law::NeoHookean => {
                let [volume, _] = m.volume(cell).apply(|j| [self.of_volume(j)[0], 0.0]);
                let [x, y, z] = m.volume_variation(cell);
                (contract(inverse, &g) - T::of(3.0)) * T::of(0.5 * self.mu)
                    + volume
                    + (x * x + y * y + z * z) * T::of(0.5 * self.variation_modulus())
            }
            Law::StVenantKirchhoff => {
                // S:(G - R)/4, where S:R follows from the trace alone.
                let (s, trace) = self.stress(&g, inverse);
                let mut sum = (contract(&s, &g) - trace * T::of(self.mu + 1.5 * self.lambda)) * T::of(0.25);
                let warp = self.warp_moduli();
                for e in 0..12 {
                    sum = sum + g[6 + e] * g[6 + e] * T::of(0.5 * warp[e]);
                }
                let [volume, _] = m.volume(cell).apply(|j| [self.of_volume(j)[0], 0.0]);
                sum + volume
            }
        }
    }

    /// Gradient of the energy with respect to the modes; without an inverse rest metric, of a cell never moulded.
    #[inline(always)]
    pub fn gradient<T: Number>(&self, m: &Modes<T>, inverse: Option<&Inverse<T>>, cell: &Cell) -> Modes<T> {
        match self.law {
            Law::NeoHookean => {
                let pressure = self.pressure(m, cell);
                let trace = match inverse {
                    Some(inverse) => moulded_trace_gradient(m, inverse, cell, self.mu),
                    None => trace_gradient(m, cell, self.mu),
                };
                let varies = m.volume_variation(cell).map(|v| v * T::of(self.variation_modulus()));
                trace
                    .plus(&m.volume_gradient(cell), pressure[0])
                    .plus(&m.variation_force(varies, cell), T::of(1.0))
            }
            Law::StVenantKirchhoff => {
                let g = metric(m, cell);
                let pressure = self.pressure(m, cell);
                let inverse = inverse.copied().unwrap_or(UNMOULDED.map(T::of));
                metric_force(m, &self.weights(&g, &inverse), cell).plus(&m.volume_gradient(cell), pressure[0])
            }
        }
    }

    /// Gradient of the viscous potential: the force against changes of the metric (`[PB88]` Eq. 45), per rest volume.
    #[inline(always)]
    pub fn viscous<T: Number>(&self, m: &Modes<T>, v: &Modes<T>, cell: &Cell) -> Modes<T> {
        let rate = metric_rate(m, v, cell);
        let mut w = [T::of(0.0); 18];
        let trace = (rate[0] + rate[1] + rate[2]) * T::of(0.25 * self.lambda * self.viscous_time);
        for e in 0..3 {
            w[e] = rate[e] * T::of(0.5 * self.mu * self.viscous_time) + trace;
            w[3 + e] = rate[3 + e] * T::of(self.mu * self.viscous_time);
        }
        let warp = self.warp_moduli();
        for e in 0..12 {
            w[6 + e] = rate[6 + e] * T::of(warp[e] * self.viscous_time);
        }
        rate_force(m, &w, cell)
    }

    /// About how much stiffer than at rest a cell has become by being deformed, and by how much more viscous.
    #[inline(always)]
    pub fn stiffening(&self, m: &Modes<Four>, inverse: Option<&Inverse<Four>>, cell: &Cell) -> [Four; 2] {
        let [f1, f2, f3, ..] = m.0;
        let most = |all: [V3<Four>; 3]| all.map(|a| a.dot(a)).into_iter().fold(Four::of(1.0), Four::max);
        let (edges, faces) = (most([f1, f2, f3]), most([f2.cross(f3), f3.cross(f1), f1.cross(f2)]));
        let bulk = match self.law {
            Law::NeoHookean => self.lambda + self.mu,
            Law::StVenantKirchhoff => self.lambda + 2.0 * self.mu,
        };
        let [_, second] = self.pressure(m, cell);
        let squeezed = faces * second * Four::of(1.0 / bulk);
        let stretched = match self.law {
            Law::NeoHookean => Four::of(1.0),
            Law::StVenantKirchhoff => edges,
        };
        // A cell moulded flat is as stiff across as a thinner one.
        let moulded = inverse.map_or(Four::of(1.0), |m| m[0].max(m[1]).max(m[2]));
        [squeezed.max(stretched) * moulded, edges * edges]
    }

    /// Derivatives of the St. Venant-Kirchhoff energy with respect to the eighteen numbers of the metric.
    #[inline(always)]
    fn weights<T: Number>(&self, g: &Metric<T>, inverse: &Inverse<T>) -> Metric<T> {
        let (s, _) = self.stress(g, inverse);
        let mut w = [T::of(0.0); 18];
        for e in 0..3 {
            w[e] = s[e] * T::of(0.5);
            w[3 + e] = s[3 + e];
        }
        let warp = self.warp_moduli();
        for e in 0..12 {
            w[6 + e] = g[6 + e] * T::of(warp[e]);
        }
        w
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

    /// Modulus of each variation: energy is half of it times the variation squared.
    #[inline(always)]
    fn warp_moduli(&self) -> [f64; 12] {
        let young = self.young();
        std::array::from_fn(|e| SPREAD[e] * if e < 9 { 0.25 * young } else { self.mu })
    }
}

/// `M : G` of the averages.
#[inline(always)]
fn contract<T: Number>(m: &Inverse<T>, g: &Metric<T>) -> T {
    let twice = m[3] * g[3] + m[4] * g[4] + m[5] * g[5];
    m[0] * g[0] + m[1] * g[1] + m[2] * g[2] + twice + twice
}

/// Gradient of `mu/2 tr G`: linear in the modes.
#[inline(always)]
fn trace_gradient<T: Number>(m: &Modes<T>, cell: &Cell, mu: f64) -> Modes<T> {
    let [f1, f2, f3, q1, q2, q3, q4] = m.0;
    let [x, y, z] = cell.per.map(|p| mu * p * p / 3.0);
    Modes([
        f1.scaled(mu),
        f2.scaled(mu),
        f3.scaled(mu),
        q1.scaled(x + y),
        q2.scaled(x + z),
        q3.scaled(y + z),
        q4.scaled((x + y + z) / 3.0),
    ])
}

/// Gradient of `mu/2 M : G`.
#[inline(always)]
fn moulded_trace_gradient<T: Number>(m: &Modes<T>, inverse: &Inverse<T>, cell: &Cell, mu: f64) -> Modes<T> {
    let [f1, f2, f3, q1, q2, q3, q4] = m.0;
    let [xx, yy, zz, xy, xz, yz] = inverse.map(|v| v * T::of(mu));
    let [a, b, c] = cell.per;
    let (l, p) = (1.0 / 3.0, 1.0 / 9.0);
    let (sx, sy, sz) = (xx * T::of(l * a * a), yy * T::of(l * b * b), zz * T::of(l * c * c));
    let (tx, ty, tz) = (yz * T::of(l * b * c), xz * T::of(l * a * c), xy * T::of(l * a * b));
    Modes([
        f1.times(xx) + f2.times(xy) + f3.times(xz),
        f1.times(xy) + f2.times(yy) + f3.times(yz),
        f1.times(xz) + f2.times(yz) + f3.times(zz),
        q1.times(sx + sy) + q3.times(ty) + q2.times(tx),
        q2.times(sx + sz) + q3.times(tz) + q1.times(tx),
        q3.times(sy + sz) + q2.times(tz) + q1.times(ty),
        q4.times((sx + sy + sz) * T::of(3.0 * p)),
    ])
}
