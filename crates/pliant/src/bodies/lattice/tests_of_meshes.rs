//! Bodies given as meshes, cut by their cells however it happens: closed forms of linear elasticity.
//!
//! Loads are tractions on the two ends of a bar that balance each other, so that nothing has to be held: a uniform pull, a pull
//! that grows across (bending) and one around the axis (torsion). For each the stresses are known everywhere, and so is the
//! work that is done, `integral of stress^2 / modulus`.

use super::prepare::shared;
use super::shared::Shared;
use super::stiff::Factored;
use crate::bodies::Blueprint;
use crate::math::{Quat, Vec3};
use crate::scene::{BodySpec, Material, MeshSpec, ShapeSpec};
use crate::shape::{self, TriMesh, box_mesh, cylinder_mesh, refine};

const YOUNG: f64 = 2e5;

/// A bar along y, turned.
struct Bar {
    mesh: TriMesh,
    turn: Quat,
    length: f64,
    /// Area, second moment about z and about its axis.
    area: f64,
    bending: f64,
    torsion: f64,
}

impl Bar {
    fn square(turn: Quat) -> Self {
        let (length, width) = (0.8f64, 0.1f64);
        let mesh = box_mesh(Vec3::new(width, length, width), [1, 4, 1]);
        // The stiffness of a square bar in torsion is 0.1406 times its width to the fourth, but tractions that grow from the axis
        // are not its own; it is left out.
        Self::new(mesh, turn, length, [width * width, width.powi(4) / 12.0, 0.0])
    }

    fn round(turn: Quat) -> Self {
        let (length, radius, around) = (0.8f64, 0.06f64, 32);
        let mesh = cylinder_mesh(radius, length, around);
        // The prism's own, a little less than the circle's.
        let a = std::f64::consts::TAU / f64::from(around);
        let area = 0.5 * f64::from(around) * radius * radius * a.sin();
        let polar = area * radius * radius * (2.0 + a.cos()) / 6.0;
        Self::new(mesh, turn, length, [area, 0.5 * polar, polar])
    }

    fn new(mesh: TriMesh, turn: Quat, length: f64, [area, bending, torsion]: [f64; 3]) -> Self {
        let points = mesh.points.iter().map(|p| turn * *p).collect();
        Self { mesh: TriMesh { points, ..mesh }, turn, length, area, bending, torsion }
    }

    fn built(&self, resolution: i64, law: &str, poisson: f64) -> Shared {
        let own = [
            ("resolution".to_string(), toml::Value::Integer(resolution)),
            ("law".to_string(), toml::Value::String(law.into())),
        ];
        let spec = BodySpec {
            own: own.into_iter().collect(),
            ..BodySpec::new("bar", super::KIND.name, ShapeSpec::Mesh(MeshSpec::Path("bar.obj".into())))
        };
        let material = Material { young: YOUNG, poisson, damping: 0.0, ..Material::default() };
        let meshes = [("bar.obj".to_string(), self.mesh.clone())].into_iter().collect();
        let built = shape::build(&spec.shape, &meshes, "shape").unwrap();
        let blueprint =
            Blueprint { spec: &spec, path: "body", shape: &built, material: &material, step: 1.0 / 60.0 };
        shared(&blueprint).unwrap().0
    }

    /// Work done by tractions on the ends: those of a stress, from the place in the bar's own axes.
    fn work(&self, body: &Shared, stress: impl Fn(Vec3) -> Vec3) -> f64 {
        let grid = &body.cells.grid;
        let mut load = vec![Vec3::ZERO; grid.nodes.len()];
        let fine = refine(&self.mesh, 0.25 * grid.cell.size[0]);
        for t in 0..fine.triangles.len() {
            let [a, b, c] = fine.corners(t);
            let area = 0.5 * (b - a).cross(c - a).length();
            let points = [0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a)];
            let own = points.map(|p| self.turn.inverse() * p);
            let end = own[0].y.signum();
            if own.iter().any(|p| (p.y - 0.5 * self.length * end).abs() > 1e-9) {
                continue;
            }
            for (p, own) in points.into_iter().zip(own) {
                let force = self.turn * stress(own) * (end * area / 3.0);
                for (n, w) in grid.carriers(p).unwrap() {
                    load[n as usize] += force * w;
                }
            }
        }
        // So stiff that the mass has no say.
        let s = 1e6 * body.total_mass * self.length.powi(3) / (YOUNG * self.bending);
        let mut u = load.clone();
        Factored::new(body, &[], s).solve([&mut u]);
        s * u.iter().zip(&load).map(|(u, f)| u.dot(*f)).sum::<f64>()
    }

    /// Compliances over those of the closed forms: pull, bending about both axes, torsion.
    fn compliances(&self, body: &Shared, poisson: f64) -> [f64; 4] {
        let shear = YOUNG / (2.0 * (1.0 + poisson));
        let pull = self.work(body, |_| Vec3::Y) / (self.area * self.length / YOUNG);
        let bend = |axis: Vec3| {
            self.work(body, |p| Vec3::Y * p.dot(axis)) / (self.bending * self.length / YOUNG)
        };
        let twist = match self.torsion {
            0.0 => 1.0,
            polar => self.work(body, |p| Vec3::Y.cross(p)) / (polar * self.length / shear),
        };
        [pull, bend(Vec3::X), bend(Vec3::Z), twist]
    }
}

#[test]
fn table() {
    let turns = [
        ("along", Quat::IDENTITY),
        ("30 deg", Quat::from_rotation_z(30f64.to_radians())),
        ("askew", Quat::from_scaled_axis(Vec3::new(0.5, 0.2, 0.4))),
    ];
    for (name, turn) in turns {
        for (shape, bar) in [("square", Bar::square(turn)), ("round", Bar::round(turn))] {
            for resolution in [8, 11, 16, 23, 32] {
                for law in ["neo_hookean", "st_venant_kirchhoff"] {
                    let mut body = bar.built(resolution, law, 0.3);
                    let nodes = body.mass.len();
                    let now = bar.compliances(&body, 0.3);
                    body.cells.grid.parts.clear();
                    let before = bar.compliances(&body, 0.3);
                    let f = |c: [f64; 4]| c.map(|c| format!("{:.3}", c)).join(" ");
                    println!("{name} {shape} {resolution} {law} {nodes}: {}  was {} step {:.2e}", f(now), f(before), body.limits.step);
                }
            }
        }
    }
}
