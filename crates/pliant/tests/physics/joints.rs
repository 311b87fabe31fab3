//! Joints against closed forms.

use crate::support::{EARTH, SPACE, Watched, body, coarse};
use pliant::math::Vec3;
use pliant::{Frame, KINDS};

const G: f64 = 9.81;

/// A post that carries things: an obstacle high above, out of the way.
const POST: &str =
    "[[obstacle]]\nname = \"post\"\nshape = { box = [0.1, 0.1, 0.1] }\nposition = [0.0, 5.0, 0.0]\n";

fn control(keys: &str) -> String {
    format!("[[control]]\n{keys}\n")
}

/// Times at which a number rises through zero, by straight lines between samples.
fn rises(samples: &[(f64, f64)]) -> Vec<f64> {
    let up = samples.windows(2).filter(|w| w[0].1 < 0.0 && w[1].1 >= 0.0);
    up.map(|w| w[0].0 + (w[1].0 - w[0].0) * w[0].1 / (w[0].1 - w[1].1)).collect()
}

fn period(samples: &[(f64, f64)]) -> f64 {
    let up = rises(samples);
    assert!(up.len() >= 3, "it swung {} times", up.len());
    (up[up.len() - 1] - up[0]) / (up.len() - 1) as f64
}

/// A cube of side a = 0.1 hangs from a ball joint one metre above its middle: a physical pendulum with
/// T = 2 pi sqrt((l^2 + a^2/6) / (g l)), and 1 + phi^2/16 of that for the swing phi = 0.1.
#[test]
fn pendulum_on_a_ball_joint_swings_in_its_period() {
    let angle = 0.1f64;
    let at = [angle.sin(), 2.0 - angle.cos(), 0.0];
    let turn = format!("rotation = [0.0, 0.0, {:?}]", angle.to_degrees());
    let bob = body("bob", "rigid", "box = [0.1, 0.1, 0.1]", at, &turn);
    let joint = control("body = \"bob\"\nkind = \"ball\"\nto = \"post\"\nat = [0.0, 2.0, 0.0]");
    let mut run = Watched::new(&format!("{EARTH}{bob}{POST}{joint}"));
    let mut samples = vec![];
    let mut worst = 0.0f64;
    run.run(10.0, |_, f| {
        samples.push((f.time, f.measures[0].centre.x));
        worst = worst.max((f.measures[0].centre.distance(Vec3::new(0.0, 2.0, 0.0)) - 1.0).abs());
    });
    let expected = std::f64::consts::TAU * ((1.0 + 0.01 / 6.0) / G).sqrt() * (1.0 + angle * angle / 16.0);
    let found = period(&samples);
    assert!((found / expected - 1.0).abs() < 2e-3, "{found} s for {expected} s");
    assert!(worst < 1e-6, "the joint gave way by {worst:e} m");
}

/// Two bodies in space on a spring: omega = sqrt(k / mu) with mu = m1 m2 / (m1 + m2). Symplectic Euler runs fast by
/// (omega h)^2 / 24 and keeps the swing: the last is as wide as the first.
#[test]
fn bodies_on_a_spring_swing_at_their_frequency() {
    let a = body("a", "rigid", "box = [0.1, 0.1, 0.1]", [-0.5, 0.0, 0.0], "velocity = [-0.2, 0.0, 0.0]");
    let b = body("b", "rigid", "box = [0.2, 0.1, 0.1]", [0.5, 0.0, 0.0], "velocity = [0.1, 0.0, 0.0]");
    let joint = control(
        "body = \"a\"\nkind = \"spring\"\nto = \"b\"\nat = [-0.45, 0.0, 0.0]\nend = [0.4, 0.0, 0.0]\nstiffness = 60.0",
    );
    let mut run = Watched::new(&format!("{SPACE}{a}{b}{joint}"));
    let mut samples = vec![];
    run.run(10.0, |_, f| samples.push((f.time, 1.0 + f.measures[0].centre.x - f.measures[1].centre.x)));
    let mu = 2.0 / 3.0;
    let expected = std::f64::consts::TAU * (mu / 60.0f64).sqrt();
    let found = period(&samples);
    assert!((found / expected - 1.0).abs() < 2e-3, "{found} s for {expected} s");
    let widest = |part: &[(f64, f64)]| part.iter().map(|s| s.1.abs()).fold(0.0, f64::max);
    let (early, late) = (widest(&samples[..120]), widest(&samples[samples.len() - 120..]));
    assert!((late / early - 1.0).abs() < 0.01, "the swing went from {early} to {late} m");
}

