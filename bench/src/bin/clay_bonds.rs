//! Bonds of clay as a gas of particles: time for a step, and how well energy holds. For `bench/peers/lammps_bonds.py`.
//!
//! usage: clay_bonds FOLDER COUNT STEPS THREADS
//!
//! Writes `x.bin` and `v.bin` (start), `f.bin` (forces there) as f64 to the folder and prints one JSON object.

use pliant_bench as _; // Its allocator.
use pliant::clay::{Law, Pairs, Pull, energy, pulls};
use pliant::math::Vec3;
use std::path::Path;
use std::time::Instant;

const DENSITY: f64 = 1.2;
const STEP: f64 = 0.005;
const SKIN: f64 = 0.3;
/// `K = 8`, so that two particles are parted by the energy 1.
const LAW: Law = Law { exponents: [8, 4], strength: 8.0, rest: 1.0, reach: 2.5, fades: false };

fn main() -> std::io::Result<()> {
    let args: Vec<String> = std::env::args().collect();
    let number = |k: usize| args[k].parse::<usize>().expect("a number");
    let (folder, count, steps, threads) = (Path::new(&args[1]), number(2), number(3), number(4));
    rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().expect("no other pool");
    let (mut x, mut v) = ball(count);
    let mut pairs = Pairs::default();
    let mut pulled = vec![Pull::default(); count];
    let pull = |pairs: &mut Pairs, x: &[Vec3], pulled: &mut [Pull]| {
        pairs.keep_up(x, LAW.reach, SKIN);
        pulls(&LAW, pairs, x, pulled);
    };
    pull(&mut pairs, &x, &mut pulled);
    save(folder, "x.bin", &x)?;
    save(folder, "v.bin", &v)?;
    save(folder, "f.bin", &pulled.iter().map(|p| p.force).collect::<Vec<_>>())?;
    let kinetic = |v: &[Vec3]| 0.5 * v.iter().map(|v| v.length_squared()).sum::<f64>();
    let first = energy(&LAW, &pairs, &x);
    let start = first + kinetic(&v);
    let began = Instant::now();
    for _ in 0..steps {
        for ((x, v), p) in x.iter_mut().zip(&mut v).zip(&pulled) {
            *v += p.force * (0.5 * STEP);
            *x += *v * STEP;
        }
        pull(&mut pairs, &x, &mut pulled);
        v.iter_mut().zip(&pulled).for_each(|(v, p)| *v += p.force * (0.5 * STEP));
    }
    let seconds = began.elapsed().as_secs_f64();
    let end = energy(&LAW, &pairs, &x) + kinetic(&v);
    println!(
        "{{\"seconds\": {seconds}, \"potential\": {first:.17e}, \"start\": {start:.17e}, \"end\": {end:.17e}}}"
    );
    Ok(())
}

/// A ball cut from a cubic lattice, shaken a little, with velocities of temperature 1/2.
fn ball(count: usize) -> (Vec<Vec3>, Vec<Vec3>) {
    let spacing = DENSITY.powf(-1.0 / 3.0);
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
        (seed >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    };
    let mut shake = |size: f64| Vec3::new(random(), random(), random()) * size;
    let x = places[..count].iter().map(|p| *p * spacing + shake(0.1)).collect();
    // Uniform numbers of this width have the variance 1/2.
    let v: Vec<Vec3> = (0..count).map(|_| shake(6f64.sqrt())).collect();
    let mean = v.iter().copied().sum::<Vec3>() / count as f64;
    (x, v.into_iter().map(|v| v - mean).collect())
}

fn save(folder: &Path, name: &str, list: &[Vec3]) -> std::io::Result<()> {
    let bytes: Vec<u8> = list.iter().flat_map(|v| v.to_array()).flat_map(f64::to_le_bytes).collect();
    std::fs::write(folder.join(name), bytes)
}
