//! From the scene to the shared part of a lattice body.

use super::forces::Cells;
use super::grid::Grid;
use super::law::{Elastic, Law};
use super::limit::{Limits, slowest_swing};
use super::mould::Mouldable;
use super::part::shares;
use super::shared::{Carriers, Shared};
use super::stiff::AtRest;
use super::viscous::THICKEST;
use super::{Form, KIND};
use crate::bodies::rigid::frontal_area;
use crate::bodies::scaffold::Scaffold;
use crate::bodies::{Blueprint, Prototype, own_keys};
use crate::math::{Mat3, Vec3};
use crate::scene::{BodySpec, Material, SceneError, ShapeSpec};
use crate::shape::{TriMesh, box_mesh, refine, snug_axes};
use crate::skin::SkinForm;
use std::sync::Arc;

/// The keys only lattice bodies have.
#[derive(Clone, Debug, Default, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LatticeKeys {
    /// Cells along x, y and z, or one number: cells along the longest side, turned with the shape if a turned box is snugger.
    resolution: Option<Resolution>,
    /// Edge of a cell `[m]`, instead of `resolution`.
    cell: Option<f64>,
    /// Elastic law; by default `neo_hookean`.
    law: Law,
    /// Viscous stress is this times that of the rate of strain `[s]`; by default it follows from `damping`.
    viscous_time: Option<f64>,
    /// How steps are taken; by default `implicit` where explicit ones would be more than 4000 a second and the body is neither
    /// mouldable nor incompressible nor very large.
    stepping: Option<Stepping>,
    /// Norm of the logarithmic strain from its first shape beyond which a mouldable cell does not flow any further; by
    /// default 1.5, about three and a half times as long.
    mould_limit: Option<f64>,
}

const KEYS: &[&str] = &["resolution", "cell", "law", "viscous_time", "stepping", "mould_limit"];

/// Numbers of cells as typed.
#[derive(Clone, Debug, serde::Deserialize, schemars::JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Cells")]
enum Resolution {
    /// Along the longest side.
    Longest(u32),
    /// Along x, y and z.
    Each([u32; 3]),
}

/// How steps are taken.
#[derive(Clone, Copy, Debug, PartialEq, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Stepping {
    /// As short as the stiffest cell asks for; swings are kept.
    Explicit,
    /// Of any length; swings that are faster than the step fade.
    Implicit,
    /// As long as explicit ones, at thirty times the price; energy is kept to round-off in free flight, as momenta always are.
    Conserving,
}

/// Explicit steps are not shorter than this unless they have to be `[s]`.
const SHORTEST: f64 = 1.0 / 4000.0;
/// The most nodes for which implicit steps are chosen, and that they can have: beyond that the matrix takes too long and too
/// much room.
const STIFF_NODES: usize = 5000;
const MOST_STIFF_NODES: usize = 40_000;

/// As thick as a body can be that takes conserving steps, in explicit steps over the time of its fastest decay.
const MOST_VISCOUS: f64 = 100.0;

/// Cells along the longest side where nothing is typed.
const USUAL: u32 = 8;
/// How far cells are moulded where nothing is typed, and at most: beyond that they are thinner than a step can follow.
const MOULD_LIMIT: f64 = 1.5;
const MOST_MOULDED: f64 = 4.0;
/// The most cells of a body.
const MOST_CELLS: u64 = 2_000_000;

/// A small lattice body.
pub fn example() -> BodySpec {
    BodySpec {
        own: [("resolution".to_string(), toml::Value::Integer(4))].into_iter().collect(),
        ..BodySpec::new("jello", KIND.name, ShapeSpec::Box([0.2, 0.3, 0.4]))
    }
}

/// Prepares what copies share.
pub fn prepare(blueprint: &Blueprint) -> Result<Box<dyn Prototype>, SceneError> {
    let (shared, stepping) = shared(blueprint)?;
    let at_rest = (stepping == Stepping::Implicit).then(|| Arc::new(AtRest::new(&shared)));
    Ok(Box::new(Form { shared: Arc::new(shared), at_rest }))
}

