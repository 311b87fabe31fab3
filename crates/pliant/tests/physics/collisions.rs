//! Blows: what is conserved, what stops, and that nothing passes.

use crate::support::{EARTH, FLOOR, SPACE, Watched, body, coarse};
use pliant::math::Vec3;
use pliant::{Frame, KINDS};

fn momentum(f: &Frame) -> Vec3 {
    f.measures.iter().map(|m| m.momentum).sum()
}
fn turning(f: &Frame) -> Vec3 {
    f.measures.iter().map(|m| m.angular_momentum).sum()
}
/// Sum of the sizes of all momenta: what round-off is relative to.
fn sizes(f: &Frame) -> f64 {
    f.measures.iter().map(|m| m.momentum.length()).sum()
}

/// Two bodies of any two kinds meet off centre, with friction, in empty space. Impulses come in pairs, so linear
/// momentum is kept to round-off: some hundred steps of a few ulp. Angular momentum: the two points of a contact
/// lie up to a gap apart, so a friction impulse may turn the pair by gap times impulse; the gap is at most the
/// clearance (2e-3 of the size) plus what is travelled in a step (2 m/s for 1/120 s), the size 0.2 m.
#[test]
fn collisions_between_all_kinds_conserve_momentum() {
    for a in KINDS {
        for b in KINDS {
            let first = body(
                "a",
                a.name,
                "box = [0.2, 0.2, 0.2]",
                [-0.3, 0.05, 0.02],
                &format!("{}velocity = [1.0, 0.0, 0.0]\nspin = [20.0, 50.0, 70.0]\n", coarse(a.name)),
            );
            let second = body(
                "b",
                b.name,
                "box = [0.2, 0.25, 0.2]",
                [0.0, 0.0, 0.0],
                &format!("{}velocity = [-1.0, 0.0, 0.0]\nrotation = [10.0, 20.0, 5.0]\n", coarse(b.name)),
            );
            let mut run = Watched::new(&format!("{SPACE}{first}{second}"));
            let start = run.world.frame();
            let (p0, l0) = (momentum(&start), turning(&start));
            let p_size = sizes(&start);
            let (mut touched, mut worst) = (false, (0.0f64, 0.0f64));
            run.run(1.0, |world, f| {
                touched |= !world.contact_frames().is_empty();
                worst.0 = worst.0.max((momentum(f) - p0).length());
                worst.1 = worst.1.max((turning(f) - l0).length());
            });
            assert!(touched, "{} missed {}", a.name, b.name);
            assert!(
                worst.0 < 1e-12 * p_size,
                "{} on {}: momentum off by {:e}",
                a.name,
                b.name,
                worst.0 / p_size
            );
            let gap = 2e-3 * 0.2 + 2.0 / 120.0;
            assert!(worst.1 < gap * p_size, "{} on {}: {:e}", a.name, b.name, worst.1 / (gap * p_size));
        }
    }
}

/// At rest relative to each other but for a slow approach the gap is the clearance at most, so angular momentum
/// is kept to the clearance times the impulse.
#[test]
fn slow_collision_conserves_angular_momentum_to_the_gap_that_is_kept() {
    for a in KINDS {
        for b in KINDS {
            let first = body(
                "a",
                a.name,
                "box = [0.2, 0.2, 0.2]",
                [-0.205, 0.05, 0.0],
                &format!("{}velocity = [0.05, 0.02, 0.0]\n", coarse(a.name)),
            );
            let second = body("b", b.name, "box = [0.2, 0.2, 0.2]", [0.0, 0.0, 0.0], coarse(b.name));
            let mut run = Watched::new(&format!("{SPACE}{first}{second}"));
            let start = run.world.frame();
            let end = run.finish(1.0);
            let size = sizes(&start);
            // Clearance, and the way of one step.
            let gap = 2.0 * 2e-3 * 0.2 + 0.05 / 120.0;
            let error = (turning(&end) - turning(&start)).length();
            assert!(
                error < gap * size,
                "{} on {}: {:e} of gap times impulse",
                a.name,
                b.name,
                error / (gap * size)
            );
        }
    }
}

/// A head-on blow between equal rigid bodies without restitution: they go on together at the mean speed.
#[test]
fn equal_rigid_bodies_share_their_speed_after_a_blow() {
    let a = body("a", "rigid", "sphere = 0.1", [-0.5, 0.0, 0.0], "velocity = [2.0, 0.0, 0.0]");
    let b = body("b", "rigid", "sphere = 0.1", [0.0, 0.0, 0.0], "");
    let mut run = Watched::new(&format!("{SPACE}{a}{b}"));
    run.look = false;
    let end = run.finish(1.0);
    for m in &end.measures {
        let v = m.momentum / m.mass;
        assert!((v - Vec3::X).length() < 1e-9, "{v}");
    }
}

