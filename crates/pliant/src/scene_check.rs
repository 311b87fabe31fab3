//! What can be said about a scene before any geometry is built: ranges of numbers, names, references between
//! entries. Kinds are checked by the registry, sizes of shapes where shapes are built.

mod controls;
mod picture;
mod shapes;

pub use picture::MOST_PIXELS;

use crate::material;
use crate::scene::{BodySpec, Expect, Keyed, SceneError, SceneSettings, SceneSpec};
use std::collections::BTreeMap;

/// Most frames one run may record. At 1 kHz this is nearly three hours.
const MOST_FRAMES: f64 = 1e7;
/// Most bodies, copies counted. Beyond it a typing error is likelier than a wish.
const MOST_BODIES: f64 = 1e6;

/// Checks everything that needs no geometry. The error names the key.
pub fn check(spec: &SceneSpec) -> Result<(), SceneError> {
    settings(&spec.scene)?;
    if spec.body.is_empty() {
        return Err(SceneError::new("body", "the scene has no body; add at least one `[[body]]`"));
    }
    let names = Names::new(spec)?;
    let mut bodies = 0.0;
    for (i, body) in spec.body.iter().enumerate() {
        body_entry(body, &format!("body[{i}]"))?;
        bodies += copy_count(body);
    }
    if bodies > MOST_BODIES {
        let message =
            format!("the scene has {bodies} bodies, copies counted; at most {MOST_BODIES} are allowed");
        return Err(SceneError::new("body", message));
    }
    for (i, obstacle) in spec.obstacle.iter().enumerate() {
        shapes::obstacle(obstacle, &format!("obstacle[{i}]"))?;
    }
    for (i, control) in spec.control.iter().enumerate() {
        controls::control(control, &format!("control[{i}]"), &names)?;
    }
    controls::no_cycles(&spec.control)?;
    if let Some(expect) = &spec.expect {
        expectations(expect, &names)?;
    }
    picture::check(spec, &names)
}

fn settings(s: &SceneSettings) -> Result<(), SceneError> {
    positive("scene.duration", s.duration, "s")?;
    at_most("scene.duration", s.duration, 1e5, "s")?;
    positive("scene.fps", s.fps, "frames per second")?;
    at_most("scene.fps", s.fps, 1e5, "frames per second")?;
    let frames = s.duration * s.fps;
    if frames < 0.5 {
        let message = format!(
            "{} s is shorter than one frame at {} frames per second; lengthen it or raise `scene.fps`",
            s.duration, s.fps
        );
        return Err(SceneError::new("scene.duration", message));
    }
    if frames > MOST_FRAMES {
        let message = format!(
            "{} s at {} frames per second are {frames:.0} frames, more than {MOST_FRAMES:.0}; \
             shorten it or lower `scene.fps`",
            s.duration, s.fps
        );
        return Err(SceneError::new("scene.duration", message));
    }
    if let Some(n) = s.substeps {
        within("scene.substeps", n, 1, 10_000)?;
    }
    if let Some(n) = s.sweeps {
        within("scene.sweeps", n, 1, 1_000_000)?;
    }
    keyed("scene.gravity", &s.gravity)?;
    keyed("scene.wind", &s.wind)?;
    at_least_zero("scene.air_density", s.air_density)?;
    positive("scene.clearance", s.clearance, "of the thinner body's size")?;
    at_most("scene.clearance", s.clearance, 0.05, "of the thinner body's size")
}

fn body_entry(body: &BodySpec, path: &str) -> Result<(), SceneError> {
    if body.kind.is_empty() {
        return Err(SceneError::new(format!("{path}.kind"), "must name a kind; `pliant list` shows them"));
    }
    finite3(&format!("{path}.position"), &body.position)?;
    finite3(&format!("{path}.rotation"), &body.rotation)?;
    finite3(&format!("{path}.velocity"), &body.velocity)?;
    finite3(&format!("{path}.spin"), &body.spin)?;
    shapes::body(&body.shape, &format!("{path}.shape"))?;
    material::resolve(&body.material, &format!("{path}.material"))?;
    if let Some(copies) = &body.copies {
        for (axis, count) in copies.count.iter().enumerate() {
            within(&format!("{path}.copies.count[{axis}]"), *count, 1, MOST_BODIES as u32)?;
        }
        if copy_count(body) > MOST_BODIES {
            let message = format!("{} copies are more than {MOST_BODIES}", copy_count(body));
            return Err(SceneError::new(format!("{path}.copies.count"), message));
        }
        finite3(&format!("{path}.copies.spacing"), &copies.spacing)?;
        at_least_zero(&format!("{path}.copies.jitter"), copies.jitter)?;
    }
    body.own.iter().try_for_each(|(key, value)| finite_value(&format!("{path}.{key}"), value))
}

