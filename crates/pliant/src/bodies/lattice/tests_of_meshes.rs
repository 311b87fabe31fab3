//! Bodies given as meshes, cut by their cells however it happens: closed forms of linear elasticity.
//!
//! Loads are tractions on the two ends of a bar that balance each other, so that nothing has to be held: a uniform pull, a pull
//! that grows across (bending) and one around the axis (torsion). For each the stresses are known everywhere, and so is the
//! work that is done, `integral of stress^2 / modulus`.

use super::field::Field;
use super::forces::{Motion, State};
use super::prepare::shared;
use super::shared::Shared;
use super::stiff::Factored;
use crate::bodies::Blueprint;
use crate::math::{Quat, Vec3};
use crate::scene::{BodySpec, Material, MeshSpec, ShapeSpec};
use crate::shape::{self, TriMesh, box_mesh, cylinder_mesh, refine, sphere_mesh};

const YOUNG: f64 = 2e5;
const POISSON: f64 = 0.3;

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

    /// With so many cells along the longest side, along the bar's own axes or along x, y and z.
    fn built(&self, cells: u32, plainly: bool, law: &str) -> Shared {
        let (low, high) = self.mesh.bounds();
        let edge = (high - low).max_element() / f64::from(cells);
        let each = |d: usize| toml::Value::Integer(((high - low)[d] / edge).round() as i64);
        let resolution = match plainly {
            true => toml::Value::Array(vec![each(0), each(1), each(2)]),
            false => toml::Value::Integer(i64::from(cells)),
        };
        built(&self.mesh, resolution, law)
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
    fn compliances(&self, body: &Shared) -> [f64; 4] {
        let shear = YOUNG / (2.0 * (1.0 + POISSON));
        let pull = self.work(body, |_| Vec3::Y) / (self.area * self.length / YOUNG);
        let bend =
            |axis: Vec3| self.work(body, |p| Vec3::Y * p.dot(axis)) / (self.bending * self.length / YOUNG);
        let twist = match self.torsion {
            0.0 => 1.0,
            polar => self.work(body, |p| Vec3::Y.cross(p)) / (polar * self.length / shear),
        };
        [pull, bend(Vec3::X), bend(Vec3::Z), twist]
    }
}

/// What copies of a body share that is given as a mesh.
fn built(mesh: &TriMesh, resolution: toml::Value, law: &str) -> Shared {
    let own = [("resolution".to_string(), resolution), ("law".to_string(), toml::Value::String(law.into()))];
    let spec = BodySpec {
        own: own.into_iter().collect(),
        ..BodySpec::new("body", super::KIND.name, ShapeSpec::Mesh(MeshSpec::Path("body.obj".into())))
    };
    let material = Material { young: YOUNG, poisson: POISSON, damping: 0.0, ..Material::default() };
    let meshes = [("body.obj".to_string(), mesh.clone())].into_iter().collect();
    let built = shape::build(&spec.shape, &meshes, "shape").unwrap();
    let blueprint =
        Blueprint { spec: &spec, path: "body", shape: &built, material: &material, step: 1.0 / 60.0 };
    shared(&blueprint).unwrap().0
}

/// Angular frequency of the slowest swing, by inverse iteration with rigid motion taken out.
fn slowest(body: &Shared, guess: f64) -> f64 {
    let (mass, rest) = (&body.mass, &body.cells.grid.nodes);
    let mut rigid: Vec<Vec<Vec3>> = vec![];
    for axis in Vec3::AXES {
        rigid.push(rest.iter().map(|_| axis).collect());
        rigid.push(rest.iter().map(|p| axis.cross(*p - body.centre)).collect());
    }
    let inner =
        |a: &[Vec3], b: &[Vec3]| -> f64 { a.iter().zip(b).zip(mass).map(|((a, b), m)| a.dot(*b) * m).sum() };
    let without = |u: &mut Vec<Vec3>, known: &[Vec<Vec3>]| {
        for r in known.iter().chain(known) {
            let along = inner(u, r) / inner(r, r);
            u.iter_mut().zip(r).for_each(|(u, r)| *u -= *r * along);
        }
    };
    for k in 1..6 {
        let (known, rest) = rigid.split_at_mut(k);
        without(&mut rest[0], known);
    }
    let s = 1e3 / (guess * guess);
    let factored = Factored::new(body, &[], s);
    let mut u: Vec<Vec3> =
        rest.iter().map(|p| Vec3::new(p.x * p.y, p.y * p.y + p.x * p.z, p.z * p.x - p.y)).collect();
    let mut value = 0.0;
    for _ in 0..60 {
        without(&mut u, &rigid);
        let size = inner(&u, &u).sqrt();
        let mut next: Vec<Vec3> = u.iter().zip(mass).map(|(u, m)| *u * (*m / size)).collect();
        factored.solve([&mut next]);
        value = inner(&next, &u) / size;
        u = next;
    }
    ((1.0 / value - 1.0) / s).sqrt()
}

const LAWS: [&str; 2] = ["neo_hookean", "st_venant_kirchhoff"];

fn turns() -> [Quat; 3] {
    [
        Quat::IDENTITY,
        Quat::from_rotation_z(30f64.to_radians()),
        Quat::from_scaled_axis(Vec3::new(0.5, 0.2, 0.4)),
    ]
}

fn all_near(found: [f64; 4], tolerance: [f64; 4], what: &str) {
    let wrong = (0..4).find(|k| (found[*k] - 1.0).abs() > tolerance[*k]);
    assert!(wrong.is_none(), "{what}: pull, bending, bending, torsion {found:.4?}, allowed {tolerance:?}");
}