/// 200 m/s cross 1.7 m in a step; the walls are a centimetre thick.
#[test]
fn bullet_does_not_pass_thin_walls() {
    for (kind, shape) in [
        ("rigid", "sphere = 0.02"),
        ("rigid", "box = [0.03, 0.02, 0.02]"),
        ("global", "box = [0.03, 0.02, 0.02]"),
    ] {
        let bullet = body(
            "bullet",
            kind,
            shape,
            [-3.0, 1.0, 0.0],
            "velocity = [200.0, 0.0, 0.0]\nmaterial = { young = 1e8 }\n",
        );
        let wall = |name: &str, x: f64| {
            format!(
                "[[obstacle]]\nname = \"{name}\"\nshape = {{ box = [0.01, 4.0, 4.0] }}\nposition = [{x:?}, 0.0, 0.0]\n"
            )
        };
        let mut run = Watched::new(&format!("{SPACE}{bullet}{}{}", wall("first", 0.0), wall("second", 0.1)));
        run.run(0.5, |_, f| {
            assert!(f.measures[0].centre.x < 0.0, "{kind} {shape} passed: x = {}", f.measures[0].centre.x);
        });
    }
}

/// Walls that give way are hit as well: all share the bullet's momentum, none is passed.
#[test]
fn bullet_pushes_free_walls_before_it() {
    let bullet = body(
        "bullet",
        "rigid",
        "box = [0.05, 0.05, 0.05]",
        [-3.0, 0.0, 0.0],
        "velocity = [200.0, 0.0, 0.0]\nmaterial = { density = 8000 }\n",
    );
    let wall = |name: &str, x: f64| {
        body(name, "rigid", "box = [0.01, 1.0, 1.0]", [x, 0.0, 0.0], "material = { density = 500 }\n")
    };
    let mut run = Watched::new(&format!("{SPACE}{bullet}{}{}", wall("first", 0.0), wall("second", 0.3)));
    let start = run.world.frame();
    let end = run.run(0.5, |_, f| {
        let x: Vec<f64> = f.measures.iter().map(|m| m.centre.x).collect();
        assert!(x[0] < x[1] && x[1] < x[2], "passed: {x:?} at {}", f.time);
    });
    let error = (momentum(&end) - momentum(&start)).length();
    assert!(error < 1e-12 * momentum(&start).length(), "{error:e}");
}

/// Five fast cubes meet in one place.
#[test]
fn five_fast_cubes_collide_without_intersecting() {
    for kind in ["rigid", "global"] {
        let mut text = String::from(SPACE);
        let ways = [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z];
        for (k, way) in ways.iter().enumerate() {
            let more = format!(
                "velocity = {:?}\nrotation = [{:?}, 10.0, 3.0]\nmaterial = {{ young = 1e6 }}\n",
                (*way * -30.0).to_array(),
                7.0 * k as f64
            );
            text += &body(&format!("cube{k}"), kind, "box = [0.3, 0.3, 0.3]", (*way * 1.5).to_array(), &more);
        }
        let mut run = Watched::new(&text);
        let start = run.world.frame();
        let end = run.finish(1.0);
        let error = (momentum(&end) - momentum(&start)).length() / sizes(&start);
        assert!(error < 1e-12, "{kind}: {error:e}");
    }
}

/// A sleeping row is hit: everybody wakes in that very step, and no momentum is lost.
#[test]
fn sleeping_bodies_wake_when_hit_and_momentum_is_kept() {
    for kind in ["rigid", "global"] {
        let row = body(
            "row",
            kind,
            "box = [0.2, 0.2, 0.2]",
            [0.0, 0.0, 0.0],
            "copies = { count = [3, 1, 1], spacing = [0.2004, 0.0, 0.0] }\n",
        );
        let shot = body("shot", "rigid", "sphere = 0.1", [-4.0, 0.0, 0.0], "velocity = [2.0, 0.0, 0.0]\n");
        let mut run = Watched::new(&format!("[scene]\ngravity = [0.0, 0.0, 0.0]\n{row}{shot}"));
        run.look = false;
        let start = run.world.frame();
        let p0 = momentum(&start);
        let (mut slept, mut woke) = (false, false);
        let end = run.run(3.0, |_, f| {
            slept |= f.measures[..3].iter().all(|m| m.asleep);
            woke |= slept && f.measures[..3].iter().all(|m| !m.asleep);
            let error = (momentum(f) - p0).length() / p0.length();
            assert!(error < 1e-12, "{kind}: momentum off by {error:e} at {}", f.time);
        });
        assert!(slept && woke, "{kind}: slept {slept}, woke {woke}");
        assert!(end.measures[2].momentum.x > 0.0, "{kind}: the far end does not move");
    }
}

