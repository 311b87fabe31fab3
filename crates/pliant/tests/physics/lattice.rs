//! Lattice bodies in the world: closed forms, momentum, volume, moulding, controls, impact.

use crate::support::{EARTH, FLOOR, SPACE, body, world};
use pliant::World;
use pliant::math::Vec3;

/// Skin points in world axes.
fn points(world: &World, object: usize) -> &[Vec3] {
    &world.bodies()[object].skin().points
}

fn extent(world: &World, object: usize) -> Vec3 {
    let all = points(world, object);
    let low = all.iter().fold(Vec3::INFINITY, |a, p| a.min(*p));
    all.iter().fold(Vec3::NEG_INFINITY, |a, p| a.max(*p)) - low
}

fn frames(world: &mut World, count: usize) {
    (0..count).for_each(|_| drop(world.next_frame(&mut ()).unwrap()));
}

#[test]
fn free_motion_keeps_momentum_whatever_the_material() {
    let materials = [
        "material = { young = 2e4, damping = 0.0 }",
        "law = \"st_venant_kirchhoff\"\nmaterial = { young = 2e4, damping = 0.3 }",
        "viscous_time = 0.5\nmaterial = { young = 2e3, yield_strain = 0.01 }",
        "material = { young = 5e4, damping = 0.0, incompressible = true }",
        "material = { young = 5e4, damping = 0.1, incompressible = true, yield_strain = 0.02 }",
    ];
    for keys in materials {
        let keys =
            format!("resolution = 4\nspin = [400.0, 900.0, -300.0]\nvelocity = [1.0, 2.0, -0.5]\n{keys}");
        let text =
            format!("{SPACE}{}", body("block", "lattice", "box = [0.2, 0.3, 0.25]", [0.4, 0.0, 0.1], &keys));
        let mut world = world(&text);
        let before = world.frame().measures[0];
        frames(&mut world, 30);
        let after = world.frame().measures[0];
        let (p, l) = (before.momentum.length(), before.angular_momentum.length());
        assert!(after.momentum.distance(before.momentum) < 1e-12 * p, "{keys}: {}", after.momentum);
        let turned = after.angular_momentum.distance(before.angular_momentum) / l;
        assert!(turned < 1e-12, "{keys}: angular momentum changed by {turned:e}");
        // It does deform on the way, or the test would show nothing.
        assert!(after.elastic > 1e-5 * after.kinetic, "{keys}");
    }
}

/// Energy at first, and by how much it is off at worst, as a share.
fn energy_of_flight(world: &mut World, count: usize) -> f64 {
    let all = |w: &World| w.frame().measures[0].kinetic + w.frame().measures[0].elastic;
    let before = all(world);
    let mut worst = 0.0f64;
    for _ in 0..count {
        world.step().unwrap();
        worst = worst.max((all(world) / before - 1.0).abs());
    }
    worst
}

#[test]
fn conserving_steps_keep_energy_and_momenta_of_what_deforms_by_much() {
    let flight = |law: &str, stepping: &str, more: &str| {
        let keys = format!(
            "resolution = 4\nspin = [300.0, 500.0, -200.0]\nvelocity = [1.0, 2.0, -0.5]\nlaw = \"{law}\"\n\
             stepping = \"{stepping}\"\nmaterial = {{ young = 2e4, damping = 0.0{more} }}"
        );
        let shape = "box = [0.2, 0.3, 0.25]";
        let mut world = world(&format!("{SPACE}{}", body("block", "lattice", shape, [0.4, 0.0, 0.1], &keys)));
        let before = world.frame().measures[0];
        let energy = energy_of_flight(&mut world, 600);
        let after = world.frame().measures[0];
        let (p, l) = (before.momentum.length(), before.angular_momentum.length());
        assert!(after.momentum.distance(before.momentum) < 1e-12 * p, "{law}: {}", after.momentum);
        let turned = after.angular_momentum.distance(before.angular_momentum) / l;
        assert!(turned < 1e-12, "{law}, {stepping}: angular momentum changed by {turned:e}");
        energy
    };
    for law in ["neo_hookean", "st_venant_kirchhoff"] {
        let (kept, explicit) = (flight(law, "conserving", ""), flight(law, "explicit", ""));
        assert!(kept < 1e-10, "{law}: energy is off by {kept:e}");
        assert!(explicit > 1e-3, "{law}: so little deforms that explicit steps keep energy to {explicit:e}");
    }
    // What flows loses energy, and nothing else.
    let flowed = flight("neo_hookean", "conserving", ", yield_strain = 0.02");
    assert!(flowed > 1e-3, "only {flowed:e} of the energy was lost by flowing");
}

