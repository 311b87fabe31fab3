//! What hybrid bodies promise.

use super::factor::{Factor, Method};
use super::shared::{Parts, Shared};
use super::spline::Spline;
use super::*;
use crate::math::symmetric_eigen;
use crate::scene::Material;
use crate::shape::{TriMesh, sphere_net};
use crate::skin::SkinForm;

/// The 50-node gourd of the equation sheet: rings of 8 nodes, two poles, triaxial; lowest frequency 8 rad/s.
fn gourd(step: f64, damping: f64) -> Arc<Shared> {
    let (nu, nv) = (6usize, 8usize);
    let mut nodes = vec![];
    let mut mass = vec![];
    let polar = |a: usize| (a as f64 + 1.0) * std::f64::consts::PI / (nu as f64 + 1.0);
    for a in 0..nu {
        for b in 0..nv {
            let (t, p) = (polar(a), b as f64 * std::f64::consts::TAU / nv as f64);
            let s = 1.0 + 0.25 * (2.0 * t).cos();
            let lean = 0.1 * t.sin() * p.cos();
            nodes.push(Vec3::new(
                0.9 * s * t.sin() * p.cos(),
                0.7 * s * t.sin() * p.sin(),
                1.3 * t.cos() + lean,
            ));
            mass.push(t.sin());
        }
    }
    nodes.extend([Vec3::Z * 1.3, Vec3::Z * -1.3]);
    mass.extend([0.15 * nv as f64 / 2.0; 2]);
    let all: f64 = mass.iter().sum();
    mass.iter_mut().for_each(|m| *m /= all);
    let mut spline = Spline::default();
    let n = nodes.len();
    let (w, h1, h2) = ([1.0, 0.2, 4e-3], 1.0 / (nu as f64 + 1.0), 1.0 / nv as f64);
    let id = |a: usize, b: usize| (a * nv + b % nv) as u32;
    let up = |a: i64, b: usize| match a {
        -1 => n as u32 - 2,
        a if a == nu as i64 => n as u32 - 1,
        a => id(a as usize, b),
    };
    for (i, m) in mass.iter().enumerate() {
        spline.push(0, w[0] * m * n as f64, &[(i as u32, 1.0)]);
    }
    for a in 0..nu {
        for b in 0..nv {
            let here = id(a, b);
            spline.push(1, w[1], &[(id(a, b + 1), 1.0 / h2), (here, -1.0 / h2)]);
            let s = 1.0 / (h2 * h2);
            spline.push(2, w[2], &[(id(a, b + 1), s), (here, -2.0 * s), (id(a, b + nv - 1), s)]);
            let s = 1.0 / (h1 * h1);
            spline.push(2, w[2], &[(up(a as i64 + 1, b), s), (here, -2.0 * s), (up(a as i64 - 1, b), s)]);
            if a + 1 < nu {
                spline.push(1, w[1], &[(id(a + 1, b), 1.0 / h1), (here, -1.0 / h1)]);
                let s = 1.0 / (h1 * h2);
                let cell = [(id(a + 1, b + 1), s), (id(a + 1, b), -s), (id(a, b + 1), -s), (here, s)];
                spline.push(2, 2.0 * w[2], &cell);
            }
        }
    }
    for (pole, a) in [(n - 2, 0), (n - 1, nu - 1)] {
        let mut fan = vec![(pole as u32, -2.0 / (h1 * h1))];
        for b in 0..nv {
            spline.push(1, w[1], &[(id(a, b), 1.0 / h1), (pole as u32, -1.0 / h1)]);
            fan.push((id(a, b), 2.0 / nv as f64 / (h1 * h1)));
        }
        spline.push(2, w[2], &fan);
    }
    let lowest = generalised(&spline, &mass)[0];
    spline.weights.iter_mut().for_each(|w| *w *= 64.0 / lowest);
    let (mesh, _) = sphere_net(Vec3::ONE, nu, nv);
    Arc::new(Shared::new(parts(nodes, mass, spline, mesh, step, damping)))
}

fn parts(nodes: Vec<Vec3>, mass: Vec<f64>, spline: Spline, mesh: TriMesh, step: f64, damping: f64) -> Parts {
    let all: f64 = mass.iter().sum();
    let centre = nodes.iter().zip(&mass).map(|(p, m)| *p * *m).sum::<Vec3>() / all;
    let skin = TriMesh { points: nodes.clone(), triangles: mesh.triangles, ..TriMesh::default() };
    Parts {
        reference: nodes.iter().map(|p| *p - centre).collect(),
        centre,
        spline,
        method: Method::Direct,
        step,
        planar: false,
        carriers: (0..nodes.len() as u32).map(|i| Carrier::node(i, Vec3::ZERO)).collect(),
        form: SkinForm::bending(&skin),
        mesh: skin,
        smooth: true,
        drag_area: 1.0,
        thickness: 0.01,
        material: Material { damping, ..Material::default() },
        creep_time: 0.0,
        cells: vec![],
        beta: None,
        mass,
    }
}

