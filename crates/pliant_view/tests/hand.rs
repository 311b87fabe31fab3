//! A hand that pulls as hard as it can: whatever it holds, nothing passes through itself, turns inside out or comes from
//! nowhere. The certificate is the judge.

mod client;

use client::Client;
use pliant_io::certify::{Certificate, certify};
use serde_json::json;
use std::f64::consts::TAU;

const TABLE: &str =
    "[[obstacle]]\nname = \"table\"\nshape = { box = [1.2, 0.05, 0.9] }\nposition = [0, -0.025, 0]\n";

fn scene(body: &str) -> String {
    format!("[scene]\ntitle = \"a pull\"\nduration = 1\n\n[[body]]\nname = \"it\"\n{body}\n\n{TABLE}")
}

/// The largest force of the hand over the body's weight, and the certificate.
struct Pulled {
    force: f64,
    certificate: Certificate,
    least_jacobian: f64,
}

/// Lets a scene run for some frames, then takes a body at a place and drags it 0.3 m sideways and up in 0.1 s, holds it,
/// whirls it about, brings it back, and lets go.
fn pull(text: &str, before: usize, at: impl Fn([f64; 3]) -> [f64; 3]) -> Pulled {
    let mut client = Client::with_scene(text);
    client.run(before);
    let start = at(client.centre().map(f64::from));
    client.send(json!({ "do": "grab", "body": 0, "at": start }));
    let mut force = 0.0f64;
    let mut go = |client: &mut Client, by: [f64; 3]| {
        let to: [f64; 3] = std::array::from_fn(|d| start[d] + by[d]);
        client.send(json!({ "do": "move", "to": to }));
        client.run(1);
        let pull = client.pull().expect("it is held");
        force = force.max(pull.iter().map(|f| f64::from(*f).powi(2)).sum::<f64>().sqrt());
    };
    for k in 1..=6 {
        let way = f64::from(k) / 6.0 * 0.3;
        go(&mut client, [way * 0.6, way * 0.8, 0.0]);
    }
    for _ in 0..15 {
        go(&mut client, [0.18, 0.24, 0.0]);
    }
    for k in 0..60 {
        let turn = f64::from(k) / 25.0 * TAU;
        go(&mut client, [0.18 * turn.cos(), 0.24 + 0.05 * (0.7 * turn).sin(), 0.18 * turn.sin()]);
    }
    // Back to where it can be let fall.
    for _ in 0..25 {
        go(&mut client, [0.0, 0.14, 0.0]);
    }
    client.send(json!({ "do": "release" }));
    client.run(60);
    let weight = f64::from(client.body(0)[0]) * 9.81;
    let recording = client.recording();
    let frames = recording.frames().map(Result::unwrap);
    let least_jacobian = frames.map(|f| f.measures[0].least_jacobian).fold(f64::INFINITY, f64::min);
    let certificate = certify(&recording, &|| {}).unwrap();
    Pulled { force: force / weight, certificate, least_jacobian }
}

fn hold_to_it(what: &str, pulled: &Pulled) {
    let c = &pulled.certificate;
    println!(
        "{what}: {:.2} weights, least jacobian {:.3}, energy {:.2e}, momentum {:.1e}, behind {:.3} m",
        pulled.force, pulled.least_jacobian, c.energy_gain, c.momentum_error, c.max_soft_control_error
    );
    assert!(c.ok, "{what}: {}", c.verdict);
    assert!(pulled.force > 1.0, "{what}: it is pulled by {} of its weight only", pulled.force);
    // A hand that is 0.3 m ahead is behind nobody's back: the certificate tells how far it was, and does not mind.
    assert!(c.max_soft_control_error > 0.005 && c.max_control_error == 0.0, "{what}");
}

fn above([x, y, z]: [f64; 3]) -> [f64; 3] {
    [x, y + 0.1, z]
}

#[test]
fn the_jello_of_figure_14_is_pulled_about() {
    let text = include_str!("../../../scenes/seeds/pb88_fig14_jello_hits_the_table.toml");
    for (what, [a, b, c]) in [
        ("on its top", [0.0, 0.1, 0.0]),
        ("in front", [0.0, 0.0, 0.1]),
        ("behind", [0.0, 0.0, -0.1]),
        ("on the right", [0.1, 0.0, 0.0]),
        ("on the left", [-0.1, 0.0, 0.0]),
        ("on a corner", [0.1, 0.1, 0.1]),
        ("on another", [-0.1, 0.1, -0.1]),
    ] {
        hold_to_it(what, &pull(text, 60, |[x, y, z]| [x + a, y + b, z + c]));
    }
}

#[test]
fn a_coarse_lattice_is_pulled_about() {
    let body = "kind = \"lattice\"\nshape = { box = [0.3, 0.1, 0.15] }\nposition = [0, 0.06, 0]\nresolution = [6, 2, 3]\n\
                material = { density = 1000, young = 1e4, damping = 0.1 }";
    hold_to_it("a bar by its end", &pull(&scene(body), 20, |[x, y, z]| [x + 0.14, y + 0.05, z]));
}

#[test]
fn a_hybrid_shell_is_pulled_about() {
    let body = "kind = \"hybrid\"\nshape = { sphere = 0.1 }\nposition = [0, 0.12, 0]\nthickness = 0.01\n\
                material = { density = 1000, young = 2e5, damping = 0.2 }";
    hold_to_it("a hollow ball", &pull(&scene(body), 20, above));
}

