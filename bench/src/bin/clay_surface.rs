//! The surface about many skeletons: time, triangles, volume. For `bench/peers/splashsurf_surface.py`.
//!
//! usage: clay_surface FOLDER COUNT EDGE THREADS REPEAT
//!
//! Writes `x.bin` (places, f64) to the folder and prints one JSON object. EDGE is that of the cubes, over the spacing.

use pliant_bench as _; // Its allocator.
use pliant::clay::{Field, FieldShape, Unlimited, surface};
use pliant::math::Vec3;
use std::path::Path;
use std::time::Instant;

/// Thickness of the coat over the spacing: the ball then encloses about one cube of the spacing for each skeleton.
const COAT: f64 = 0.6;

fn main() -> std::io::Result<()> {
    let args: Vec<String> = std::env::args().collect();
    let number = |k: usize| args[k].parse::<usize>().expect("a number");
    let edge: f64 = args[3].parse().expect("a number");
    let (count, threads, repeat) = (number(2), number(4), number(5));
    rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().expect("no other pool");
    let x = ball(count);
    let bytes: Vec<u8> = x.iter().flat_map(|v| v.to_array()).flat_map(f64::to_le_bytes).collect();
    std::fs::write(Path::new(&args[1]).join("x.bin"), bytes)?;
    let mut best = f64::INFINITY;
    let mut made = pliant::clay::Surface::default();
    for _ in 0..repeat {
        let began = Instant::now();
        // The field's own preparation counts, as it does for others.
        let field = Field::new(FieldShape::Cubic, &x, &vec![COAT; count]);
        made = surface(&field, edge, &Unlimited);
        best = best.min(began.elapsed().as_secs_f64());
    }
    println!(
        "{{\"seconds\": {best}, \"triangles\": {}, \"volume\": {}, \"pieces\": {}}}",
        made.triangles.len(),
        made.flat_volume() / count as f64,
        made.pieces().iter().max().map_or(0, |p| p + 1)
    );
    Ok(())
}

/// A ball cut from a cubic lattice of spacing 1, shaken.
fn ball(count: usize) -> Vec<Vec3> {
    let half = (count as f64).cbrt() as i32;
    let mut places: Vec<Vec3> = vec![];
    for i in -half..=half {
        for j in -half..=half {
            places.extend((-half..=half).map(|k| Vec3::new(f64::from(i), f64::from(j), f64::from(k))));
        }
    }
    places.sort_by(|a, b| a.length_squared().total_cmp(&b.length_squared()));
    let mut seed = 1u64;
    let mut random = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        0.3 * ((seed >> 11) as f64 / (1u64 << 53) as f64 - 0.5)
    };
    places[..count].iter().map(|p| *p + Vec3::new(random(), random(), random())).collect()
}