/// Squared frequencies of `K x = k M x`, in order.
fn generalised(spline: &Spline, mass: &[f64]) -> Vec<f64> {
    let n = mass.len();
    let stiffness = super::stiffness::Stiffness::new(spline, n);
    let mut a = vec![0.0; n * n];
    for i in 0..n {
        for (j, k) in stiffness.row(i) {
            a[i * n + j] = k / (mass[i] * mass[j]).sqrt();
        }
    }
    let mut values = symmetric_eigen(&a, n).0;
    values.sort_by(f64::total_cmp);
    values
}

/// A bent, spinning gourd.
fn bent(shared: &Arc<Shared>) -> Hybrid {
    let start =
        Start { velocity: Vec3::new(0.3, -0.2, 0.1), spin: Vec3::new(1.5, 0.4, 1.0), ..Start::default() };
    let mut body = Hybrid::new(shared, &start);
    for (e, r) in body.e.iter_mut().zip(&shared.reference) {
        *e = 0.02 * Vec3::new((2.0 * r.z).sin(), (3.0 * r.x).cos(), r.x * r.y);
    }
    body.fit_frame();
    let spin = body.rotation.inverse() * start.spin;
    body.z = body.shape().iter().map(|q| spin.cross(*q)).collect();
    body
}

fn energy(body: &Hybrid) -> f64 {
    body.kinetic() + body.shared.energy(&body.e)
}

/// Steps on and returns the worst relative change of momentum, angular momentum and energy.
fn drift(body: &mut Hybrid, steps: u32) -> [f64; 3] {
    let (space, h) = (Environment::default(), body.shared.step);
    let start = (body.measure(), energy(body));
    let mut worst = [0.0f64; 3];
    for _ in 0..steps {
        body.free_motion(&space, h);
        body.settle(h);
        let now = body.measure();
        let change = |a: Vec3, b: Vec3| (a - b).length() / b.length();
        worst[0] = worst[0].max(change(now.momentum, start.0.momentum));
        worst[1] = worst[1].max(change(now.angular_momentum, start.0.angular_momentum));
        worst[2] = worst[2].max((energy(body) / start.1 - 1.0).abs());
    }
    worst
}

/// Equation sheet, table 1.5: 50-node gourd, free, undamped, spinning, 10 000 steps of 0.01 s, 29 revolutions.
#[test]
fn free_flight_keeps_momenta_to_round_off_and_energy_for_ten_thousand_steps() {
    let shared = gourd(0.01, 0.0);
    let fastest = generalised(&shared.spline, &shared.mass).last().unwrap().sqrt();
    assert!((fastest - 242.0).abs() < 1.0, "the gourd of the table ends at 242 rad/s, this one at {fastest}");
    let [p, l, e] = drift(&mut bent(&shared), 10_000);
    assert!(p < 1e-12 && l < 1e-12, "momentum {p:e}, angular momentum {l:e}");
    assert!(e < 3e-4, "energy {e:e}");
}

#[test]
fn free_flight_is_of_second_order() {
    // Where a long step and its halves end after the same time, against a much finer one.
    let place = |step: f64| {
        let shared = gourd(step, 0.0);
        let mut body = bent(&shared);
        drift(&mut body, (0.32 / step).round() as u32);
        body.skin.points.clone()
    };
    let exact = place(0.0003125);
    let off =
        |step: f64| place(step).iter().zip(&exact).map(|(a, b)| a.distance_squared(*b)).sum::<f64>().sqrt();
    let (long, short) = (off(0.005), off(0.0025));
    assert!((3.4..4.8).contains(&(long / short)), "error fell by {} instead of 4", long / short);
}