#[test]
fn conserving_steps_of_a_damped_body_take_energy_only() {
    let keys = "resolution = 4\nspin = [0.0, 500.0, -200.0]\nstepping = \"conserving\"\n\
                material = { young = 2e4, damping = 0.05 }";
    let mut world =
        world(&format!("{SPACE}{}", body("block", "lattice", "box = [0.2, 0.3, 0.25]", [0.0; 3], keys)));
    let all = |w: &World| w.frame().measures[0].kinetic + w.frame().measures[0].elastic;
    let first = all(&world);
    let mut energy = first;
    for _ in 0..400 {
        world.step().unwrap();
        let now = all(&world);
        assert!(now < energy * (1.0 + 1e-12), "energy rose from {energy} to {now}");
        energy = now;
    }
    assert!(energy < 0.999 * first, "nothing was damped: {energy} of {first}");
}

#[test]
fn a_body_of_conserving_steps_bounces_and_comes_to_rest() {
    let cube = |stepping: &str| {
        let keys =
            format!("resolution = 4\nstepping = \"{stepping}\"\nmaterial = {{ young = 5e4, damping = 0.1 }}");
        let cube = body("cube", "lattice", "box = [0.2, 0.2, 0.2]", [0.0, 0.2, 0.0], &keys);
        let mut world = world(&format!("{EARTH}{FLOOR}{cube}"));
        let mut highest = 0.0f64;
        for frame in 0..180 {
            frames(&mut world, 1);
            let y = world.frame().measures[0].centre.y;
            highest = if frame > 12 { highest.max(y) } else { 0.0 };
        }
        (highest, world.frame().measures[0].centre.y)
    };
    let ((bounce, rest), (usual_bounce, usual_rest)) = (cube("conserving"), cube("explicit"));
    assert!((rest / usual_rest - 1.0).abs() < 1e-3, "rests at {rest} m instead of {usual_rest} m");
    assert!((bounce / usual_bounce - 1.0).abs() < 0.03, "bounces to {bounce} m instead of {usual_bounce} m");
}

#[test]
fn an_undamped_body_swings_without_losing_energy() {
    let keys = "resolution = [8, 2, 2]\nspin = [0.0, 0.0, 900.0]\nmaterial = { young = 2e4, damping = 0.0 }";
    let text = format!("{SPACE}{}", body("bar", "lattice", "box = [0.4, 0.1, 0.1]", [0.0; 3], keys));
    let mut world = world(&text);
    let all = |w: &World| w.frame().measures[0].kinetic + w.frame().measures[0].elastic;
    let before = all(&world);
    let mut worst = 0.0f64;
    for _ in 0..120 {
        frames(&mut world, 1);
        worst = worst.max((all(&world) / before - 1.0).abs());
    }
    assert!(worst < 0.02, "energy strayed by {worst}");
}

#[test]
fn a_hanging_bar_stretches_by_the_closed_form() {
    // rho g L^2/(2 E) = 1000 * 9.81 * 0.25/(2 * 1e5).
    let keys = "resolution = [2, 10, 2]\nmaterial = { density = 1000.0, young = 1e5, poisson = 0.0, damping = 0.7 }\n\
                law = \"st_venant_kirchhoff\"";
    let hold = "[[control]]\nbody = \"bar\"\nkind = \"hold\"\nselect = { top = 0.001 }\n";
    let text = format!("{EARTH}{}{hold}", body("bar", "lattice", "box = [0.1, 0.5, 0.1]", [0.0; 3], keys));
    let mut world = world(&text);
    frames(&mut world, 90);
    let stretch = extent(&world, 0).y - 0.5;
    // Exact for the law: stress s(1 + e) per rest area grows linearly upwards; to second order in strain the closed
    // form is 1.5 % too long here.
    let sum: f64 = (0..1000)
        .map(|i| {
            let load = 1000.0 * 9.81 * (f64::from(i) + 0.5) / 1000.0 * 0.5;
            // l (l^2 - 1)/2 E = load.
            let mut l = 1.0f64;
            for _ in 0..50 {
                l -= (0.5 * l * (l * l - 1.0) * 1e5 - load) / (0.5 * (3.0 * l * l - 1.0) * 1e5);
            }
            (l - 1.0) * 0.5 / 1000.0
        })
        .sum();
    assert!((stretch / sum - 1.0).abs() < 0.005, "stretched by {stretch}, not {sum}");
}

