//! What we want to reach, and what the tables of the benchmark say that we have. Every figure is read off the page that the
//! programs wrote, so a rerun changes it.

use std::fmt::Write;

/// A wanted figure.
struct Goal {
    workload: &'static str,
    figure: &'static str,
    /// In words, and as a bound.
    target: Bound,
    /// Read off the tables; one number for each size or peer.
    read: fn(&Page) -> Vec<Option<f64>>,
}

#[derive(Clone, Copy)]
enum Bound {
    AtLeast(f64),
    AtMost(f64),
}

impl Bound {
    fn holds(self, value: f64) -> bool {
        match self {
            Self::AtLeast(least) => value >= least,
            Self::AtMost(most) => value <= most,
        }
    }

    fn words(self) -> String {
        match self {
            Self::AtLeast(v) => format!("at least {v}"),
            Self::AtMost(v) => format!("at most {v}"),
        }
    }
}

/// What converged elements of another program say of the jello cube: height at rest and rebound of the centre `[m]`.
const HEIGHT: f64 = 0.1972;
const REBOUND: f64 = 0.1417;

const JELLO: &str = "Jello cube";
const BOXES: &str = "Boxes on stairs";
const SCENES: &str = "Scenes";
const CPU: &str = "CPU, s per simulated s";
const WALL: &str = "wall";
const OVER: &str = "CPU over ours";

const GOALS: &[Goal] = &[
    Goal {
        workload: "jello, 8 cells",
        figure: "time of MuJoCo full, Bullet, Newton, pyPBD and Taichi over ours",
        target: Bound::AtLeast(10.0),
        read: |p| {
            let peers = ["MuJoCo flex full", "Bullet", "Newton", "pyPBD", "Taichi"];
            peers.map(|peer| p.number(JELLO, &["8", peer, "1"], OVER)).to_vec()
        },
    },
    Goal {
        workload: "jello, 16 cells",
        figure: "time of Newton, pyPBD and Taichi over ours",
        target: Bound::AtLeast(10.0),
        read: |p| ["Newton", "pyPBD", "Taichi"].map(|e| p.number(JELLO, &["16", e, "1"], OVER)).to_vec(),
    },
    Goal {
        workload: "jello, 16 cells",
        figure: "time of Jolt at 240 Hz over ours",
        target: Bound::AtLeast(3.0),
        read: |p| vec![p.number(JELLO, &["16", "Jolt soft body 240 Hz", "1"], OVER)],
    },
    Goal {
        workload: "jello, 16 cells",
        figure: "time of Rapier's constraints at 60 Hz over ours",
        target: Bound::AtLeast(15.0),
        read: |p| vec![p.number(JELLO, &["16", "Rapier constraints 60 Hz", "1"], OVER)],
    },
    Goal {
        workload: "jello, 16 cells",
        figure: "CPU seconds per simulated second, one thread",
        target: Bound::AtMost(1.0),
        read: |p| vec![p.number(JELLO, &["16", "Pliant lattice", "1"], CPU)],
    },
    Goal {
        workload: "jello, 8 and 16 cells",
        figure: "height at rest, off by %",
        target: Bound::AtMost(1.0),
        read: |p| off(p, "height", HEIGHT),
    },
    Goal {
        workload: "jello, 8 and 16 cells",
        figure: "rebound, off by %",
        target: Bound::AtMost(3.0),
        read: |p| off(p, "rebound", REBOUND),
    },
    Goal {
        workload: "forces of 8, 16, 24 and 48 cells a side",
        figure: "ns per cell, elastic and viscous ones together",
        target: Bound::AtMost(60.0),
        read: |p| p.column("Forces of lattices against the arithmetic", "both in turn ns"),
    },
    Goal {
        workload: "jello, from 8 to 48 cells",
        figure: "growth of the time per cell and step",
        target: Bound::AtMost(1.3),
        read: |p| {
            let [first, .., last] = cell_steps(p);
            vec![ratio(last, first)]
        },
    },
    Goal {
        workload: "1000 rigid boxes, two threads",
        figure: "our time over Rapier's, which lets them sink into each other",
        target: Bound::AtMost(1.5),
        read: |p| vec![over_rapier(p, "1000", "Pliant rigid", "2")],
    },
    Goal {
        workload: "1000 affine boxes, one thread",
        figure: "our time over that of Rapier's rigid ones",
        target: Bound::AtMost(3.0),
        read: |p| vec![over_rapier(p, "1000", "Pliant affine", "1")],
    },
    Goal {
        workload: "200 quadratic boxes, one thread",
        figure: "our time over that of Rapier's rigid ones",
        target: Bound::AtMost(8.0),
        read: |p| vec![over_rapier(p, "200", "Pliant quadratic", "1")],
    },
    Goal {
        workload: "bonds of 1000, 10 000, 100 000 and 1 000 000 skeletons",
        figure: "our time over that of `mie/cut`",
        target: Bound::AtMost(0.25),
        read: |p| bonds(p, "mie/cut"),
    },
    Goal {
        workload: "bonds of 1000, 10 000, 100 000 and 1 000 000 skeletons",
        figure: "our time over that of `lj/cut/opt`",
        target: Bound::AtMost(0.5),
        read: |p| bonds(p, "lj/cut/opt"),
    },
    Goal {
        workload: "surface of 10 000 and 100 000 skeletons, coarse and fine",
        figure: "splashsurf's time over ours",
        target: Bound::AtLeast(2.0),
        read: |p| p.column("Surface of clay", "ours is faster by"),
    },
    Goal {
        workload: "bonds of 100 000 and 1 000 000 skeletons",
        figure: "time per skeleton over that of 10 000",
        target: Bound::AtMost(1.3),
        read: |p| growth(p, "Bonds of clay", "ours, ns per particle and step"),
    },
    Goal {
        workload: "worlds of 10 000, 100 000 and 1 000 000 skeletons",
        figure: "bytes per skeleton, surface and all",
        target: Bound::AtMost(1024.0),
        read: |p| p.column("Worlds of clay", "memory, bytes per skeleton").into_iter().skip(1).collect(),
    },
    Goal {
        workload: "worlds of 100 000 and 1 000 000 skeletons",
        figure: "time per skeleton and step over that of 10 000",
        target: Bound::AtMost(1.3),
        read: |p| growth(p, "Worlds of clay", "ns per skeleton and step"),
    },
    Goal {
        workload: "hybrid solve, 100 and 300 nodes a side, three together",
        figure: "time per column over that of reading the factor twice",
        target: Bound::AtMost(1.6),
        read: |p| p.column("Solve of hybrid bodies against the memory", "per column over memory bound"),
    },
    Goal {
        workload: "hybrid set-up, 300 nodes a side",
        figure: "our time over CHOLMOD's",
        target: Bound::AtMost(3.0),
        read: |p| {
            let ours = p.number("Solve of hybrid bodies against the memory", &["300"], "setup ms");
            vec![ratio(ours, p.number("The same sheets in CHOLMOD", &["300"], "factor ms"))]
        },
    },
    Goal {
        workload: "four vegetables with contact, one thread",
        figure: "simulated time over ours",
        target: Bound::AtLeast(20.0),
        read: |p| vec![times_real(p, "vegetables")],
    },
    Goal {
        workload: "clay of 18 skeletons with its surface, one thread",
        figure: "simulated time over ours",
        target: Bound::AtLeast(5.0),
        read: |p| vec![times_real(p, "viscous_block")],
    },
    Goal {
        workload: "rays",
        figure: "picture's time over Embree's for the same rays",
        target: Bound::AtMost(1.3),
        read: |p| p.column("Rays", "ratio"),
    },
];

