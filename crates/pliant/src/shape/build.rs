//! From the shape in a scene file to a mesh.

use super::primitives::*;
use super::union::union_of_convex;
use super::{Net, TriMesh, convex_hull, net};
use crate::MeshLibrary;
use crate::math::Vec3;
use crate::scene::{MeshSpec, PartSpec, SceneError, ShapeSpec, rotation_from_degrees};
use rayon::prelude::*;

/// A rest shape, ready for a body or an obstacle.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// The closed surface, in the shape's own frame.
    pub mesh: TriMesh,
    /// The exact round shape, if it is one; the mesh's points lie on or inside it.
    pub round: Option<Round>,
    /// Whether neighbouring triangles should be shaded as one smooth surface.
    pub smooth: bool,
    /// Whether the solid is convex.
    pub convex: bool,
    /// The nodes within, where the shape says how they are joined.
    pub net: Option<Net>,
}

/// All points within `radius` of the hull of one or two points: a ball or a capsule.
#[derive(Clone, Debug, PartialEq)]
pub struct Round {
    /// The centre, or the two ends of the axis `[m]`.
    pub points: Vec<Vec3>,
    /// Radius `[m]`.
    pub radius: f64,
}

/// Times every icosahedron triangle is split in four: 1280 triangles, 1.2 % less volume than the ball.
const SPHERE_DETAIL: u32 = 3;
/// Points around cylinders and capsules.
const AROUND: u32 = 32;
/// Points around a torus and around its tube.
const TORUS: [u32; 2] = [48, 24];

/// Builds the mesh of a shape, or says which key is wrong and what would be right.
///
/// `path` is the place of the shape in the scene, such as `body[2].shape`.
pub fn build(spec: &ShapeSpec, meshes: &MeshLibrary, path: &str) -> Result<Shape, SceneError> {
    let at = |key: &str| format!("{path}.{key}");
    match spec {
        ShapeSpec::Box(size) => {
            positive_each(size, &at("box"), "side lengths such as [0.2, 0.2, 0.2]")?;
            Ok(angular(box_mesh(Vec3::from(*size), [1, 1, 1])))
        }
        ShapeSpec::Sphere(radius) => {
            positive(*radius, &at("sphere"), "a radius such as 0.1")?;
            let round = Round { points: vec![Vec3::ZERO], radius: *radius };
            Ok(Shape { round: Some(round), ..smooth(sphere_mesh(*radius, SPHERE_DETAIL)) })
        }
        ShapeSpec::Ellipsoid(axes) => {
            positive_each(axes, &at("ellipsoid"), "semi-axes such as [0.1, 0.2, 0.1]")?;
            Ok(smooth(ellipsoid_mesh(Vec3::from(*axes), SPHERE_DETAIL)))
        }
        ShapeSpec::Capsule { radius, length } => {
            positive(*radius, &at("capsule.radius"), "a radius such as 0.1")?;
            positive(
                *length,
                &at("capsule.length"),
                "the length of the straight part, such as 0.3; for 0 use a sphere",
            )?;
            let end = Vec3::new(0.0, 0.5 * length, 0.0);
            let round = Round { points: vec![-end, end], radius: *radius };
            Ok(Shape { round: Some(round), ..smooth(capsule_mesh(*radius, *length, AROUND)) })
        }
        ShapeSpec::Cylinder { radius, height } => {
            positive(*radius, &at("cylinder.radius"), "a radius such as 0.1")?;
            positive(*height, &at("cylinder.height"), "a height such as 0.3")?;
            Ok(angular(cylinder_mesh(*radius, *height, AROUND)))
        }
        ShapeSpec::Torus { major, minor } => {
            positive(*major, &at("torus.major"), "a radius such as 0.2")?;
            positive(*minor, &at("torus.minor"), "a radius such as 0.05")?;
            if minor >= major {
                let message = format!(
                    "the tube's radius must be less than the ring's ({major}), or the hole closes; found {minor}"
                );
                return Err(SceneError::new(at("torus.minor"), message));
            }
            Ok(smooth(torus_mesh(*major, *minor, TORUS[0], TORUS[1])))
        }
        ShapeSpec::Mesh(file) => build_mesh(file, meshes, &at("mesh")),
        ShapeSpec::Hull(points) => build_hull(points, &at("hull")),
        ShapeSpec::Parts(parts) => build_parts(parts, meshes, &at("parts")),
        ShapeSpec::Plane { .. } => {
            let message = "a plane has no inside, so only an obstacle can be one; use a flat box for a body";
            Err(SceneError::new(at("plane"), message))
        }
        ShapeSpec::Stairs { steps, tread, rise, width } => {
            if !(1..=10_000).contains(steps) {
                let message = format!("must be a number of steps from 1 to 10000; found {steps}");
                return Err(SceneError::new(at("stairs.steps"), message));
            }
            positive(*tread, &at("stairs.tread"), "a depth such as 0.3")?;
            positive(*rise, &at("stairs.rise"), "a height such as 0.2")?;
            positive(*width, &at("stairs.width"), "a width such as 1.0")?;
            Ok(angular(stairs_mesh(*steps, *tread, *rise, *width)))
        }
        ShapeSpec::Curve(spec) => net::build_curve(spec, &at("curve")),
        ShapeSpec::Revolve(spec) => net::build_revolve(spec, &at("revolve")),
        ShapeSpec::Grid(spec) => net::build_grid(spec, &at("grid")),
        ShapeSpec::Tube(spec) => net::build_tube(spec, &at("tube")),
        ShapeSpec::Sheet(spec) => net::build_sheet(spec, meshes, &at("sheet")),
    }
}

