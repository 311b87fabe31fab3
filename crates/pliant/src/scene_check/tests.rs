use super::*;
use crate::scene::*;

fn ball(name: &str) -> BodySpec {
    BodySpec::new(name, "rigid", ShapeSpec::Sphere(0.1))
}

fn attach(body: &str, to: &str, from: f64, until: Option<f64>) -> ControlSpec {
    ControlSpec { to: Some(to.into()), from, until, ..ControlSpec::new(body, ControlKind::Attach) }
}

fn scene(names: &[&str]) -> SceneSpec {
    SceneSpec { body: names.iter().map(|n| ball(n)).collect(), ..SceneSpec::default() }
}

#[test]
fn a_plain_scene_passes() {
    check(&scene(&["a", "b"])).unwrap();
}

#[test]
fn a_circle_of_attachments_is_named() {
    let mut spec = scene(&["a", "b", "c", "d"]);
    spec.control =
        vec![attach("d", "a", 0.0, None), attach("a", "b", 0.0, None), attach("b", "c", 0.0, None)];
    check(&spec).unwrap();
    spec.control.push(attach("c", "a", 0.5, None));
    let error = check(&spec).unwrap_err();
    assert_eq!(error.path, "control[3].to");
    assert!(error.message.contains("a -> b -> c -> a"), "{error}");
}

#[test]
fn attachments_that_never_act_together_are_no_circle() {
    let mut spec = scene(&["a", "b"]);
    spec.control = vec![attach("a", "b", 0.0, Some(1.0)), attach("b", "a", 1.0, None)];
    check(&spec).unwrap();
}

#[test]
fn a_long_chain_is_checked_in_one_go() {
    let names: Vec<String> = (0..5000).map(|i| format!("link{i}")).collect();
    let mut spec = scene(&names.iter().map(String::as_str).collect::<Vec<_>>());
    spec.control = names.windows(2).map(|w| attach(&w[0], &w[1], 0.0, None)).collect();
    check(&spec).unwrap();
}

#[test]
fn copies_can_be_named_one_by_one_and_keep_their_names() {
    let mut spec = scene(&["brick", "ball"]);
    spec.body[0].copies = Some(CopiesSpec { count: [2, 1, 2], spacing: [0.1; 3], jitter: 0.0 });
    spec.control = vec![attach("ball", "brick.003", 0.0, None)];
    check(&spec).unwrap();
    spec.control[0].to = Some("brick.004".into());
    assert_eq!(check(&spec).unwrap_err().path, "control[0].to");
    spec.control.clear();
    spec.body[1].name = "brick.001".into();
    let error = check(&spec).unwrap_err();
    assert_eq!(error.path, "body[1].name");
    assert!(error.message.contains("copy of `brick`"), "{error}");
}

#[test]
fn nearest_finds_slips_and_ignores_strangers() {
    let keys = ["density", "young", "poisson", "damping"];
    assert_eq!(nearest("youngg", keys.into_iter()), Some("young"));
    assert_eq!(nearest("Densty", keys.into_iter()), Some("density"));
    assert_eq!(nearest("xylophone", keys.into_iter()), None);
}
