//! `cargo xtask bench`: our workloads and those of peers in one run, in turn, and a table in docs/ from what they print.

mod goals;

use crate::setup;
use crate::shell::{ask, command, last_line, root, run};
use crate::validate::stamp;
use anyhow::{Result, ensure};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// Runs of each entry; the least times count.
const ROUNDS: usize = 3;

const HEAD: &str = "\
# Benchmarks

Our workloads and those of peers, run in turn in one go; the least of three runs counts. Peers come from their registries into
an environment of their own (`bench/peers/requirements.txt`, `bench/Cargo.toml`). `cargo xtask bench` writes this page. What
counts are ratios between rows of one table, and the answers beside them: nobody wins by being wrong. Times are those of the
steps alone, memory that of the whole process at its largest.
";

/// One kind of work, with all who do it.
struct Contest {
    title: &'static str,
    about: &'static str,
    /// Unit of the times.
    unit: &'static str,
    /// Command lines; `PY` stands for the peers' Python, `BIN/` for our programs, `JOLT/` for those with Jolt in them.
    entries: &'static [&'static str],
}

const CONTESTS: &[Contest] = &[
    Contest {
        title: "Jello cube",
        about: "0.2 m, 50 kPa, Poisson 0.3, dropped 0.1 m on a plane, 2 s. Converged elements of another program say: rest height 0.1972, \
                lowest height 0.1678, rebound of the centre 0.1417 m. Size is cells along a side. The height of runs shorter than 2 s is not one at rest; \
                settings of peers are those at which they come nearest to the right answer.",
        unit: "s per simulated s",
        entries: &[
            "BIN/jello --cells 8 --threads 1",
            "BIN/jello --cells 8 --threads 2",
            "JOLT/jolt_jello 8 60",
            "JOLT/jolt_jello 8 240",
            "BIN/rapier_jello --cells 8 --solver constraints --hz 60",
            "BIN/rapier_jello --cells 8 --solver fem --hz 240 --seconds 0.5",
            "PY bench/peers/jello.py trilinear 8",
            "PY bench/peers/jello.py quadratic 8",
            "PY bench/peers/jello.py full 8 0.5",
            "PY bench/peers/jello.py bullet 8",
            "PY bench/peers/jello.py newton 8 1",
            "PY bench/peers/jello.py pypbd 8",
            "PY bench/peers/jello.py taichi 8 1",
            "BIN/jello --cells 16 --threads 1",
            "BIN/jello --cells 16 --threads 2",
            "JOLT/jolt_jello 16 60",
            "JOLT/jolt_jello 16 240",
            "BIN/rapier_jello --cells 16 --solver constraints --hz 60 --seconds 1",
            "PY bench/peers/jello.py trilinear 16",
            "PY bench/peers/jello.py quadratic 16",
            "PY bench/peers/jello.py newton 16 0.5",
            "PY bench/peers/jello.py pypbd 16 1",
            "PY bench/peers/jello.py taichi 16 0.5",
            "BIN/jello --cells 24 --threads 1",
            "BIN/jello --cells 48 --threads 1 --seconds 0.1",
        ],
    },
    Contest {
        title: "Boxes on stairs",
        about: "Boxes of 0.2 m fall on twenty steps, 60 steps per second, 5 s. Size is the number of bodies; the answer is the deepest \
                penetration, of which Pliant allows none. Pliant's affine and quadratic boxes are soft, the others rigid.",
        unit: "s per simulated s",
        entries: &[
            "BIN/stairs --layers 2 --repeat 1 --threads 1",
            "JOLT/jolt_stairs 200",
            "PY bench/peers/stairs_mujoco.py 200",
            "BIN/stairs --layers 10 --repeat 1 --threads 1 --only rapier,rigid,affine",
            "JOLT/jolt_stairs 1000",
            "BIN/stairs --layers 10 --repeat 1 --threads 2 --only rapier,rigid",
        ],
    },
    Contest {
        title: "Scenes",
        about: "Whole scenes of ours with all that their frames hold, surfaces of clay too; the least of five in each round. Size is the \
                number of bodies.",
        unit: "s per simulated s",
        entries: &[
            "BIN/scene scenes/seeds/tw88_fig3f_vegetables_roll.toml vegetables",
            "BIN/scene scenes/seeds/dg94_fig8_viscous_block_flows.toml viscous_block",
        ],
    },
];

