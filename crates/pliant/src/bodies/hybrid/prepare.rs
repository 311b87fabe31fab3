//! From a scene's entry to what copies of a hybrid body share.

use super::Form;
use super::carrier::finer;
use super::factor::Method;
use super::fracture::{Cut, Support, Whole};
use super::shared::{Parts, Shared};
use super::spline::Spline;
use super::weights::{Field, LARGEST, WeightKeys, Weights, dimensions, strengths};
use crate::bodies::rigid::frontal_area;
use crate::bodies::{Blueprint, Prototype, own_keys};
use crate::math::Vec3;
use crate::scene::{BodySpec, SceneError, ShapeSpec};
use crate::shape::net_numbers::MOST_NODES;
use crate::shape::{Bricks, Net, TriMesh, Weave, block_net, mesh_net, sphere_net, torus_net};
use crate::skin::SkinForm;
use std::sync::Arc;

/// Keys only a hybrid body has.
#[derive(Default, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct HybridKeys {
    /// Stiffness of the spline energy: a preset's name, or weights by name.
    #[schemars(with = "Option<WeightKeys>")]
    weights: Option<toml::Value>,
    /// Wall of a closed shell `[m]`.
    thickness: Option<f64>,
    /// Whether a closed shape is a shell or a solid.
    form: Option<Build>,
    /// Cells along x, y, z of a solid; rings and nodes around of a sphere, ellipsoid or torus.
    resolution: Option<Vec<u32>>,
    /// How often every triangle of a smooth skin is cut in four; the new corners lie on the curved surface through the
    /// nodes and are carried by them. What is shown and touched is rounder then, and contact takes longer.
    refine: u32,
    /// How linear systems are solved; by default `direct`.
    solver: Method,
    /// Whether the body lives in the plane z = 0.
    planar: bool,
    /// Time in which the reference shape follows the present one `[s]`; 0 never.
    creep_time: f64,
    /// Strain at which the body breaks; none for never.
    #[schemars(with = "Option<Field>")]
    fracture_strain: Option<toml::Value>,
}

const KEYS: &[&str] = &[
    "weights",
    "thickness",
    "form",
    "resolution",
    "refine",
    "solver",
    "planar",
    "creep_time",
    "fracture_strain",
];

/// More would only be more work: at three times a net of 14 nodes around looks round from anywhere.
const FINEST: u32 = 3;

/// How a closed shape is filled.
#[derive(Clone, Copy, Debug, PartialEq, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Build {
    /// Only its surface.
    Shell,
    /// All of it, on a grid.
    Solid,
}

/// A small hybrid body.
pub fn example() -> BodySpec {
    BodySpec {
        own: [("resolution".to_string(), toml::Value::Array(vec![toml::Value::Integer(3)]))]
            .into_iter()
            .collect(),
        ..BodySpec::new("sponge", "hybrid", ShapeSpec::Box([0.2, 0.3, 0.4]))
    }
}

