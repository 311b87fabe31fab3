//! V26: blocks whose cells do not match pass a uniform pressure.

use crate::lab::{Lab, body, obstacle, scene};
use crate::problem::{Answer, Problem};
use anyhow::Result;

pub const PROBLEM: Problem = Problem {
    title: "Contact patch test",
    source: "Taylor and Papadopoulos 1991: a uniform pressure passes between faces that do not match; the stress is E times \
             the shortening.",
    setup: "A lattice block of 3 x 2 x 3 cells on one of 4 x 2 x 4 with the same face of 0.2 x 0.2 m, Poisson 0.3, squeezed \
            between plates without friction: force, both blocks' shortening, and how flat the middle face stays.",
    why: "2 % for the force: St. Venant-Kirchhoff at 3 % strain; 2 % between the blocks, 3 % of the shortening for the flatness: \
          contact acts at nodes, whose shares of the area differ from face to face.",
    fast: true,
    outside: None,
    solve,
};

fn solve() -> Result<Answer> {
    let young = 1e5;
    let block = |name: &str, y: f64, cells: &str| {
        let keys = format!(
            "resolution = {cells}\nlaw = \"st_venant_kirchhoff\"\nviscous_time = 0.01\n\
             material = {{ density = 1000.0, young = {young:?}, poisson = 0.3, friction = 0.0 }}"
        );
        body(name, "lattice", "box = [0.2, 0.1, 0.2]", [0.0, y, 0.0], &keys)
    };
    let plate = |name: &str, y: f64, keys: &str| {
        obstacle(
            name,
            "box = [1.0, 0.02, 1.0]",
            &format!("position = [0.0, {y:?}, 0.0]\nfriction = 0.0\n{keys}"),
        )
    };
    let text = scene(120.0, [0.0; 3])
        + "clearance = 1e-4\n"
        + &block("a", 0.0501, "[4, 2, 4]")
        + &block("b", 0.1502, "[3, 2, 3]")
        + &plate("lower", -0.01, "")
        + &plate("upper", 0.2104, "keys = [{ t = 0, at = [0, 0, 0] }, { t = 1.0, at = [0, -0.0065, 0] }]");
    let mut lab = Lab::new(&text)?;
    lab.run(2.5)?;
    let upper = lab.world.find("upper").unwrap_or(3);
    let short = |b: usize| {
        let top = lab.mean(b, |p| p.y > 0.0499).y;
        let bottom = lab.mean(b, |p| p.y < -0.0499).y;
        1.0 - (top - bottom) / 0.1
    };
    let (a, b) = (short(0), short(1));
    // Force per rest area: E l (l^2 - 1)/2.
    let stress = |e: f64| 0.5 * young * (1.0 - e) * (1.0 - (1.0 - e) * (1.0 - e));
    let spread = |which: usize| {
        let list: Vec<f64> = if which == 0 {
            lab.marks(0, |p| p.y > 0.0499).iter().map(|m| m.1.y).collect()
        } else {
            lab.marks(1, |p| p.y < -0.0499).iter().map(|m| m.1.y).collect()
        };
        let mean = list.iter().sum::<f64>() / list.len() as f64;
        list.iter().map(|y| (y - mean).abs()).fold(0.0, f64::max)
    };
    let force = lab.world.patch_force(1, upper).y.abs();
    Ok(Answer::default()
        .share("force [N]", stress(0.5 * (a + b)) * 0.04, force, 0.02)
        .share("shortening of the upper over the lower", 1.0, b / a, 0.02)
        .size("lower face: unevenness over shortening", 0.0, spread(0) / (0.1 * a), 0.03)
        .size("upper face: unevenness over shortening", 0.0, spread(1) / (0.1 * b), 0.03))
}