#[test]
fn steps_with_contact_keep_momenta_and_never_gain_energy() {
    let shared = gourd(0.01, 0.0);
    let mut body = bent(&shared);
    let space = Environment::default();
    let start = (body.measure(), energy(&body));
    let mut most = 0.0f64;
    for _ in 0..4000 {
        body.free_motion(&space, 0.01);
        body.motion = Motion::Still;
        body.prepare_contact();
        body.aim(0.01, &[]);
        body.settle(0.01);
        most = most.max(energy(&body) / start.1);
    }
    let now = body.measure();
    assert!((now.momentum - start.0.momentum).length() < 1e-12 * start.0.momentum.length());
    let turned = (now.angular_momentum - start.0.angular_momentum).length();
    assert!(turned < 1e-12 * start.0.angular_momentum.length(), "{turned:e}");
    assert!(most < 1.0 + 1e-9, "energy rose to {most}");
}

#[test]
fn the_elastic_force_is_the_gradient_of_the_energy_in_world_axes() {
    let shared = gourd(0.01, 0.0);
    let body = bent(&shared);
    let places: Vec<Vec3> = body.shape().iter().map(|q| body.rotation * *q).collect();
    // Energy of nodes at given world places: fit the frame, then 1/2 e K e.
    let at = |x: &[Vec3]| {
        let mut x = x.to_vec();
        shared.centred(&mut x);
        let turn = Mat3::from_quat(fit(&shared.mass, &x, &shared.reference)).transpose();
        let e: Vec<Vec3> = x.iter().zip(&shared.reference).map(|(x, r)| turn * *x - *r).collect();
        shared.energy(&e)
    };
    let force = shared.force(&body.reference, &body.e, &body.shape());
    let largest = force.iter().map(|f| f.length()).fold(0.0, f64::max);
    for i in [0, 7, 23, 49] {
        let exact = body.rotation * force[i];
        for d in 0..3 {
            let step = 1e-5;
            let mut moved = places.clone();
            moved[i][d] += step;
            let up = at(&moved);
            moved[i][d] -= 2.0 * step;
            let slope = (up - at(&moved)) / (2.0 * step);
            assert!(
                (slope + exact[d]).abs() < 1e-6 * largest,
                "node {i}, axis {d}: {slope} and {}",
                exact[d]
            );
        }
    }
}

#[test]
fn levers_answer_as_the_body_then_moves_and_keep_momenta() {
    let shared = gourd(0.01, 0.02);
    let mut body = bent(&shared);
    body.free_motion(&Environment::default(), 0.01);
    let at = |body: &Hybrid, c: [u32; 3], w: [f64; 3]| SkinPoint {
        corners: c,
        weights: w,
        // Off the surface: the offset has to turn with the frame.
        at: (0..3).map(|k| body.skin.points[c[k] as usize] * w[k]).sum::<Vec3>()
            + Vec3::new(0.03, 0.02, -0.05),
    };
    let p = at(&body, [3, 11, 12], [0.2, 0.5, 0.3]);
    let q = at(&body, [40, 33, 49], [0.6, 0.1, 0.3]);
    body.brace(&[p, q]);
    let mut store = vec![];
    let levers = [body.lever(&p, &mut store), body.lever(&q, &mut store)];
    let velocity = |body: &Hybrid, k: usize| crate::contact::velocity(levers[k], &body.y, &store);
    let mass = crate::bodies::TwistMass::default();
    let answer = |i: usize, j: usize| {
        let columns = Vec3::AXES.map(|axis| {
            let mut y = vec![0.0; body.y.len()];
            crate::contact::push(levers[j], &mut y, axis, &store, &mass);
            crate::contact::velocity(levers[i], &y, &store)
        });
        Mat3::from_cols(columns[0], columns[1], columns[2])
    };
    let (pq, qp) = (answer(0, 1), answer(1, 0).transpose());
    assert!((pq - qp).to_cols_array().iter().all(|x| x.abs() < 1e-12), "answers are not mutual");
    let own = answer(0, 0);
    assert!(symmetric_eigen(&own.to_cols_array(), 3).0.iter().all(|x| *x > 0.0), "a push must be answered");
    let before = (body.measure(), body.kinetic(), velocity(&body, 0));
    let impulse = Vec3::new(0.4, -0.3, 0.2);
    crate::contact::push(levers[0], &mut body.y, impulse, &store, &mass);
    let after = body.measure();
    let gained = after.momentum - before.0.momentum - impulse;
    assert!(gained.length() < 1e-14, "momentum off by {gained}");
    let turned = after.angular_momentum - before.0.angular_momentum - p.at.cross(impulse);
    assert!(turned.length() < 1e-14, "angular momentum off by {turned}");
    // Work of an impulse on an implicit body is at least what its kinetic energy gains.
    let work = impulse.dot(before.2 + 0.5 * own * impulse);
    assert!(body.kinetic() - before.1 <= work + 1e-12, "{} against {work}", body.kinetic() - before.1);
    assert!((velocity(&body, 0) - before.2 - own * impulse).length() < 1e-12);
}

