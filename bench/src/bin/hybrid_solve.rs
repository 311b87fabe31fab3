//! The per-step solve of hybrid bodies against the machine: a sheet of n x n nodes with bending stiffness (13-point
//! stencil), one thread. A back-substitution reads the factor twice; the bound is that many bytes over the bandwidth
//! measured in the same run: that of memory, and that of a block as large as the factor, which may sit in a cache.
//!
//! `cargo run --release --bin hybrid_solve -- [N ...]`

use pliant::math::Vec3;
use pliant::shape::grid_net;
use pliant::spline::{Factor, Method, Spline, Stiffness, Weights};
use std::hint::black_box;
use std::time::Instant;

fn main() {
    let sizes: Vec<usize> = std::env::args().skip(1).filter_map(|a| a.parse().ok()).collect();
    let sizes = if sizes.is_empty() { vec![100, 300] } else { sizes };
    println!(
        "grid,factor_MB,memory_GB_s,same_size_GB_s,setup_ms,solve_one_ms,over_memory_bound,over_same_size_bound,solve_three_ms,per_column_over_memory_bound"
    );
    let memory = bandwidth(1 << 28);
    for n in sizes {
        let (_, net) = grid_net([1.0, 1.0], [n - 1, n - 1], 0.001);
        let began = Instant::now();
        let spline = Spline::new(&net, &Weights::uniform(&net, [0.0, 100.0, 1.0]));
        let stiffness = Stiffness::new(&spline, n * n);
        let mass: Vec<f64> = net.measure.iter().map(|a| a * 10.0).collect();
        let factor = Factor::new(&mass, &stiffness, 1e-4, Method::Direct).expect("a factor");
        let setup = began.elapsed().as_secs_f64();
        let same_size = bandwidth(factor.bytes());
        let start: Vec<f64> = (0..n * n).map(|i| (i as f64).sin()).collect();
        let one = best(|| {
            let mut b = start.clone();
            let t = Instant::now();
            factor.solve_numbers(&mut b);
            let took = t.elapsed().as_secs_f64();
            black_box(b);
            took
        });
        let vectors: Vec<Vec3> = start.iter().map(|x| Vec3::new(*x, 0.5 * x, 1.0 - x)).collect();
        let three = best(|| {
            let mut b = vectors.clone();
            let t = Instant::now();
            factor.solve(&mut b);
            let took = t.elapsed().as_secs_f64();
            black_box(b);
            took
        });
        let bound = |speed: f64| 2.0 * factor.bytes() as f64 / speed;
        println!(
            "{n},{:.1},{:.1},{:.1},{:.0},{:.3},{:.2},{:.2},{:.3},{:.2}",
            factor.bytes() as f64 * 1e-6,
            memory * 1e-9,
            same_size * 1e-9,
            setup * 1e3,
            one * 1e3,
            one / bound(memory),
            one / bound(same_size),
            three * 1e3,
            three / 3.0 / bound(memory)
        );
    }
}

/// Shortest of several times.
fn best(mut run: impl FnMut() -> f64) -> f64 {
    (0..20).map(|_| run()).fold(f64::INFINITY, f64::min)
}

/// Bytes per second of reading a block of this size from end to end, again and again.
fn bandwidth(bytes: usize) -> f64 {
    let data = vec![1.0f64; bytes / 8];
    let took = best(|| {
        let t = Instant::now();
        let mut sums = [0.0f64; 16];
        for chunk in data.chunks_exact(16) {
            for k in 0..16 {
                sums[k] += chunk[k];
            }
        }
        black_box(sums);
        t.elapsed().as_secs_f64()
    });
    (bytes as f64) / took
}
