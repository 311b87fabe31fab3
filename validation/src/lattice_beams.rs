//! Bars of lattice cells against closed forms and against two independent codes: quadratic elements of a Python library
//! (static) and CalculiX with twenty-node bricks (sudden gravity).
//!
//! A cantilever of 1 x 0.2 x 0.2 m, 1 MPa, Poisson 0, 1000 kg/m^3, St. Venant-Kirchhoff. A slender bar of the same stuff
//! swings along itself with the period `4 L/c` when gravity sets in, and leaves a wall that it has hit after `2 L/c`, as
//! fast as it came.

use crate::Line;
use pliant::math::Vec3;
use pliant::{MeshLibrary, SceneSpec, World};

/// Speed of waves in a bar `[m/s]`.
const SPEED: f64 = 31.622_776_601_683_793;

/// All numbers.
pub fn lines() -> anyhow::Result<Vec<Line>> {
    let line = |name: &str, known: f64, ours: f64, tolerance: f64| Line {
        name: name.into(),
        known,
        ours,
        tolerance,
    };
    let small = settled(0.0981)?;
    let large = settled(9.81)?;
    let (peak, when) = sudden()?;
    let quarter = axial()?;
    let (left, speed) = wall()?;
    Ok(vec![
        line("tip under a hundredth of gravity, 16x4x4 cells [m]", 3.794e-3, small.y, 0.01),
        line("tip down under gravity, 16x4x4 cells [m]", 0.3477, large.y, 0.01),
        line("tip back under gravity, 16x4x4 cells [m]", 0.0710, large.x, 0.02),
        line("sudden gravity, 32x8x8 cells: lowest tip [m]", 0.6334, peak, 0.01),
        line("sudden gravity, 32x8x8 cells: when [s]", 0.481, when, 0.01),
        line("slender bar along itself: half a period [s]", 2.0 / SPEED, quarter, 0.01),
        line("bar hits a wall: leaves after [s]", 2.0 / SPEED, left, 0.03),
        line("bar hits a wall: speed away over speed before", 1.0, speed, 0.03),
    ])
}

/// A scene with a bar: its sides, its cells, its viscous time, and gravity.
fn bar(size: [f64; 3], cells: [u32; 3], viscous: f64, gravity: [f64; 3]) -> String {
    format!(
        "[scene]\nsleep = false\nfps = 600\ngravity = {gravity:?}\nclearance = 1e-5\n[[body]]\nname = \"bar\"\n\
         kind = \"lattice\"\nshape = {{ box = {size:?} }}\nresolution = {cells:?}\nlaw = \"st_venant_kirchhoff\"\n\
         viscous_time = {viscous:?}\nmaterial = {{ density = 1000, young = 1e6, poisson = 0, friction = 0 }}\n"
    )
}

fn world(text: &str) -> anyhow::Result<World> {
    let spec: SceneSpec = toml::from_str(text)?;
    Ok(World::new(&spec, &MeshLibrary::new())?)
}

fn held(text: &str) -> anyhow::Result<World> {
    world(&format!("{text}[[control]]\nbody = \"bar\"\nkind = \"hold\"\nselect = {{ left = 0.001 }}\n"))
}

/// Mean displacement of the far end, down and back.
fn tip(world: &World) -> Vec3 {
    let rest = &world.topology().objects[0].points;
    let far = f64::from(rest.iter().map(|p| p[0]).fold(0.0, f32::max)) - 1e-4;
    let points = &world.bodies()[0].skin().points;
    let end: Vec<Vec3> = points
        .iter()
        .zip(rest)
        .filter(|(_, r)| f64::from(r[0]) > far && f64::from(r[1]).abs() < 1e-4)
        .map(|(p, r)| Vec3::from(r.map(f64::from)) - *p)
        .collect();
    end.iter().sum::<Vec3>() / end.len() as f64
}

fn settled(gravity: f64) -> anyhow::Result<Vec3> {
    let mut world = held(&bar([1.0, 0.2, 0.2], [16, 4, 4], 0.06, [0.0, -gravity, 0.0]))?;
    for _ in 0..3600 {
        world.next_frame(&mut ())?;
    }
    Ok(tip(&world))
}

fn sudden() -> anyhow::Result<(f64, f64)> {
    let mut world = held(&bar([1.0, 0.2, 0.2], [32, 8, 8], 0.0, [0.0, -9.81, 0.0]))?;
    let mut lowest = (0.0, 0.0);
    for _ in 0..330 {
        world.next_frame(&mut ())?;
        let down = tip(&world).y;
        if down > lowest.0 {
            lowest = (down, world.time());
        }
    }
    Ok(lowest)
}

/// When the end of a bar that hangs on along x has gone farthest: half a period.
fn axial() -> anyhow::Result<f64> {
    let mut world = held(&bar([1.0, 0.05, 0.05], [40, 2, 2], 0.0, [0.1, 0.0, 0.0]))?;
    let mut far = (0.0, 0.0);
    for _ in 0..60 {
        world.next_frame(&mut ())?;
        let out = -tip(&world).x;
        if out > far.0 {
            far = (out, world.time());
        }
    }
    Ok(far.1)
}

/// When a bar that meets a wall has its momentum back, and its speed then.
fn wall() -> anyhow::Result<(f64, f64)> {
    let speed = 0.2;
    let text = bar([1.0, 0.05, 0.05], [40, 2, 2], 0.0, [0.0; 3]);
    let mut world = world(&format!(
        "{text}velocity = [{speed}, 0, 0]\n[[obstacle]]\nname = \"wall\"\n\
         shape = {{ plane = {{ normal = [-1, 0, 0], offset = -0.5001 }} }}\n"
    ))?;
    let (mut met, mut left) = (None, 0.0);
    let mut away = 0.0;
    for _ in 0..120 {
        let frame = world.next_frame(&mut ())?;
        let m = frame.measures[0];
        let v = m.momentum.x / m.mass;
        if met.is_none() && v < 0.999 * speed {
            // The wall takes momentum at a constant rate: back to when it began.
            let rate = 2.0 * speed * SPEED / 2.0;
            met = Some(world.time() - (speed - v) / rate);
        }
        if let Some(met) = met.filter(|_| -v > away * 1.0005) {
            (away, left) = (-v, world.time() - met);
        }
    }
    Ok((left, away / speed))
}
