//! From the keys of a scene to a shape with a net, or to the key that is wrong.

use super::curve::{Section, curve_net, first_fold};
use super::frames::{is_straight, polygon};
use super::path::{Path, even_fractions};
use super::revolve::{Bend, Turning, revolve_net};
use super::sheet::{check_sheet, sheet_net};
use super::surface::{grid_net, tube_net};
use super::{Net, numbers};
use crate::MeshLibrary;
use crate::math::Vec3;
use crate::scene::{CurveSpec, GridSpec, RevolveSpec, SceneError, SheetSpec, TubeSpec};
use crate::shape::predicates::{segments_meet, turn};
use crate::shape::{MeshError, Shape, TriMesh, is_convex};

/// A curve with a cross-section.
pub(in crate::shape) fn build_curve(spec: &CurveSpec, path: &str) -> Result<Shape, SceneError> {
    numbers::curve(spec, path)?;
    let closed = spec.closed || spec.circle.is_some();
    let count = spec.nodes as usize;
    let nodes: Vec<Vec3> = match (&spec.points, spec.circle) {
        (_, Some(radius)) => polygon(count).map(|(x, y)| radius * Vec3::new(x, y, 0.0)).collect(),
        (points, None) => {
            let points: Vec<Vec3> = points.iter().flatten().map(|&p| Vec3::from(p)).collect();
            let curve =
                if spec.smooth { Path::smooth(&points, closed) } else { Path::straight(&points, closed) };
            curve.at_fractions(&even_fractions(count, closed))
        }
    };
    let (section, key) = match (spec.section, spec.radius) {
        (Some([thickness, depth]), _) => (Section::Rectangle { thickness, depth }, "section"),
        (None, radius) => (Section::Round { radius: radius.unwrap_or_default() }, "radius"),
    };
    let (mesh, net) = curve_net(&nodes, closed, section);
    let key = format!("{path}.{key}");
    if let Some(node) = first_fold(&mesh, &net, closed) {
        let p = nodes[node];
        let message = format!(
            "the cross-section is too thick for the bend near ({:.6}, {:.6}, {:.6}); make it thinner or the bend \
             wider; found {}",
            p.x,
            p.y,
            p.z,
            found(spec)
        );
        return Err(SceneError::new(key, message));
    }
    mesh.check_solid().map_err(|e| {
        let message = format!(
            "the cross-section is so thick that the surface of the curve meets itself: {e}, or make it thinner; \
             found {}",
            found(spec)
        );
        SceneError::new(key, message)
    })?;
    // A bend has a hollow side, so only a straight rod is convex.
    let convex = !closed && is_straight(&nodes);
    Ok(woven(mesh, net, convex, spec.radius.is_some()))
}

fn found(spec: &CurveSpec) -> String {
    spec.section.map_or_else(|| format!("{}", spec.radius.unwrap_or_default()), |s| format!("{s:?}"))
}

/// A profile turned about y.
pub(in crate::shape) fn build_revolve(spec: &RevolveSpec, path: &str) -> Result<Shape, SceneError> {
    numbers::revolve(spec, path)?;
    let at = |key: &str| format!("{path}.{key}");
    if let Some([i, j]) = first_crossing(&spec.profile) {
        let message = format!(
            "the profile must not cross or touch itself; found that the line from point {i} meets the line from \
             point {j}"
        );
        return Err(SceneError::new(at("profile"), message));
    }
    let profile = resampled_profile(spec);
    let strays = |p: &&[f64; 2]| p[0] <= 0.0;
    if let Some([radius, height]) = profile[1..profile.len() - 1].iter().find(strays) {
        let message = format!(
            "the smooth curve through the points crosses the axis; add points there or set `smooth = false`; found \
             the radius {radius:.6} at the height {height:.6}"
        );
        return Err(SceneError::new(at("profile"), message));
    }
    if first_crossing(&profile).is_some() {
        let message = "the rings must not cross each other; found that the profile does, as its curve is drawn \
                       through them: add rings or move its parts apart";
        return Err(SceneError::new(at("profile"), message));
    }
    let around = spec.around as usize;
    let (bumps, depth) = spec.bumps.as_ref().map_or((0, 0.0), |b| (b.count, b.depth));
    let bend = spec.bend.to_radians();
    let widest = profile.iter().map(|p| p[0]).fold(0.0, f64::max) * (1.0 + depth);
    let curvature = Bend::new(&profile, bend).curvature.abs();
    if widest * curvature >= 1.0 {
        let message = format!(
            "bends the axis to a radius of {:.6}, less than the shape's own of {widest:.6}; bend it less; found {}",
            1.0 / curvature,
            spec.bend
        );
        return Err(SceneError::new(at("bend"), message));
    }
    let turning = Turning { around, bumps, depth, bend };
    let (mesh, net) = revolve_net(&profile, turning, spec.thickness);
    mesh.check_solid().map_err(|e| {
        // Whatever, left out, makes it right is to blame.
        let solid = |turning| revolve_net(&profile, turning, None).0.check_solid().is_ok();
        let (key, blame) = match turning {
            t if bend != 0.0 && solid(Turning { bend: 0.0, ..t }) => ("bend", "bent so much, "),
            _ if depth != 0.0 && solid(Turning::plain(around)) => ("bumps", "with these bumps "),
            _ => ("profile", ""),
        };
        SceneError::new(at(key), format!("{blame}the surface meets itself: {e}"))
    })?;
    let convex = is_convex(&mesh);
    Ok(woven(mesh, net, convex, spec.smooth))
}