fn ratio(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    Some(a? / b?)
}

fn off(page: &Page, answer: &str, known: f64) -> Vec<Option<f64>> {
    let value = |size: &str| page.number(JELLO, &[size, "Pliant lattice", "1"], answer);
    ["8", "16"].map(|size| value(size).map(|v| 100.0 * (v / known - 1.0).abs())).to_vec()
}

fn cell_steps(page: &Page) -> [Option<f64>; 4] {
    ["8", "16", "24", "48"].map(|n| page.number(JELLO, &[n, "Pliant lattice", "1"], "ns per cell step"))
}

fn over_rapier(page: &Page, size: &str, engine: &str, threads: &str) -> Option<f64> {
    let wall = |engine: &str| page.number(BOXES, &[size, engine, threads], WALL);
    ratio(wall(engine), wall("Rapier rigid"))
}

fn bonds(page: &Page, peer: &str) -> Vec<Option<f64>> {
    let title = "Bonds of clay";
    let ours = page.column(title, "ours, ns per particle and step");
    ours.into_iter().zip(page.column(title, peer)).map(|(a, b)| ratio(a, b)).collect()
}

/// Figures of all sizes beyond 10 000, the second, over that of 10 000.
fn growth(page: &Page, title: &str, column: &str) -> Vec<Option<f64>> {
    let figures = page.column(title, column);
    let first = figures.get(1).copied().flatten();
    figures.into_iter().skip(2).map(|figure| ratio(figure, first)).collect()
}