/// Prepares what copies share.
pub fn prepare(blueprint: &Blueprint) -> Result<Box<dyn Prototype>, SceneError> {
    let keys: HybridKeys = own_keys(blueprint.spec, blueprint.path, KEYS)?;
    let at = |key: &str| format!("{}.{key}", blueprint.path);
    if !(keys.creep_time >= 0.0 && keys.creep_time.is_finite()) {
        let message = format!("must be a time of at least 0 s; found {}", keys.creep_time);
        return Err(SceneError::new(at("creep_time"), message));
    }
    let (mesh, net) = net_of(blueprint, &keys)?;
    let (section, thickness) = section(blueprint, &keys, &mesh, &net)?;
    let material = blueprint.material.clone();
    computable_size(&mesh).map_err(|message| SceneError::new(at("shape"), message))?;
    let weights = match &keys.weights {
        Some(typed) => {
            let typed = WeightKeys::from_toml(typed, &at("weights"))?;
            Weights::read(&typed, &net, colours_of_nodes(&mesh, &net).as_deref(), &at("weights"))?
        }
        None => Weights::uniform(&net, by_modulus(&net, material.young, section, thickness)),
    };
    let spline = Spline::new(&net, &weights);
    if spline.is_empty() {
        return Err(SceneError::new(
            at("weights"),
            "all weights are 0, so nothing would hold the body together",
        ));
    }
    let volumes = match net.weave {
        Weave::Block { counts } => block_volumes(counts, &net),
        _ => net.measure.iter().map(|m| m * section).collect(),
    };
    let mass: Vec<f64> = volumes.iter().map(|v| v * material.density).collect();
    let total: f64 = mass.iter().sum();
    if !LIGHTEST_TO_HEAVIEST.contains(&total) {
        let message = format!(
            "a body has a mass from {:e} to {:e} kg; found {total:e} kg from a density of {:e}",
            LIGHTEST_TO_HEAVIEST.start(),
            LIGHTEST_TO_HEAVIEST.end(),
            material.density
        );
        return Err(SceneError::new(at("material.density"), message));
    }
    if material.young > LARGEST {
        let message = format!("must be at most {LARGEST:e} Pa; found {:e}", material.young);
        return Err(SceneError::new(at("material.young"), message));
    }
    let centre = net.nodes.iter().zip(&mass).map(|(p, m)| *p * *m).sum::<Vec3>() / total;
    if keys.planar && net.nodes.iter().any(|p| p.z != 0.0) {
        let message = "a planar body must lie in the plane z = 0: give its curve no z";
        return Err(SceneError::new(at("planar"), message));
    }
    can_be_refined(blueprint, &keys).map_err(|message| SceneError::new(at("refine"), message))?;
    let (mesh, carriers) = finer(mesh, &net, keys.refine);
    let parts = Parts {
        reference: net.nodes.iter().map(|p| *p - centre).collect(),
        centre,
        mass,
        spline,
        method: keys.solver,
        step: blueprint.step,
        planar: keys.planar,
        carriers,
        form: SkinForm::loose(&mesh),
        smooth: blueprint.shape.smooth,
        drag_area: frontal_area(&mesh),
        mesh,
        thickness,
        material,
        creep_time: keys.creep_time,
        cells: cells_of(&net),
        beta: None,
    };
    let mut shared = Shared::new(parts);
    if let Some(typed) = &keys.fracture_strain {
        shared = breakable(shared, typed, &net, &at("fracture_strain"))?;
    }
    let typed = if keys.weights.is_some() { "weights" } else { "material.young" };
    computable_stiffness(&shared, typed).map_err(|(key, message)| SceneError::new(at(key), message))?;
    Ok(Box::new(Form { shared: Arc::new(shared) }))
}

/// Whether a skin can be cut as fine as was asked for; otherwise why not.
fn can_be_refined(blueprint: &Blueprint, keys: &HybridKeys) -> Result<(), String> {
    if keys.refine == 0 {
        return Ok(());
    }
    if keys.refine > FINEST {
        return Err(format!("must be at most {FINEST}; found {}", keys.refine));
    }
    if keys.fracture_strain.is_some() {
        let message =
            "a body that can break shows the cells it breaks into; leave out `refine` or `fracture_strain`";
        return Err(message.into());
    }
    if !blueprint.shape.smooth {
        return Err("this shape has edges, which would be rounded off; leave it out".into());
    }
    Ok(())
}