fn expectations(expect: &Expect, names: &Names) -> Result<(), SceneError> {
    let limits = [
        ("max_penetration", expect.max_penetration),
        ("max_volume_error", expect.max_volume_error),
        ("max_contact_work", expect.max_contact_work),
        ("max_control_error", expect.max_control_error),
        ("max_final_speed", expect.max_final_speed),
        ("max_drift", expect.max_drift),
    ];
    for (key, limit) in limits {
        if let Some(limit) = limit {
            at_least_zero(&format!("expect.{key}"), limit)?;
        }
    }
    for (name, range) in &expect.rest_height {
        let path = format!("expect.rest_height.{name}");
        names.body(name, &path)?;
        range.iter().enumerate().try_for_each(|(i, v)| finite(&format!("{path}[{i}]"), *v))?;
        if range[0] > range[1] {
            let message = format!("the lowest height comes first: [{}, {}]", range[1], range[0]);
            return Err(SceneError::new(path, message));
        }
    }
    Ok(())
}

/// The names that a control or an expectation may refer to.
pub(crate) struct Names<'a> {
    /// Where each body's name stands, and how many copies it has if it has any.
    bodies: BTreeMap<&'a str, Option<u64>>,
    obstacles: Vec<&'a str>,
}

impl<'a> Names<'a> {
    fn new(spec: &'a SceneSpec) -> Result<Self, SceneError> {
        let bodies = spec.body.iter().enumerate().map(|(i, b)| (format!("body[{i}]"), b.name.as_str()));
        let obstacles =
            spec.obstacle.iter().enumerate().map(|(i, o)| (format!("obstacle[{i}]"), o.name.as_str()));
        let mut first: BTreeMap<&str, String> = BTreeMap::new();
        for (path, name) in bodies.chain(obstacles) {
            if name.trim().is_empty() {
                return Err(SceneError::new(format!("{path}.name"), "must not be empty"));
            }
            if let Some(other) = first.insert(name, path.clone()) {
                let message = format!("`{name}` is already the name of {other}; choose another");
                return Err(SceneError::new(format!("{path}.name"), message));
            }
        }
        let counted = |b: &'a BodySpec| (b.name.as_str(), b.copies.as_ref().map(|_| copy_count(b) as u64));
        let names = Self {
            bodies: spec.body.iter().map(counted).collect(),
            obstacles: spec.obstacle.iter().map(|o| o.name.as_str()).collect(),
        };
        // A plain name must not be that of a copy either: exporters would write two objects of one name.
        for (name, path) in &first {
            if let Some(of) = names.copy_of(name) {
                let message = format!("`{name}` is also the name of a copy of `{of}`; choose another");
                return Err(SceneError::new(format!("{path}.name"), message));
            }
        }
        Ok(names)
    }

    /// The body of which `name` is a copy, as in `brick.004`.
    fn copy_of<'n>(&self, name: &'n str) -> Option<&'n str> {
        let (base, number) = name.rsplit_once('.')?;
        let count = (*self.bodies.get(base)?)?;
        let whole = number.len() >= 3 && number.bytes().all(|b| b.is_ascii_digit());
        (whole && number.parse::<u64>().is_ok_and(|n| n < count)).then_some(base)
    }

    fn is_body(&self, name: &str) -> bool {
        self.bodies.contains_key(name) || self.copy_of(name).is_some()
    }

    /// Demands that `name` is a body.
    pub(crate) fn body(&self, name: &str, path: &str) -> Result<(), SceneError> {
        if self.is_body(name) {
            return Ok(());
        }
        Err(SceneError::new(path, unknown_name("body", name, self.bodies.keys().copied())))
    }

    /// Demands that `name` is an obstacle.
    pub(crate) fn obstacle(&self, name: &str, path: &str) -> Result<(), SceneError> {
        if self.obstacles.contains(&name) {
            return Ok(());
        }
        Err(SceneError::new(path, unknown_name("obstacle", name, self.obstacles.iter().copied())))
    }

    /// Demands that `name` is a body or an obstacle.
    pub(crate) fn body_or_obstacle(&self, name: &str, path: &str) -> Result<(), SceneError> {
        if self.is_body(name) || self.obstacles.contains(&name) {
            return Ok(());
        }
        let known = self.bodies.keys().chain(&self.obstacles).copied();
        Err(SceneError::new(path, unknown_name("body or obstacle", name, known)))
    }
}