/// However a bar is turned, its cells are turned with it: a square one is as if it were a box, a round one fills its outer
/// cells in part. Its one cell across, of 8 along it, bends by its warps alone; errors of more of them fall with their square.
#[test]
fn a_turned_bar_is_as_stiff_as_the_closed_forms_say() {
    for turn in turns() {
        let (square, round) = (Bar::square(turn), Bar::round(turn));
        for law in LAWS {
            for (cells, bend) in [(8, 0.025), (16, 0.033), (23, 0.021)] {
                let body = square.built(cells, false, law);
                assert!(body.cells.grid.parts.is_empty(), "a square bar is a box");
                all_near(
                    square.compliances(&body),
                    [1e-6, bend, bend, 0.0],
                    &format!("square {cells} {law}"),
                );
            }
            for (cells, bend, twist) in [(8, 0.14, 0.14), (16, 0.042, 0.026), (23, 0.02, 0.01)] {
                let body = round.built(cells, false, law);
                let mass = body.material.density * round.area * round.length;
                assert!((body.total_mass / mass - 1.0).abs() < 1e-12, "{}", body.total_mass);
                assert!(body.centre.length() < 1e-12, "{}", body.centre);
                all_near(
                    round.compliances(&body),
                    [1e-6, bend, bend, twist],
                    &format!("round {cells} {law}"),
                );
            }
        }
    }
}

/// Cells that are not turned cut a bar anyhow. A uniform pull is carried exactly but for slivers, which count as a hundredth
/// of a cell. A bend askew is not among the shapes that a cell can take, so it takes several across, here 2 and 4; errors fall
/// with their square.
#[test]
fn cells_that_cut_a_bar_anyhow_carry_a_pull_at_once_and_bending_with_their_number() {
    for turn in &turns()[1..] {
        for bar in [Bar::square(*turn), Bar::round(*turn)] {
            for (cells, tolerance) in [(16, [0.003, 0.18, 0.13, 0.17]), (32, [0.0015, 0.053, 0.04, 0.05])] {
                let body = bar.built(cells, true, LAWS[0]);
                assert!(!body.cells.grid.parts.is_empty());
                all_near(bar.compliances(&body), tolerance, &format!("{cells} along x, y and z"));
            }
        }
    }
}

/// A free ball twists at `2.5011 c/a`, with `c` the speed of shear waves: the first zero of `j2 - n j3` with spherical Bessel
/// functions (Lamb 1882). Nothing swings slower, such as nodes that carry next to nothing.
#[test]
fn a_ball_rings_as_lamb_found() {
    let known = {
        let excess = |n: f64| {
            let (s, c) = n.sin_cos();
            let j1 = s / (n * n) - c / n;
            let j2 = 3.0 / n * j1 - s / n;
            j2 - n * (5.0 / n * j2 - j1)
        };
        let (mut low, mut high) = (2.0, 3.0);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if excess(low) * excess(middle) <= 0.0 { high = middle } else { low = middle }
        }
        low
    };
    assert!((known - 2.5011).abs() < 1e-4, "{known}");
    let mesh = sphere_mesh(0.1, 3);
    let radius = (mesh.volume() * 0.75 / std::f64::consts::PI).cbrt();
    let unit = (YOUNG / (2.0 * (1.0 + POISSON)) / Material::default().density).sqrt() / radius;
    for (cells, tolerance) in [(6, 0.1), (7, 0.075), (8, 0.06), (11, 0.031)] {
        let body = built(&mesh, toml::Value::Integer(cells), LAWS[0]);
        let found = slowest(&body, known * unit) / unit;
        assert!((found / known - 1.0).abs() < tolerance, "{cells} cells: {found} for {known}");
    }
}

/// Forces are minus the gradient of energy, neither push nor turn, and their sum over blocks is the one over single cells.
#[test]
fn forces_of_cut_cells_follow_from_their_energy() {
    for law in LAWS {
        let body = built(&sphere_mesh(0.1, 2), toml::Value::Integer(5), law);
        let (cells, rest) = (&body.cells, &body.cells.grid.nodes);
        let wave = |k: usize| 0.004 * ((k * k % 23) as f64 / 11.0 - 1.0);
        let shake = |p: &Vec3, k: usize| *p + Vec3::new(wave(3 * k), wave(3 * k + 1), wave(3 * k + 2));
        let x: Vec<Vec3> = rest.iter().enumerate().map(|(k, p)| shake(p, k)).collect();
        let d: Vec<Vec3> = (0..x.len()).map(|k| shake(&Vec3::ZERO, 7 * k + 5)).collect();
        let (mut force, still) = (Field::new(x.len()), Field::new(x.len()));
        cells.elastic_forces(Motion { x: &Field::of(&x), v: &still, inverse: &[] }, &mut force);
        let force: Vec<Vec3> = (0..x.len()).map(|k| force.at(k)).collect();
        let energy = |s: f64| {
            let moved: Vec<Vec3> = x.iter().zip(&d).map(|(x, d)| *x + *d * s).collect();
            cells.energy(State { x: &moved, inverse: &[] })
        };
        let slope = (energy(1e-5) - energy(-1e-5)) / 2e-5;
        let work: f64 = force.iter().zip(&d).map(|(f, d)| -f.dot(*d)).sum();
        assert!((slope - work).abs() < 1e-6 * work.abs(), "{law}: {slope} {work}");
        let most = force.iter().map(|f| f.length()).fold(0.0, f64::max);
        let turn: Vec3 = force.iter().zip(&x).map(|(f, x)| x.cross(*f)).sum();
        assert!(force.iter().sum::<Vec3>().length() < 1e-12 * most && turn.length() < 1e-12 * most);
    }
}