/// The same body, made of bricks that can come apart.
fn breakable(shared: Shared, typed: &toml::Value, net: &Net, path: &str) -> Result<Shared, SceneError> {
    let strength = strengths(typed, net, colours_of_nodes(&shared.mesh, net).as_deref(), path)?;
    let bricks = Bricks::new(&shared.mesh, net, shared.thickness);
    if bricks.facets.is_empty() {
        return Err(SceneError::new(
            path,
            "a body of a single cell has nowhere to break; give it more nodes",
        ));
    }
    if !bricks.wall_fits(&net.nodes) {
        let message = "the shell is too thick for its bends: where it broke open, its inner side would cross itself; make \
                       `thickness` smaller";
        return Err(SceneError::new(path, message));
    }
    let mean = |nodes: &[u32]| nodes.iter().map(|n| strength[*n as usize]).sum::<f64>() / nodes.len() as f64;
    let cut = Cut::whole(&bricks);
    let offset = |(node, k): &(u32, u32)| bricks.offsets[*node as usize][*k as usize];
    let offsets: Vec<Vec3> = cut.spots.iter().map(offset).collect();
    let place = |(s, o): (&(u32, u32), &Vec3)| net.nodes[s.0 as usize] + *o;
    let mesh = TriMesh {
        points: cut.spots.iter().zip(&offsets).map(place).collect(),
        triangles: cut.triangles.clone(),
        ..TriMesh::default()
    };
    let whole = Whole {
        strength: bricks.facets.iter().map(|f| mean(&f.nodes)).collect(),
        support: Support::of_rows(&bricks, &shared.spline),
        mass: shared.mass,
        spline: shared.spline,
        method: shared.method,
        step: shared.step,
        planar: shared.planar,
        smooth: shared.smooth,
        drag_area: shared.drag_area,
        thickness: shared.thickness,
        material: shared.material,
        creep_time: shared.creep_time,
        solid: !shared.cells.is_empty(),
        mesh,
        centre: shared.centre,
        bricks,
    };
    Ok(Arc::new(whole).piece(cut, shared.reference, shared.centre, &offsets, Some(shared.beta)))
}

/// Masses whose products with squared velocities and lengths neither vanish nor overflow `[kg]`.
const LIGHTEST_TO_HEAVIEST: std::ops::RangeInclusive<f64> = 1e-60..=1e60;
/// Extents for which the same holds `[m]`.
const SMALLEST_TO_LARGEST: std::ops::RangeInclusive<f64> = 1e-12..=1e9;

fn computable_size(mesh: &TriMesh) -> Result<(), String> {
    let (low, high) = mesh.bounds();
    for extent in (high - low).to_array() {
        if !SMALLEST_TO_LARGEST.contains(&extent) {
            let (least, most) = (SMALLEST_TO_LARGEST.start(), SMALLEST_TO_LARGEST.end());
            return Err(format!(
                "must extend from {least:e} to {most:e} m along each axis; found {extent:e}"
            ));
        }
    }
    Ok(())
}

/// How often stiffness may outweigh mass in a step. At 1e16 round-off of the one is as large as the other, and what
/// comes out is a motion of its own.
const STIFFEST: f64 = 1e15;

/// Whether a step can be computed; otherwise the key and what is wrong. `typed` is the key that sets the stiffness.
fn computable_stiffness<'k>(shared: &Shared, typed: &'k str) -> Result<(), (&'k str, String)> {
    let own = |i: usize| shared.stiffness.row(i).find(|(j, _)| *j == i).map_or(0.0, |(_, k)| k);
    let most = shared.mass.iter().enumerate().map(|(i, m)| own(i) / m).fold(0.0, f64::max);
    let stiff = most * shared.step * shared.step;
    if stiff > STIFFEST {
        let message = format!(
            "is {:.1e} times as stiff as a step of {:.1e} s can tell from rigid; make it softer or heavier, take more \
             substeps, or a `rigid` body",
            stiff / STIFFEST,
            shared.step
        );
        return Err((typed, message));
    }
    let damped = most * shared.step * shared.beta;
    if damped.is_nan() || damped > STIFFEST {
        let message = format!(
            "damps {:.1e} times more than a step of {:.1e} s can be computed with; found {:e}",
            damped / STIFFEST,
            shared.step,
            shared.material.damping
        );
        return Err(("material.damping", message));
    }
    Ok(())
}