fn build_mesh(file: &MeshSpec, meshes: &MeshLibrary, path: &str) -> Result<Shape, SceneError> {
    let (name, scale) = (file.file(), file.scale());
    positive(scale, &format!("{path}.scale"), "a factor such as 1.0")?;
    let Some(mesh) = meshes.get(name) else {
        let message = format!("the mesh {name:?} is not loaded; give a file that exists beside the scene");
        return Err(SceneError::new(path, message));
    };
    let mesh = mesh.map(|p| scale * p);
    mesh.check_solid().map_err(|e| SceneError::new(path, format!("{name}: {e}")))?;
    Ok(angular(mesh))
}

fn build_hull(points: &[[f64; 3]], path: &str) -> Result<Shape, SceneError> {
    if let Some(i) = points.iter().position(|p| p.iter().any(|v| !v.is_finite())) {
        let message = format!("must be three ordinary numbers [m]; found {:?}", points[i]);
        return Err(SceneError::new(format!("{path}[{i}]"), message));
    }
    if points.len() < 4 {
        let message =
            format!("a hull needs at least 4 points that are not in one plane; found {}", points.len());
        return Err(SceneError::new(path, message));
    }
    let points: Vec<Vec3> = points.iter().map(|&p| Vec3::from(p)).collect();
    let Some(mesh) = convex_hull(&points) else {
        return Err(SceneError::new(
            path,
            "all points lie in one plane; add one outside it so that there is a volume",
        ));
    };
    mesh.check_solid().map_err(|e| SceneError::new(path, format!("the hull is too thin: {e}")))?;
    Ok(angular(mesh))
}

fn build_parts(parts: &[PartSpec], meshes: &MeshLibrary, path: &str) -> Result<Shape, SceneError> {
    if parts.is_empty() {
        return Err(SceneError::new(
            path,
            "needs at least one part; add { shape = { box = [0.1, 0.1, 0.1] } }",
        ));
    }
    let mut placed = vec![];
    for (i, part) in parts.iter().enumerate() {
        let here = format!("{path}[{i}]");
        finite(&part.position, &format!("{here}.position"))?;
        finite(&part.rotation, &format!("{here}.rotation"))?;
        let shape = build(&part.shape, meshes, &format!("{here}.shape"))?;
        if !shape.convex {
            let message = "a part must be convex: a box, sphere, ellipsoid, capsule, cylinder or hull; split it into such";
            return Err(SceneError::new(format!("{here}.shape"), message));
        }
        let (turn, shift) = (rotation_from_degrees(part.rotation), Vec3::from(part.position));
        placed.push(shape.mesh.map(|p| turn * p + shift));
    }
    let mesh = union_of_convex(&placed).map_err(|e| {
        let message = format!("{e}; let the parts overlap well or keep them clearly apart");
        SceneError::new(format!("{path}[{}]", e.part()), message)
    })?;
    Ok(angular(mesh))
}