/// Pole, rings, pole, with the solid between them and the axis.
fn resampled_profile(spec: &RevolveSpec) -> Vec<[f64; 2]> {
    let points: Vec<Vec3> = spec.profile.iter().map(|&[r, y]| Vec3::new(r, y, 0.0)).collect();
    let curve = if spec.smooth {
        // Mirrored in the axis, so that the poles are round.
        let mirrored = |i: usize| points[i] * Vec3::new(-1.0, 1.0, 1.0);
        Path::smooth_between(mirrored(1), &points, mirrored(points.len() - 2))
    } else {
        Path::straight(&points, false)
    };
    let places = curve.at_fractions(&even_fractions(spec.rings as usize + 2, false));
    let mut profile: Vec<[f64; 2]> = places.iter().map(|p| [p.x, p.y]).collect();
    // Twice the area between profile and axis: negative if the profile is listed from the top.
    let area: f64 = profile.windows(2).map(|w| (w[0][0] + w[1][0]) * (w[1][1] - w[0][1])).sum();
    if area < 0.0 {
        profile.reverse();
    }
    profile
}

/// The first two lines of a chain of points that meet anywhere but in the point they share.
fn first_crossing(points: &[[f64; 2]]) -> Option<[usize; 2]> {
    let lines = points.len().saturating_sub(1);
    let meet = |i: usize, j: usize| {
        let (a, b, c, d) = (points[i], points[i + 1], points[j], points[j + 1]);
        if j > i + 1 {
            return segments_meet(a, b, c, d);
        }
        let backwards = (b[0] - a[0]) * (d[0] - c[0]) + (b[1] - a[1]) * (d[1] - c[1]) < 0.0;
        backwards && turn(a, b, d) == 0.0
    };
    (0..lines).find_map(|i| (i + 1..lines).find(|&j| meet(i, j)).map(|j| [i, j]))
}

/// A flat sheet.
pub(in crate::shape) fn build_grid(spec: &GridSpec, path: &str) -> Result<Shape, SceneError> {
    numbers::grid(spec, path)?;
    let (mesh, net) = grid_net(spec.size, spec.cells.map(|c| c as usize), spec.thickness);
    checked(&mesh, &format!("{path}.size"))?;
    Ok(woven(mesh, net, true, false))
}

/// A pipe.
pub(in crate::shape) fn build_tube(spec: &TubeSpec, path: &str) -> Result<Shape, SceneError> {
    numbers::tube(spec, path)?;
    let (mesh, net) = tube_net(spec.radius, spec.length, spec.cells.map(|c| c as usize), spec.thickness);
    checked(&mesh, &format!("{path}.thickness"))?;
    Ok(woven(mesh, net, false, false))
}

/// Numbers so far apart that triangles lose their area.
fn checked(mesh: &TriMesh, path: &str) -> Result<(), SceneError> {
    mesh.check_solid().map_err(|e| SceneError::new(path, format!("the lengths do not go together: {e}")))
}

/// A triangle surface from a file.
pub(in crate::shape) fn build_sheet(
    spec: &SheetSpec,
    meshes: &MeshLibrary,
    path: &str,
) -> Result<Shape, SceneError> {
    numbers::sheet(spec, path)?;
    let name = &spec.file;
    let refused = |why: String| SceneError::new(format!("{path}.file"), format!("{name}: {why}"));
    let Some(mesh) = meshes.get(name) else {
        let message = format!("the mesh {name:?} is not loaded; give a file that exists beside the scene");
        return Err(SceneError::new(format!("{path}.file"), message));
    };
    let mut surface = mesh.map(|p| spec.scale * p);
    surface.check_points().map_err(|e| refused(e.to_string()))?;
    surface.drop_unused();
    if surface.points.len() > numbers::MOST_NODES {
        let (found, most) = (surface.points.len(), numbers::MOST_NODES);
        return Err(refused(format!("a sheet has at most {most} points; found {found}, so simplify it")));
    }
    check_sheet(&surface).map_err(refused)?;
    let (mesh, net) = sheet_net(&surface, spec.thickness);
    mesh.check_solid().map_err(|e| match e {
        MeshError::PinchedPoint { .. } => refused(e.to_string()),
        e => {
            let message = format!(
                "the sheet is so thick that its skin meets itself: {e}, or make it thinner; found {}",
                spec.thickness
            );
            SceneError::new(format!("{path}.thickness"), message)
        }
    })?;
    let convex = is_convex(&mesh);
    Ok(woven(mesh, net, convex, false))
}

fn woven(mesh: TriMesh, net: Net, convex: bool, smooth: bool) -> Shape {
    Shape { mesh, round: None, smooth, convex, net: Some(net) }
}