/// Tables that programs print as a whole, because they alternate with their peer themselves.
const TABLES: &[(&str, &str, &str)] = &[
    (
        "Forces of lattices against the arithmetic",
        "Elastic (neo-Hookean) and viscous forces of the cells of a cube, one thread, ns for each cell; steps that are a little viscous ask \
         for both, one after the other. The bound is the number of operations of the formulas over the rate of multiplications and \
         additions in the widest registers, measured in the same run.",
        "BIN/lattice_forces 8 16 24 48",
    ),
    (
        "Bonds of clay",
        "Mie 8/4 particles, reach 2.5, beside LAMMPS and OpenMM (single precision) on the same particles; forces and energies are compared first.",
        "PY bench/peers/lammps_bonds.py BIN/clay_bonds 1000 10000 100000 1000000",
    ),
    (
        "Surface of clay",
        "Triangles about the same places with cubes of the same size, beside splashsurf, one thread.",
        "PY bench/peers/splashsurf_surface.py BIN/clay_surface 10000 100000",
    ),
    (
        "Worlds of clay",
        "A cube of clay falls on a floor and hits it, one thread: steps with bonds, coats and contact, and the surface of the last of them. \
         Memory is that of the whole process at its largest, less what it had after a world of 60 skeletons that goes first: code and threads.",
        "BIN/clay_world 1000 10000 100000 1000000",
    ),
    (
        "Solve of hybrid bodies against the memory",
        "A sheet with bending stiffness, one thread: a solve reads the factor twice; the bound is that over the bandwidth measured in the \
         same run, of main memory and of a block as large as the factor.",
        "BIN/hybrid_solve 100 300",
    ),
    (
        "The same sheets in CHOLMOD",
        "Analysis and factor together, and one solve; as cvxopt brings it, without nested dissection.",
        "PY bench/peers/cholmod_solve.py 100 300",
    ),
    (
        "Rays",
        "Rays of a frame of 50 000 triangles beside Embree on the same rays, one thread.",
        "BIN/rays PY",
    ),
];

/// Builds, runs, writes. With words, runs the sections whose title contains one and keeps the others as they stand.
pub fn write(words: &[String]) -> Result<()> {
    let python = setup::peers()?;
    for crate_ in ["bench", "bench/jolt"] {
        let manifest = format!("{crate_}/Cargo.toml");
        run(&mut command(&["cargo", "build", "--release", "--quiet", "--manifest-path", &manifest]))?;
    }
    let path = root().join("docs/BENCHMARKS.md");
    let old = fs::read_to_string(&path).unwrap_or_default();
    let kept = |title: &str| {
        let wanted =
            words.is_empty() || words.iter().any(|w| title.to_lowercase().contains(&w.to_lowercase()));
        let from = old.find(&format!("\n## {title}\n")).filter(|_| !wanted)?;
        let rest = &old[from + 1..];
        Some(rest[..rest[1..].find("\n## ").map_or(rest.len(), |end| end + 2)].trim_end().to_string())
    };
    let mut sections = vec![];
    for contest in CONTESTS {
        sections.push(kept(contest.title).unwrap_or_else(|| section(contest, &python)));
    }
    for (title, about, line) in TABLES {
        sections.push(kept(title).unwrap_or_else(|| table(title, about, line, &python)));
    }
    let bounds = fs::read_to_string(root().join("bench/bounds.md"))?;
    sections.push(bounds.replace("GOALS\n", &goals::table(&sections)));
    fs::write(path, format!("{HEAD}\n{}\n\n{}", stamp()?, sections.join("\n\n")))?;
    println!("wrote docs/BENCHMARKS.md");
    Ok(())
}

/// A table that a program prints as a whole.
fn table(title: &str, about: &str, line: &str, python: &Path) -> String {
    println!("{line}");
    let text = match output(line, python) {
        Ok(text) if text.contains('|') => text,
        Ok(text) => table_of_csv(&text),
        Err(error) => format!("Did not run: `{line}`: {error:#}"),
    };
    format!("## {title}\n\n{about}\n\n{}", spaced(text.trim()))
}