/// What copies share, and how they take steps.
pub fn shared(blueprint: &Blueprint) -> Result<(Shared, Stepping), SceneError> {
    let keys: LatticeKeys = own_keys(blueprint.spec, blueprint.path, KEYS)?;
    let at = |key: &str| format!("{}.{key}", blueprint.path);
    if blueprint.shape.net.is_some() {
        let message = "a lattice fills a solid; this shape is a curve or a surface: use a `hybrid` body, or a closed mesh";
        return Err(SceneError::new(at("shape"), message));
    }
    if let Some(time) = keys.viscous_time.filter(|t| !(*t >= 0.0 && t.is_finite())) {
        return Err(SceneError::new(
            at("viscous_time"),
            format!("must be a time of at least 0 s; found {time}"),
        ));
    }
    let mould_limit = keys.mould_limit.unwrap_or(MOULD_LIMIT);
    if !(mould_limit > 0.0 && mould_limit <= MOST_MOULDED) {
        let message = format!("must be a strain above 0 and at most {MOST_MOULDED}; found {mould_limit}");
        return Err(SceneError::new(at("mould_limit"), message));
    }
    let (grid, mesh) = cells_and_skin(blueprint, &keys)?;
    let material = blueprint.material.clone();
    let elastic = Elastic::new(keys.law, material.young, material.poisson);
    let mass = masses(&grid, material.density, mesh.volume());
    let stiff = grid.filled.iter().map(|f| f * grid.cell.volume).collect();
    let mut cells = Cells { grid, elastic, stiff };
    cells.elastic.viscous_time = match keys.viscous_time {
        Some(time) => time,
        None if material.damping == 0.0 => 0.0,
        // The damping ratio of a swing is half its frequency times the viscous time.
        None => 2.0 * material.damping / slowest_swing(&cells, &mass).max(1e-300),
    };
    let total_mass: f64 = mass.iter().sum();
    let centre = cells.grid.nodes.iter().zip(&mass).map(|(p, m)| *p * *m).sum::<Vec3>() / total_mass;
    let (outer, carriers) = carriers(&cells.grid, &mesh)
        .ok_or_else(|| SceneError::new(at("shape"), "a point of the mesh lies in no cell; use more cells"))?;
    let mut limits = Limits::new(&cells, &mass, material.density, material.incompressible);
    let thickness = limits.decay * limits.step;
    if thickness > THICKEST {
        cells.elastic.viscous_time *= THICKEST / thickness;
        limits.decay *= THICKEST / thickness;
    }
    cells.elastic.holds_volume = material.incompressible;
    let nodes = mass.len();
    let stepping = stepping(&keys, &material, nodes, limits.longest_step())
        .map_err(|message| SceneError::new(at("stepping"), message))?;
    if stepping == Stepping::Conserving && limits.decay * limits.step > MOST_VISCOUS {
        let message = "`conserving` steps serve bodies that swing; this one is so viscous that it flows: let it take `explicit` ones";
        return Err(SceneError::new(at("stepping"), message));
    }
    let shared = Shared {
        conserves: stepping == Stepping::Conserving,
        limits,
        is_box: matches!(blueprint.spec.shape, ShapeSpec::Box(_)),
        cells,
        inverse_mass: mass.iter().map(|m| 1.0 / m).collect(),
        mouldable: Mouldable {
            yield_strain: material.yield_strain,
            flow_time: material.flow_time,
            limit: mould_limit,
        },
        mass,
        total_mass,
        centre,
        form: Arc::new(SkinForm::folding(&mesh)),
        smooth: blueprint.shape.smooth,
        rest_volume: mesh.volume(),
        drag_area: frontal_area(&mesh),
        mesh,
        scaffold: scaffold(nodes, &outer, &carriers),
        outer,
        carriers,
        material,
    };
    Ok((shared, stepping))
}

/// How steps are taken, as typed or as suits.
fn stepping(keys: &LatticeKeys, material: &Material, nodes: usize, longest: f64) -> Result<Stepping, String> {
    let can_be_implicit = !material.incompressible && material.yield_strain <= 0.0;
    match keys.stepping {
        Some(Stepping::Implicit) if !can_be_implicit => {
            Err("`implicit` steps serve elastic and viscous bodies; one that is incompressible or mouldable takes \
                 `explicit` ones"
                .into())
        }
        Some(Stepping::Conserving) if material.incompressible => {
            Err("`conserving` steps serve bodies whose volume may change; one that is incompressible takes `explicit` ones".into())
        }
        Some(Stepping::Implicit) if nodes > MOST_STIFF_NODES => {
            Err(format!("{nodes} nodes are too many for `implicit` steps, at most {MOST_STIFF_NODES}: use fewer cells"))
        }
        Some(typed) => Ok(typed),
        None if can_be_implicit && nodes <= STIFF_NODES && longest < SHORTEST => Ok(Stepping::Implicit),
        None => Ok(Stepping::Explicit),
    }
}

/// Masses of the nodes of a body of a density and volume.
fn masses(grid: &Grid, density: f64, volume: f64) -> Vec<f64> {
    // The whole weighs what the shape says.
    let of_cell =
        if grid.parts.is_empty() { grid.cell.volume } else { volume / grid.filled.iter().sum::<f64>() };
    let unit = density * of_cell;
    let mut mass = vec![0.0; grid.nodes.len()];
    for (c, nodes) in grid.cells.iter().enumerate() {
        for (n, share) in nodes.iter().zip(shares(grid.part(c))) {
            mass[*n as usize] += unit * grid.filled[c] * share;
        }
    }
    mass
}

