//! What a scene says about pictures of itself.

use super::{Names, at_least_zero, at_most, finite, finite3, increasing, positive, within};
use crate::math::Vec3;
use crate::scene::{CameraSpec, Colour, FigureSpec, LightSpec, LookSpec, MatteSpec, SceneError, SceneSpec};
use std::collections::BTreeMap;

/// Most pixels along one side of a picture.
pub const MOST_PIXELS: u32 = 16_384;

pub(super) fn check(spec: &SceneSpec, names: &Names) -> Result<(), SceneError> {
    camera(&spec.camera, names)?;
    light(&spec.light)?;
    looks(&spec.look, names)?;
    if let Some(matte) = &spec.matte {
        self::matte(matte, names)?;
    }
    match &spec.figure {
        Some(figure) => self::figure(figure),
        None => Ok(()),
    }
}

fn camera(camera: &CameraSpec, names: &Names) -> Result<(), SceneError> {
    for (key, value) in [("at", &camera.at), ("look_at", &camera.look_at)] {
        value.iter().try_for_each(|v| finite3(&format!("camera.{key}"), v))?;
    }
    direction("camera.up", &camera.up)?;
    positive("camera.fov", camera.fov, "degrees")?;
    at_most("camera.fov", camera.fov, 170.0, "degrees")?;
    for (i, side) in camera.size.iter().enumerate() {
        within(&format!("camera.size[{i}]"), *side, 1, MOST_PIXELS)?;
    }
    finite("camera.orbit", camera.orbit)?;
    if let Some(body) = &camera.follow {
        names.body(body, "camera.follow")?;
    }
    for (i, key) in camera.keys.iter().enumerate() {
        finite3(&format!("camera.keys[{i}].at"), &key.at)?;
        finite3(&format!("camera.keys[{i}].look_at"), &key.look_at)?;
        apart(&format!("camera.keys[{i}].look_at"), &key.at, &key.look_at)?;
    }
    increasing("camera.keys", camera.keys.iter().map(|k| k.t))?;
    if let (Some(at), Some(look_at)) = (&camera.at, &camera.look_at) {
        apart("camera.look_at", at, look_at)?;
    }
    at_least_zero("camera.aperture", camera.aperture)?;
    camera.focus.iter().try_for_each(|f| positive("camera.focus", *f, "m"))?;
    at_least_zero("camera.shutter", camera.shutter)?;
    at_most("camera.shutter", camera.shutter, 1.0, "of the time between frames")?;
    finite("camera.exposure", camera.exposure)?;
    at_most("camera.exposure", camera.exposure.abs(), 20.0, "steps")
}

fn light(light: &LightSpec) -> Result<(), SceneError> {
    direction("light.direction", &light.direction)?;
    at_least_zero("light.softness", light.softness)?;
    at_most("light.softness", light.softness, 45.0, "degrees")?;
    at_least_zero("light.strength", light.strength)?;
    at_least_zero("light.sky_strength", light.sky_strength)?;
    for (key, value) in [("colour", &light.colour), ("sky", &light.sky), ("horizon", &light.horizon)] {
        colour(&format!("light.{key}"), value)?;
    }
    for (i, lamp) in light.lamp.iter().enumerate() {
        let path = format!("light.lamp[{i}]");
        finite3(&format!("{path}.at"), &lamp.at)?;
        finite3(&format!("{path}.look_at"), &lamp.look_at)?;
        apart(&format!("{path}.look_at"), &lamp.at, &lamp.look_at)?;
        positive(&format!("{path}.radius"), lamp.radius, "m")?;
        at_least_zero(&format!("{path}.strength"), lamp.strength)?;
        colour(&format!("{path}.colour"), &lamp.colour)?;
    }
    Ok(())
}

fn looks(looks: &BTreeMap<String, LookSpec>, names: &Names) -> Result<(), SceneError> {
    for (name, look) in looks {
        let path = format!("look.{name}");
        names.body_or_obstacle(name, &path)?;
        look.colour.iter().try_for_each(|c| colour(&format!("{path}.colour"), c))?;
        look.squares.iter().try_for_each(|c| colour(&format!("{path}.squares"), c))?;
        look.square_size.iter().try_for_each(|s| positive(&format!("{path}.square_size"), *s, "m"))?;
    }
    Ok(())
}

fn matte(matte: &MatteSpec, names: &Names) -> Result<(), SceneError> {
    if matte.photo.trim().is_empty() {
        return Err(SceneError::new("matte.photo", "must name a PNG or JPEG file"));
    }
    if matte.points.len() < 4 {
        let message = format!(
            "{} marked points do not fix a camera; mark at least four, better eight, not all on a line",
            matte.points.len()
        );
        return Err(SceneError::new("matte.points", message));
    }
    for (i, mark) in matte.points.iter().enumerate() {
        finite3(&format!("matte.points[{i}].at"), &mark.at)?;
        mark.pixel.iter().try_for_each(|p| finite(&format!("matte.points[{i}].pixel"), *p))?;
    }
    for (i, name) in matte.catch.iter().flatten().enumerate() {
        names.obstacle(name, &format!("matte.catch[{i}]"))?;
    }
    if let Some(fov) = matte.fov {
        positive("matte.fov", fov, "degrees")?;
        at_most("matte.fov", fov, 170.0, "degrees")?;
    }
    Ok(())
}

fn figure(figure: &FigureSpec) -> Result<(), SceneError> {
    if figure.times.is_empty() {
        return Err(SceneError::new("figure.times", "has no moment; give at least one time in seconds"));
    }
    // Times beyond the end show the end: a scene that is cut short with `--set` is still a scene.
    figure.times.iter().enumerate().try_for_each(|(i, t)| at_least_zero(&format!("figure.times[{i}]"), *t))
}

fn colour(path: &str, colour: &Colour) -> Result<(), SceneError> {
    if colour.srgb().is_some() {
        return Ok(());
    }
    let message = "must be \"#rrggbb\" with six hexadecimal digits, or [red, green, blue] from 0 to 1";
    Err(SceneError::new(path, message))
}

fn direction(path: &str, value: &[f64; 3]) -> Result<(), SceneError> {
    finite3(path, value)?;
    if Vec3::from(*value).try_normalize().is_some() {
        return Ok(());
    }
    Err(SceneError::new(path, "must not be zero: it is a direction"))
}

fn apart(path: &str, a: &[f64; 3], b: &[f64; 3]) -> Result<(), SceneError> {
    if (Vec3::from(*a) - Vec3::from(*b)).try_normalize().is_some() {
        return Ok(());
    }
    Err(SceneError::new(path, "must lie apart from `at`: they give a direction"))
}
