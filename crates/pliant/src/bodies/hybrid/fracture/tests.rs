//! What cutting promises.

use super::super::Hybrid;
use super::super::stiffness::Stiffness;
use super::super::weights::Weights;
use super::*;
use crate::bodies::{Body, Breaks, Start};
use crate::shape::{Net, Section, block_net, curve_net, grid_net, sphere_net};

fn whole((mesh, net): (TriMesh, Net), orders: [f64; 3]) -> Whole {
    let bricks = Bricks::new(&mesh, &net, 0.01);
    let spline = Spline::new(&net, &Weights::uniform(&net, orders));
    Whole {
        strength: vec![0.1; bricks.facets.len()],
        support: Support::of_rows(&bricks, &spline),
        mass: net.measure.clone(),
        spline,
        method: Method::Direct,
        step: 0.01,
        planar: false,
        smooth: false,
        drag_area: 1.0,
        thickness: 0.01,
        material: Material::default(),
        creep_time: 0.0,
        solid: false,
        mesh,
        centre: Vec3::ZERO,
        bricks,
    }
}

/// All numbers of a stiffness matrix.
fn dense(spline: &Spline, n: usize) -> Vec<f64> {
    let k = Stiffness::new(spline, n);
    let mut all = vec![0.0; n * n];
    for i in 0..n {
        k.row(i).for_each(|(j, v)| all[i * n + j] = v);
    }
    all
}

fn same(a: &[f64], b: &[f64]) {
    let size = b.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    assert_eq!(a.len(), b.len());
    assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12 * size), "they differ");
}

/// Facets that lie in the plane x = 0.
fn middle(whole: &Whole, nodes: &[Vec3]) -> Vec<u32> {
    let across =
        |f: &u32| whole.bricks.facets[*f as usize].nodes.iter().all(|n| nodes[*n as usize].x.abs() < 1e-12);
    (0..whole.bricks.facets.len() as u32).filter(across).collect()
}

/// Deleting the rows across a break leaves what bodies made as halves would have: masses and all.
#[test]
fn halves_of_a_cut_body_are_bodies_of_half_the_size() {
    let weights = [3.0, 50.0, 2.0];
    let sheet = (grid_net([0.8, 0.3], [8, 3], 0.01), grid_net([0.4, 0.3], [4, 3], 0.01));
    let size = Vec3::new(0.8, 0.3, 0.2);
    let solid = (block_net(size, [4, 3, 2]), block_net(size * Vec3::new(0.5, 1.0, 1.0), [2, 3, 2]));
    for ((whole_net, half_net), count) in [(sheet, 3), (solid, 6)] {
        let nodes = whole_net.1.nodes.clone();
        let whole = whole(whole_net, weights);
        let half = Spline::new(&half_net.1, &Weights::uniform(&half_net.1, weights));
        let broken = middle(&whole, &nodes);
        assert_eq!(broken.len(), count);
        let uncut = Cut::whole(&whole.bricks);
        let n = uncut.nodes.len();
        same(&dense(&uncut.spline(&whole), n), &dense(&whole.spline, n));
        same(&uncut.mass(&whole), &whole.mass);
        let parts = uncut.parts(&whole.bricks, &broken);
        assert_eq!(parts.len(), 2);
        for bricks in parts {
            let cut = Cut::new(&whole.bricks, bricks, &broken);
            let n = cut.nodes.len();
            assert_eq!(n, half_net.1.nodes.len());
            same(&cut.mass(&whole), &half_net.1.measure);
            same(&dense(&cut.spline(&whole), n), &dense(&half, n));
        }
    }
}

