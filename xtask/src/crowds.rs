//! Random crowds: bodies of any kinds thrown at each other in a room, judged frame by frame by the certificate and, from
//! outside, by IPC Toolkit. A crowd is known by its number: the same number gives the same scene everywhere.

use crate::random::Random;
use crate::scenes::{Score, build, certify, crossing_frames, json, pliant};
use crate::setup;
use crate::shell::root;
use anyhow::{Context, Result, ensure};
use pliant::KINDS;
use serde_json::Value;
use std::fmt::Write;
use std::fs;

/// Crowds that `cargo xtask ci` looks at.
const IN_CI: std::ops::Range<u64> = 0..6;
/// Time a crowd is watched for `[s]`, and frames in it.
const SECONDS: f64 = 0.4;
const FPS: u32 = 60;
/// Cells that sound crosses in a second at most, where steps are as short as it takes for one.
const CELLS: f64 = 1000.0;
/// Fewest and most bodies.
const BODIES: (usize, usize) = (2, 6);

/// Scenes of lattices that `cargo xtask ci` looks at.
const LATTICES_IN_CI: std::ops::Range<u64> = 0..4;
/// Time such a scene is watched for `[s]`: a fall of 5 m, and what follows.
const FALL: f64 = 1.5;

/// `cargo xtask crowds [--count N] [--first K] [--lattices]`.
pub fn run_alone(words: &[String]) -> Result<()> {
    let number = |key: &str, otherwise: u64| -> Result<u64> {
        let Some(at) = words.iter().position(|w| w == key) else { return Ok(otherwise) };
        let word = words.get(at + 1).with_context(|| format!("{key} needs a number"))?;
        word.parse().with_context(|| format!("{key} needs a number, not {word}"))
    };
    let what = if words.iter().any(|w| w == "--lattices") { &LATTICES } else { &CROWDS };
    let in_ci = what.in_ci.clone();
    let (first, count) = (number("--first", in_ci.start)?, number("--count", in_ci.end - in_ci.start)?);
    let mut score = Score::default();
    setup::judges()?;
    build()?;
    judge(what, first..first + count, &mut score)?;
    score.finish()
}

/// Random scenes of some sort.
struct Sort {
    name: &'static str,
    in_ci: std::ops::Range<u64>,
    scene: fn(u64) -> String,
    /// Whether bodies must not be inside out in the last frame. Before that a blow that is many times faster than sound in a soft
    /// body may do it.
    recovers: bool,
}

const CROWDS: Sort = Sort { name: "crowd", in_ci: IN_CI, scene, recovers: false };
const LATTICES: Sort = Sort { name: "lattices", in_ci: LATTICES_IN_CI, scene: lattices, recovers: true };

/// Those of CI.
pub fn check(score: &mut Score) -> Result<()> {
    judge(&CROWDS, IN_CI, score)?;
    judge(&LATTICES, LATTICES_IN_CI, score)
}

/// Runs and judges crowds. Scenes and recordings of those that failed stay in `out/crowds`.
fn judge(what: &Sort, numbers: std::ops::Range<u64>, score: &mut Score) -> Result<()> {
    let folder = root().join("out/crowds");
    fs::create_dir_all(&folder)?;
    for number in numbers {
        let name = format!("{}_{number:03}", what.name);
        let file = |ending: &str| folder.join(format!("{name}.{ending}"));
        fs::write(file("toml"), (what.scene)(number))?;
        let verdict = judge_one(&file("toml"), &file("pliant"), &file("usda"), what.recovers);
        if verdict.is_ok() {
            ["toml", "pliant", "pliant.certificate.json", "usda"]
                .iter()
                .try_for_each(|e| fs::remove_file(file(e)))?;
        }
        score.add(name, verdict);
    }
    Ok(())
}

