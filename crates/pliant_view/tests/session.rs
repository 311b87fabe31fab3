//! A session as a page sees it: commands in, messages out.

mod client;

use client::Client;
use serde_json::json;

const FLOOR: &str = "[[obstacle]]\nname = \"table\"\nshape = { plane = {} }\n";
const JELLO: &str = "[scene]\ntitle = \"jello\"\nduration = 1\n\n[[body]]\nname = \"jello\"\nkind = \"lattice\"\n\
    shape = { box = [0.2, 0.2, 0.2] }\nposition = [0, 0.101, 0]\nresolution = 3\n\
    material = { density = 1000, young = 2e4, damping = 0.3 }\n\n";

fn jello() -> String {
    format!("{JELLO}{FLOOR}")
}

#[test]
fn a_scene_is_introduced_and_runs_frame_by_frame() {
    let mut client = Client::with_scene(&jello());
    let scene = client.texts[0].clone();
    assert_eq!(
        (scene["type"].as_str(), scene["objects"][0]["name"].as_str()),
        (Some("scene"), Some("jello"))
    );
    assert_eq!(scene["objects"][0]["parameters"][0]["name"], "young");
    assert_eq!(scene["objects"][0]["parameters"][0]["value"], 2e4);
    assert_eq!(client.index(), 0);
    client.send(json!({ "do": "tick" }));
    assert_eq!(client.index(), 0, "a session that is paused stays where it is");
    client.run(10);
    assert_eq!(client.index(), 10);
    client.send(json!({ "do": "pause" }));
    client.send(json!({ "do": "step" }));
    assert_eq!(client.index(), 11);
}

#[test]
fn scrubbing_back_shows_the_very_same_bytes() {
    let mut client = Client::with_scene(&jello());
    client.run(7);
    client.send(json!({ "do": "pause" }));
    client.send(json!({ "do": "seek", "frame": 5 }));
    let (fifth, hash) = (client.frame.clone(), client.frame[28..44].to_vec());
    client.run(6);
    client.send(json!({ "do": "pause" }));
    client.send(json!({ "do": "seek", "frame": 5 }));
    assert_eq!(client.frame[28..44], hash);
    assert_eq!(client.frame[28..], fifth[28..]);
    // From here time goes through what is known before it goes on.
    client.run(1);
    assert_eq!(client.index(), 6);
    client.send(json!({ "do": "reset" }));
    client.run(5);
    assert_eq!(client.frame[28..44], hash, "the same scene gives the same bits");
}

#[test]
fn a_body_follows_the_hand_and_swings_when_it_is_let_go() {
    let mut client = Client::with_scene(&jello());
    client.run(30);
    client.send(json!({ "do": "grab", "body": 0, "at": [0.0, 0.2, 0.0] }));
    client.send(json!({ "do": "move", "to": [0.0, 0.6, 0.0] }));
    client.run(180);
    assert_eq!(client.word(24) & 1, 1, "the frame shows the spring");
    // Hanging still: the spring carries the weight, 8 kg.
    let force = f32::from_bits(client.word(68 + 4 + 28));
    assert!((force - 78.5).abs() < 4.0, "{force} N");
    let held = client.centre();
    assert!(held[1] > 0.35, "{held:?}");
    client.send(json!({ "do": "release" }));
    client.run(6);
    assert!(client.speed() > 0.5 && client.centre()[1] < held[1], "{} m/s", client.speed());
    assert_eq!(client.word(24) & 1, 0);
}

#[test]
fn a_push_gives_its_impulse() {
    let text = jello().replace("duration = 1", "duration = 1\ngravity = [0, 0, 0]").replace("0.101", "0.5");
    let mut client = Client::with_scene(&text);
    client.send(json!({ "do": "push", "body": 0, "at": [0, 0.5, 0.1], "impulse": [4.0, 0, 0] }));
    client.run(3);
    assert!((client.speed() - 0.5).abs() < 1e-3, "8 kg get 4 N s: {} m/s", client.speed());
}