#[test]
fn conjugate_gradients_and_the_factor_give_the_same_answer() {
    let shared = gourd(0.01, 0.0);
    let by = |method| Factor::new(&shared.mass, &shared.stiffness, 1e-4, method).expect("a factor");
    let start: Vec<Vec3> = shared.reference.iter().map(|r| r.cross(Vec3::new(1.0, 2.0, 3.0))).collect();
    let (mut a, mut b) = (start.clone(), start);
    by(Method::Direct).solve(&mut a);
    by(Method::Iterative).solve(&mut b);
    let size = a.iter().map(|v| v.length()).fold(0.0, f64::max);
    assert!(a.iter().zip(&b).all(|(a, b)| a.distance(*b) < 1e-11 * size));
}

/// A hoop rings with `w0 + w1 s + w2 s^2` over the mass per length, `s = 4 sin^2(pi k/n)/l^2`; for few nodes per wave
/// that is the discrete law, for many the continuous `s = (k/R)^2`.
#[test]
fn eigenfrequencies_of_a_hoop_are_those_of_the_formulas() {
    let (n, radius) = (60usize, 0.25);
    let angle = |i: usize| std::f64::consts::TAU * i as f64 / n as f64;
    let nodes: Vec<Vec3> = (0..n).map(|i| Vec3::new(angle(i).cos(), angle(i).sin(), 0.0) * radius).collect();
    let (_, net) = crate::shape::curve_net(&nodes, true, crate::shape::Section::Round { radius: 0.01 });
    let w = [300.0, 20.0, 0.5];
    let spline = Spline::new(&net, &super::weights::Weights::uniform(&net, w));
    let per_length = 2.0;
    let mass: Vec<f64> = net.measure.iter().map(|l| per_length * l).collect();
    let found = generalised(&spline, &mass);
    let length = net.measure[0];
    let law = |s: f64| (w[0] + w[1] * s + w[2] * s * s) / per_length;
    // Every wave number but 0 and n/2 comes twice.
    for k in 0..=n / 2 {
        let exact = law(4.0 * (std::f64::consts::PI * k as f64 / n as f64).sin().powi(2) / (length * length));
        let place = if k == 0 { 0 } else { 2 * k - 1 };
        assert!((found[place] / exact - 1.0).abs() < 1e-9, "wave {k}: {} and {exact}", found[place]);
    }
    for k in 1..4 {
        let smooth = law((k as f64 / radius).powi(2));
        assert!(
            (found[2 * k - 1] / smooth - 1.0).abs() < 0.02,
            "wave {k}: {} and {smooth}",
            found[2 * k - 1]
        );
    }
}

/// A free sheet under tension: `w1 (s_i + s_j)` with `s = 4 sin^2(pi i/(2 m))/l^2` on `m` cells, and `(pi i/a)^2` in the
/// limit.
#[test]
fn eigenfrequencies_of_a_plate_are_those_of_the_formulas() {
    let (size, cells) = ([0.6, 0.4], [12usize, 9]);
    let (_, net) = crate::shape::grid_net(size, cells, 0.002);
    let (tension, per_area) = (50.0, 3.0);
    let spline = Spline::new(&net, &super::weights::Weights::uniform(&net, [0.0, tension, 0.0]));
    let mass: Vec<f64> = net.measure.iter().map(|a| per_area * a).collect();
    let found = generalised(&spline, &mass);
    let discrete = |i: usize, d: usize| {
        let l = size[d] / cells[d] as f64;
        4.0 * (std::f64::consts::PI * i as f64 / (2.0 * cells[d] as f64)).sin().powi(2) / (l * l)
    };
    let mut exact: Vec<f64> = (0..=cells[0])
        .flat_map(|i| (0..=cells[1]).map(move |j| (i, j)))
        .map(|(i, j)| tension * (discrete(i, 0) + discrete(j, 1)) / per_area)
        .collect();
    exact.sort_by(f64::total_cmp);
    let largest = exact[exact.len() - 1];
    for (f, e) in found.iter().zip(&exact) {
        assert!((f - e).abs() < 1e-11 * largest, "{f} and {e}");
    }
    let smooth = tension * (std::f64::consts::PI / size[0]).powi(2) / per_area;
    assert!((found[1] / smooth - 1.0).abs() < 0.01, "{} and {smooth}", found[1]);
}
