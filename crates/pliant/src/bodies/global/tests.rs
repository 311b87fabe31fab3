//! Global bodies against closed forms: exact integrals, axial modes, damping, plastic flow.

use super::*;
use crate::shape::{self, cubature};
use crate::world::MeshLibrary;

fn shared<const N: usize>(shape: ShapeSpec, material: Material, step: f64) -> Arc<Shared<N>> {
    let order = match N {
        4 => 1,
        10 => 2,
        _ => 3,
    };
    let spec = BodySpec { shape, ..example() };
    let built = shape::build(&spec.shape, &MeshLibrary::new(), "shape").unwrap();
    let blueprint = Blueprint { spec: &spec, path: "body[0]", shape: &built, material: &material, step };
    Arc::new(Shared::new(&blueprint, &GlobalKeys { order, resolution: None }).unwrap())
}

fn still<const N: usize>(shared: &Arc<Shared<N>>) -> Global<N> {
    Global::new(shared, &Start::default())
}

fn bar(young: f64, damping: f64) -> Material {
    Material { density: 1000.0, young, poisson: 0.0, damping, ..Material::default() }
}

/// Numbers in (-1, 1), the same on every run.
fn noise(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// A body turned and bent by an amount.
fn bent<const N: usize>(shared: &Shared<N>, amount: f64) -> [Vec3; N] {
    let mut random = noise(7);
    let turn = Mat3::from_quat(Quat::from_scaled_axis(Vec3::new(0.4, -1.1, 0.7)));
    let size = shared.basis.rest[1].length();
    let mut r = shared.basis.rest.map(|c| turn * c);
    r.iter_mut().for_each(|c| *c += Vec3::new(random(), random(), random()) * (amount * size));
    r
}

fn step<const N: usize>(body: &mut Global<N>, h: f64) {
    body.free_motion(&Environment::default(), h);
    body.aim(h, &[]);
    body.settle(h);
}

const ELLIPSOID: ShapeSpec = ShapeSpec::Ellipsoid([0.3, 0.2, 0.1]);
const CUBE: ShapeSpec = ShapeSpec::Box([1.0, 1.0, 1.0]);
/// A bar along x.
const BAR: ShapeSpec = ShapeSpec::Box([1.0, 0.1, 0.15]);

/// The energy is a quartic in `R`, for which central differences of fourth order are exact, so that the step may be
/// large and round-off stays small: 1e-16 of the energy over a step of 1e-2.
fn gradient_matches<const N: usize>(shape: ShapeSpec, yields: bool) {
    let material = Material { yield_strain: if yields { 0.01 } else { 0.0 }, ..Material::default() };
    let shared = shared::<N>(shape, material.clone(), 1.0 / 120.0);
    let mut body = still(&shared);
    // Bent little enough that the guard against inversion, which is no quartic, stays out of it.
    let mut r = bent(&shared, 0.02);
    shared.elastic.flow(&r, &mut body.plastic, &material, 0.01);
    r[1] *= 1.1;
    let (force, _) = shared.elastic.force(&r, &body.plastic);
    let largest = force.iter().map(|f| f.length()).fold(0.0, f64::max);
    let e = 1e-2 * r[1].length();
    for a in 0..N {
        for d in 0..3 {
            let energy = |e: f64| {
                let mut s = r;
                s[a][d] += e;
                shared.elastic.energy(&s, &body.plastic).0
            };
            let slope = (8.0 * (energy(e) - energy(-e)) - energy(2.0 * e) + energy(-2.0 * e)) / (12.0 * e);
            let error = (slope + force[a][d]).abs() / largest;
            assert!(error < 1e-11, "order with {N} columns, column {a}, axis {d}: {error:e}");
        }
    }
}

#[test]
fn force_is_minus_the_gradient_of_the_energy() {
    for yields in [false, true] {
        gradient_matches::<4>(BAR, yields);
        gradient_matches::<10>(ELLIPSOID, yields);
        gradient_matches::<20>(CUBE, yields);
    }
}

/// Where the body is nearly flat the guard against inversion acts; it too must be a potential. Its energy has degree
/// six, so differences of fourth order leave an error of the fourth power of the step.
#[test]
fn the_guard_against_inversion_is_a_potential() {
    let shared = shared::<10>(CUBE, Material::default(), 1.0 / 120.0);
    let mut r = shared.basis.rest;
    r.iter_mut().for_each(|c| c.y *= 0.2);
    assert!(shared.elastic.energy(&r, &[]).1 < 0.3, "not flat");
    let (force, _) = shared.elastic.force(&r, &[]);
    let largest = force.iter().map(|f| f.length()).fold(0.0, f64::max);
    let e = 1e-3 * r[1].length();
    for a in 1..10 {
        for d in 0..3 {
            let energy = |e: f64| {
                let mut s = r;
                s[a][d] += e;
                shared.elastic.energy(&s, &[]).0
            };
            let slope = (8.0 * (energy(e) - energy(-e)) - energy(2.0 * e) + energy(-2.0 * e)) / (12.0 * e);
            assert!((slope + force[a][d]).abs() < 1e-9 * largest, "column {a}, axis {d}");
        }
    }
}

fn energy_is_objective<const N: usize>(shape: ShapeSpec) {
    let shared = shared::<N>(shape, Material::default(), 1.0 / 120.0);
    let scale = 1e5 * shared.rest_volume;
    let rest = shared.elastic.energy(&shared.basis.rest, &[]).0;
    assert!(rest.abs() < 1e-24 * scale, "at rest: {:e}", rest / scale);
    let r = bent(&shared, 0.3);
    let turn = Mat3::from_quat(Quat::from_scaled_axis(Vec3::new(-2.0, 0.3, 1.0)));
    let turned = r.map(|c| turn * c);
    let (a, b) = (shared.elastic.energy(&r, &[]).0, shared.elastic.energy(&turned, &[]).0);
    assert!(a > 1e-3 * scale && (a / b - 1.0).abs() < 1e-12, "{a} J, turned {b} J");
}

#[test]
fn energy_vanishes_at_rest_and_does_not_see_rotation() {
    energy_is_objective::<4>(BAR);
    energy_is_objective::<10>(ELLIPSOID);
    energy_is_objective::<20>(ShapeSpec::Torus { major: 0.3, minor: 0.1 });
}

/// [BW92] Eq. 5 in whitened form, by a cubature exact for products of two polynomials of the order.
fn whitened_mass_is_one<const N: usize>(shape: ShapeSpec, degree: usize) {
    let shared = shared::<N>(shape, Material::default(), 1.0 / 120.0);
    // The skin of a box is refined, that of other shapes too, without changing the solid.
    let points = cubature(&shared.mesh, degree);
    let mut m = [[0.0; N]; N];
    for p in &points {
        let z = shared.basis.at(p.at);
        for a in 0..N {
            for b in 0..N {
                m[a][b] += 1000.0 * p.weight * z[a] * z[b];
            }
        }
    }
    for a in 0..N {
        for b in 0..N {
            let error = (m[a][b] - f64::from(u8::from(a == b))).abs();
            assert!(error < 1e-9, "{N} columns: entry {a} {b} is off by {error:e}");
        }
    }
}

#[test]
fn mass_matrix_of_the_whitened_basis_is_the_identity() {
    whitened_mass_is_one::<4>(BAR, 2);
    whitened_mass_is_one::<10>(BAR, 4);
    whitened_mass_is_one::<20>(CUBE, 6);
    whitened_mass_is_one::<10>(ShapeSpec::Torus { major: 0.3, minor: 0.1 }, 4);
}

/// x = D(p), then p = D^-1(x), to round-off of a Newton iteration. Bent by less than what would fold the body: a unit
/// in each of n columns moves a corner by about sqrt(10 n) times the body's size.
fn inverse_map_returns<const N: usize>(shape: ShapeSpec) {
    let shared = shared::<N>(shape, Material::default(), 1.0 / 120.0);
    let mut body = still(&shared);
    body.r = bent(&shared, 0.05 / N as f64);
    body.rotation = rotation_of(&body.r, &shared.basis.rest, body.rotation);
    for p in &shared.mesh.points {
        let world = combine(&body.r, &shared.basis.at(*p));
        let back = body.material_point(world).expect("the iteration converges");
        assert!(back.distance(*p) < 1e-12, "{N} columns: {:e} m off", back.distance(*p));
    }
}

#[test]
fn inverse_map_finds_every_point_again() {
    inverse_map_returns::<4>(BAR);
    inverse_map_returns::<10>(ELLIPSOID);
    inverse_map_returns::<20>(CUBE);
}

/// Under an affine map facets stay facets, so the skin encloses exactly det F times the rest volume.
fn volumes_agree<const N: usize>(shape: ShapeSpec) {
    let shared = shared::<N>(shape, Material::default(), 1.0 / 120.0);
    let f = Mat3::from_cols(Vec3::new(1.3, 0.2, 0.0), Vec3::new(-0.1, 0.8, 0.1), Vec3::new(0.05, 0.3, 1.1));
    let r = shared.basis.rest.map(|c| f * c);
    let points = shared.skin_basis.iter().map(|z| combine(&r, z)).collect();
    let skin = TriMesh { points, triangles: shared.mesh.triangles.clone(), ..TriMesh::default() }.volume();
    let inside = shared.elastic.volume(&r);
    assert!((inside / skin - 1.0).abs() < 1e-11, "{N} columns: {inside} inside {skin}");
    assert!((inside / (f.determinant() * shared.rest_volume) - 1.0).abs() < 1e-11);
}

#[test]
fn cubature_and_skin_agree_on_volume_under_affine_maps() {
    volumes_agree::<4>(BAR);
    volumes_agree::<10>(ELLIPSOID);
    volumes_agree::<20>(CUBE);
}

/// For a shape with three planes of symmetry a constant stress does no work on quadratic columns, so an affine start
/// stays affine and both orders move alike; the columns above differ by round-off only.
#[test]
fn affine_motion_is_the_same_in_higher_order() {
    let h = 1e-3;
    let (one, two) = (shared::<4>(BAR, bar(1e5, 0.0), h), shared::<10>(BAR, bar(1e5, 0.0), h));
    let start = Start { spin: Vec3::new(0.5, 2.0, 1.0), ..Start::default() };
    let (mut a, mut b) = (Global::new(&one, &start), Global::new(&two, &start));
    for k in 1..4 {
        a.r[k] *= 1.0 + 0.01 * k as f64;
        b.r[k] *= 1.0 + 0.01 * k as f64;
    }
    for _ in 0..500 {
        step(&mut a, h);
        step(&mut b, h);
    }
    let size = one.basis.rest[1].length();
    for k in 0..4 {
        assert!(a.r[k].distance(b.r[k]) < 1e-9 * size, "column {k}: {:e}", a.r[k].distance(b.r[k]) / size);
    }
    for k in 4..10 {
        assert!(b.r[k].length() < 1e-9 * size, "column {k}: {:e}", b.r[k].length() / size);
    }
}

/// Angular frequency of one coordinate about a value, from the first and last of many crossings.
fn frequency<const N: usize>(
    body: &mut Global<N>,
    (a, d): (usize, usize),
    middle: f64,
    h: f64,
    steps: usize,
) -> f64 {
    let (mut before, mut first, mut last, mut count) = (body.r[a][d] - middle, None, 0.0, 0);
    for k in 0..steps {
        step(body, h);
        let now = body.r[a][d] - middle;
        if (now > 0.0) != (before > 0.0) {
            last = h * (k as f64 + before / (before - now));
            first.get_or_insert(last);
            count += 1;
        }
        before = now;
    }
    std::f64::consts::PI * f64::from(count - 1) / (last - first.unwrap())
}

/// A free bar's first axial mode is pi c / L; the affine model has sqrt(12) c / L, the second-order one
/// sqrt(60) c / L for the next, which is 2 pi c / L. Amplitude 1e-5 keeps the law linear to 1e-9 and symplectic Euler at
/// w h = 0.01 is off by (w h)^2 / 24 = 4e-6.
#[test]
fn axial_modes_of_a_free_bar() {
    let c = (1e6f64 / 1000.0).sqrt();
    let h = 0.01 / (12f64.sqrt() * c);
    let one = shared::<4>(BAR, bar(1e6, 0.0), h);
    let mut body = still(&one);
    let middle = body.r[1].x;
    body.r[1].x *= 1.0 + 1e-5;
    let ratio = frequency(&mut body, (1, 0), middle, h, 10_000) / (std::f64::consts::PI * c);
    assert!((ratio - 12f64.sqrt() / std::f64::consts::PI).abs() < 1e-5, "affine: {ratio}");
    assert!((ratio - 1.1027).abs() < 1e-4);

    let h = 0.01 / (60f64.sqrt() * c);
    let two = shared::<10>(BAR, bar(1e6, 0.0), h);
    let mut body = still(&two);
    body.r[4].x = 1e-5 * body.r[1].x;
    let ratio = frequency(&mut body, (4, 0), 0.0, h, 10_000) / (2.0 * std::f64::consts::PI * c);
    assert!((ratio - 60f64.sqrt() / (2.0 * std::f64::consts::PI)).abs() < 1e-5, "second order: {ratio}");
    assert!((ratio - 1.2328).abs() < 1e-4);
}

/// The lowest mode decays by exp(-2 pi z / sqrt(1 - z^2)) per period for the typed ratio z. At w h = 0.005 the
/// step's own error of the ratio is w h / 2 times the ratio: 0.3 %.
#[test]
fn lowest_mode_decays_with_the_typed_damping_ratio() {
    for (young, typed) in [(1e5, 0.02), (1e5, 0.2), (1e8, 0.05)] {
        let material = bar(young, typed);
        let probe = shared::<4>(BAR, material.clone(), 1e-3);
        let lowest = probe.modes.squares.iter().cloned().filter(|s| *s > 0.0).fold(f64::INFINITY, f64::min);
        let h = 0.005 / lowest.sqrt();
        let shared = shared::<4>(BAR, material, h);
        let mode = (0..9).find(|m| shared.modes.squares[*m] == lowest).unwrap();
        let shape = &shared.modes.shapes[9 * mode..9 * mode + 9];
        let mut body = still(&shared);
        let size = 1e-5 * body.r[1].length();
        let away = |body: &mut Global<4>, add: f64| -> f64 {
            let mut along = 0.0;
            for (k, s) in shape.iter().enumerate() {
                body.r[1 + k / 3][k % 3] += add * s;
                along += s * (body.r[1 + k / 3][k % 3] - shared.basis.rest[1 + k / 3][k % 3]);
            }
            along
        };
        away(&mut body, size);
        let speed = |body: &Global<4>| shape.iter().zip(&body.y[3..]).map(|(s, v)| s * v).sum::<f64>();
        // Amplitude from both position and speed: a^2 = x^2 + ((v + z w x) / w_d)^2.
        let (w, wd) = (lowest.sqrt(), (lowest * (1.0 - typed * typed)).sqrt());
        let amplitude = |body: &mut Global<4>| {
            let x = away(body, 0.0);
            let v = (speed(body) + typed * w * x) / wd;
            (x * x + v * v).sqrt()
        };
        let start = amplitude(&mut body);
        let steps = 5000;
        (0..steps).for_each(|_| step(&mut body, h));
        let measured = (start / amplitude(&mut body)).ln() / (w * h * f64::from(steps));
        assert!((measured / typed - 1.0).abs() < 0.01, "typed {typed}, measured {measured}");
    }
}

/// Stretched by 1.3, the deviatoric logarithmic strain is ln 1.3 sqrt(2/3); flow at once takes it back to the yield
/// strain; let go, the rest of it stays for good, and the volume is that at rest.
#[test]
fn strain_beyond_yield_stays_and_keeps_the_volume() {
    let h = 1e-3;
    let material = Material { yield_strain: 0.05, ..bar(1e5, 1.0) };
    let shared = shared::<4>(CUBE, material, h);
    let mut body = still(&shared);
    body.r[1] *= 1.3;
    body.next = body.r;
    body.settle(h);
    for undo in &body.plastic {
        assert!((undo.determinant() - 1.0).abs() < 1e-14, "flow changed the volume");
    }
    for _ in 0..5000 {
        step(&mut body, h);
    }
    let strain = 1.3f64.ln() * (2f64 / 3.0).sqrt();
    let kept = (1.3f64.ln() * 2.0 / 3.0 * (1.0 - 0.05 / strain)).exp();
    let stretch = body.r[1].length() / shared.basis.rest[1].length();
    assert!((stretch - kept).abs() < 1e-6, "kept a stretch of {stretch} for {kept}");
    assert!((body.measure().volume - 1.0).abs() < 1e-6, "volume {}", body.measure().volume);
    // Below yield nothing stays.
    let mut body = still(&shared);
    body.r[1] *= 1.03;
    (0..5000).for_each(|_| step(&mut body, h));
    assert!((body.r[1].length() / shared.basis.rest[1].length() - 1.0).abs() < 1e-6);
}

/// A slow flow takes its time: after the flow time 1/e of what is beyond yield is left.
#[test]
fn flow_takes_the_typed_time() {
    let h = 1e-3;
    let material = Material { yield_strain: 0.05, flow_time: 0.2, ..bar(1e5, 1.0) };
    let shared = shared::<4>(CUBE, material.clone(), h);
    let mut body = still(&shared);
    body.r[1] *= 1.3;
    let left = |body: &Global<4>| {
        let f = body.r[1].x / shared.basis.rest[1].x * body.plastic[0].x_axis.x;
        let across = body.plastic[0].y_axis.y;
        (f.ln() - across.ln()) * (2f64 / 3.0).sqrt() - 0.05
    };
    let start = left(&body);
    for _ in 0..200 {
        shared.elastic.flow(&body.r, &mut body.plastic, &material, h);
    }
    assert!((left(&body) / start - (-1f64).exp()).abs() < 1e-9, "{}", left(&body) / start);
}

/// Damping, implicit modes and plastic flow together: momentum stays to round-off over 500 steps.
#[test]
fn momentum_is_kept_with_damping_plasticity_and_implicit_modes() {
    for (young, h) in [(1e4, 1.0 / 120.0), (1e6, 1.0 / 60.0), (1e10, 1.0 / 60.0)] {
        let material = Material { yield_strain: 0.02, flow_time: 0.05, ..bar(young, 0.3) };
        let shared = shared::<10>(ELLIPSOID, material, h);
        let start = Start {
            velocity: Vec3::new(1.0, 2.0, -0.5),
            spin: Vec3::new(2.0, -3.0, 1.0),
            ..Start::default()
        };
        let mut body = Global::new(&shared, &start);
        let mut random = noise(3);
        let kick = 0.02 * shared.mass.sqrt();
        body.y.iter_mut().for_each(|v| *v += kick * random());
        let before = body.measure();
        for _ in 0..500 {
            step(&mut body, h);
        }
        let after = body.measure();
        let p = (after.momentum - before.momentum).length() / before.momentum.length();
        let size = before.angular_momentum.length() + after.centre.length() * after.momentum.length();
        let l = (after.angular_momentum - before.angular_momentum).length() / size;
        assert!(p < 1e-13 && l < 1e-12, "young {young:e}: momentum {p:e}, angular {l:e}");
        assert!(after.kinetic <= before.kinetic + before.elastic, "young {young:e} gained energy");
    }
}

/// The implicit answer is symmetric, positive, and leaves rotations of the present shape alone.
#[test]
fn answer_is_symmetric_and_leaves_rigid_motion_alone() {
    let shared = shared::<10>(ELLIPSOID, bar(1e9, 0.1), 1.0 / 60.0);
    let r = bent(&shared, 0.1);
    let q = rotation_of(&r, &shared.basis.rest, Quat::IDENTITY);
    let mut answer = vec![];
    shared.modes.answer(&r, q, 1.0, 1.0 / 60.0, &mut answer);
    let n = 27;
    for i in 0..n {
        for j in 0..n {
            assert!((answer[i * n + j] - answer[j * n + i]).abs() < 1e-12);
        }
    }
    for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
        let turning: Vec<f64> = r[1..].iter().flat_map(|c| axis.cross(*c).to_array()).collect();
        let mut answered = turning.clone();
        response::apply(&answer, &mut answered);
        let size = turning.iter().map(|v| v.abs()).fold(0.0, f64::max);
        let error = turning.iter().zip(&answered).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(error < 1e-11 * size, "{:e}", error / size);
    }
    let mut random = noise(11);
    for _ in 0..20 {
        let v: Vec<f64> = (0..n).map(|_| random()).collect();
        let mut w = v.clone();
        response::apply(&answer, &mut w);
        assert!(v.iter().zip(&w).map(|(a, b)| a * b).sum::<f64>() > 0.0);
    }
}
