//! Incompressible bodies: every cell keeps its volume, by one multiplier each.
//!
//! The constraint of `[PB88]` Eq. 64, `det G = V0^2`, lets a warped cell lose 40 % and does not see inversion; here it is
//! the signed volume itself. Displacements `d` of a step are changed as little as possible, in the mass metric, so that
//! afterwards all volumes are what they were at rest: `d += M^-1 B^T p` with `B` the gradients of the volumes. A few rounds
//! for the volumes, each no longer than it helps; conjugate gradients for the pressures `p` of each.

use super::forces::Cells;
use crate::math::{Vec3, dot};

/// Volumes may be wrong by this share.
const TOLERANCE: f64 = 2e-5;
const ROUNDS: usize = 8;
/// So often a round is halved at most until volumes are better for it. What is pressed flat within a step has gradients that
/// turn on the way: a whole round may go much too far.
const HALVES: usize = 5;
const STEPS: usize = 400;
/// Pressures that alternate from cell to cell move nothing, so nothing tells how large they should be; a little weight
/// on themselves keeps them small.
const ALTERNATING: f64 = 1e-7;

/// Which nodes give way, and how easily.
pub struct Mobility<'a> {
    /// One over the mass of each node.
    pub inverse_mass: &'a [f64],
    /// Nodes that must not move along a direction.
    pub blocked: &'a [(u32, Vec3)],
}

/// Which volumes the cells are to have.
#[derive(Clone, Copy, PartialEq)]
pub enum Aim {
    /// Those at rest: for places.
    Rest,
    /// The same where little is wrong, else those before the displacement: for velocities. Were they to make up for all
    /// within one step, an error that contact forces on a cell would become a speed, however large.
    RestIfNear,
}

/// So much may be made up for by velocities.
pub const LITTLE: f64 = 1e-3;

/// Changes displacements `d` from `x` so that all volumes are kept, `full` times those at rest. Returns the pressures that did
/// it, none if none had to.
pub fn keep_volumes(
    cells: &Cells,
    (x, full): (&[Vec3], f64),
    d: &mut [Vec3],
    aim: Aim,
    mobility: &Mobility,
) -> Vec<f64> {
    let per_volume = cells.grid.cell.per_volume();
    let volumes = |x: &[Vec3]| -> Vec<f64> {
        (0..cells.grid.cells.len()).map(|c| cells.modes(c, x).volume() * per_volume).collect()
    };
    let target = match aim {
        Aim::Rest => vec![full; cells.grid.cells.len()],
        Aim::RestIfNear => {
            volumes(x).into_iter().map(|v| if (v - full).abs() < LITTLE { full } else { v }).collect()
        }
    };
    let missing = |d: &[Vec3]| -> Vec<f64> {
        let end: Vec<Vec3> = x.iter().zip(d).map(|(x, d)| *x + *d).collect();
        volumes(&end).iter().zip(&target).map(|(v, to)| to - v).collect()
    };
    let worst = |missing: &[f64]| missing.iter().fold(0.0f64, |a, m| a.max(m.abs()));
    let mut now = missing(d);
    let mut all = vec![];
    if worst(&now) < TOLERANCE {
        return all;
    }
    let mut gradients = gradients_at(cells, x);
    for round in 0..ROUNDS {
        if round > 0 && aim == Aim::Rest {
            // Places have no momentum to keep, so these follow the way.
            let end: Vec<Vec3> = x.iter().zip(d.iter()).map(|(x, d)| *x + *d).collect();
            gradients = gradients_at(cells, &end);
        }
        let system = System { cells, gradients: &gradients, mobility };
        let pressures = system.solve(&now, 0.1 * TOLERANCE);
        let mut push = vec![Vec3::ZERO; d.len()];
        system.push(&pressures, &mut push);
        let before = dot(&now, &now);
        let better = (0..=HALVES).map(|k| 0.5f64.powi(k as i32)).find_map(|share| {
            let there: Vec<Vec3> = d.iter().zip(&push).map(|(d, push)| *d + *push * share).collect();
            let left = missing(&there);
            (dot(&left, &left) < before).then_some((share, there, left))
        });
        let Some((share, there, left)) = better else { break };
        d.copy_from_slice(&there);
        now = left;
        all.resize(pressures.len(), 0.0);
        all.iter_mut().zip(&pressures).for_each(|(a, p)| *a += share * p);
        if worst(&now) < TOLERANCE {
            break;
        }
    }
    all
}

