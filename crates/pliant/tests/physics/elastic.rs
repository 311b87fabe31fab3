//! Elastic bodies in the world: hanging bars, stiffness from jelly to steel, [BW92] Eq. 11.

use crate::support::{EARTH, FLOOR, Watched, body, steps, world};

const H: f64 = 1.0 / 120.0;

/// A bar 1 m long held by its top face sags under its own weight. With Poisson's ratio 0 only the length changes.
///
/// Affine: F = diag(1, s, 1), energy V E e^2 / 2 with e = (s^2 - 1)/2, centre of mass at (s - 1) L / 2 below its start,
/// so s (s^2 - 1) / 2 = rho g L / (2 E): exactly this cubic, and for small strain the textbook tip rho g L^2 / (2 E).
#[test]
fn affine_bar_hangs_by_the_exact_amount() {
    for young in [1e5, 1e7, 1e9] {
        let more = format!("order = 1\nmaterial = {{ young = {young:?}, poisson = 0.0, damping = 1.0 }}\n");
        let bar = body("bar", "global", "box = [0.2, 1.0, 0.2]", [0.0; 3], &more);
        let hold = "[[control]]\nbody = \"bar\"\nkind = \"hold\"\nselect = { top = 0.01 }\n";
        let mut world = world(&format!("{EARTH}{bar}{hold}"));
        steps(&mut world, 3000);
        let load = 1000.0 * 9.81 / (2.0 * young);
        let (mut low, mut high) = (1.0f64, 2.0f64);
        for _ in 0..200 {
            let s = 0.5 * (low + high);
            if s * (s * s - 1.0) / 2.0 < load { low = s } else { high = s }
        }
        let sag = -world.frame().measures[0].centre.y;
        let expected = 0.5 * (low - 1.0);
        // Left-over motion after 25 s of critical damping and 1e-9 of the solver's tolerance.
        assert!((sag / expected - 1.0).abs() < 1e-6, "young {young:e}: {sag} m for {expected} m");
    }
}

/// Second order holds the exact linear solution u = rho g (L y - y^2 / 2) / E, whose mean is rho g L^2 / (3 E). The law
/// is nonlinear in the strain, rho g L / E = 1e-4 at the top, by a factor 1 + 1.5 e at most.
#[test]
fn quadratic_bar_hangs_like_the_textbook_bar() {
    for order in [2, 3] {
        let young = 9.81e7;
        let more =
            format!("order = {order}\nmaterial = {{ young = {young:?}, poisson = 0.0, damping = 1.0 }}\n");
        let bar = body("bar", "global", "box = [0.2, 1.0, 0.2]", [0.0; 3], &more);
        let hold = "[[control]]\nbody = \"bar\"\nkind = \"hold\"\nselect = { top = 0.01 }\n";
        let mut world = world(&format!("{EARTH}{bar}{hold}"));
        steps(&mut world, 3000);
        let sag = -world.frame().measures[0].centre.y;
        let expected = 1000.0 * 9.81 / (3.0 * young);
        assert!((sag / expected - 1.0).abs() < 1.5e-4, "order {order}: {sag:e} m for {expected:e} m");
    }
}

/// The same number of steps for jelly and for steel: stiffness costs nothing and never blows up.
#[test]
fn soft_and_stiff_bodies_are_stable_at_sixty_steps_a_second() {
    let mut counts = vec![];
    for young in [1e4, 1e6, 1e9, 2e11] {
        let more = format!("spin = [30.0, 20.0, 10.0]\nmaterial = {{ young = {young:?}, damping = 0.1 }}\n");
        let cube = body("cube", "global", "box = [0.2, 0.2, 0.2]", [0.0, 0.5, 0.0], &more);
        let mut run = Watched::new(&format!("[scene]\nsleep = false\nsubsteps = 1\n{cube}{FLOOR}"));
        let mut taken = 0;
        let end = run.run(6.0, |_, f| {
            taken += f.report.steps;
            assert!(
                f.measures[0].kinetic.is_finite() && f.measures[0].centre.y < 0.6,
                "young {young:e} at {}",
                f.time
            );
        });
        counts.push(taken);
        let m = end.measures[0];
        assert!(
            m.momentum.length() < 1e-3 * m.mass,
            "young {young:e}: still {} m/s",
            m.momentum.length() / m.mass
        );
        assert!((m.centre.y - 0.1).abs() < 0.03, "young {young:e}: centre at {}", m.centre.y);
    }
    assert!(counts.iter().all(|c| *c == counts[0]));
}