fn angular(mesh: TriMesh) -> Shape {
    Shape { convex: is_convex(&mesh), mesh, round: None, smooth: false, net: None }
}

fn smooth(mesh: TriMesh) -> Shape {
    Shape { smooth: true, ..angular(mesh) }
}

/// Whether every point lies behind or on the plane of every triangle, within 1e-9 of the mesh's size.
pub fn is_convex(mesh: &TriMesh) -> bool {
    let (low, high) = mesh.bounds();
    let tolerance = 1e-9 * (high - low).max_element();
    (0..mesh.triangles.len()).into_par_iter().all(|t| {
        let normal = mesh.area_vector(t).normalize_or_zero();
        let height = normal.dot(mesh.corners(t)[0]) + tolerance;
        mesh.points.iter().all(|&p| normal.dot(p) <= height)
    })
}

pub(super) fn positive(value: f64, path: &str, right: &str) -> Result<(), SceneError> {
    if value > 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(SceneError::new(path, format!("must be positive and finite, {right}; found {value}")))
}

pub(super) fn positive_each(values: &[f64], path: &str, right: &str) -> Result<(), SceneError> {
    match values.iter().find(|v| !(**v > 0.0 && v.is_finite())) {
        Some(v) => Err(SceneError::new(path, format!("must be positive and finite, {right}; found {v}"))),
        None => Ok(()),
    }
}

