//! Rigid bodies: exact mass properties, and torque-free motion for a long time.

use crate::support::{SPACE, body, world};
use std::f64::consts::PI;

/// Mass, and moments of inertia about x, y and z as the world shows them: angular momentum over a spin.
fn mass_and_inertia(shape: &str) -> (f64, [f64; 3]) {
    let mut mass = 0.0;
    let inertia = [0, 1, 2].map(|d| {
        let mut spin = [0.0; 3];
        spin[d] = 1f64.to_degrees();
        let more = format!("spin = {spin:?}\nmaterial = {{ density = 700.0 }}\n");
        let m = world(&format!("{SPACE}{}", body("a", "rigid", shape, [0.0; 3], &more))).frame().measures[0];
        mass = m.mass;
        m.angular_momentum[d]
    });
    (mass, inertia)
}

fn assert_close(shape: &str, mass: f64, inertia: [f64; 3]) {
    let (m, i) = mass_and_inertia(shape);
    assert!((m / mass - 1.0).abs() < 1e-12, "{shape}: mass {m} for {mass}");
    for d in 0..3 {
        assert!(
            (i[d] / inertia[d] - 1.0).abs() < 1e-12,
            "{shape}: moment {d} is {} for {}",
            i[d],
            inertia[d]
        );
    }
}

#[test]
fn mass_properties_are_exact() {
    let m = 700.0 * 0.2 * 0.3 * 0.5;
    assert_close("box = [0.2, 0.3, 0.5]", m, [m / 12.0 * 0.34, m / 12.0 * 0.29, m / 12.0 * 0.13]);
    let m = 700.0 * 4.0 / 3.0 * PI * 0.027;
    assert_close("sphere = 0.3", m, [0.4 * m * 0.09; 3]);
    // A tube and two half balls, each with its centre 3/8 r beyond the tube's end.
    let (r, l) = (0.1f64, 0.4f64);
    let tube = 700.0 * PI * r * r * l;
    let half = 700.0 * 2.0 / 3.0 * PI * r.powi(3);
    let along = 0.5 * tube * r * r + 2.0 * half * 0.4 * r * r;
    let own = 0.4 * r * r - (3.0 / 8.0 * r).powi(2);
    let across = tube * (r * r / 4.0 + l * l / 12.0) + 2.0 * half * (own + (0.5 * l + 3.0 / 8.0 * r).powi(2));
    assert_close("capsule = { radius = 0.1, length = 0.4 }", tube + 2.0 * half, [across, along, across]);
}

/// A union of two boxes has the mass and the centre of both together.
#[test]
fn parts_have_the_mass_of_their_union() {
    let shape = "parts = [{ shape = { box = [0.2, 0.2, 0.2] } }, { shape = { box = [0.2, 0.2, 0.2] }, position = [0.1, 0.0, 0.0] }]";
    let m = world(&format!("{SPACE}{}", body("a", "rigid", shape, [0.0; 3], ""))).frame().measures[0];
    assert!((m.mass - 1000.0 * 0.3 * 0.04).abs() < 1e-9, "{} kg", m.mass);
    assert!((m.centre.x - 0.05).abs() < 1e-12, "{}", m.centre);
}

/// Through the whole engine: spun about its middle axis a body flips over and over; energy and angular
/// momentum stay for 1000 s.
#[test]
fn dzhanibekov_flips_keep_energy_and_momentum_for_a_thousand_seconds() {
    let wing = body("wing", "rigid", "box = [0.3, 0.1, 0.2]", [0.0; 3], "spin = [0.05, 0.0, 170.0]\n");
    let mut world = world(&format!("{SPACE}{wing}"));
    let start = world.frame().measures[0];
    let axis = |w: &pliant::World| w.frame().objects[0].rotation * pliant::math::Vec3::Z;
    let (mut flips, mut side) = (0, axis(&world).z.signum());
    for k in 0..120_000 {
        world.step().unwrap();
        if k % 60 == 0 {
            let z = axis(&world).z;
            if z.abs() > 0.5 && z.signum() != side {
                side = z.signum();
                flips += 1;
            }
        }
    }
    let end = world.frame().measures[0];
    assert!(
        (end.kinetic / start.kinetic - 1.0).abs() < 1e-10,
        "energy {:e}",
        end.kinetic / start.kinetic - 1.0
    );
    let l = (end.angular_momentum - start.angular_momentum).length() / start.angular_momentum.length();
    assert!(l < 1e-10, "angular momentum {l:e}");
    // The tilt of 3e-4 grows at 1.4 per second: about 6 s from flip to flip.
    assert!(flips > 50, "only {flips} flips");
}