/// Whether a body's start leaves it in its plane; otherwise the key and what is wrong.
pub fn stays_in_plane(spec: &BodySpec) -> Result<(), (&'static str, String)> {
    for (key, v) in [("rotation", spec.rotation), ("spin", spec.spin)] {
        if v[0] != 0.0 || v[1] != 0.0 {
            return Err((key, format!("a planar body can only turn about z; found {v:?}")));
        }
    }
    match spec.velocity[2] == 0.0 {
        true => Ok(()),
        false => {
            let message = format!("a planar body can only move in x and y; found {:?}", spec.velocity);
            Err(("velocity", message))
        }
    }
}

/// What is painted on each node, from the skin it carries.
fn colours_of_nodes(mesh: &TriMesh, net: &Net) -> Option<Vec<[f32; 3]>> {
    if !mesh.is_painted() {
        return None;
    }
    let mut colours = vec![[0.0; 3]; net.nodes.len()];
    net.carriers.iter().zip(&mesh.colours).for_each(|(node, c)| colours[*node as usize] = *c);
    Some(colours)
}

/// The nodes of a shape and the skin they carry.
fn net_of(blueprint: &Blueprint, keys: &HybridKeys) -> Result<(TriMesh, Net), SceneError> {
    let path = |key: &str| format!("{}.{key}", blueprint.path);
    if let Some(net) = &blueprint.shape.net {
        if keys.form == Some(Build::Solid) {
            let message = "this shape is a curve or a surface; leave `form` out";
            return Err(SceneError::new(path("form"), message));
        }
        if keys.resolution.is_some() {
            let message = "this shape has its own numbers of nodes; leave `resolution` out";
            return Err(SceneError::new(path("resolution"), message));
        }
        return Ok((blueprint.shape.mesh.clone(), net.clone()));
    }
    let boxed = matches!(blueprint.spec.shape, ShapeSpec::Box(_));
    let form = keys.form.unwrap_or(if boxed { Build::Solid } else { Build::Shell });
    let numbers = |default: &[u32], least: u32| -> Result<Vec<usize>, SceneError> {
        let typed = keys.resolution.clone().unwrap_or_else(|| default.to_vec());
        let all: Vec<u32> = if typed.len() == 1 { vec![typed[0]; default.len()] } else { typed };
        if all.len() != default.len() || all.iter().any(|n| *n < least || *n > 1000) {
            let message = format!("needs {} numbers from {least} to 1000; found {all:?}", default.len());
            return Err(SceneError::new(path("resolution"), message));
        }
        let nodes: u64 = all.iter().map(|n| u64::from(*n) + 1).product();
        if nodes > MOST_NODES as u64 {
            let message = format!("must make at most {MOST_NODES} nodes; found {nodes}");
            return Err(SceneError::new(path("resolution"), message));
        }
        Ok(all.into_iter().map(|n| n as usize).collect())
    };
    let even = |n: usize| n + n % 2;
    match (form, &blueprint.spec.shape) {
        (Build::Solid, ShapeSpec::Box(size)) => {
            let n = numbers(&[4, 4, 4], 2)?;
            Ok(block_net(Vec3::from(*size), [n[0], n[1], n[2]]))
        }
        (Build::Solid, _) => {
            let message = "only a box can be a solid; use a shell, or a `global` or `rigid` body";
            Err(SceneError::new(path("form"), message))
        }
        (Build::Shell, ShapeSpec::Sphere(radius)) => {
            let n = numbers(&[9, 12], 3)?;
            Ok(sphere_net(Vec3::splat(*radius), n[0], even(n[1]).max(6)))
        }
        (Build::Shell, ShapeSpec::Ellipsoid(axes)) => {
            let n = numbers(&[9, 12], 3)?;
            Ok(sphere_net(Vec3::from(*axes), n[0], even(n[1]).max(6)))
        }
        (Build::Shell, ShapeSpec::Torus { major, minor }) => {
            let n = numbers(&[20, 8], 3)?;
            Ok(torus_net(*major, *minor, [n[0], n[1]]))
        }
        (Build::Shell, _) => {
            if keys.resolution.is_some() {
                let message = "this shape's nodes are the points of its surface; leave `resolution` out";
                return Err(SceneError::new(path("resolution"), message));
            }
            // A point of no triangle would be a node without mass.
            let mut mesh = blueprint.shape.mesh.clone();
            mesh.drop_unused();
            let pieces = mesh.parts().iter().max().map_or(0, |last| last + 1);
            if pieces > 1 {
                let message = format!("the mesh has {pieces} separate pieces; a body must hang together");
                return Err(SceneError::new(path("shape"), message));
            }
            if mesh.points.len() > MOST_NODES {
                let found = mesh.points.len();
                let message = format!("a body has at most {MOST_NODES} nodes; found {found}, so simplify it");
                return Err(SceneError::new(path("shape"), message));
            }
            Ok(mesh_net(&mesh))
        }
    }
}