#[test]
fn clay_is_pulled_about() {
    let body = "kind = \"clay\"\nshape = { box = [0.24, 0.24, 0.16] }\nspacing = 0.08\nposition = [0, 0.13, 0]\n\
                material = { density = 1500, young = 8e4, damping = 0.5, friction = 0.4 }";
    hold_to_it("18 skeletons", &pull(&scene(body), 20, above));
}

#[test]
fn a_global_body_is_pulled_about() {
    let body = "kind = \"global\"\nshape = { box = [0.2, 0.2, 0.2] }\nposition = [0, 0.11, 0]\n\
                material = { density = 1000, young = 5e4, damping = 0.1 }";
    hold_to_it("a block that bends as a whole", &pull(&scene(body), 20, above));
}

#[test]
fn a_rigid_body_is_held_at_one_place_and_turns_about_it() {
    let body = "kind = \"rigid\"\nshape = { box = [0.3, 0.2, 0.1] }\nposition = [0, 0.11, 0]";
    hold_to_it("a block", &pull(&scene(body), 20, above));
    // Held at a corner and left alone it hangs from that corner: the middle of it comes to stand below the hand.
    let mut client = Client::with_scene(&scene(body));
    client.send(json!({ "do": "grab", "body": 0, "at": [0.15, 0.21, 0.05] }));
    client.send(json!({ "do": "move", "to": [0.0, 0.7, 0.0] }));
    client.run(900);
    let [x, y, z] = client.centre();
    let reach = (0.15f32.powi(2) + 0.1f32.powi(2) + 0.05f32.powi(2)).sqrt();
    // Sagging by a tenth of its size, 0.3 m.
    assert!(x.hypot(z) < 0.05 && (0.7 - 0.03 - reach - y).abs() < 0.01, "hangs at {x} {y} {z}");
    let force = client.pull().unwrap();
    assert!((force[1] - 6.0 * 9.81).abs() < 1.0, "6 kg pull by {force:?}");
}

/// A piece that came off is taken by itself, not the first of them.
#[test]
fn each_piece_of_a_body_that_came_apart_can_be_held() {
    let body = "kind = \"hybrid\"\nshape = { grid = { size = [0.6, 0.14], cells = [12, 4], thickness = 0.006 } }\n\
                position = [0, 0.3, 0]\nweights = { w1 = 300, w2 = 0.15 }\nfracture_strain = 0.9\n\
                material = { density = 900, damping = 0.15 }";
    for side in [-1.0, 1.0] {
        let mut client =
            Client::with_scene(&scene(body).replace("duration = 1", "duration = 1\ngravity = [0, 0, 0]"));
        client.send(json!({ "do": "cut", "body": 0, "at": [0, 0.3, 0], "across": [1, 0, 0] }));
        client.run(2);
        assert!(client.error().is_none(), "{:?}", client.error());
        let start = [0.2 * side, 0.3, 0.0];
        client.send(json!({ "do": "grab", "body": 0, "at": start }));
        client.send(json!({ "do": "move", "to": [0.2 * side, 0.5, 0.0] }));
        client.run(60);
        // The held half follows by 0.2 m and the other stays: the middle of both goes up by half of that.
        let up = f64::from(client.centre()[1]) - 0.3;
        assert!((up - 0.1).abs() < 0.03, "side {side}: the middle rose by {up} m");
        let recording = client.recording();
        let last = recording.frame(recording.frame_count() - 1).unwrap();
        let at = |p: &[f32; 3]| {
            last.objects[0].translation
                + last.objects[0].rotation * pliant::math::Vec3::from(p.map(f64::from))
        };
        let heights = last.objects[0].points.iter().map(at).filter(|p| p.x * side > 0.15).map(|p| p.y);
        let lowest = heights.fold(f64::INFINITY, f64::min);
        assert!(lowest > 0.4, "side {side}: the half that is held hangs down to {lowest} m");
    }
}

/// Frames bring what is inside only where it is asked for, and it is where the body is.
#[test]
fn what_is_inside_comes_when_it_is_asked_for() {
    let text = include_str!("../../../scenes/seeds/pb88_fig14_jello_hits_the_table.toml");
    let mut client = Client::with_scene(text);
    // Still in the air, where cells are as long as at rest.
    client.run(5);
    let (plain, hash) = (client.frame.len(), client.frame[28..44].to_vec());
    client.send(json!({ "do": "pause" }));
    client.send(json!({ "do": "inside", "shown": true }));
    // 7^3 nodes of three numbers, and how many there are of nodes and of seeds.
    assert_eq!(client.frame.len(), plain + 12 * 343 + 8);
    assert_eq!(client.frame[28..44], hash);
    let recording = client.recording();
    let (jello, frame) = (&recording.topology().objects[0], recording.frame(5).unwrap());
    assert_eq!(jello.cell_edges.len(), 3 * 9 * 9 * 8);
    let all: Vec<[f32; 3]> =
        frame.objects[0].points.iter().copied().chain(frame.objects[0].nodes.points()).collect();
    for edge in &jello.cell_edges {
        let [a, b] = edge.map(|k| pliant::math::Vec3::from(all[k as usize].map(f64::from)));
        assert!((a.distance(b) - 0.025).abs() < 1e-4, "an edge of a cell is {} m long", a.distance(b));
    }
    client.send(json!({ "do": "inside", "shown": false }));
    assert_eq!(client.frame.len(), plain);
}
