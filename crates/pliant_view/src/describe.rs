//! What a page is told about a scene: objects with their looks, numbers that can be changed, camera.

use pliant::material;
use pliant::scene::{BodySpec, Finish, Material, MaterialSpec};
use pliant::{ObjectTopology, SceneSpec, Topology};
use serde::Serialize;

/// The message `scene`.
#[derive(Debug, Serialize)]
pub struct Description<'a> {
    r#type: &'static str,
    name: &'a str,
    title: &'a str,
    text: &'a str,
    fps: f64,
    duration: f64,
    /// Whether time can go on: a recording only has what was recorded.
    live: bool,
    /// Whether everything happens in a plane.
    flat: bool,
    camera: Camera,
    phases: &'a [&'static str],
    objects: Vec<Object<'a>>,
}

#[derive(Debug, Serialize)]
struct Camera {
    at: Option<[f64; 3]>,
    look_at: Option<[f64; 3]>,
    fov: f64,
}

#[derive(Debug, Serialize)]
struct Object<'a> {
    name: &'a str,
    kind: &'a str,
    body: bool,
    deforms: bool,
    remeshed: bool,
    smooth: bool,
    rest_volume: f64,
    /// Red, green and blue as shown, if the scene says so.
    colour: Option<[f64; 3]>,
    finish: Option<Finish>,
    hidden: bool,
    parameters: Vec<Parameter>,
}

/// A number of a body that can be changed.
#[derive(Debug, Serialize)]
struct Parameter {
    name: &'static str,
    label: &'static str,
    unit: &'static str,
    value: f64,
    low: f64,
    high: f64,
    /// Whether equal ways on a slider are equal ratios.
    ratio: bool,
}

/// Everything about a scene but its points.
pub fn describe<'a>(
    (name, text): (&'a str, &'a str),
    spec: &'a SceneSpec,
    topology: &'a Topology,
    phases: &'a [&'static str],
    live: bool,
) -> Description<'a> {
    let planar = |b: &BodySpec| b.own.get("planar").is_some_and(|v| v.as_bool() == Some(true));
    Description {
        r#type: "scene",
        name,
        title: &spec.scene.title,
        text,
        fps: spec.scene.fps,
        duration: spec.scene.duration,
        live,
        flat: !spec.body.is_empty() && spec.body.iter().all(planar),
        camera: Camera { at: spec.camera.at, look_at: spec.camera.look_at, fov: spec.camera.fov },
        phases,
        objects: topology.objects.iter().map(|o| object(spec, o, live)).collect(),
    }
}

fn object<'a>(spec: &SceneSpec, object: &'a ObjectTopology, live: bool) -> Object<'a> {
    let name = source_name(spec, &object.name);
    let look = spec.look.get(name).cloned().unwrap_or_default();
    let body = spec.body.iter().find(|b| b.name == name).filter(|_| live && object.is_body());
    let numbers = body.and_then(|b| material::resolve(&b.material, "").ok());
    Object {
        name: &object.name,
        kind: &object.kind,
        body: object.is_body(),
        deforms: object.deforms,
        remeshed: object.remeshed,
        smooth: object.smooth,
        rest_volume: object.rest_volume,
        colour: look.colour.and_then(|c| c.srgb()),
        finish: look.finish,
        hidden: look.hidden,
        parameters: numbers.map(|m| parameters(&m, spec.scene.air_density > 0.0)).unwrap_or_default(),
    }
}

/// The name in the scene of an object, which may be a copy.
pub fn source_name<'n>(spec: &SceneSpec, name: &'n str) -> &'n str {
    let plain = spec.body.iter().any(|b| b.name == name) || spec.obstacle.iter().any(|o| o.name == name);
    match name.rsplit_once('.') {
        Some((base, _)) if !plain => base,
        _ => name,
    }
}

fn parameters(m: &Material, air: bool) -> Vec<Parameter> {
    let ratio = |name, label, unit, value: f64| Parameter {
        name,
        label,
        unit,
        value,
        low: value / 30.0,
        high: value * 10.0,
        ratio: true,
    };
    let plain = |name, label, unit, value, low, high: f64| Parameter {
        name,
        label,
        unit,
        value,
        low,
        high: high.max(value),
        ratio: false,
    };
    let mut all = vec![
        ratio("young", "Stiffness", "Pa", m.young),
        ratio("density", "Density", "kg/m³", m.density),
        plain("poisson", "Poisson's ratio", "", m.poisson, 0.0f64.min(m.poisson), 0.49),
        plain("damping", "Damping", "of critical", m.damping, 0.0, 2.0),
        plain("friction", "Friction", "", m.friction, 0.0, 1.5),
        plain("yield_strain", "Yield strain (0 never)", "", m.yield_strain, 0.0, 0.5),
    ];
    if air {
        all.push(plain("drag", "Drag in air", "", m.drag, 0.0, 3.0));
    }
    all
}

/// The changes of a scene that give one number of a body's material another value.
pub fn change(spec: &SceneSpec, body: &str, parameter: &str, value: f64) -> Result<(String, String), String> {
    let name = source_name(spec, body);
    let Some(body) = spec.body.iter().find(|b| b.name == name) else {
        return Err(format!("there is no body named \"{name}\""));
    };
    let mut numbers = material::resolve(&body.material, "material").map_err(|e| e.to_string())?;
    let place = match parameter {
        "young" => &mut numbers.young,
        "density" => &mut numbers.density,
        "poisson" => &mut numbers.poisson,
        "damping" => &mut numbers.damping,
        "friction" => &mut numbers.friction,
        "yield_strain" => &mut numbers.yield_strain,
        "drag" => &mut numbers.drag,
        other => return Err(format!("\"{other}\" cannot be changed while the world goes on")),
    };
    *place = value;
    let m = &numbers;
    Ok(match body.material {
        MaterialSpec::Numbers(_) => (format!("body.{name}.material.{parameter}"), format!("{value:?}")),
        // A named material has no place for one number of its own.
        MaterialSpec::Preset(_) => (
            format!("body.{name}.material"),
            format!(
                "{{ density = {:?}, young = {:?}, poisson = {:?}, damping = {:?}, friction = {:?}, yield_strain = {:?}, \
                 flow_time = {:?}, incompressible = {}, drag = {:?} }}",
                m.density,
                m.young,
                m.poisson,
                m.damping,
                m.friction,
                m.yield_strain,
                m.flow_time,
                m.incompressible,
                m.drag
            ),
        ),
    })
}
