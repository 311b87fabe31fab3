//! One kernel for each part of the engine in which time is spent.

use pliant::clay::{Field, FieldShape, Law, Pairs, Pull, Unlimited, pulls, surface};
use pliant::math::Vec3;
use pliant::shape::grid_net;
use pliant::spline::{Factor, Method, Spline, Stiffness, Weights};
use pliant::{MeshLibrary, SceneSpec, World};

/// Does its work so many times and gives a number that depends on all of it.
pub type Kernel = fn(usize) -> f64;

/// Name and kernel. A kernel runs so many times and gives a number that depends on all it did.
pub const ALL: &[(&str, Kernel)] = &[
    ("lattice_forces", lattice_forces),
    ("lattice_incompressible", lattice_incompressible),
    ("global_free", global_free),
    ("rigid_pile", rigid_pile),
    ("soft_contact", soft_contact),
    ("hybrid_solve", hybrid_solve),
    ("clay_bonds", clay_bonds),
    ("clay_surface", clay_surface),
];

/// Steps a world that a scene's text describes.
fn steps(text: &str, count: usize) -> f64 {
    let spec: SceneSpec = toml::from_str(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let mut world = World::new(&spec, &MeshLibrary::new()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    for _ in 0..count {
        world.step().unwrap_or_else(|e| panic!("{e}"));
    }
    world.frame().measures.iter().map(|m| m.kinetic + m.centre.y).sum()
}

const SPACE: &str = "[scene]\nsleep = false\ngravity = [0.0, 0.0, 0.0]\n";
const EARTH: &str = "[scene]\nsleep = false\n[[obstacle]]\nname = \"floor\"\nshape = { plane = {} }\n";

fn lattice_forces(times: usize) -> f64 {
    let body = "[[body]]\nname = \"a\"\nkind = \"lattice\"\nshape = { box = [0.2, 0.2, 0.2] }\nresolution = 12\n\
                spin = [300.0, 200.0, 100.0]\nmaterial = { young = 5e4, damping = 0.0 }\n";
    steps(&(SPACE.to_string() + body), 10 * times)
}

fn lattice_incompressible(times: usize) -> f64 {
    let body = "[[body]]\nname = \"a\"\nkind = \"lattice\"\nshape = { box = [0.2, 0.2, 0.2] }\nresolution = 6\n\
                spin = [600.0, 400.0, 100.0]\nmaterial = { young = 5e4, damping = 0.05, incompressible = true }\n";
    steps(&(SPACE.to_string() + body), 5 * times)
}

fn global_free(times: usize) -> f64 {
    let body = "[[body]]\nname = \"a\"\nkind = \"global\"\nshape = { box = [0.2, 0.2, 0.2] }\n\
                spin = [300.0, 200.0, 100.0]\ncopies = { count = [4, 4, 1], spacing = [1.0, 1.0, 1.0] }\n\
                material = { young = 5e4 }\n";
    steps(&(SPACE.to_string() + body), 10 * times)
}

fn rigid_pile(times: usize) -> f64 {
    let body = "[[body]]\nname = \"a\"\nkind = \"rigid\"\nshape = { box = [0.2, 0.2, 0.2] }\nposition = [0.0, 0.102, 0.0]\n\
                copies = { count = [3, 4, 3], spacing = [0.21, 0.204, 0.21] }\n";
    steps(&(EARTH.to_string() + body), 5 * times)
}

fn soft_contact(times: usize) -> f64 {
    let body = "[[body]]\nname = \"a\"\nkind = \"lattice\"\nshape = { box = [0.2, 0.2, 0.2] }\nresolution = 6\n\
                position = [0.0, 0.101, 0.0]\nvelocity = [0.2, -0.5, 0.0]\nmaterial = { young = 5e4 }\n";
    steps(&(EARTH.to_string() + body), 10 * times)
}

fn hybrid_solve(times: usize) -> f64 {
    let n = 48;
    let (_, net) = grid_net([1.0, 1.0], [n - 1, n - 1], 0.001);
    let spline = Spline::new(&net, &Weights::uniform(&net, [0.0, 100.0, 1.0]));
    let stiffness = Stiffness::new(&spline, n * n);
    let mass: Vec<f64> = net.measure.iter().map(|a| a * 10.0).collect();
    let factor = Factor::new(&mass, &stiffness, 1e-4, Method::Direct).expect("a positive matrix");
    let mut b: Vec<Vec3> = (0..n * n).map(|i| Vec3::new((i as f64).sin(), 0.5, (i as f64).cos())).collect();
    for _ in 0..5 * times {
        factor.solve(&mut b);
    }
    b.iter().map(|v| v.x).sum()
}

/// A shaken cubic lattice of places at a distance of about 1.
fn places(side: i32) -> Vec<Vec3> {
    let mut seed = 1u64;
    let mut random = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    };
    let mut list = vec![];
    for i in 0..side {
        for j in 0..side {
            for k in 0..side {
                let shake = Vec3::new(random(), random(), random()) * 0.1;
                list.push(Vec3::new(f64::from(i), f64::from(j), f64::from(k)) * 0.94 + shake);
            }
        }
    }
    list
}

fn clay_bonds(times: usize) -> f64 {
    let law = Law { exponents: [8, 4], strength: 8.0, rest: 1.0, reach: 2.5, fades: false };
    let x = places(12);
    let mut pairs = Pairs::default();
    let mut pulled = vec![Pull::default(); x.len()];
    pairs.keep_up(&x, law.reach, 0.3);
    let mut sum = 0.0;
    for _ in 0..5 * times {
        pulls(&law, &mut pairs, &x, &mut pulled);
        sum += pulled[7].force.x;
    }
    sum
}

fn clay_surface(times: usize) -> f64 {
    let x = places(6);
    let coats = vec![0.6; x.len()];
    let mut sum = 0.0;
    for _ in 0..times {
        let field = Field::new(FieldShape::Cubic, &x, &coats);
        sum += surface(&field, 0.3, &Unlimited).flat_volume();
    }
    sum
}