/// The cells and the skin they carry.
fn cells_and_skin(blueprint: &Blueprint, keys: &LatticeKeys) -> Result<(Grid, TriMesh), SceneError> {
    let at = |key: &str| format!("{}.{key}", blueprint.path);
    let typed = if keys.cell.is_some() { at("cell") } else { at("resolution") };
    let mesh = &blueprint.shape.mesh;
    // Numbers along x, y and z are just that; otherwise cells are turned as the shape is.
    let axes = match (&blueprint.spec.shape, &keys.resolution) {
        (ShapeSpec::Box(_), _) | (_, Some(Resolution::Each(_))) => Mat3::IDENTITY,
        _ => snug_axes(mesh),
    };
    let (low, high) = mesh.map(|p| axes.transpose() * p).bounds();
    let extent = high - low;
    if keys.cell.is_some() && keys.resolution.is_some() {
        return Err(SceneError::new(typed, "give either `cell` or `resolution`, not both"));
    }
    let counts: [u32; 3] = match (&keys.cell, &keys.resolution) {
        (Some(edge), _) => {
            if !(*edge > 0.0 && edge.is_finite()) {
                return Err(SceneError::new(typed, format!("must be a length above 0 m; found {edge}")));
            }
            std::array::from_fn(|d| (extent[d] / edge - 1e-6).ceil().clamp(1.0, 1e6) as u32)
        }
        (None, Some(Resolution::Each(n))) => *n,
        (None, other) => {
            let n = if let Some(Resolution::Longest(n)) = other { *n } else { USUAL };
            let edge = extent.max_element() / f64::from(n.max(1));
            std::array::from_fn(|d| if n == 0 { 0 } else { ((extent[d] / edge).round() as u32).max(1) })
        }
    };
    if counts.contains(&0) {
        return Err(SceneError::new(
            typed,
            format!("a lattice needs at least one cell along each axis; found {counts:?}"),
        ));
    }
    let all: u64 = counts.iter().map(|n| u64::from(*n)).product();
    if all > MOST_CELLS {
        return Err(SceneError::new(typed, format!("makes {all} cells; a body has at most {MOST_CELLS}")));
    }
    if let ShapeSpec::Box(size) = blueprint.spec.shape {
        let grid = Grid::of_box(Vec3::from(size), counts.map(|n| n as usize));
        return Ok((grid, box_mesh(Vec3::from(size), counts)));
    }
    let edges = Vec3::from_array(std::array::from_fn(|d| extent[d] / f64::from(counts[d])));
    // The skin bends where cells do.
    let skin = refine(mesh, edges.max_element());
    let grid = Grid::of_mesh(&skin, axes, edges);
    if grid.filled.iter().all(|f| *f < 0.5) {
        let message = format!(
            "the shape is thinner than its cells of {:.3} m everywhere; use more or smaller ones",
            edges.max_element()
        );
        return Err(SceneError::new(typed, message));
    }
    let pieces = grid.pieces();
    if pieces > 1 {
        let message = format!("the shape has {pieces} separate pieces; a body must hang together");
        return Err(SceneError::new(at("shape"), message));
    }
    Ok((grid, skin))
}

/// The nodes that carry the skin, and which of them carry each of its points.
fn carriers(grid: &Grid, mesh: &TriMesh) -> Option<(Vec<u32>, Carriers)> {
    let lists: Vec<Vec<(u32, f64)>> = mesh.points.iter().map(|p| grid.carriers(*p)).collect::<Option<_>>()?;
    let mut outer: Vec<u32> = lists.iter().flatten().map(|(n, _)| *n).collect();
    outer.sort_unstable();
    outer.dedup();
    let slot = |n: u32| outer.binary_search(&n).unwrap_or(0) as u32;
    let lists = lists.iter().map(|l| l.iter().map(|(n, w)| (slot(*n), *w)).collect()).collect();
    Some((outer, Carriers::new(lists)))
}

/// How nodes are numbered where they are looked at: first those that are points of the skin.
fn scaffold(nodes: usize, outer: &[u32], carriers: &Carriers) -> Scaffold {
    // Interpolation may leave traces of rounding on a cell's other corners.
    let on_node = |point: usize| {
        let (slot, _) = carriers.of(point).iter().find(|(_, weight)| *weight > 1.0 - 1e-9)?;
        Some((point as u32, outer[*slot as usize]))
    };
    Scaffold::new(nodes, carriers.len(), (0..carriers.len()).filter_map(on_node))
}