fn copy_count(body: &BodySpec) -> f64 {
    body.copies.as_ref().map_or(1.0, |c| c.count.iter().map(|n| f64::from(*n)).product())
}

/// Rejects nan and infinity.
pub(crate) fn finite(path: &str, value: f64) -> Result<(), SceneError> {
    if value.is_finite() {
        return Ok(());
    }
    Err(SceneError::new(path, format!("must be a finite number, not {value}")))
}

/// Rejects vectors with a component that is not finite, and names it.
pub(crate) fn finite3(path: &str, value: &[f64; 3]) -> Result<(), SceneError> {
    value.iter().enumerate().try_for_each(|(i, v)| finite(&format!("{path}[{i}]"), *v))
}

/// Rejects zero and below.
pub(crate) fn positive(path: &str, value: f64, unit: &str) -> Result<(), SceneError> {
    finite(path, value)?;
    if value > 0.0 {
        return Ok(());
    }
    Err(SceneError::new(path, format!("must be above 0 {unit}, not {value}")))
}

/// Rejects what is below zero.
pub(crate) fn at_least_zero(path: &str, value: f64) -> Result<(), SceneError> {
    finite(path, value)?;
    if value >= 0.0 {
        return Ok(());
    }
    Err(SceneError::new(path, format!("must be 0 or more, not {value}")))
}

fn at_most(path: &str, value: f64, most: f64, unit: &str) -> Result<(), SceneError> {
    if value <= most {
        return Ok(());
    }
    Err(SceneError::new(path, format!("must be at most {most} {unit}, not {value}")))
}

fn within(path: &str, value: u32, least: u32, most: u32) -> Result<(), SceneError> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(SceneError::new(path, format!("must lie between {least} and {most}, not be {value}")))
}

/// Demands finite values at increasing times.
pub(crate) fn keyed(path: &str, value: &Keyed<[f64; 3]>) -> Result<(), SceneError> {
    match value {
        Keyed::Constant(v) => finite3(path, v),
        Keyed::Keys(keys) if keys.is_empty() => Err(SceneError::new(
            path,
            "has no keys; write a vector [x, y, z] or `[{ t = 0, value = [x, y, z] }]`",
        )),
        Keyed::Keys(keys) => {
            for (i, key) in keys.iter().enumerate() {
                finite3(&format!("{path}[{i}].value"), &key.value)?;
            }
            increasing(path, keys.iter().map(|k| k.t))
        }
    }
}

/// Demands finite, increasing times.
pub(crate) fn increasing(path: &str, times: impl Iterator<Item = f64>) -> Result<(), SceneError> {
    let mut before = f64::NEG_INFINITY;
    for (i, t) in times.enumerate() {
        let key = format!("{path}[{i}].t");
        finite(&key, t)?;
        if t <= before {
            let message = format!("times must increase: {t} s does not come after {before} s");
            return Err(SceneError::new(key, message));
        }
        before = t;
    }
    Ok(())
}

/// Looks for numbers that are not finite in what only a kind understands.
fn finite_value(path: &str, value: &toml::Value) -> Result<(), SceneError> {
    match value {
        toml::Value::Float(v) => finite(path, *v),
        toml::Value::Array(list) => {
            list.iter().enumerate().try_for_each(|(i, v)| finite_value(&format!("{path}[{i}]"), v))
        }
        toml::Value::Table(table) => {
            table.iter().try_for_each(|(key, v)| finite_value(&format!("{path}.{key}"), v))
        }
        _ => Ok(()),
    }
}

/// The candidate most like `word`, if any is like it at all.
pub fn nearest<'a>(word: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    candidates
        .map(|c| (strsim::jaro_winkler(&word, &c.to_lowercase()), c))
        .filter(|(likeness, _)| *likeness > 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, c)| c)
}

/// "no body is named `jelo`; did you mean `jello`? known: ...". Long lists are cut.
pub fn unknown_name<'a>(what: &str, word: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    const SHOWN: usize = 24;
    let guess = nearest(word, known.clone()).map_or(String::new(), |n| format!(" did you mean `{n}`?"));
    let shown: Vec<&str> = known.clone().take(SHOWN).collect();
    let dots = if known.count() > SHOWN { ", ..." } else { "" };
    format!("no {what} is named `{word}`;{guess} known: {}{dots}", shown.join(", "))
}

#[cfg(test)]
mod tests;