/// Both judges must find nothing, and our own certificate must be good in all it examines, but for one thing: a blow that is
/// many times faster than sound in a soft body may turn cells inside out. It counts how often.
fn judge_one(
    scene: &std::path::Path,
    recording: &std::path::Path,
    usda: &std::path::Path,
    recovers: bool,
) -> Result<String> {
    let mut run = pliant("run");
    let summary =
        json(run.arg(scene).args(["--json", "--threads", "2"]).arg("-o").arg(recording).arg("-o").arg(usda))?;
    let theirs = crossing_frames(usda, &summary)?;
    let (certificate, own) = certify(recording)?;
    ensure!(
        own == theirs,
        "the certificate says frames {own:?} intersect, the outside judge says {theirs:?}"
    );
    ensure!(own.is_empty(), "frames {own:?} intersect");
    let failures = certificate["failures"].as_array().context("no list of failures")?;
    let inverted = |f: &Value| f["what"].as_str().is_some_and(|what| what.starts_with("is inverted"));
    let other = failures.iter().find(|f| !inverted(f));
    ensure!(other.is_none(), "{}", other.map_or(String::new(), ToString::to_string));
    if recovers {
        let last = summary["frames"].as_u64().context("no frames")? - 1;
        let end = failures.iter().find(|f| f["frame"].as_u64() == Some(last));
        ensure!(end.is_none(), "at the end: {}", end.map_or(String::new(), ToString::to_string));
    }
    let (frames, inverted) = (&summary["frames"], &certificate["inverted_elements"]);
    Ok(format!(
        "0 of {frames} frames intersect, closest {} m, inverted {inverted} times",
        certificate["min_distance"]
    ))
}

/// The scene of a crowd: sizes over two decades, stiffness over six and density over two, speeds up to 100 m/s.
fn scene(number: u64) -> String {
    let mut random = Random::of(number);
    let mut text = format!("[scene]\ntitle = \"Crowd {number}\"\nduration = {SECONDS}\nfps = {FPS}\n");
    let bodies = BODIES.0 + random.below(BODIES.1 - BODIES.0 + 1);
    for k in 0..bodies {
        // Far enough from each other for any size and rotation.
        let at = [1.2 * (k % 2) as f64, 1.0 + 1.2 * (k / 4) as f64, 1.2 * (k / 2 % 2) as f64];
        body(&mut text, k, at, &mut random);
    }
    text += "\n[[obstacle]]\nname = \"floor\"\nshape = { plane = {} }\n";
    // Four walls that do not meet each other or the floor: what lies in a crowd is larger than the gaps.
    for (name, size, at) in [
        ("left", [0.2, 6.0, 2.798], [-0.9, 3.001, 0.6]),
        ("right", [0.2, 6.0, 2.798], [2.1, 3.001, 0.6]),
        ("back", [3.2, 6.0, 0.2], [0.6, 3.001, -0.9]),
        ("front", [3.2, 6.0, 0.2], [0.6, 3.001, 2.1]),
    ] {
        let _ = writeln!(
            text,
            "\n[[obstacle]]\nname = \"{name}\"\nshape = {{ box = {size:?} }}\nposition = {at:?}"
        );
    }
    text
}

fn body(text: &mut String, k: usize, at: [f64; 3], random: &mut Random) {
    let kind = KINDS[random.below(KINDS.len())].name;
    let s = 0.5 * random.power(-2.0, 0.0);
    let round = random.below(3) == 0;
    let shape = match (round, random.below(2)) {
        (true, _) => format!("{{ sphere = {:?} }}", 0.5 * s),
        (false, 0) => format!("{{ box = [{s:?}, {s:?}, {s:?}] }}"),
        (false, _) => format!("{{ box = [{s:?}, {:?}, {:?}] }}", 0.5 * s, 0.7 * s),
    };
    let own = match kind {
        "lattice" => "resolution = 3\n".to_string(),
        "clay" => format!("spacing = {:?}\n", 0.4 * s),
        "hybrid" if round => "resolution = [6, 8]\n".to_string(),
        "hybrid" => "resolution = [2, 2, 2]\n".to_string(),
        _ => String::new(),
    };
    // A direction out of a ball, and a speed up to 100 m/s of which slow ones are as likely as fast ones.
    let (direction, speed) = (random.direction(), random.power(-1.0, 2.0));
    let velocity = direction.map(|d| d * speed);
    let rotation = [0; 3].map(|_| random.between(-180.0, 180.0));
    let (mut young, density) = (random.power(3.0, 9.0), random.power(2.0, 4.0));
    if matches!(kind, "lattice" | "clay") {
        // Kinds that are stepped explicitly refuse to be so stiff that sound crosses very many cells in a second.
        young = young.min(density * (CELLS * s / 3.0).powi(2));
    }
    let (friction, damping) = (random.between(0.0, 1.0), random.between(0.0, 0.5));
    let _ = write!(
        text,
        "\n[[body]]\nname = \"b{k}\"\nkind = \"{kind}\"\nshape = {shape}\n{own}position = {at:?}\n\
         velocity = {velocity:?}\nrotation = {rotation:?}\n\
         material = {{ young = {young:?}, density = {density:?}, friction = {friction:?}, damping = {damping:?} }}\n"
    );
}