/// A mass on a damped spring: x = e^(-c t / 2m) ..., so the swing falls by e^(-c T / 2m) in a period.
#[test]
fn damper_of_a_spring_takes_what_it_should() {
    let a = body("a", "rigid", "box = [0.1, 0.1, 0.1]", [0.0, 0.0, 0.0], "velocity = [0.5, 0.0, 0.0]");
    let joint = control(
        "body = \"a\"\nkind = \"spring\"\nto = \"post\"\nat = [0.0, 0.0, 0.0]\nend = [-1.0, 0.0, 0.0]\nstiffness = 40.0\ndamping = 0.4",
    );
    let mut run = Watched::new(&format!("{SPACE}{a}{POST}{joint}"));
    let mut samples = vec![];
    run.run(6.0, |_, f| samples.push((f.time, f.measures[0].centre.x)));
    let peak = |from: f64, to: f64| {
        samples.iter().filter(|s| s.0 >= from && s.0 < to).map(|s| s.1).fold(0.0, f64::max)
    };
    let period = std::f64::consts::TAU / (40.0f64 - 0.04).sqrt();
    let found = peak(4.0 * period, 5.0 * period) / peak(0.0, period);
    let expected = (-0.4 * 4.0 * period / 2.0).exp();
    assert!((found / expected - 1.0).abs() < 0.03, "{found} for {expected}");
}

/// A door of any kind on a hinge to a post, pushed by gravity from the side: the hinge's two places stay on the axis.
#[test]
fn hinge_keeps_its_axis_for_every_kind() {
    for kind in KINDS {
        let more = format!("{}material = {{ young = 1e6 }}", coarse(kind.name));
        let door = body("door", kind.name, "box = [0.3, 0.2, 0.2]", [0.16, 0.0, 0.0], &more);
        let joint = control(
            "body = \"door\"\nkind = \"hinge\"\nto = \"post\"\nat = [0.01, 0.0, 0.0]\naxis = [0.0, 1.0, 0.0]",
        );
        let space = "[scene]\nsleep = false\ngravity = [0.0, 0.0, -5.0]\n";
        let mut run = Watched::new(&format!("{space}{door}{POST}{joint}"));
        let start = run.world.frame().measures[0].centre;
        let mut worst = 0.0f64;
        let end = run.run(0.5, |_, f| worst = worst.max(f.report.max_control_error)).measures[0].centre;
        assert!(worst < 1e-6, "{}: the axis moved by {worst:e} m", kind.name);
        assert!(end.z < start.z - 0.03, "{} did not swing: {}", kind.name, end.z);
        // A lump hangs by the skeletons nearest to the axis, which do not lie symmetrically about the middle.
        let sideways = if kind.name == "clay" { 0.05 } else { 0.02 };
        assert!((end.y - start.y).abs() < sideways, "{} left the plane of its swing: {}", kind.name, end.y);
    }
}

/// A drawer slides down a slope of 30 degrees without friction: x = g sin t^2 / 2, and neither leaves the rail nor turns.
#[test]
fn slider_slides_freely_along_its_axis_and_nowhere_else() {
    let (sin, cos) = (0.5f64, 0.75f64.sqrt());
    let more = "spin = [0.0, 0.0, 0.0]";
    let drawer = body("drawer", "rigid", "box = [0.2, 0.1, 0.1]", [0.0, 0.0, 0.0], more);
    let joint = control(&format!(
        "body = \"drawer\"\nkind = \"slider\"\nto = \"post\"\nat = [0.0, 0.05, 0.02]\naxis = [{cos:?}, {:?}, 0.0]",
        -sin
    ));
    let mut run = Watched::new(&format!("{EARTH}{drawer}{POST}{joint}"));
    let end = run.finish(1.0);
    let along = Vec3::new(cos, -sin, 0.0);
    let centre = end.measures[0].centre;
    let expected = 0.5 * G * sin * 1.0 * (1.0 + 1.0 / 120.0);
    assert!((along.dot(centre) / expected - 1.0).abs() < 1e-3, "{} m for {expected} m", along.dot(centre));
    assert!((centre - along * along.dot(centre)).length() < 1e-6, "left the rail: {centre}");
    assert!(end.objects[0].rotation.to_scaled_axis().length() < 1e-6, "it turned");
}

fn total(f: &Frame, of: fn(&pliant::Measures) -> Vec3) -> Vec3 {
    f.measures.iter().map(of).sum()
}

