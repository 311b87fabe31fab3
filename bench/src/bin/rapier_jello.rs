//! The jello cube of `jello` in Rapier's soft bodies: constraints or finite elements.
//!
//! usage: rapier_jello [--cells 8] [--solver constraints] [--hz 60] [--seconds 2] [--threads 1]

use pliant_bench::{Watch, number, option, row};
use rapier3d::prelude::*;

const SIDE: f32 = 0.2;

fn main() {
    let (n, hz, seconds) = (number("--cells", 8.0) as usize, number("--hz", 60.0), number("--seconds", 2.0));
    let (solver, threads) = (option("--solver", "constraints"), number("--threads", 1.0) as usize);
    let mut world = PhysicsWorld::new();
    world.configure_thread_pool(threads).expect("rapier's threads");
    world.gravity = Vector::new(0.0, -9.81, 0.0);
    world.integration_parameters.dt = 1.0 / hz as f32;
    world.integration_parameters.length_unit = SIDE;
    world.insert(
        RigidBodyBuilder::fixed().translation(Vector::new(0.0, -0.5, 0.0)),
        ColliderBuilder::cuboid(2.0, 0.5, 2.0).friction(0.5),
    );
    let radius = 0.25 * SIDE / n as f32;
    let middle = Vector::new(0.0, 0.1 + SIDE / 2.0, 0.0);
    let cube = SoftBodyBuilder::cuboid(middle, Vector::splat(SIDE / 2.0), n + 1, n + 1, n + 1);
    let count = cube.particle_positions().len();
    let material = SoftBodyMaterial {
        young_modulus: 5e4,
        poisson_ratio: 0.3,
        elastic_damping_ratio: 0.1,
        ..Default::default()
    };
    let cube = cube
        .cell_model(SoftBodyCellModel::Corotational)
        .material(material)
        .solver(if solver == "fem" { SoftBodySolver::Fem } else { SoftBodySolver::Constraints })
        .masses(masses(n))
        .particle_radius(radius)
        .surface_collider(ColliderBuilder::ball(radius).friction(0.5).density(0.0))
        .can_sleep(false);
    let handle = world.insert_soft_body(cube);
    let level = |body: &SoftBody, j: usize| {
        let layer = (0..count).filter(|q| q / (n + 1) % (n + 1) == j);
        layer.map(|q| body.particle_position(q).y).sum::<f32>() / ((n + 1) * (n + 1)) as f32
    };
    let mut watch = Watch::default();
    let (mut lowest, mut bottom, mut rebound) = (f32::MAX, f32::MAX, 0.0f32);
    for step in 0..(seconds * hz).round() as usize {
        watch.run(|| world.step());
        if step % (hz / 60.0).round().max(1.0) as usize == 0 {
            let body = &world.soft_bodies[handle];
            lowest = lowest.min(level(body, n) - level(body, 0));
            let centre = body.center_of_mass().y;
            if centre < bottom {
                (bottom, rebound) = (centre, centre);
            }
            rebound = rebound.max(centre);
        }
    }
    let body = &world.soft_bodies[handle];
    let height = level(body, n) - level(body, 0);
    let per_second = Watch { cpu: watch.cpu / seconds, wall: watch.wall / seconds };
    let answer = [("height", height), ("lowest", lowest), ("rebound", rebound)].map(|(k, v)| (k, f64::from(v)));
    row(&format!("Rapier {solver} {hz} Hz"), n, threads, &per_second, &answer);
}

/// Each cell gives an eighth of its mass to its corners.
fn masses(n: usize) -> Vec<f32> {
    let corner = 1000.0 * SIDE.powi(3) / (n * n * n) as f32 / 8.0;
    let mut masses = vec![0.0; (n + 1) * (n + 1) * (n + 1)];
    for i in 0..n {
        for j in 0..n {
            for k in 0..n {
                for c in 0..8 {
                    let (a, b, d) = (i + (c & 1), j + (c >> 1 & 1), k + (c >> 2));
                    masses[(a * (n + 1) + b) * (n + 1) + d] += corner;
                }
            }
        }
    }
    masses
}
