//! What can be said about the numbers of a net before it is built. The scene's check asks the same as the builders.

use crate::scene::{CurveSpec, GridSpec, RevolveSpec, SceneError, SheetSpec, TubeSpec};
use crate::shape::build::{positive, positive_each};

/// Most nodes of one net. Beyond it a typing error is likelier than a wish.
pub(crate) const MOST_NODES: usize = 100_000;
/// Most rings or cells one way, and most points of a profile.
const MOST_ROWS: u32 = 1000;
/// Largest coordinate `[m]`: beyond it squares lose their digits.
const LARGEST: f64 = 1e9;
/// Points nearer than this part of the extent of all are the same.
const SAME: f64 = 1e-9;

/// The numbers of a curve.
pub(crate) fn curve(spec: &CurveSpec, path: &str) -> Result<(), SceneError> {
    let at = |key: &str| format!("{path}.{key}");
    if spec.nodes < 3 {
        let message = format!("a curve needs at least 3 nodes; found {}", spec.nodes);
        return Err(SceneError::new(at("nodes"), message));
    }
    few_nodes(&[spec.nodes], &at("nodes"))?;
    match (&spec.points, spec.circle) {
        (Some(points), None) => curve_points(points, spec.closed, &at("points"))?,
        (None, Some(radius)) => length(radius, &at("circle"), "a radius such as 0.5")?,
        (None, None) => {
            let message = "needs `points = [[0, 0, 0], [1, 0, 0]]` or `circle = 0.5`; found neither";
            return Err(SceneError::new(path, message));
        }
        (Some(_), Some(_)) => {
            return Err(SceneError::new(
                at("circle"),
                "stands in place of `points`; found both, leave one out",
            ));
        }
    }
    match (spec.section, spec.radius) {
        (Some(sides), None) => {
            sides.iter().try_for_each(|v| length(*v, &at("section"), "side lengths such as [0.01, 0.02]"))
        }
        (None, Some(radius)) => length(radius, &at("radius"), "a radius such as 0.01"),
        (None, None) => {
            let message = "needs a cross-section, `section = [0.01, 0.02]` or `radius = 0.01`; found neither";
            Err(SceneError::new(path, message))
        }
        (Some(_), Some(_)) => {
            Err(SceneError::new(at("radius"), "stands in place of `section`; found both, leave one out"))
        }
    }
}

fn curve_points(points: &[[f64; 3]], closed: bool, path: &str) -> Result<(), SceneError> {
    let (least, kind) = if closed { (3, "a closed") } else { (2, "an open") };
    if points.len() < least {
        let message = format!("{kind} curve needs at least {least} points; found {}", points.len());
        return Err(SceneError::new(path, message));
    }
    few_points(points.len(), MOST_NODES, path)?;
    apart(points, path)?;
    let (first, last) = (points[0], points[points.len() - 1]);
    if closed && distance(&first, &last) <= SAME * extent(points) {
        let message = format!(
            "a closed curve returns to its first point by itself, so leave the last one out; found {last:?} twice"
        );
        return Err(SceneError::new(format!("{path}[{}]", points.len() - 1), message));
    }
    Ok(())
}

/// The numbers of a surface of revolution.
pub(crate) fn revolve(spec: &RevolveSpec, path: &str) -> Result<(), SceneError> {
    let at = |key: &str| format!("{path}.{key}");
    profile(&spec.profile, &at("profile"))?;
    within(spec.rings, 2, &at("rings"))?;
    within(spec.around, 6, &at("around"))?;
    if !spec.around.is_multiple_of(2) {
        let message = format!(
            "must be even, so that every node has one opposite, such as {}; found {}",
            spec.around + 1,
            spec.around
        );
        return Err(SceneError::new(at("around"), message));
    }
    few_nodes(&[spec.rings, spec.around], &at("rings"))?;
    if let Some(thickness) = spec.thickness {
        length(thickness, &at("thickness"), "a thickness such as 0.005")?;
    }
    if let Some(bumps) = &spec.bumps {
        if bumps.count == 0 || bumps.count > spec.around / 2 {
            let message = format!(
                "must be from 1 to half of `around` ({}), or the nodes cannot show them; found {}",
                spec.around / 2,
                bumps.count
            );
            return Err(SceneError::new(at("bumps.count"), message));
        }
        if !(0.0..1.0).contains(&bumps.depth) {
            let message = format!("must be at least 0 and below 1, such as 0.05; found {}", bumps.depth);
            return Err(SceneError::new(at("bumps.depth"), message));
        }
    }
    if spec.bend.is_nan() || spec.bend.abs() >= 360.0 {
        let message = format!("must be an angle between -360 and 360 degrees; found {}", spec.bend);
        return Err(SceneError::new(at("bend"), message));
    }
    Ok(())
}