/// A crack that does not go through opens the skin, and rows across it are gone while all others stay.
#[test]
fn a_crack_that_ends_inside_opens_the_sheet_and_weakens_it() {
    let net = grid_net([0.8, 0.4], [8, 4], 0.01);
    let nodes = net.1.nodes.clone();
    let whole = whole(net, [0.0, 50.0, 2.0]);
    let broken: Vec<u32> = middle(&whole, &nodes).into_iter().take(2).collect();
    let uncut = Cut::whole(&whole.bricks);
    assert_eq!(uncut.parts(&whole.bricks, &broken).len(), 1);
    let cut = Cut::new(&whole.bricks, uncut.bricks.clone(), &broken);
    // Two nodes of the crack have two copies now, its tip has one.
    assert_eq!(cut.nodes.len(), nodes.len() + 2);
    let rim = cut.triangles.len() - uncut.triangles.len();
    assert_eq!(rim, 8, "two walls of two cells");
    // A displacement that opens the crack costs less than before, one that leaves it shut costs as much or less.
    let opening = |n: &(u32, u32)| {
        let p = nodes[n.0 as usize];
        let left = if p.x == 0.0 {
            whole.bricks.bricks[n.1 as usize].nodes.iter().any(|m| nodes[*m as usize].x < 0.0)
        } else {
            p.x < 0.0
        };
        if left { -1.0 } else { 1.0 }
    };
    let energy = |spline: &Spline, e: &[f64]| -> f64 {
        spline
            .rows()
            .map(|r| {
                r.weight * r.nodes.iter().zip(r.factors).map(|(n, f)| e[*n as usize] * f).sum::<f64>().powi(2)
            })
            .sum()
    };
    let opened: Vec<f64> = cut.nodes.iter().map(opening).collect();
    let stretched: Vec<f64> = cut.nodes.iter().map(|n| nodes[n.0 as usize].x).collect();
    let before: Vec<f64> = uncut.nodes.iter().map(opening).collect();
    let spline = cut.spline(&whole);
    // Half of the width of the sheet no longer holds on to the other side; what is left is the other half and the tip.
    let (now, then) = (energy(&spline, &opened), energy(&whole.spline, &before));
    assert!(now < 0.85 * then, "{now} and {then}");
    let uncut_stretch: Vec<f64> = nodes.iter().map(|p| p.x).collect();
    let (now, then) = (energy(&spline, &stretched), energy(&whole.spline, &uncut_stretch));
    assert!((now / then - 1.0).abs() < 1e-12, "first differences are all still there: {now} and {then}");
}

/// Whatever shape and motion a body has when it comes apart, nothing of its momenta and its kinetic energy is lost, and the
/// skin stays where it was but for the faces of the crack.
#[test]
fn coming_apart_keeps_mass_momenta_and_the_skin() {
    let line: Vec<Vec3> = (-5..6).map(|i| Vec3::new(0.1 * f64::from(i), 0.0, 0.0)).collect();
    let nets = [
        curve_net(&line, false, Section::Round { radius: 0.02 }),
        grid_net([0.8, 0.4], [8, 4], 0.01),
        block_net(Vec3::new(0.8, 0.3, 0.2), [4, 3, 2]),
        sphere_net(Vec3::splat(0.3), 7, 8),
    ];
    for net in nets {
        let nodes = net.1.nodes.clone();
        let whole = Arc::new(whole(net, [3.0, 50.0, 2.0]));
        let total: f64 = whole.mass.iter().sum();
        let centre = nodes.iter().zip(&whole.mass).map(|(p, m)| *p * *m).sum::<Vec3>() / total;
        let cut = Cut::whole(&whole.bricks);
        let offset = |s: &(u32, u32)| whole.bricks.offsets[s.0 as usize][s.1 as usize];
        let offsets: Vec<Vec3> = cut.spots.iter().map(offset).collect();
        let reference = nodes.iter().map(|p| *p - centre).collect();
        let shared = Arc::new(whole.piece(cut, reference, centre, &offsets, Some(0.0)));
        let start = Start {
            velocity: Vec3::new(1.0, 2.0, -0.5),
            position: Vec3::new(3.0, 1.0, 2.0),
            ..Start::default()
        };
        let mut body = Hybrid::new(&shared, &start);
        for (i, (e, z)) in body.e.iter_mut().zip(&mut body.z).enumerate() {
            let wave = |k: f64| (k * (i as f64 + 1.0)).sin();
            *e = 0.01 * Vec3::new(wave(1.3), wave(2.1), wave(0.7));
            *z += Vec3::new(wave(0.9), wave(1.7), wave(2.9));
        }
        shared.centred(&mut body.z);
        body.fit_frame();
        body.show_now();
        body.cracks = middle(&whole, &nodes);
        body.note_cracks();
        let before = body.measure();
        let pieces = body.pieces();
        assert_eq!(pieces.len(), 2, "{:?}", whole.bricks.bricks.len());
        let after: Vec<_> = pieces.iter().map(|p| p.body.measure()).collect();
        let sum = |f: &dyn Fn(&crate::frame::Measures) -> f64| after.iter().map(f).sum::<f64>();
        assert!((sum(&|m| m.mass) / before.mass - 1.0).abs() < 1e-14);
        assert!((sum(&|m| m.kinetic) / before.kinetic - 1.0).abs() < 1e-13);
        let p: Vec3 = after.iter().map(|m| m.momentum).sum();
        let l: Vec3 = after.iter().map(|m| m.angular_momentum).sum();
        assert!((p - before.momentum).length() < 1e-13 * before.momentum.length());
        assert!((l - before.angular_momentum).length() < 1e-13 * before.angular_momentum.length());
        for piece in &pieces {
            for (point, origin) in piece.body.skin().points.iter().zip(&piece.corners) {
                let Some(origin) = origin else { continue };
                let moved = point.distance(body.skin().points[*origin as usize]);
                assert!(moved < 0.02 * 0.15, "a point of the skin jumped by {moved} m");
            }
        }
    }
}
