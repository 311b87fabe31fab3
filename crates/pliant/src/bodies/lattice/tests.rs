use super::field::Field;
use super::forces::{Cells, Motion, State};
use super::grid::Grid;
use super::law::{Elastic, Inverse, Law, UNMOULDED};
use super::modes::Cell;
use crate::math::{Mat3, Quat, Vec3, symmetric_eigen};

const LAWS: [Law; 2] = [Law::NeoHookean, Law::StVenantKirchhoff];

fn cells(law: Law, counts: [usize; 3], poisson: f64) -> Cells {
    let grid = Grid::of_box(Vec3::new(0.3, 0.2, 0.4), counts);
    let stiff = vec![grid.cell.volume; grid.cells.len()];
    Cells { grid, elastic: Elastic::new(law, 1000.0, poisson), stiff }
}

fn forces(cells: &Cells, x: &[Vec3], inverse: &[Inverse<f64>]) -> Vec<Vec3> {
    let (mut out, mut all) = (Field::new(x.len()), vec![Vec3::ZERO; x.len()]);
    cells.elastic_forces(Motion { x: &Field::of(x), v: &Field::new(x.len()), inverse }, &mut out);
    out.get(&mut all);
    all
}

fn viscous_forces(cells: &Cells, x: &[Vec3], v: &[Vec3]) -> Vec<Vec3> {
    let (mut out, mut all) = (Field::new(x.len()), vec![Vec3::ZERO; x.len()]);
    cells.viscous_forces(Motion { x: &Field::of(x), v: &Field::of(v), inverse: &[] }, &mut out);
    out.get(&mut all);
    all
}