fn times_real(page: &Page, scene: &str) -> Option<f64> {
    let row = page.rows(SCENES).find(|row| row.get("engine").is_some_and(|e| e.contains(scene)))?;
    ratio(Some(1.0), row.get(WALL)?.parse().ok())
}

/// The sections written so far.
struct Page<'a>(&'a [String]);

/// A row of a table, with the heads of its columns.
struct Cells<'a> {
    heads: Vec<&'a str>,
    cells: Vec<&'a str>,
}

impl<'a> Cells<'a> {
    fn get(&self, head: &str) -> Option<&'a str> {
        self.heads.iter().position(|h| *h == head).and_then(|k| self.cells.get(k).copied())
    }
}

impl<'a> Page<'a> {
    /// Rows of a section's table.
    fn rows(&self, title: &str) -> impl Iterator<Item = Cells<'a>> + use<'a> {
        let head = format!("## {title}\n");
        let section = self.0.iter().find(|s| s.starts_with(&head)).map_or("", String::as_str);
        let mut lines = section.lines().filter(|l| l.starts_with('|'));
        let heads = lines.next().map(cells).unwrap_or_default();
        lines.skip(1).map(move |line| Cells { heads: heads.clone(), cells: cells(line) })
    }

    /// The number in a column of the row whose first cells begin as given.
    fn number(&self, title: &str, row: &[&str], column: &str) -> Option<f64> {
        let fits = |r: &Cells| {
            row.iter().enumerate().all(|(k, wanted)| {
                let whole = wanted.parse::<f64>().is_ok();
                r.cells.get(k).is_some_and(|c| if whole { c == wanted } else { c.starts_with(wanted) })
            })
        };
        self.rows(title).find(fits)?.get(column)?.parse().ok()
    }

    /// All numbers of a column.
    fn column(&self, title: &str, column: &str) -> Vec<Option<f64>> {
        self.rows(title).map(|row| row.get(column)?.parse().ok()).collect()
    }
}

fn cells(line: &str) -> Vec<&str> {
    line.trim_matches('|').split('|').map(str::trim).collect()
}

/// The table of goals, from the sections above it.
pub fn table(sections: &[String]) -> String {
    let page = Page(sections);
    let mut out = String::from("| workload | figure | wanted | reached | |\n|---|---|---|---|---|\n");
    for goal in GOALS {
        let values = (goal.read)(&page);
        let known: Vec<f64> = values.iter().copied().flatten().collect();
        let met = known.iter().filter(|v| goal.target.holds(**v)).count();
        let verdict = match (met, known.len()) {
            (_, 0) => "did not run".to_string(),
            (a, b) if a == b && b == values.len() => "met".to_string(),
            (0, _) => "missed".to_string(),
            (a, _) => format!("met by {a} of {}", values.len()),
        };
        let shown: Vec<String> = values.iter().map(|v| v.map_or("-".into(), shown)).collect();
        let (workload, figure, target) = (goal.workload, goal.figure, goal.target.words());
        // Writing to a string cannot fail.
        _ = writeln!(out, "| {workload} | {figure} | {target} | {} | {verdict} |", shown.join(", "));
    }
    out
}

/// Three digits.
fn shown(v: f64) -> String {
    match v.abs() {
        a if a >= 100.0 => format!("{v:.0}"),
        a if a >= 10.0 => format!("{v:.1}"),
        _ => format!("{v:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_off_the_tables_and_held_against_what_is_wanted() {
        let sections = [
            "## Boxes on stairs\n\nWords.\n\n| size | engine | threads | CPU, s per simulated s | wall |\n|---|---|---|---|---|\n\
             | 1000 | Pliant rigid | 2 | 9 | 0.6 |\n| 1000 | Rapier rigid | 1 | 9 | 7 |\n| 1000 | Rapier rigid | 2 | 9 | 0.3 |\n"
                .to_string(),
            "## Surface of clay\n\n| skeletons | ours is faster by |\n|---|---|\n| 10000 | 2.5 |\n| 10000 | 1.5 |\n".to_string(),
        ];
        let table = table(&sections);
        let line = |word: &str| table.lines().find(|l| l.contains(word)).unwrap().to_string();
        assert!(line("1000 rigid boxes").ends_with("| at most 1.5 | 2.00 | missed |"), "{table}");
        assert!(line("surface of").ends_with("| at least 2 | 2.50, 1.50 | met by 1 of 2 |"), "{table}");
        assert!(line("rays").ends_with("|  | did not run |"), "{table}");
    }
}
