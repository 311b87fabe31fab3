//! Coulomb friction against closed forms.

use crate::support::{EARTH, FLOOR, Watched, body};
use pliant::math::Vec3;

const G: f64 = 9.81;
/// The step of a scene at 60 frames per second with the default two steps each.
const H: f64 = 1.0 / 120.0;
/// arctan 1/2 in degrees.
const SLOPE: f64 = 26.565_051_177_077_99;

/// A plane that falls by one half along +x.
const HILL: &str = "[[obstacle]]\nname = \"hill\"\nshape = { plane = { normal = [0.5, 1.0, 0.0] } }\n";

fn normal() -> Vec3 {
    Vec3::new(0.5, 1.0, 0.0).normalize()
}
fn downhill() -> Vec3 {
    Vec3::new(1.0, -0.5, 0.0).normalize()
}

fn block_on_hill(kind: &str, friction: f64) -> Watched {
    let at = normal() * 0.1;
    let more =
        format!("rotation = [0.0, 0.0, {}]\nmaterial = {{ friction = {friction:?}, young = 1e9 }}\n", -SLOPE);
    Watched::new(&format!(
        "{EARTH}{}{HILL}",
        body("block", kind, "box = [0.4, 0.2, 0.4]", at.to_array(), &more)
    ))
}

/// tan(slope) = 0.5 = friction is the very limit: the friction needed is the friction there is. It holds there, and with
/// 0.2 % to spare.
#[test]
fn block_on_a_slope_at_the_limit_of_friction_stays() {
    for friction in [0.5, 0.501] {
        let mut run = block_on_hill("rigid", friction);
        let start = run.world.frame().measures[0].centre;
        let end = run.finish(5.0).measures[0].centre;
        let drift = downhill().dot(end - start);
        assert!(drift.abs() < 1e-6, "friction {friction}: crept {drift:e} m in 5 s");
    }
}

#[test]
fn global_block_on_a_slope_below_the_limit_of_friction_stays() {
    let mut run = block_on_hill("global", 0.55);
    // The body first sags under its own weight: that is motion, but not sliding.
    let start = run.finish(1.0).measures[0].centre;
    let end = run.finish(4.0).measures[0].centre;
    let drift = downhill().dot(end - start);
    assert!(drift.abs() < 1e-6, "crept {drift:e} m in 4 s");
}

/// Friction 0.49 leaves a = g (sin - 0.49 cos) = 0.01 g cos = 0.0877 m/s^2; symplectic Euler travels a t (t + h)/2.
#[test]
fn block_on_a_slope_slides_when_friction_falls_short() {
    for kind in ["rigid", "global"] {
        let mut run = block_on_hill(kind, 0.49);
        let start = run.world.frame().measures[0].centre;
        let end = run.finish(4.0).measures[0].centre;
        let a = 0.01 * G * normal().y;
        let expected = 0.5 * a * 4.0 * (4.0 + H);
        let travelled = downhill().dot(end - start);
        assert!((travelled / expected - 1.0).abs() < 0.01, "{kind}: {travelled} m for {expected} m");
    }
}

/// v^2 / (2 mu g), stepped: after k steps the speed is v - k mu g h, which the engine travels for h each. The whole
/// way differs from this sum by less than one step's friction, mu g h^2 / 2 = 1.4e-4 m.
#[test]
fn sliding_block_stops_where_friction_has_eaten_its_energy() {
    for kind in ["rigid", "global"] {
        let more = "velocity = [2.0, 0.0, 0.0]\nmaterial = { friction = 0.4, young = 1e9 }\n";
        let block = body("block", kind, "box = [0.4, 0.1, 0.4]", [0.0, 0.05, 0.0], more);
        let mut run = Watched::new(&format!("{EARTH}{block}{FLOOR}"));
        let start = run.world.frame().measures[0].centre;
        let end = run.finish(1.5).measures[0];
        let (mut expected, mut v) = (0.0, 2.0 - 0.4 * G * H);
        while v > 0.0 {
            expected += v * H;
            v -= 0.4 * G * H;
        }
        let travelled = end.centre.x - start.x;
        let tolerance = 0.5 * 0.4 * G * H * H;
        assert!((travelled - expected).abs() < tolerance, "{kind}: {travelled} m for {expected} m");
        assert!((expected - 4.0 / (2.0 * 0.4 * G)).abs() < 2.0 * H, "the sum is not the closed form");
        assert!(end.momentum.length() < 1e-6 * end.mass, "{kind} still moves");
    }
}

/// A ball that rolls without slipping gains 5/7 g sin.
#[test]
fn ball_rolls_down_at_five_sevenths_of_free_sliding() {
    let at = normal() * 0.1;
    let ball = body("ball", "rigid", "sphere = 0.1", at.to_array(), "material = { friction = 0.5 }");
    let mut run = Watched::new(&format!("{EARTH}{ball}{HILL}"));
    run.look = false;
    let start = run.world.frame().measures[0].centre;
    let end = run.finish(2.0).measures[0].centre;
    let a = 5.0 / 7.0 * G * normal().x;
    let expected = 0.5 * a * 2.0 * (2.0 + H);
    let travelled = downhill().dot(end - start);
    assert!((travelled / expected - 1.0).abs() < 0.01, "{travelled} m for {expected} m");
}

/// A ball rolling on a level floor has nothing to stop it: v stays 5/7 v0 once slipping ends, for v0 thrown
/// without spin.
#[test]
fn thrown_ball_ends_up_rolling_at_five_sevenths_of_its_speed() {
    let more = "velocity = [3.5, 0.0, 0.0]\nmaterial = { friction = 0.5 }";
    let ball = body("ball", "rigid", "sphere = 0.1", [0.0, 0.1, 0.0], more);
    let mut run = Watched::new(&format!("{EARTH}{ball}{FLOOR}"));
    run.look = false;
    let end = run.finish(2.0).measures[0];
    let v = end.momentum.x / end.mass;
    assert!((v / 2.5 - 1.0).abs() < 1e-3, "rolls at {v} m/s");
}
