//! Forces of the cells of a lattice against the machine: nanoseconds for each cell, one thread, and how many times what its
//! arithmetic alone would take. Operations are counted by running the formulas on numbers that count; the rate is that of
//! multiplications and additions in the widest registers, measured in the same run. Finding out how stiff cells have become, and
//! bringing forces to nodes, is not counted.
//!
//! `cargo run --release --bin lattice_forces -- [CELLS ...]`

use pliant::lattice::{Cells, Elastic, Field, Grid, Law, Modes, Moduli, Motion, Number, V3};
use pliant::math::Vec3;
use pliant_bench as _; // Its allocator.
use std::cell::Cell;
use std::hint::black_box;
use std::ops::{Add, Mul, Neg, Sub};
use std::time::Instant;

fn main() {
    rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build_global().expect("one pool");
    let sizes: Vec<usize> = std::env::args().skip(1).filter_map(|a| a.parse().ok()).collect();
    let rate = rate();
    println!(
        "cells,elastic_ns,viscous_ns,both_in_turn_ns,elastic_operations,viscous_operations,rate_G_per_s,elastic_over_bound,viscous_over_bound"
    );
    for n in if sizes.is_empty() { vec![8, 16, 24, 48] } else { sizes } {
        let grid = Grid::of_box(Vec3::splat(0.2), [n; 3]);
        let elastic = Elastic { viscous_time: 1e-3, ..Elastic::new(Law::NeoHookean, 5e4, 0.3) };
        let [of_elastic, of_viscous] = operations(&Moduli::new(&elastic, &grid.cell));
        let stiff = vec![grid.cell.volume; grid.cells.len()];
        let wavy = |p: &Vec3| *p + Vec3::new(p.y.sin(), p.z.sin(), p.x.sin()) * 0.1;
        let x = Field::of(&grid.nodes.iter().map(wavy).collect::<Vec<_>>());
        let v = Field::of(&grid.nodes.iter().map(|p| wavy(p) - *p).collect::<Vec<_>>());
        let mut out = Field::new(grid.nodes.len());
        let cells = Cells { grid, elastic, stiff };
        let motion = Motion { x: &x, v: &v, inverse: &[] };
        let count = (n * n * n) as f64;
        let mut time = |work: &dyn Fn(&mut Field)| 1e9 * best(&mut out, work) / count;
        let elastic = time(&|out| {
            black_box(cells.elastic_forces(motion, out));
        });
        let viscous = time(&|out| cells.viscous_forces(motion, out));
        println!(
            "{n},{elastic:.1},{viscous:.1},{:.1},{of_elastic},{of_viscous},{:.1},{:.2},{:.2}",
            elastic + viscous,
            rate * 1e-9,
            elastic / (of_elastic as f64 / rate * 1e9),
            viscous / (of_viscous as f64 / rate * 1e9),
        );
    }
}

/// Shortest of many times `[s]`.
fn best(out: &mut Field, work: &dyn Fn(&mut Field)) -> f64 {
    let began = Instant::now();
    let mut least = f64::INFINITY;
    while began.elapsed().as_secs_f64() < 0.5 {
        let t = Instant::now();
        work(black_box(out));
        least = least.min(t.elapsed().as_secs_f64());
    }
    least
}

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

/// A number that counts what is done with it.
#[derive(Clone, Copy)]
struct Counted(f64);

fn counted(value: f64) -> Counted {
    COUNT.with(|c| c.set(c.get() + 1));
    Counted(value)
}

impl Add for Counted {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        counted(self.0 + o.0)
    }
}
impl Sub for Counted {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        counted(self.0 - o.0)
    }
}
impl Mul for Counted {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        counted(self.0 * o.0)
    }
}
impl Neg for Counted {
    type Output = Self;
    fn neg(self) -> Self {
        Self(-self.0)
    }
}
impl Number for Counted {
    fn of(value: f64) -> Self {
        Self(value)
    }
    fn apply(self, f: impl Fn(f64) -> [f64; 2]) -> [Self; 2] {
        f(self.0).map(counted)
    }
}

/// Operations of the elastic and of the viscous force of a cell, from the places of its corners to the forces on them.
fn operations(moduli: &Moduli) -> [u64; 2] {
    let corner = |k: usize| V3(std::array::from_fn(|d| Counted((k >> d & 1) as f64 + 0.01 * (k * d) as f64)));
    let corners: [V3<Counted>; 8] = std::array::from_fn(corner);
    let of = |work: &dyn Fn() -> [V3<Counted>; 8]| {
        COUNT.with(|c| c.set(0));
        black_box(work()[0].0[0].0);
        COUNT.with(Cell::get)
    };
    let elastic = of(&|| moduli.neo_hookean(&Modes::of(corners), None).corners(Counted(-1.0)));
    let viscous = of(&|| moduli.viscous(&Modes::of(corners), &Modes::of(corners)).corners(Counted(-1.0)));
    [elastic, viscous]
}

/// Sums that do not wait for each other: enough to keep the units busy.
const CHAINS: usize = 12;
const ROUNDS: usize = 1 << 20;

/// Multiplications and additions in a second, each for itself as the engine has them, in the registers that it would choose.
fn rate() -> f64 {
    let mut least = f64::INFINITY;
    let mut lanes = 0;
    for _ in 0..10 {
        let t = Instant::now();
        lanes = black_box(chains());
        least = least.min(t.elapsed().as_secs_f64());
    }
    (2 * lanes * CHAINS * ROUNDS) as f64 / least
}

/// Does the work; numbers in a register.
fn chains() -> usize {
    #[cfg(target_arch = "x86_64")]
    {
        if std::arch::is_x86_feature_detected!("avx512f") {
            // SAFETY: the machine has been asked.
            unsafe { wide::chains_512() };
            return 8;
        }
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the machine has been asked.
            unsafe { wide::chains_256() };
            return 4;
        }
    }
    let mut sums = black_box([0.5f64; CHAINS]);
    for _ in 0..ROUNDS {
        sums.iter_mut().for_each(|s| *s = *s * 0.999 + 0.001);
    }
    black_box(sums);
    1
}

#[cfg(target_arch = "x86_64")]
mod wide {
    use super::{CHAINS, ROUNDS};
    use std::arch::x86_64::*;
    use std::hint::black_box;

    #[target_feature(enable = "avx512f")]
    pub fn chains_512() {
        let (factor, more) = (_mm512_set1_pd(0.999), _mm512_set1_pd(0.001));
        let mut sums = black_box([more; CHAINS]);
        for _ in 0..ROUNDS {
            for k in 0..CHAINS {
                sums[k] = _mm512_add_pd(_mm512_mul_pd(sums[k], factor), more);
            }
        }
        black_box(sums);
    }

    #[target_feature(enable = "avx2")]
    pub fn chains_256() {
        let (factor, more) = (_mm256_set1_pd(0.999), _mm256_set1_pd(0.001));
        let mut sums = black_box([more; CHAINS]);
        for _ in 0..ROUNDS {
            for k in 0..CHAINS {
                sums[k] = _mm256_add_pd(_mm256_mul_pd(sums[k], factor), more);
            }
        }
        black_box(sums);
    }
}
