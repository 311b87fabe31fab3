//! Shapes, as far as they can be judged without building them.

use super::{at_least_zero, finite, finite3, increasing, positive};
use crate::scene::{ObstacleSpec, SceneError, ShapeSpec};
use crate::shape::net_numbers;

/// The shape of a body: anything that has an inside.
pub(super) fn body(shape: &ShapeSpec, path: &str) -> Result<(), SceneError> {
    let endless = match shape {
        ShapeSpec::Plane { .. } => Some("plane"),
        ShapeSpec::Stairs { .. } => Some("stairs"),
        _ => None,
    };
    if let Some(name) = endless {
        let message =
            "only an [[obstacle]] can have this shape; a body needs one that it can move, such as a box";
        return Err(SceneError::new(format!("{path}.{name}"), message));
    }
    numbers(shape, path)
}

pub(super) fn obstacle(obstacle: &ObstacleSpec, path: &str) -> Result<(), SceneError> {
    numbers(&obstacle.shape, &format!("{path}.shape"))?;
    finite3(&format!("{path}.position"), &obstacle.position)?;
    finite3(&format!("{path}.rotation"), &obstacle.rotation)?;
    if let Some(friction) = obstacle.friction {
        at_least_zero(&format!("{path}.friction"), friction)?;
    }
    for (i, key) in obstacle.keys.iter().enumerate() {
        finite3(&format!("{path}.keys[{i}].at"), &key.at)?;
        finite3(&format!("{path}.keys[{i}].rotation"), &key.rotation)?;
    }
    increasing(&format!("{path}.keys"), obstacle.keys.iter().map(|k| k.t))
}

fn numbers(shape: &ShapeSpec, path: &str) -> Result<(), SceneError> {
    match shape {
        ShapeSpec::Box(v) => finite3(&format!("{path}.box"), v),
        ShapeSpec::Sphere(r) => finite(&format!("{path}.sphere"), *r),
        ShapeSpec::Ellipsoid(v) => finite3(&format!("{path}.ellipsoid"), v),
        ShapeSpec::Capsule { radius, length } => {
            finite(&format!("{path}.capsule.radius"), *radius)?;
            finite(&format!("{path}.capsule.length"), *length)
        }
        ShapeSpec::Cylinder { radius, height } => {
            finite(&format!("{path}.cylinder.radius"), *radius)?;
            finite(&format!("{path}.cylinder.height"), *height)
        }
        ShapeSpec::Torus { major, minor } => {
            finite(&format!("{path}.torus.major"), *major)?;
            finite(&format!("{path}.torus.minor"), *minor)
        }
        ShapeSpec::Mesh(mesh) => {
            if mesh.file().trim().is_empty() {
                return Err(SceneError::new(
                    format!("{path}.mesh"),
                    "must name a file: obj, ply, stl, glb or gltf",
                ));
            }
            positive(&format!("{path}.mesh.scale"), mesh.scale(), "")
        }
        ShapeSpec::Hull(points) => {
            points.iter().enumerate().try_for_each(|(i, p)| finite3(&format!("{path}.hull[{i}]"), p))
        }
        ShapeSpec::Parts(parts) => {
            for (i, part) in parts.iter().enumerate() {
                let path = format!("{path}.parts[{i}]");
                body(&part.shape, &format!("{path}.shape"))?;
                finite3(&format!("{path}.position"), &part.position)?;
                finite3(&format!("{path}.rotation"), &part.rotation)?;
            }
            Ok(())
        }
        ShapeSpec::Plane { normal, offset } => {
            finite3(&format!("{path}.plane.normal"), normal)?;
            if normal.iter().all(|v| *v == 0.0) {
                let message = "must not be zero; it points out of the ground, as [0, 1, 0] does";
                return Err(SceneError::new(format!("{path}.plane.normal"), message));
            }
            finite(&format!("{path}.plane.offset"), *offset)
        }
        ShapeSpec::Stairs { tread, rise, width, .. } => {
            finite(&format!("{path}.stairs.tread"), *tread)?;
            finite(&format!("{path}.stairs.rise"), *rise)?;
            finite(&format!("{path}.stairs.width"), *width)
        }
        ShapeSpec::Curve(spec) => net_numbers::curve(spec, &format!("{path}.curve")),
        ShapeSpec::Revolve(spec) => net_numbers::revolve(spec, &format!("{path}.revolve")),
        ShapeSpec::Grid(spec) => net_numbers::grid(spec, &format!("{path}.grid")),
        ShapeSpec::Tube(spec) => net_numbers::tube(spec, &format!("{path}.tube")),
        ShapeSpec::Sheet(spec) => net_numbers::sheet(spec, &format!("{path}.sheet")),
    }
}