/// Repeatable numbers from -1 to 1.
fn noise(seed: u64) -> impl FnMut() -> f64 {
    let mut s = seed;
    move || {
        s = s.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (s >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

fn shaken(cells: &Cells, size: f64, seed: u64) -> Vec<Vec3> {
    let mut r = noise(seed);
    cells.grid.nodes.iter().map(|p| *p + Vec3::new(r(), r(), r()) * size).collect()
}

#[test]
fn volume_of_a_warped_cell_is_that_of_its_bilinear_faces() {
    // Six bilinear faces, each by the four triangles of its corners averaged.
    let faces = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    for seed in 1..20 {
        let body = cells(Law::NeoHookean, [1, 1, 1], 0.3);
        let x = shaken(&body, 0.08, seed);
        let corner = body.grid.cells[0].map(|n| x[n as usize]);
        let triple = |a: usize, b: usize, c: usize| corner[a].dot(corner[b].cross(corner[c]));
        let known: f64 = faces
            .iter()
            .map(|[a, b, c, d]| {
                (triple(*a, *b, *c) + triple(*a, *c, *d) + triple(*a, *b, *d) + triple(*b, *c, *d)) / 12.0
            })
            .sum();
        let cell = &body.grid.cell;
        let ours = super::forces::modes_of(&body.grid.cells[0], &x).volume() * cell.per_volume();
        assert!((ours * cell.volume - known).abs() < 1e-15, "{ours} {known}");
    }
}

#[test]
fn averaged_metric_is_that_of_gauss_points() {
    let cell = Cell::new([0.3, 0.2, 0.4]);
    let body = cells(Law::StVenantKirchhoff, [1, 1, 1], 0.3);
    let x = shaken(&body, 0.05, 3);
    let corner = body.grid.cells[0].map(|n| x[n as usize]);
    let s = 1.0 / 3f64.sqrt();
    let mut known = Mat3::ZERO;
    for g in 0..8 {
        let at: [f64; 3] = std::array::from_fn(|d| if g >> d & 1 == 1 { s } else { -s });
        let gradient = |axis: usize| -> Vec3 {
            (0..8)
                .map(|k| {
                    let sign = |d: usize| if k >> d & 1 == 1 { 1.0 } else { -1.0 };
                    let w: f64 =
                        (0..3)
                            .map(|d| {
                                if d == axis { sign(d) / cell.size[d] } else { 0.5 * (1.0 + sign(d) * at[d]) }
                            })
                            .product();
                    corner[k] * w
                })
                .sum()
        };
        let f = Mat3::from_cols(gradient(0), gradient(1), gradient(2));
        known += f.transpose() * f * 0.125;
    }
    let m = super::forces::modes_of(&body.grid.cells[0], &x);
    let (raw, units) = (super::metric::metric(&m), super::metric::units(&cell));
    let ours: [f64; 6] = std::array::from_fn(|e| raw[e] * units[e]);
    let expected =
        [known.x_axis.x, known.y_axis.y, known.z_axis.z, known.y_axis.x, known.z_axis.x, known.z_axis.y];
    for e in 0..6 {
        assert!((ours[e] - expected[e]).abs() < 1e-14, "{e}: {} {}", ours[e], expected[e]);
    }
}

#[test]
fn force_is_minus_the_gradient_of_energy_and_stiffness_its_derivative() {
    let mut r = noise(9);
    // The second shakes cells so that parts of them are inside out.
    for (law, shake) in LAWS.into_iter().flat_map(|law| [(law, 0.02), (law, 0.08)]) {
        let body = cells(law, [2, 3, 2], 0.3);
        let x = shaken(&body, shake, 5);
        let moulded: Vec<Inverse<f64>> =
            body.grid.cells.iter().map(|_| std::array::from_fn(|e| UNMOULDED[e] + 0.1 * r())).collect();
        fn state<'a>(x: &'a [Vec3], inverse: &'a [Inverse<f64>]) -> State<'a> {
            State { x, inverse }
        }
        let force = forces(&body, &x, &moulded);
        let mut product = vec![Vec3::ZERO; x.len()];
        let d: Vec<Vec3> = x.iter().map(|_| Vec3::new(r(), r(), r())).collect();
        let eps = 1e-6;
        let moved = |s: f64| -> Vec<Vec3> { x.iter().zip(&d).map(|(x, d)| *x + *d * (s * eps)).collect() };
        let slope = (body.energy(state(&moved(1.0), &moulded)) - body.energy(state(&moved(-1.0), &moulded)))
            / (2.0 * eps);
        let work: f64 = -force.iter().zip(&d).map(|(f, d)| f.dot(*d)).sum::<f64>();
        assert!((slope - work).abs() < 1e-6 * work.abs(), "{law:?}: {slope} {work}");
        body.stiffness_times(state(&x, &moulded), &d, &mut product);
        let (ahead, behind) = (forces(&body, &moved(1.0), &moulded), forces(&body, &moved(-1.0), &moulded));
        for i in 0..x.len() {
            let known = (behind[i] - ahead[i]) / (2.0 * eps);
            assert!(product[i].distance(known) < 1e-5 * known.length().max(1.0), "{law:?} {i}");
        }
    }
}

#[test]
fn only_rigid_motions_are_free() {
    for law in LAWS {
        for counts in [[1, 1, 1], [2, 2, 2], [3, 2, 1]] {
            let body = cells(law, counts, 0.3);
            let n = 3 * body.grid.nodes.len();
            let mut matrix = vec![];
            let mut column = vec![Vec3::ZERO; body.grid.nodes.len()];
            for i in 0..n {
                let mut d = vec![Vec3::ZERO; body.grid.nodes.len()];
                d[i / 3][i % 3] = 1.0;
                body.stiffness_times(State { x: &body.grid.nodes, inverse: &[] }, &d, &mut column);
                matrix.extend(column.iter().flat_map(|v| v.to_array()));
            }
            let values = symmetric_eigen(&matrix, n).0;
            let most = values.iter().copied().fold(0.0, f64::max);
            let zero = values.iter().filter(|v| v.abs() < 1e-9 * most).count();
            assert_eq!(zero, 6, "{law:?} {counts:?}");
            assert!(values.iter().all(|v| *v > -1e-9 * most), "{law:?} {counts:?}");
        }
    }
}

#[test]
fn patch_test_a_uniform_strain_needs_no_force_inside() {
    // Any affine map: inner nodes are in balance, and stress is the same in every cell.
    let turn = Mat3::from_quat(Quat::from_scaled_axis(Vec3::new(0.4, -0.8, 0.3)));
    let stretch =
        Mat3::from_cols(Vec3::new(1.2, 0.1, 0.0), Vec3::new(0.1, 0.9, -0.05), Vec3::new(0.0, -0.05, 1.05));
    for law in LAWS {
        let body = cells(law, [3, 3, 3], 0.3);
        let x: Vec<Vec3> = body.grid.nodes.iter().map(|p| turn * stretch * *p + Vec3::ONE).collect();
        let force = forces(&body, &x, &[]);
        let most = force.iter().map(|f| f.length()).fold(0.0, f64::max);
        for (p, f) in body.grid.nodes.iter().zip(&force) {
            let inner = (p.x.abs() < 0.14) && (p.y.abs() < 0.09) && (p.z.abs() < 0.19);
            assert!(!inner || f.length() < 1e-12 * most, "{law:?}: {f}");
        }
        let total: Vec3 = force.iter().sum();
        let torque: Vec3 = force.iter().zip(&x).map(|(f, x)| x.cross(*f)).sum();
        assert!(total.length() < 1e-12 * most && torque.length() < 1e-12 * most);
    }
}

#[test]
fn viscous_forces_neither_push_nor_turn_nor_resist_rigid_motion() {
    for law in LAWS {
        let mut body = cells(law, [2, 2, 3], 0.3);
        body.elastic.viscous_time = 0.1;
        let x = shaken(&body, 0.03, 11);
        let v = shaken(&body, 1.0, 12);
        let force = viscous_forces(&body, &x, &v);
        let most = force.iter().map(|f| f.length()).fold(0.0, f64::max);
        let power: f64 = force.iter().zip(&v).map(|(f, v)| f.dot(*v)).sum();
        let (push, turn): (Vec3, Vec3) =
            (force.iter().sum(), force.iter().zip(&x).map(|(f, x)| x.cross(*f)).sum());
        assert!(
            power < 0.0 && push.length() < 1e-12 * most && turn.length() < 1e-12 * most,
            "{power} {push} {turn}"
        );
        let spin = Vec3::new(1.0, 2.0, -0.5);
        let rigid: Vec<Vec3> = x.iter().map(|x| spin.cross(*x) + Vec3::X).collect();
        assert!(viscous_forces(&body, &x, &rigid).iter().all(|f| f.length() < 1e-12 * most));
    }
}