/// A wall drives bodies before it; none is left behind.
#[test]
fn moving_wall_pushes_bodies_and_never_passes_them() {
    for kind in ["rigid", "global"] {
        let boxes = body(
            "box",
            kind,
            "box = [0.2, 0.2, 0.2]",
            [0.2, 0.11, -0.5],
            "copies = { count = [2, 2, 3], spacing = [0.3, 0.25, 0.4] }\nmaterial = { young = 1e6 }\n",
        );
        let wall = "[[obstacle]]\nname = \"wall\"\nshape = { box = [0.02, 1.0, 3.0] }\nposition = [0.0, 0.55, 0.0]\nkeys = [{ t = 0.0 }, { t = 1.5, at = [3.0, 0.0, 0.0] }]\n";
        let mut run = Watched::new(&format!("{EARTH}{boxes}{FLOOR}{wall}"));
        let end = run.run(1.5, |_, f| {
            let wall = f.objects.last().unwrap().translation.x;
            for m in &f.measures {
                assert!(m.centre.x > wall, "{kind}: left behind at {}", f.time);
            }
        });
        let wall = end.objects.last().unwrap().translation.x;
        assert!(wall > 2.9, "{kind}: the wall got only to {wall}");
    }
}

/// A press closes on a rigid block that cannot yield: the press stops, nothing crosses.
#[test]
fn press_is_stopped_by_a_rigid_block() {
    let block = body("block", "rigid", "box = [0.2, 0.2, 0.2]", [0.0, 0.1, 0.0], "");
    let press = "[[obstacle]]\nname = \"press\"\nshape = { box = [1.0, 0.1, 1.0] }\nposition = [0.0, 0.35, 0.0]\nkeys = [{ t = 0.0 }, { t = 1.0, at = [0.0, -0.3, 0.0] }]\n";
    let mut run = Watched::new(&format!("{EARTH}{block}{FLOOR}{press}"));
    let end = run.finish(1.5);
    let under = end.objects[2].translation.y - 0.05;
    assert!(under > 0.2, "the press stands at {under} m");
    assert!(end.measures[0].centre.y > 0.1 && end.measures[0].centre.y < 0.101);
}

/// The same with a soft block, which gives way.
#[test]
fn press_squeezes_a_soft_block() {
    let block = body(
        "block",
        "global",
        "box = [0.2, 0.2, 0.2]",
        [0.0, 0.1, 0.0],
        "material = { young = 1e5, damping = 0.2, friction = 0.0 }\n",
    );
    let press = "[[obstacle]]\nname = \"press\"\nshape = { box = [1.0, 0.1, 1.0] }\nposition = [0.0, 0.26, 0.0]\nkeys = [{ t = 0.0 }, { t = 1.0, at = [0.0, -0.06, 0.0] }]\n";
    let mut run = Watched::new(&format!("{EARTH}{block}{FLOOR}{press}"));
    let end = run.finish(1.5);
    let under = end.objects[2].translation.y - 0.05;
    assert!((under - 0.15).abs() < 1e-9, "the press got to {under} m");
    assert!(end.measures[0].elastic > 0.0);
}

/// Impulses at one place: angular momentum is kept to round-off.
#[test]
fn collisions_between_rigid_bodies_conserve_angular_momentum() {
    let first = body(
        "a",
        "rigid",
        "box = [0.2, 0.2, 0.2]",
        [-0.3, 0.05, 0.02],
        "velocity = [1.0, 0.0, 0.0]\nspin = [20.0, 50.0, 70.0]\n",
    );
    let second = body(
        "b",
        "rigid",
        "box = [0.2, 0.25, 0.2]",
        [0.0, 0.0, 0.0],
        "velocity = [-1.0, 0.0, 0.0]\nrotation = [10.0, 20.0, 5.0]\n",
    );
    let mut run = Watched::new(&format!("{SPACE}{first}{second}"));
    let start = run.world.frame();
    let l0 = turning(&start);
    run.run(1.0, |_, f| {
        let error = (turning(f) - l0).length() / l0.length();
        assert!(error < 1e-12, "angular momentum off by {error:e} at {}", f.time);
    });
}