#[test]
fn viscosity_has_no_say_in_what_a_load_at_rest_does() {
    // Pulled by the same forces, all come to rest equally long.
    let stretch = |viscous_time: f64| {
        let keys = format!(
            "resolution = [6, 2, 2]\nlaw = \"st_venant_kirchhoff\"\nviscous_time = {viscous_time}\n\
             material = {{ density = 1000.0, young = 1e5, poisson = 0.0 }}"
        );
        let pull = |side: &str, force: f64| {
            format!(
                "[[control]]\nbody = \"bar\"\nkind = \"force\"\nselect = {{ {side} = 0.001 }}\n\
                 force = [{force:?}, 0.0, 0.0]\n"
            )
        };
        let bar = body("bar", "lattice", "box = [0.3, 0.1, 0.1]", [0.0; 3], &keys);
        let mut world = world(&format!("{SPACE}{bar}{}{}", pull("left", -1.0), pull("right", 1.0)));
        frames(&mut world, 120);
        extent(&world, 0).x - 0.3
    };
    let (thin, thicker) = (stretch(0.002), stretch(0.005));
    // The corners of the ends, pulled as hard as their middles, go a little further than the closed form says.
    assert!(thin > 3e-4, "{thin}");
    assert!((thin / thicker - 1.0).abs() < 1e-4, "{thin} {thicker}");
}

#[test]
fn a_cantilever_sags_as_an_independent_code_says() {
    // 1 x 0.2 x 0.2 m, E = 1e6, nu = 0, under a hundredth of gravity: 3.794e-3 m by quadratic elements of another code.
    let keys = "resolution = [10, 2, 2]\nlaw = \"st_venant_kirchhoff\"\nviscous_time = 0.06\n\
                material = { density = 1000.0, young = 1e6, poisson = 0.0 }";
    let hold = "[[control]]\nbody = \"beam\"\nkind = \"hold\"\nselect = { left = 0.001 }\n";
    let text = format!("{SPACE}{}{hold}", body("beam", "lattice", "box = [1.0, 0.2, 0.2]", [0.0; 3], keys));
    let mut world = world(&text.replace("gravity = [0.0, 0.0, 0.0]", "gravity = [0.0, -0.0981, 0.0]"));
    frames(&mut world, 360);
    let tip: Vec<f64> =
        points(&world, 0).iter().filter(|p| p.x > 0.49 && p.z.abs() < 1e-3).map(|p| p.y).collect();
    let sag = -tip.iter().sum::<f64>() / tip.len() as f64;
    assert!((sag / 3.794e-3 - 1.0).abs() < 0.02, "tip at {sag}, {}", extent(&world, 0));
}

#[test]
fn the_jello_cube_rests_and_rebounds_as_converged_elements_do() {
    // Converged hexahedra with eight Gauss points, same law: rest height 0.1972 m, centre 0.1417 m high after the bounce.
    let keys =
        "resolution = 8\nviscous_time = 0.001\nmaterial = { young = 5e4, poisson = 0.3, friction = 0.5 }";
    let text =
        format!("{EARTH}{FLOOR}{}", body("jello", "lattice", "box = [0.2, 0.2, 0.2]", [0.0, 0.2, 0.0], keys));
    let mut world = world(&text);
    let (mut lowest, mut rebound) = (f64::INFINITY, 0.0f64);
    let mut heights = vec![];
    for _ in 0..180 {
        let m = world.next_frame(&mut ()).unwrap().measures[0];
        if m.centre.y < lowest {
            (lowest, rebound) = (m.centre.y, 0.0);
        }
        rebound = rebound.max(m.centre.y);
        heights.push(extent(&world, 0).y);
    }
    assert!((rebound / 0.1417 - 1.0).abs() < 0.03, "rebounds to {rebound}");
    let rest = heights[120..].iter().sum::<f64>() / 60.0;
    assert!((rest / 0.1972 - 1.0).abs() < 0.01, "rests at {rest}");
}