/// [BW92] Eq. 11: one corner of a falling body meets the floor; the impulse that stops the corner is
/// `-n.v / (Z^T M^-1 Z)`. For a box and all polynomials up to an order the whitened basis is made of Legendre products,
/// whose squares at a corner add up to 1 + 9 = 10 (order 1), + 42 = 52 (order 2), + 138 = 190 (order 3), over the mass.
/// The engine closes the gap down to the clearance, so the corner keeps the speed (gap - clearance)/h.
#[test]
fn corner_impulse_is_that_of_baraff_and_witkin() {
    for (order, share) in [(1, 10.0), (2, 52.0), (3, 190.0)] {
        // So soft and undamped that every mode is stepped explicitly: A is the identity.
        let more = format!(
            "order = {order}\nrotation = [40.0, 0.0, 35.0]\nvelocity = [0.0, -1.0, 0.0]\nmaterial = {{ young = 1e3, damping = 0.0, friction = 0.0 }}\n"
        );
        let cube = body("cube", "global", "box = [1.0, 1.0, 1.0]", [0.0, 1.3, 0.0], &more);
        let mut world = world(&format!("{EARTH}{cube}{FLOOR}"));
        let mut taken = 0;
        while world.contact_frames().is_empty() {
            let report = world.step().unwrap();
            taken += 1;
            assert!(taken < 300, "never touched");
            if let [touch] = world.contact_frames()[..] {
                let mass = world.frame().measures[0].mass;
                let falling = 1.0 + 9.81 * H * f64::from(taken);
                let clearance = 2e-3;
                let slack = (f64::from(touch.gap) - clearance) / H;
                let expected = (falling - slack) * mass / share;
                let impulse = f64::from(touch.force[1]) * H;
                // Contact frames are f32.
                assert!(
                    (impulse / expected - 1.0).abs() < 1e-4,
                    "order {order}: {impulse} N s for {expected} N s"
                );
                assert!(
                    (report.min_distance - clearance).abs() < 1e-9,
                    "order {order}: gap {:e}",
                    report.min_distance
                );
            }
        }
        assert_eq!(world.contact_frames().len(), 1, "order {order}");
    }
}

/// A jelly cube bounces from stored elastic energy, and never higher than it fell from.
#[test]
fn dropped_jelly_bounces_but_gains_nothing() {
    for order in [1, 2, 3] {
        let more = format!(
            "order = {order}\nrotation = [10.0, 0.0, 20.0]\nmaterial = {{ young = 5e4, damping = 0.01 }}\n"
        );
        let cube = body("cube", "global", "box = [0.2, 0.2, 0.2]", [0.0, 0.8, 0.0], &more);
        let mut run = Watched::new(&format!("{EARTH}{cube}{FLOOR}"));
        let energy = |f: &pliant::Frame| {
            let m = f.measures[0];
            m.kinetic + m.elastic + m.mass * 9.81 * m.centre.y
        };
        let start = energy(&run.world.frame());
        let mut least = f64::INFINITY;
        let mut rebound = 0.0f64;
        run.run(2.0, |_, f| {
            // Symplectic Euler wobbles about the true energy by the order of h w / 2 of the elastic part.
            assert!(energy(f) < 1.05 * start, "order {order}: {} J of {start} J at {}", energy(f), f.time);
            let y = f.measures[0].centre.y;
            least = least.min(y);
            if y > least + 0.02 && f.time > 0.3 {
                rebound = rebound.max(y - least);
            }
        });
        assert!(rebound > 0.02, "order {order}: no bounce");
    }
}

/// A very soft cube must neither freeze nor stay squashed flat.
#[test]
fn very_soft_cube_does_not_freeze_on_the_floor() {
    let more = "spin = [30.0, 20.0, 10.0]\nmaterial = { young = 1e4, damping = 0.1 }\n";
    let cube = body("cube", "global", "box = [0.2, 0.2, 0.2]", [0.0, 0.5, 0.0], more);
    let mut run = Watched::new(&format!("{EARTH}{cube}{FLOOR}"));
    let end = run.finish(10.0);
    let m = end.measures[0];
    // Sag under its own weight: rho g H^2 / (2 E) = 2 cm of height, 1 cm and a little of the centre.
    assert!(m.centre.y > 0.07, "centre at {}", m.centre.y);
    assert!(m.momentum.length() < 1e-3 * m.mass, "{} m/s", m.momentum.length() / m.mass);
    assert_eq!(end.report.held_back, 0);
}