/// A scene of lattices that fall, one to three of them on each other: boxes, and shapes that cut their cells anyhow; stiffness
/// over six decades, some incompressible, some mouldable.
fn lattices(number: u64) -> String {
    let mut random = Random::of(number.wrapping_mul(7919) + 17);
    let mut text = format!("[scene]\ntitle = \"Lattices {number}\"\nduration = {FALL}\nfps = {FPS}\n");
    let height = random.between(0.0, 5.0);
    for k in 0..1 + random.below(3) {
        let s = 0.5 * random.power(-1.0, 0.0);
        let (a, b) = (random.between(0.4, 1.0) * s, random.between(0.4, 1.0) * s);
        let shape = match random.below(7) {
            0 => format!("{{ sphere = {:?} }}", 0.5 * s),
            1 => format!("{{ cylinder = {{ radius = {:?}, height = {s:?} }} }}", 0.3 * a),
            2 => format!("{{ torus = {{ major = {:?}, minor = {:?} }} }}", 0.35 * s, 0.14 * s),
            3 => {
                let corners: Vec<[f64; 3]> =
                    (0..9).map(|_| random.direction().map(|d| 0.5 * s * d)).collect();
                format!("{{ hull = {corners:?} }}")
            }
            _ => format!("{{ box = [{s:?}, {a:?}, {b:?}] }}"),
        };
        let (density, poisson) = (random.power(2.0, 3.5), random.between(0.0, 0.45));
        let (friction, damping) = (random.between(0.0, 1.0), random.between(0.0, 0.5));
        let cells = 3 + random.below(3);
        let mut young = random.power(3.0, 9.0);
        let more = match random.below(6) {
            0 => ", incompressible = true".to_string(),
            1 => format!(", yield_strain = {:?}", random.power(-2.0, -0.5)),
            _ => String::new(),
        };
        if !more.is_empty() {
            // These are stepped explicitly, and refuse to be so stiff that sound crosses very many cells in a second.
            young = young.min(density * (CELLS * s / cells as f64).powi(2));
        }
        let at = [random.between(-0.1, 0.1), 0.8 + height + 0.9 * k as f64, random.between(-0.1, 0.1)];
        let rotation = [0; 3].map(|_| random.between(-180.0, 180.0));
        let spin = random.direction().map(|d| 200.0 * d);
        let _ = write!(
            text,
            "\n[[body]]\nname = \"b{k}\"\nkind = \"lattice\"\nshape = {shape}\nresolution = {cells}\nposition = {at:?}\n\
             rotation = {rotation:?}\nspin = {spin:?}\nmaterial = {{ young = {young:?}, poisson = {poisson:?}, \
             density = {density:?}, friction = {friction:?}, damping = {damping:?}{more} }}\n"
        );
    }
    text + "\n[[obstacle]]\nname = \"floor\"\nshape = { plane = {} }\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every number is a scene of its own, the same each time.
    #[test]
    fn crowds_are_known_by_their_numbers() {
        assert_eq!(scene(3), scene(3));
        assert_ne!(scene(3), scene(4));
        assert_eq!(lattices(3), lattices(3));
        assert_ne!(lattices(3), lattices(4));
    }
}