#[test]
fn a_path_is_followed_whatever_the_weight() {
    for g in [-9.81, -98.1] {
        let keys = "resolution = 4\nmaterial = { young = 1e5, damping = 0.05 }";
        let path = "[[control]]\nbody = \"jello\"\nkind = \"path\"\nselect = { top = 0.001 }\n\
                    keys = [{ t = 0, at = [0, 0, 0] }, { t = 0.3, at = [0, 0.2, 0.1] }]\n";
        let text =
            format!("{SPACE}{}{path}", body("jello", "lattice", "box = [0.2, 0.2, 0.2]", [0.0; 3], keys));
        let gravity = format!("gravity = [0.0, {g:?}, 0.0]");
        let mut world = world(&text.replace("gravity = [0.0, 0.0, 0.0]", &gravity));
        let mut worst = 0.0f64;
        for _ in 0..40 {
            worst = worst.max(world.next_frame(&mut ()).unwrap().report.max_control_error);
        }
        assert!(worst < 1e-6, "off by {worst} at gravity {g}");
    }
}

#[test]
fn an_incompressible_block_squashed_to_half_widens_by_the_square_root_of_two() {
    // Without friction.
    let keys = "resolution = 6\n\
                material = { young = 5e4, poisson = 0.45, damping = 0.5, friction = 0.0, incompressible = true }";
    let plate = |name: &str, y: f64, keys: &str| {
        format!(
            "[[obstacle]]\nname = \"{name}\"\nshape = {{ box = [1.0, 0.02, 1.0] }}\nposition = [0.0, {y}, 0.0]\nfriction = 0.0\n{keys}\n"
        )
    };
    let text = format!(
        "{SPACE}{}{}{}",
        body("block", "lattice", "box = [0.2, 0.2, 0.2]", [0.0; 3], keys),
        plate("lower", -0.1105, ""),
        plate("upper", 0.1105, "keys = [{ t = 0, at = [0, 0, 0] }, { t = 1.0, at = [0, -0.1, 0] }]"),
    );
    let mut world = world(&text);
    let mut worst = 0.0f64;
    for _ in 0..80 {
        let m = world.next_frame(&mut ()).unwrap().measures[0];
        worst = worst.max((m.volume / 0.008 - 1.0).abs());
    }
    let size = extent(&world, 0);
    // Mean width: where the nodes of the four sides are now.
    let rest = &world.topology().objects[0].points;
    let sides = points(&world, 0).iter().zip(rest).flat_map(|(p, r)| {
        let out = |x: f64, r: f32| (r.abs() > 0.0999).then(|| x.abs() / 0.1);
        [out(p.x, r[0]), out(p.z, r[2])]
    });
    let widths: Vec<f64> = sides.flatten().collect();
    let stretch = widths.iter().sum::<f64>() / widths.len() as f64;
    let known = (0.2 / size.y).sqrt();
    assert!((size.y - 0.1).abs() < 2e-3, "squashed to {}", size.y);
    assert!((stretch / known - 1.0).abs() < 0.01, "widened by {stretch}, not {known}");
    assert!(worst < 1e-4, "volume off by {worst}");
}