fn profile(points: &[[f64; 2]], path: &str) -> Result<(), SceneError> {
    if points.len() < 3 {
        let message = format!(
            "a profile needs at least 3 points: two on the axis and one beside it; found {}",
            points.len()
        );
        return Err(SceneError::new(path, message));
    }
    few_points(points.len(), MOST_ROWS as usize, path)?;
    apart(points, path)?;
    for (i, &[radius, _]) in points.iter().enumerate() {
        let end = i == 0 || i == points.len() - 1;
        let right = match end {
            true if radius != 0.0 => "begins and ends on the axis, so this radius must be 0",
            false if radius <= 0.0 => {
                "stays beside the axis between its ends, so this radius must be positive"
            }
            _ => continue,
        };
        return Err(SceneError::new(format!("{path}[{i}]"), format!("a profile {right}; found {radius}")));
    }
    Ok(())
}

/// The numbers of a flat sheet.
pub(crate) fn grid(spec: &GridSpec, path: &str) -> Result<(), SceneError> {
    let at = |key: &str| format!("{path}.{key}");
    spec.size.iter().try_for_each(|v| length(*v, &at("size"), "side lengths such as [1.0, 1.0]"))?;
    spec.cells.iter().try_for_each(|c| within(*c, 1, &at("cells")))?;
    few_nodes(&spec.cells.map(|c| c + 1), &at("cells"))?;
    length(spec.thickness, &at("thickness"), "a thickness such as 0.005")
}

/// The numbers of a pipe.
pub(crate) fn tube(spec: &TubeSpec, path: &str) -> Result<(), SceneError> {
    let at = |key: &str| format!("{path}.{key}");
    length(spec.radius, &at("radius"), "a radius such as 0.1")?;
    length(spec.length, &at("length"), "a length such as 0.5")?;
    within(spec.cells[0], 1, &at("cells[0]"))?;
    within(spec.cells[1], 6, &at("cells[1]"))?;
    few_nodes(&[spec.cells[0] + 1, spec.cells[1]], &at("cells"))?;
    length(spec.thickness, &at("thickness"), "a thickness such as 0.005")?;
    if spec.thickness >= 2.0 * spec.radius {
        let message = format!(
            "must be less than twice the radius ({}), or the pipe closes; found {}",
            2.0 * spec.radius,
            spec.thickness
        );
        return Err(SceneError::new(at("thickness"), message));
    }
    Ok(())
}

/// The numbers of a sheet from a file, and whether there is a file.
pub(crate) fn sheet(spec: &SheetSpec, path: &str) -> Result<(), SceneError> {
    if spec.file.trim().is_empty() {
        let message = "must name a file: obj, ply, stl, glb or gltf; found nothing";
        return Err(SceneError::new(format!("{path}.file"), message));
    }
    positive(spec.scale, &format!("{path}.scale"), "a factor such as 1.0")?;
    length(spec.thickness, &format!("{path}.thickness"), "a thickness such as 0.005")
}

fn length(value: f64, path: &str, right: &str) -> Result<(), SceneError> {
    positive_each(&[value], path, right)?;
    if value <= LARGEST {
        return Ok(());
    }
    Err(SceneError::new(path, format!("must be at most {LARGEST:e} m, {right}; found {value}")))
}

fn within(value: u32, least: u32, path: &str) -> Result<(), SceneError> {
    if (least..=MOST_ROWS).contains(&value) {
        return Ok(());
    }
    Err(SceneError::new(path, format!("must be a number from {least} to {MOST_ROWS}; found {value}")))
}

fn few_nodes(counts: &[u32], path: &str) -> Result<(), SceneError> {
    let nodes: u64 = counts.iter().map(|c| u64::from(*c)).product();
    if nodes <= MOST_NODES as u64 {
        return Ok(());
    }
    Err(SceneError::new(path, format!("must make at most {MOST_NODES} nodes; found {nodes}")))
}

fn few_points(count: usize, most: usize, path: &str) -> Result<(), SceneError> {
    if count <= most {
        return Ok(());
    }
    Err(SceneError::new(path, format!("must be at most {most} points; found {count}")))
}

/// Ordinary numbers, and no point in the same place as the one before it.
fn apart<const N: usize>(points: &[[f64; N]], path: &str) -> Result<(), SceneError> {
    let strange = |p: &[f64; N]| p.iter().any(|v| v.is_nan() || v.abs() > LARGEST);
    if let Some(i) = points.iter().position(strange) {
        let message = format!("must be ordinary numbers, at most {LARGEST:e} m; found {:?}", points[i]);
        return Err(SceneError::new(format!("{path}[{i}]"), message));
    }
    let near = SAME * extent(points);
    match points.windows(2).position(|w| distance(&w[0], &w[1]) <= near) {
        None => Ok(()),
        Some(i) => {
            let message = format!("is in the same place as the point before it; found {:?}", points[i + 1]);
            Err(SceneError::new(format!("{path}[{}]", i + 1), message))
        }
    }
}

fn distance<const N: usize>(a: &[f64; N], b: &[f64; N]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// Largest distance of a point from the first along any axis.
fn extent<const N: usize>(points: &[[f64; N]]) -> f64 {
    points.iter().map(|p| distance(p, &points[0])).fold(0.0, f64::max)
}