#[test]
fn a_stiffer_body_sags_less_and_time_goes_on() {
    let mut client = Client::with_scene(&jello());
    client.run(90);
    let soft = client.centre()[1];
    client.send(json!({ "do": "set", "body": 0, "parameter": "young", "value": 2e5 }));
    assert!(client.error().is_none(), "{:?}", client.error());
    assert!(client.texts[0]["text"].as_str().unwrap().contains("young = 200000.0"), "{:?}", client.texts);
    client.run(90);
    assert_eq!(client.index(), 180);
    let stiff = client.centre()[1];
    // A column under its own weight sinks by rho g L^2 / 2E: 9.8 mm at 2e4 Pa, a tenth of it at 2e5 Pa; its middle by
    // three eighths of that times two.
    assert!(stiff - soft > 0.004 && stiff - soft < 0.009, "from {soft} to {stiff}");
}

#[test]
fn one_number_of_a_named_material_can_be_changed() {
    let named = "material = \"gelatin\"";
    let text = jello().replace("material = { density = 1000, young = 2e4, damping = 0.3 }", named);
    let mut client = Client::with_scene(&text);
    client.send(json!({ "do": "set", "body": 0, "parameter": "density", "value": 500.0 }));
    assert!(client.error().is_none(), "{:?}", client.error());
    client.run(2);
    assert!((client.body(0)[0] - 4.0).abs() < 1e-4, "{} kg", client.body(0)[0]);
}

#[test]
fn a_broken_scene_is_refused_with_its_line_and_the_old_one_stays() {
    let mut client = Client::with_scene(&jello());
    let broken = jello().replace("young = 2e4", "yuong = 2e4");
    client.send(json!({ "do": "load", "name": "broken.toml", "text": broken }));
    let error = client.error().unwrap();
    assert_eq!(error["line"], 11);
    assert!(error["shown"].as_str().unwrap().contains("did you mean `young`?"), "{error}");
    client.run(1);
    assert_eq!(client.index(), 1);
}

#[test]
fn odd_commands_are_refused_in_words() {
    let mut client = Client::new();
    for command in [
        json!({ "do": "tick" }),
        json!({ "do": "fly" }),
        json!(7),
        json!({ "do": "grab", "body": 0, "at": [0, 0, 0] }),
        json!({ "do": "open", "name": "a", "data": "%%%" }),
        json!({ "do": "save", "what": "glb" }),
    ] {
        client.send(command.clone());
        assert!(client.error().is_some(), "{command}");
    }
    client.send(json!({ "do": "load", "name": "a.toml", "text": jello() }));
    for command in [
        json!({ "do": "grab", "body": 1, "at": [0, 0, 0] }),
        json!({ "do": "grab", "body": 9, "at": [0, 0, 0] }),
        json!({ "do": "push", "body": 0, "at": [0, 0, 0], "impulse": ["far", 0, 0] }),
        json!({ "do": "set", "body": 0, "parameter": "young", "value": -1.0 }),
        json!({ "do": "set", "body": 0, "parameter": "colour", "value": 1.0 }),
        json!({ "do": "cut", "body": 0, "at": [0, 0, 0], "across": [1, 0, 0] }),
    ] {
        client.send(command.clone());
        assert!(client.error().is_some(), "{command}");
    }
    client.run(1);
    assert_eq!(client.index(), 1);
}

#[test]
fn files_hold_what_was_simulated() {
    use base64::Engine;
    let mut client = Client::with_scene(&jello());
    client.run(4);
    client.send(json!({ "do": "save", "what": "recording" }));
    let name = u32::from_le_bytes(client.file[..4].try_into().unwrap()) as usize;
    assert_eq!(&client.file[4..4 + name], b"test.pliant");
    let bytes = client.file[4 + name.next_multiple_of(4)..].to_vec();
    let recording = pliant_io::recording::Recording::from_bytes("test.pliant", bytes.clone()).unwrap();
    assert_eq!((recording.frame_count(), recording.is_complete()), (5, true));
    let data = base64::engine::general_purpose::STANDARD.encode(&bytes);
    client.send(json!({ "do": "save", "what": "glb" }));
    let name = u32::from_le_bytes(client.file[..4].try_into().unwrap()) as usize;
    assert_eq!(&client.file[4 + name.next_multiple_of(4)..][..4], b"glTF");

    let last = client.frame[28..44].to_vec();
    client.send(json!({ "do": "open", "name": "test.pliant", "data": data }));
    assert_eq!((client.index(), client.texts[0]["live"].as_bool()), (0, Some(false)));
    client.run(9);
    assert_eq!(client.index(), 4, "a recording ends where it ends");
    assert_eq!(client.frame[28..44], last);
}