/// Ten times as fast as sound in it: warped cells have faces that those of the skin, which are flat, do not follow.
#[test]
fn an_incompressible_box_that_is_splashed_on_the_floor_encloses_what_it_did() {
    let keys = "resolution = 3\nvelocity = [0.0, -8.0, 0.0]\nrotation = [-44.0, -58.0, 51.0]\n\
                material = { young = 1e3, density = 2300.0, damping = 0.2, friction = 0.6, incompressible = true }";
    let mut world = world(&format!(
        "{EARTH}{FLOOR}{}",
        body("b", "lattice", "box = [0.084, 0.081, 0.04]", [0.0, 0.2, 0.0], keys)
    ));
    let whole = world.frame().measures[0].volume;
    let mut worst = 0.0f64;
    for _ in 0..40 {
        let now = world.next_frame(&mut ()).unwrap().measures[0];
        worst = worst.max((now.volume / whole - 1.0).abs());
    }
    assert!(worst < 0.01, "its volume was off by {worst}");
    let end = world.frame().measures[0].least_jacobian;
    assert!(end > 0.0, "ends inside out: {end}");
}

#[test]
fn an_incompressible_box_gets_no_energy_out_of_a_blow() {
    let keys = "resolution = 5\nvelocity = [0.0, -9.7, 0.0]\nrotation = [2.0, 54.0, 112.0]\n\
                material = { young = 3e6, density = 620.0, damping = 0.26, friction = 0.8, incompressible = true }";
    let mut world = world(&format!(
        "{EARTH}{FLOOR}{}",
        body("b", "lattice", "box = [0.34, 0.25, 0.32]", [0.0, 0.35, 0.0], keys)
    ));
    let all = |w: &World| {
        let m = w.frame().measures[0];
        m.kinetic + m.elastic + 9.81 * m.mass * m.centre.y
    };
    let before = all(&world);
    let mut most = 0.0f64;
    for _ in 0..100 {
        world.step().unwrap();
        most = most.max(all(&world) / before - 1.0);
    }
    // Explicit steps themselves let energy swing by a few parts in a thousand.
    assert!(most < 0.01, "energy rose by {most}");
}

#[test]
fn a_mouldable_bar_keeps_what_goes_beyond_the_yield_strain() {
    // Pulled to a strain, let go: what is left is the strain less the yield strain, both logarithmic and without the
    // volume's part ([PB88] section 6).
    let keys = "resolution = [12, 2, 2]\nmaterial = { young = 5e4, poisson = 0.3, damping = 0.8, yield_strain = 0.05 }";
    let pull = |side: &str, x: f64| {
        format!(
            "[[control]]\nbody = \"bar\"\nkind = \"path\"\nselect = {{ {side} = 0.001 }}\n\
             keys = [{{ t = 0, at = [0, 0, 0] }}, {{ t = 0.5, at = [{x}, 0, 0] }}]\nuntil = 0.7\n"
        )
    };
    let text = format!(
        "{SPACE}{}{}{}",
        body("bar", "lattice", "box = [0.6, 0.1, 0.1]", [0.0; 3], keys),
        pull("left", -0.06),
        pull("right", 0.06)
    );
    let mut world = world(&text);
    frames(&mut world, 40);
    // The middle of the bar, where the held ends do not matter: strain of its surface.
    let strain = |w: &World| {
        let rest = &w.topology().objects[0].points;
        let near = |x: f32| -> f64 {
            let list: Vec<f64> = points(w, 0)
                .iter()
                .zip(rest)
                .filter(|(_, r)| (r[0] - x).abs() < 1e-4)
                .map(|(p, _)| p.x)
                .collect();
            list.iter().sum::<f64>() / list.len() as f64
        };
        let side = |w: &World| {
            let list: Vec<f64> = points(w, 0)
                .iter()
                .zip(rest)
                .filter(|(_, r)| r[0].abs() < 1e-4 && r[1] > 0.049)
                .map(|(p, _)| p.y)
                .collect();
            list.iter().sum::<f64>() / list.len() as f64 / 0.05
        };
        let (long, across) = (((near(0.05) - near(-0.05)) / 0.1).ln(), side(w).ln());
        // Norm of (long, across, across) without its mean.
        (long - across) * (2.0f64 / 3.0).sqrt()
    };
    let pulled = strain(&world);
    frames(&mut world, 90);
    let left = strain(&world);
    assert!(pulled > 0.1, "pulled to {pulled}");
    assert!((left - (pulled - 0.05)).abs() < 0.004, "pulled to {pulled}, {left} left");
}