/// By how much pressures of the cells move each node.
pub fn pushes(cells: &Cells, x: &[Vec3], pressures: &[f64], inverse_mass: &[f64]) -> Vec<Vec3> {
    let mobility = &Mobility { inverse_mass, blocked: &[] };
    let mut d = vec![Vec3::ZERO; x.len()];
    System { cells, gradients: &gradients_at(cells, x), mobility }.push(pressures, &mut d);
    d
}

/// Gradients of the volumes. Where the step begins pushes along them do not turn the body, so angular momentum is kept.
fn gradients_at(cells: &Cells, x: &[Vec3]) -> Vec<[Vec3; 8]> {
    let per_volume = cells.grid.cell.per_volume();
    let gradient = |c: usize| {
        let gradient = cells.modes(c, x).volume_gradient().of_part(cells.grid.part(c));
        gradient.corners(per_volume).map(|v| Vec3::from_array(v.0))
    };
    (0..cells.grid.cells.len()).map(gradient).collect()
}

/// `B M^-1 B^T` without forming it.
struct System<'a> {
    cells: &'a Cells,
    gradients: &'a [[Vec3; 8]],
    mobility: &'a Mobility<'a>,
}

impl System<'_> {
    /// `d = M^-1 B^T p`, but for what is blocked.
    fn push(&self, p: &[f64], d: &mut [Vec3]) {
        d.fill(Vec3::ZERO);
        for ((nodes, gradient), p) in self.cells.grid.cells.iter().zip(self.gradients).zip(p) {
            for k in 0..8 {
                let n = nodes[k] as usize;
                d[n] += gradient[k] * (*p * self.mobility.inverse_mass[n]);
            }
        }
        for (node, along) in self.mobility.blocked {
            let d = &mut d[*node as usize];
            *d -= *along * along.dot(*d);
        }
    }

    fn times(&self, p: &[f64], diagonal: &[f64], d: &mut [Vec3], out: &mut [f64]) {
        self.push(p, d);
        let each = self.cells.grid.cells.iter().zip(self.gradients).zip(out);
        for ((((nodes, gradient), out), p), diagonal) in each.zip(p).zip(diagonal) {
            *out = ALTERNATING * diagonal * p
                + (0..8).map(|k| gradient[k].dot(d[nodes[k] as usize])).sum::<f64>();
        }
    }

    fn solve(&self, b: &[f64], tolerance: f64) -> Vec<f64> {
        let n = b.len();
        let diagonal: Vec<f64> = self
            .cells
            .grid
            .cells
            .iter()
            .zip(self.gradients)
            .map(|(nodes, g)| {
                (0..8).map(|k| g[k].length_squared() * self.mobility.inverse_mass[nodes[k] as usize]).sum()
            })
            .collect();
        // A cell of which no node gives way has no say.
        let most = diagonal.iter().copied().fold(0.0, f64::max);
        let inverse: Vec<f64> =
            diagonal.iter().map(|d| if *d > 1e-12 * most { 1.0 / d } else { 0.0 }).collect();
        let mut p = vec![0.0; n];
        let mut r: Vec<f64> = b.iter().zip(&inverse).map(|(b, i)| if *i > 0.0 { *b } else { 0.0 }).collect();
        let mut z: Vec<f64> = r.iter().zip(&inverse).map(|(r, i)| r * i).collect();
        let mut s = z.clone();
        let (mut d, mut a) = (vec![Vec3::ZERO; self.mobility.inverse_mass.len()], vec![0.0; n]);
        let mut rz = dot(&r, &z);
        for _ in 0..STEPS {
            if r.iter().all(|r| r.abs() < tolerance) || rz <= 0.0 {
                break;
            }
            self.times(&s, &diagonal, &mut d, &mut a);
            let alpha = rz / dot(&s, &a);
            if !alpha.is_finite() {
                break;
            }
            for k in 0..n {
                p[k] += alpha * s[k];
                r[k] -= alpha * a[k] * f64::from(u8::from(inverse[k] > 0.0));
                z[k] = r[k] * inverse[k];
            }
            let next = dot(&r, &z);
            let beta = next / rz;
            rz = next;
            s.iter_mut().zip(&z).for_each(|(s, z)| *s = z + beta * *s);
        }
        p
    }
}