fn finite(values: &[f64], path: &str) -> Result<(), SceneError> {
    match values.iter().find(|v| !v.is_finite()) {
        Some(v) => Err(SceneError::new(path, format!("must be ordinary numbers; found {v}"))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::MeshOptions;

    fn ok(spec: ShapeSpec) -> Shape {
        let shape = build(&spec, &MeshLibrary::new(), "body[2].shape").expect("a good shape");
        assert_eq!(shape.mesh.check_solid(), Ok(()));
        shape
    }

    fn refused(spec: ShapeSpec, path: &str, says: &str) {
        let e = build(&spec, &MeshLibrary::new(), "body[2].shape").expect_err("a bad shape");
        assert_eq!(e.path, path);
        assert!(e.message.contains(says), "{}", e.message);
    }

    fn part(shape: ShapeSpec, position: [f64; 3]) -> PartSpec {
        PartSpec { shape, position, rotation: [0.0; 3] }
    }

    #[test]
    fn every_kind_of_shape_is_built() {
        let s = ok(ShapeSpec::Box([1.0, 2.0, 3.0]));
        assert!(s.convex && !s.smooth && s.round.is_none() && s.mesh.triangles.len() == 12);
        let s = ok(ShapeSpec::Sphere(0.5));
        let round = s.round.expect("round");
        assert!(s.convex && s.smooth && round.points == [Vec3::ZERO] && round.radius == 0.5);
        let s = ok(ShapeSpec::Capsule { radius: 0.2, length: 1.0 });
        let round = s.round.expect("round");
        assert!(s.convex && round.points == [Vec3::Y * -0.5, Vec3::Y * 0.5]);
        let axis = |p: Vec3| p - Vec3::Y * p.y.clamp(-0.5, 0.5);
        assert!(
            s.mesh.points.iter().all(|&p| (axis(p).length() - 0.2).abs() < 1e-15),
            "points lie on the capsule"
        );
        assert!(ok(ShapeSpec::Ellipsoid([0.1, 0.2, 0.3])).convex);
        assert!(ok(ShapeSpec::Cylinder { radius: 0.2, height: 1.0 }).convex);
        assert!(!ok(ShapeSpec::Torus { major: 0.2, minor: 0.05 }).convex);
        assert!(!ok(ShapeSpec::Stairs { steps: 3, tread: 0.3, rise: 0.2, width: 1.0 }).convex);
        let corners = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.1, 0.1, 0.1]];
        let s = ok(ShapeSpec::Hull(corners));
        assert!(s.convex && s.mesh.points.len() == 4 && (s.mesh.volume() - 1.0 / 6.0).abs() < 1e-15);
    }

    #[test]
    fn parts_become_one_solid() {
        let long = ShapeSpec::Box([3.0, 1.0, 1.0]);
        let turned = PartSpec { shape: long.clone(), position: [0.0; 3], rotation: [0.0, 0.0, 90.0] };
        let cross = ok(ShapeSpec::Parts(vec![part(long, [0.0; 3]), turned]));
        assert!(!cross.convex && (cross.mesh.volume() - 5.0).abs() < 1e-12);
    }

    #[test]
    fn bad_numbers_are_refused_at_their_keys() {
        refused(ShapeSpec::Box([1.0, 0.0, 1.0]), "body[2].shape.box", "found 0");
        refused(ShapeSpec::Sphere(f64::NAN), "body[2].shape.sphere", "positive and finite");
        refused(ShapeSpec::Ellipsoid([1.0, 1.0, -2.0]), "body[2].shape.ellipsoid", "found -2");
        refused(ShapeSpec::Capsule { radius: 0.1, length: 0.0 }, "body[2].shape.capsule.length", "sphere");
        refused(
            ShapeSpec::Cylinder { radius: 0.1, height: f64::INFINITY },
            "body[2].shape.cylinder.height",
            "inf",
        );
        refused(ShapeSpec::Torus { major: 0.1, minor: 0.1 }, "body[2].shape.torus.minor", "hole");
        let stairs = ShapeSpec::Stairs { steps: 0, tread: 0.3, rise: 0.2, width: 1.0 };
        refused(stairs, "body[2].shape.stairs.steps", "from 1");
        refused(ShapeSpec::Plane { normal: [0.0, 1.0, 0.0], offset: 0.0 }, "body[2].shape.plane", "obstacle");
    }

    #[test]
    fn bad_hulls_and_parts_are_refused() {
        refused(ShapeSpec::Hull(vec![[0.0; 3]; 3]), "body[2].shape.hull", "at least 4");
        let flat = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]];
        refused(ShapeSpec::Hull(flat), "body[2].shape.hull", "one plane");
        refused(ShapeSpec::Hull(vec![[0.0; 3], [f64::NAN; 3]]), "body[2].shape.hull[1]", "ordinary");
        refused(ShapeSpec::Parts(vec![]), "body[2].shape.parts", "at least one");
        let torus = ShapeSpec::Torus { major: 1.0, minor: 0.2 };
        let cube = ShapeSpec::Box([1.0; 3]);
        let parts = vec![part(cube.clone(), [0.0; 3]), part(torus, [0.0; 3])];
        refused(ShapeSpec::Parts(parts), "body[2].shape.parts[1].shape", "convex");
        let bad = vec![part(ShapeSpec::Sphere(-1.0), [0.0; 3])];
        refused(ShapeSpec::Parts(bad), "body[2].shape.parts[0].shape.sphere", "found -1");
        let edge = vec![part(cube.clone(), [0.0; 3]), part(cube, [1.0, 1.0, 0.0])];
        refused(ShapeSpec::Parts(edge), "body[2].shape.parts[0]", "overlap");
    }

    #[test]
    fn mesh_files_are_checked_and_scaled() {
        let mut meshes = MeshLibrary::new();
        meshes.insert("good.obj".into(), box_mesh(Vec3::ONE, [1, 1, 1]));
        let mut open = box_mesh(Vec3::ONE, [1, 1, 1]);
        open.triangles.pop();
        meshes.insert("open.obj".into(), open);
        let options = MeshOptions { file: "good.obj".into(), scale: 2.0 };
        let shape =
            build(&ShapeSpec::Mesh(MeshSpec::Options(options)), &meshes, "body[0].shape").expect("good");
        assert!((shape.mesh.volume() - 8.0).abs() < 1e-14 && shape.convex);
        let e = |name: &str| build(&ShapeSpec::Mesh(MeshSpec::Path(name.into())), &meshes, "body[0].shape");
        let open = e("open.obj").expect_err("open");
        assert!(open.path == "body[0].shape.mesh" && open.message.contains("open.obj: triangle"), "{open}");
        assert!(e("none.obj").expect_err("missing").message.contains("none.obj"));
    }
}
