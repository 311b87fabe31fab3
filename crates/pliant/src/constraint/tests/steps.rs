//! Largest steps, measured.

use crate::constraint::RestingLoad;

const LOAD: RestingLoad = RestingLoad { mass: 2.0, load: 19.62, depth: 1e-4, rate: 10.0 };

#[test]
fn largest_steps_are_those_of_the_linear_analysis() {
    let steps = LOAD.largest_steps();
    // Symplectic Euler on an undamped spring.
    let penalty = steps.penalty * (LOAD.penalty_stiffness() / LOAD.mass).sqrt();
    assert!((penalty - 2.0).abs() < 1e-4, "{penalty}");
    // With critical damping an eigenvalue reaches -1 at 2 (sqrt 2 - 1).
    let on_plane = steps.reaction_on_plane * LOAD.rate;
    assert!((on_plane - 2.0 * (2f64.sqrt() - 1.0)).abs() < 1e-4, "{on_plane}");
    // The negative one becomes the larger one where their sum changes sign, at sqrt 3 - 1: from there on the point goes
    // above the plane again and again.
    let contact = steps.reaction_contact * LOAD.rate;
    assert!((contact - (3f64.sqrt() - 1.0)).abs() < 1e-3, "{contact}");
}

#[test]
fn a_tenfold_load_shortens_the_steps_of_the_penalty_alone() {
    let light = LOAD.largest_steps();
    let heavy = RestingLoad { load: 10.0 * LOAD.load, ..LOAD }.largest_steps();
    assert!((light.penalty / heavy.penalty / 10f64.sqrt() - 1.0).abs() < 1e-4);
    assert!((light.reaction_contact / heavy.reaction_contact - 1.0).abs() < 1e-3);
    assert!(light.reaction_contact > 11.0 * light.penalty && heavy.reaction_contact > 36.0 * heavy.penalty);
}
