//! V1: affine motion of the boundary must give affine motion inside.

use crate::lab::{Beam, Lab, body, control, scene};
use crate::problem::{Answer, Problem};
use anyhow::Result;
use pliant::math::{Mat3, Vec3};

pub const PROBLEM: Problem = Problem {
    title: "Patch test",
    source: "an affine field is in equilibrium: the energy is that of one homogeneous strain, the stress is constant.",
    setup: "A lattice of 4 x 3 x 3 cells; each of its 72 outer nodes is moved along a path of its own to where an affine map \
            with stretch and shear puts it, and the energy is compared with that of the strain (St. Venant-Kirchhoff, \
            Poisson 0.3). A bar with Poisson 0 is stretched by 5 % at its ends alone: the nodes between must follow.",
    why: "1e-6: the cells reproduce affine fields exactly; what is left is motion that has not died down, and frames' \
          rest places in 32 bits.",
    fast: true,
    outside: None,
    solve,
};

fn solve() -> Result<Answer> {
    // A displacement gradient of a few per cent, without symmetry.
    let gradient = Mat3::from_cols(
        Vec3::new(0.03, 0.01, -0.02),
        Vec3::new(0.02, -0.02, 0.01),
        Vec3::new(0.01, 0.03, 0.02),
    );
    let cells = [4u32, 3, 3];
    let size = Vec3::new(0.4, 0.3, 0.3);
    let (young, poisson) = (1e5, 0.3);
    let keys = format!(
        "resolution = {cells:?}\nlaw = \"st_venant_kirchhoff\"\nviscous_time = 0.002\n\
         material = {{ young = {young:?}, poisson = {poisson:?} }}"
    );
    let mut text = scene(120.0, [0.0; 3]) + &body("a", "lattice", "box = [0.4, 0.3, 0.3]", [0.0; 3], &keys);
    for i in 0..=cells[0] {
        for j in 0..=cells[1] {
            for k in 0..=cells[2] {
                let inner = |n: u32, most: u32| n > 0 && n < most;
                if inner(i, cells[0]) && inner(j, cells[1]) && inner(k, cells[2]) {
                    continue;
                }
                let at = 0.1 * Vec3::new(f64::from(i), f64::from(j), f64::from(k)) - 0.5 * size;
                let to = (gradient * at).to_array();
                let path = format!("keys = [{{ t = 0, at = [0.0, 0.0, 0.0] }}, {{ t = 0.2, at = {to:?} }}]");
                text += &control("path", &format!("nearest = {:?}", at.to_array()), &path);
            }
        }
    }
    let mut lab = Lab::new(&text)?;
    lab.run(3.0)?;
    let f = Mat3::IDENTITY + gradient;
    let strain = (f.transpose() * f - Mat3::IDENTITY) * 0.5;
    let (mu, lambda) =
        (young / (2.0 * (1.0 + poisson)), young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson)));
    let square: f64 = (0..3).map(|c| strain.col(c).length_squared()).sum();
    let trace: f64 = (0..3).map(|c| strain.col(c)[c]).sum();
    let known = (mu * square + 0.5 * lambda * trace * trace) * size.x * size.y * size.z;
    let energy = lab.measures(0).elastic;

    let bar = Beam {
        size: [0.5, 0.1, 0.1],
        cells: [5, 2, 2],
        young: 1e5,
        poisson: 0.0,
        density: 1000.0,
        damping: 0.02,
    };
    let pull = "keys = [{ t = 0, at = [0, 0, 0] }, { t = 0.2, at = [0.025, 0, 0] }]";
    let text = scene(120.0, [0.0; 3]) + &bar.held() + &control("path", "right = 0.001", pull);
    let mut lab = Lab::new(&text)?;
    lab.run(8.0)?;
    let off = |(rest, now): &(Vec3, Vec3)| {
        let known = *rest + Vec3::X * (0.05 * (rest.x + 0.25));
        now.distance(known)
    };
    let worst = lab.marks(0, |_| true).iter().map(off).fold(0.0, f64::max);
    Ok(Answer::default().share("energy of an affine strain [J]", known, energy, 1e-6).size(
        "bar stretched by 25 mm: nodes off by [m]",
        0.0,
        worst,
        1e-7,
    ))
}