/// Two of any kinds on a ball joint in space, side by side, one of them turned until they touch: the place stays one
/// place, momentum is kept, and contact beside the joint gives no energy.
#[test]
fn ball_joint_holds_any_two_kinds_and_keeps_momentum() {
    for (k, a) in KINDS.iter().enumerate() {
        for b in &KINDS[k..] {
            let more = |kind: &str, spin: f64| {
                let motion = format!("velocity = [0.0, 0.3, 0.0]\nspin = [0.0, 0.0, {spin:?}]");
                format!("{}{motion}\nmaterial = {{ young = 1e6 }}", coarse(kind))
            };
            let first = body("a", a.name, "box = [0.2, 0.2, 0.2]", [-0.12, 0.0, 0.0], &more(a.name, 200.0));
            let second = body("b", b.name, "box = [0.2, 0.2, 0.2]", [0.12, 0.0, 0.0], &more(b.name, 0.0));
            let joint = control("body = \"a\"\nkind = \"ball\"\nto = \"b\"\nat = [0.0, 0.0, 0.0]");
            let mut run = Watched::new(&format!("{SPACE}{first}{second}{joint}"));
            run.look = false;
            let start = run.world.frame();
            let size: f64 = start.measures.iter().map(|m| m.momentum.length()).sum();
            let (mut worst, mut touched) = (0.0f64, false);
            let end = run.run(0.6, |world, f| {
                worst = worst.max(f.report.max_control_error);
                touched |= !world.contact_frames().is_empty();
            });
            assert!(touched, "{} never touched {}", a.name, b.name);
            let gained = (total(&end, |m| m.momentum) - total(&start, |m| m.momentum)).length();
            assert!(gained < 1e-11 * size, "{} to {}: momentum off by {:e}", a.name, b.name, gained / size);
            assert!(worst < 1e-4, "{} to {}: {worst:e} m apart", a.name, b.name);
        }
    }
}

/// A load of m = 1 kg on a thread is pulled down by a force that grows by 10 N/s: the joint breaks when m g + F exceeds
/// what it bears, within a step's growth, and the load falls.
#[test]
fn joint_breaks_at_its_force_and_tells_its_force() {
    let load = body("load", "rigid", "box = [0.1, 0.1, 0.1]", [0.0, 1.0, 0.0], "");
    let pull = control(
        "body = \"load\"\nkind = \"force\"\nforce = [{ t = 0.0, value = [0.0, 0.0, 0.0] }, { t = 4.0, value = [0.0, -40.0, 0.0] }]",
    );
    let joint =
        control("body = \"load\"\nkind = \"ball\"\nto = \"post\"\nat = [0.0, 1.0, 0.0]\nbreak_force = 25.0");
    let mut run = Watched::new(&format!("{EARTH}{load}{POST}{joint}{pull}"));
    let expected = (25.0 - G) / 10.0;
    let (mut broke, mut checked) = (None, 0);
    let end = run.run(2.0, |_, f| {
        let control = f.controls[0];
        if control.broken {
            broke.get_or_insert(f.time);
        } else if f.time > 0.1 {
            let load = G + 10.0 * (f.time - 1.0 / 120.0);
            assert!((control.force.y / load - 1.0).abs() < 1e-3, "{} N for {load} N", control.force.y);
            checked += 1;
        }
    });
    let broke = broke.expect("it did not break");
    assert!(
        checked > 60 && broke >= expected && broke < expected + 0.03,
        "broke at {broke} s for {expected} s"
    );
    assert_eq!(end.controls[0].force, Vec3::ZERO);
    assert!(end.measures[0].centre.y < 0.7, "it did not fall");
}

/// What joints know goes with the saved state.
#[test]
fn joints_go_on_from_a_saved_state() {
    let a = body("a", "rigid", "box = [0.1, 0.1, 0.1]", [0.3, 1.0, 0.0], "");
    let joint = control(
        "body = \"a\"\nkind = \"hinge\"\nto = \"post\"\nat = [0.0, 1.0, 0.0]\naxis = [0.0, 0.0, 1.0]\nfrom = 0.05\nbreak_force = 1e4",
    );
    let text = format!("{EARTH}{a}{POST}{joint}");
    let mut one = Watched::new(&text);
    one.finish(0.3);
    let state = one.world.save();
    let end = one.finish(0.3);
    let mut two = Watched::new(&text);
    two.world.load(&state).unwrap();
    assert_eq!(two.finish(0.3).state_hash, end.state_hash);
}