/// Cross-section of a curve `[m^2]` or thickness of a surface `[m]` (1 for solids), and the distance across it.
fn section(
    blueprint: &Blueprint,
    keys: &HybridKeys,
    mesh: &TriMesh,
    net: &Net,
) -> Result<(f64, f64), SceneError> {
    let at = format!("{}.thickness", blueprint.path);
    if let (Some(section), Some(thickness)) = (net.section, net.thickness) {
        if keys.thickness.is_some() {
            return Err(SceneError::new(at, "this shape has a section of its own; leave `thickness` out"));
        }
        return Ok((section, thickness));
    }
    let (low, high) = mesh.bounds();
    let least = (high - low).min_element();
    if dimensions(net) == 3 {
        return match keys.thickness {
            None => Ok((1.0, least)),
            Some(_) => Err(SceneError::new(at, "a solid has no wall; leave `thickness` out")),
        };
    }
    let thickness = keys.thickness.unwrap_or(least / 20.0);
    if !(thickness > 0.0 && thickness <= least) {
        let message =
            format!("must be positive and at most the body's smallest extent, {least}; found {thickness}");
        return Err(SceneError::new(at, message));
    }
    Ok((thickness, thickness))
}

/// Weights of order 0, 1 and 2 from Young's modulus.
fn by_modulus(net: &Net, young: f64, section: f64, thickness: f64) -> [f64; 3] {
    let bending = thickness * thickness / 12.0;
    match dimensions(net) {
        3 => [0.0, young, 0.0],
        _ => [0.0, young * section, young * section * bending],
    }
}

/// Volumes of a solid grid's nodes such that mass, centre and inertia are those of the box exactly: the trapezoid rule
/// in each direction, with so much moved from its ends to their neighbours that squares are summed right, too.
fn block_volumes(counts: [usize; 3], net: &Net) -> Vec<f64> {
    let far = net.nodes.len() - 1;
    let size = net.nodes[far] - net.nodes[0];
    let rule = |d: usize| -> Vec<f64> {
        let n = counts[d];
        let (whole, step) = (size[d], size[d] / (n - 1) as f64);
        let moved = step * whole / (12.0 * (whole - step));
        let mut w = vec![step; n];
        for end in [0, n - 1] {
            w[end] = 0.5 * step - moved;
        }
        w[1] += moved;
        w[n - 2] += moved;
        w
    };
    let rules = [rule(0), rule(1), rule(2)];
    let mut volumes = Vec::with_capacity(net.nodes.len());
    for a in &rules[0] {
        for b in &rules[1] {
            for c in &rules[2] {
                volumes.push(a * b * c);
            }
        }
    }
    volumes
}

/// Cells of a solid grid.
fn cells_of(net: &Net) -> Vec<[u32; 8]> {
    let Weave::Block { counts: [a, b, c] } = net.weave else {
        return vec![];
    };
    let id = |i: usize, j: usize, k: usize| ((i * b + j) * c + k) as u32;
    let mut cells = vec![];
    for i in 0..a - 1 {
        for j in 0..b - 1 {
            for k in 0..c - 1 {
                cells.push(std::array::from_fn(|n| id(i + (n >> 2), j + (n >> 1 & 1), k + (n & 1))));
            }
        }
    }
    cells
}
