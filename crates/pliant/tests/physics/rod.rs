//! [BW92] Figure 3 and section 3.2: a rod runs lengthwise into a wall, and the energy lost at the moment of impact falls
//! to zero as the rod is divided more finely.
//!
//! The rod is `n` affine elements glued end to end, so the velocity along it is piecewise linear and the mass matrix is
//! that of linear finite elements. An impulse that stops the end takes `1/2 m_end v^2` away, with
//! `1/m_end = (M^-1)_11`: 1/4 of all energy for one element, 0.289/n for many. The paper's rod of `n` mass points loses
//! 1/n; both fall to zero.

use pliant::math::Vec3;
use pliant::scene::{
    BodySpec, ControlKind, ControlSpec, Keyed, Material, MaterialSpec, ObstacleSpec, SceneSpec, Select,
    ShapeSpec,
};
use pliant::{MeshLibrary, World};

const LENGTH: f64 = 1.0;
const GAP: f64 = 1e-3;
const SPEED: f64 = 0.5;

/// The rod of `scenes/seeds/bw92_fig3_rod_hits_wall_n*.toml`, for any number of elements.
fn rod(n: usize) -> SceneSpec {
    let length = (LENGTH - (n - 1) as f64 * GAP) / n as f64;
    let mut spec = SceneSpec::default();
    spec.scene.gravity = Keyed::Constant([0.0; 3]);
    spec.scene.substeps = Some(64);
    for k in 0..n {
        spec.body.push(BodySpec {
            name: format!("element_{}", k + 1),
            kind: "global".into(),
            shape: ShapeSpec::Box([length, 0.1, 0.1]),
            position: [-1.02 + length / 2.0 + k as f64 * (length + GAP), 0.0, 0.0],
            rotation: [0.0; 3],
            velocity: [SPEED, 0.0, 0.0],
            spin: [0.0; 3],
            material: MaterialSpec::Numbers(Material {
                young: 1e5,
                poisson: 0.0,
                damping: 0.0,
                friction: 0.0,
                ..Material::default()
            }),
            copies: None,
            own: [("order".to_string(), 1.into())].into_iter().collect(),
        });
    }
    for k in 1..n {
        spec.control.push(ControlSpec {
            select: Select::Right(1e-3),
            to: Some(format!("element_{}", k + 1)),
            ..ControlSpec::new(format!("element_{k}"), ControlKind::Attach)
        });
    }
    spec.obstacle.push(ObstacleSpec {
        name: "wall".into(),
        shape: ShapeSpec::Box([0.1, 0.8, 0.8]),
        position: [0.05, 0.0, 0.0],
        rotation: [0.0; 3],
        friction: Some(0.0),
        keys: vec![],
    });
    spec
}

/// Kinetic and elastic energy `[J]` and momentum along the rod `[kg m/s]`.
fn state(world: &World) -> (f64, f64) {
    let measures = world.frame().measures;
    let energy = measures.iter().map(|m| m.kinetic + m.elastic).sum();
    (energy, measures.iter().map(|m| m.momentum).sum::<Vec3>().x)
}

/// Shares of the energy lost at the moment of impact, and by the time the rod has left the wall.
fn losses(n: usize) -> (f64, f64) {
    let mut world = World::new(&rod(n), &MeshLibrary::new()).unwrap();
    let (before, toward) = state(&world);
    let (mut at_impact, mut now) = (None, (before, toward));
    for _ in 0..2400 {
        world.step().unwrap();
        let next = state(&world);
        // The impact may take two steps: the first only closes the gap.
        if at_impact.is_none() && now.1 < toward * (1.0 - 1e-9) {
            at_impact = Some(1.0 - next.0 / before);
        }
        now = next;
    }
    assert!(now.1 < 0.0, "the rod of {n} elements came back");
    (at_impact.expect("the rod meets the wall"), 1.0 - now.0 / before)
}

/// `m_end / m` of a rod of `n` linear elements: elimination of its tridiagonal mass matrix from the far end.
fn end_mass(n: usize) -> f64 {
    let pivot = (1..n).fold(2.0, |p: f64, _| 4.0 - 1.0 / p);
    (2.0 - 1.0 / pivot) / (6.0 * n as f64)
}

#[test]
fn energy_lost_at_impact_falls_to_zero_with_the_number_of_elements() {
    let counts = [1, 2, 4, 8, 16];
    let measured = counts.map(losses);
    println!("elements   lost at impact   expected   lost in all   n mass points [BW92]");
    for (n, (impact, total)) in counts.iter().zip(&measured) {
        let points = 1.0 / *n as f64;
        println!("{n:8}   {impact:14.4}   {:8.4}   {total:11.4}   {points:.4}", end_mass(*n));
    }
    for (n, (impact, total)) in counts.iter().zip(&measured) {
        let expected = end_mass(*n);
        assert!((impact / expected - 1.0).abs() < 0.03, "{n} elements lose {impact}, expected {expected}");
        assert!(*total < 1.0 && *total >= 0.5 * expected, "{n} elements lose {total} in all");
    }
    for pair in measured.windows(2) {
        assert!(pair[1].0 < 0.6 * pair[0].0, "the loss at impact halves: {pair:?}");
        assert!(pair[1].1 < pair[0].1, "the loss in all falls: {pair:?}");
    }
}