fn output(line: &str, python: &Path) -> Result<String> {
    let programs = |crate_: &str| format!("{}/", root().join(crate_).join("target/release").display());
    let (bin, jolt) = (programs("bench"), programs("bench/jolt"));
    let words = line.split(' ').map(|w| w.replace("BIN/", &bin).replace("JOLT/", &jolt));
    let words: Vec<String> =
        words.map(|w| if w == "PY" { python.display().to_string() } else { w }).collect();
    // Packages bring libraries of their own.
    let libraries = python.parent().and_then(Path::parent).map(|p| p.join("lib")).unwrap_or_default();
    let output = ask(command(&words).env("OMP_NUM_THREADS", "1").env("LD_LIBRARY_PATH", libraries))?;
    ensure!(output.status.success(), "{}", last_line(&output));
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[derive(Clone)]
struct Row {
    engine: String,
    size: u64,
    threads: u64,
    cpu: f64,
    wall: f64,
    memory: f64,
    answer: BTreeMap<String, f64>,
}

fn rows(text: &str) -> Vec<Row> {
    let lines = text.lines().filter_map(|l| serde_json::from_str::<Value>(l).ok());
    let row = |v: Value| {
        let number = |key: &str| v[key].as_f64().unwrap_or(f64::NAN);
        let answer = v["answer"].as_object().into_iter().flatten();
        Row {
            engine: v["engine"].as_str().unwrap_or("?").into(),
            size: number("size") as u64,
            threads: number("threads") as u64,
            cpu: number("cpu"),
            wall: number("wall"),
            memory: number("memory"),
            answer: answer.map(|(k, v)| (k.clone(), v.as_f64().unwrap_or(f64::NAN))).collect(),
        }
    };
    lines.filter(Value::is_object).map(row).collect()
}

fn section(contest: &Contest, python: &Path) -> String {
    let mut best: Vec<Row> = vec![];
    let mut failed = BTreeMap::new();
    for round in 0..ROUNDS {
        for entry in contest.entries {
            println!("{} of {ROUNDS}: {entry}", round + 1);
            match output(entry, python) {
                Ok(text) => rows(&text).into_iter().for_each(|row| keep(&mut best, row)),
                Err(error) => _ = failed.insert(*entry, format!("{error:#}")),
            }
        }
    }
    best.sort_by_key(|r| (r.size, !r.engine.starts_with("Pliant"), r.threads));
    let mut names: Vec<&String> = best.iter().flat_map(|r| r.answer.keys()).collect();
    names.sort();
    names.dedup();
    let mut page = format!("## {}\n\n{}\n\n", contest.title, contest.about);
    let heads: String = names.iter().map(|n| format!(" {} |", n.replace('_', " "))).collect();
    // Writing to a string cannot fail.
    _ = writeln!(
        page,
        "| size | engine | threads | CPU, {} | wall | CPU over ours | memory, MB |{heads}",
        contest.unit
    );
    _ = writeln!(page, "|---|---|---|---|---|---|---|{}", "---|".repeat(names.len()));
    for row in &best {
        let ours = best
            .iter()
            .find(|r| r.size == row.size && r.engine.starts_with("Pliant") && r.threads == row.threads);
        let ratio = ours.map_or(String::from("-"), |o| format!("{:.2}", row.cpu / o.cpu));
        let answers =
            names.iter().map(|n| row.answer.get(*n).map_or(String::from(" - |"), |v| format!(" {v:.4} |")));
        _ = writeln!(
            page,
            "| {} | {} | {} | {:.4} | {:.4} | {ratio} | {:.0} |{}",
            row.size,
            row.engine,
            row.threads,
            row.cpu,
            row.wall,
            row.memory,
            answers.collect::<String>()
        );
    }
    growth(&mut page, &best);
    for (entry, error) in failed {
        _ = writeln!(page, "\nDid not run: `{entry}`: {error}");
    }
    page.trim_end().to_string()
}

/// Keeps the least times of rows that say the same.
fn keep(best: &mut Vec<Row>, row: Row) {
    match best.iter_mut().find(|r| (&r.engine, r.size, r.threads) == (&row.engine, row.size, row.threads)) {
        Some(old) => (old.cpu, old.wall) = (old.cpu.min(row.cpu), old.wall.min(row.wall)),
        None => best.push(row),
    }
}

/// With which power of the size our times grow.
fn growth(page: &mut String, rows: &[Row]) {
    let ours: Vec<&Row> = rows.iter().filter(|r| r.engine.starts_with("Pliant") && r.threads == 1).collect();
    let mut said = vec![];
    for a in &ours {
        if let Some(b) = ours.iter().find(|b| b.engine == a.engine && b.size > a.size) {
            let power = (b.cpu / a.cpu).ln() / (b.size as f64 / a.size as f64).ln();
            said.push(format!("{} from {} to {}: {power:.2}", a.engine, a.size, b.size));
        }
    }
    if !said.is_empty() {
        _ = writeln!(page, "\nGrowth of CPU time, as a power of the size: {}.", said.join("; "));
    }
}

fn table_of_csv(text: &str) -> String {
    let mut out = String::new();
    for (k, line) in text.lines().enumerate() {
        out += &format!("| {} |\n", line.replace('_', " ").replace(',', " | "));
        if k == 0 {
            out += &format!("|{}\n", "---|".repeat(line.matches(',').count() + 1));
        }
    }
    out
}

/// A table needs an empty line before it.
fn spaced(text: &str) -> String {
    let mut out = String::new();
    let mut inside = false;
    for line in text.lines() {
        if line.starts_with('|') && !inside && !out.is_empty() {
            out += "\n";
        }
        inside = line.starts_with('|');
        out += line;
        out += if inside { "\n" } else { "  \n" };
    }
    out.trim_end().to_string()
}
