//! Every scene is run and judged: what it expects of itself, whether any surface ever crosses another (the
//! certificate and, independently, IPC Toolkit), and whether it gives the same bits on one thread and
//! on two, killed again and again.

use crate::corrupt::corrupt;
use crate::random::Random;
use crate::setup;
use crate::shell::{ask, command, last_line, root, run, shown};
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Scenes that are exported to every format and read by every outside program, and how much of them.
const FORMAT_SCENES: &[&str] = &["bw92_fig5_block_falls_down_stairs", "bw92_mixed_pile"];
const FORMAT_SECONDS: &str = "scene.duration=1";
const FORMATS: &[&str] = &["glb", "usda", "abc", "pc2", "pvd", "####.ply", "####.obj"];
/// How often a run is killed before it is left alone.
const KILLS: u32 = 10;
/// Starts after which it must have been killed that often.
const STARTS: u32 = 60;

/// Judgements so far.
#[derive(Default)]
pub struct Score {
    passed: usize,
    failed: Vec<String>,
}

impl Score {
    /// Notes a judgement.
    pub fn add(&mut self, what: String, verdict: Result<String>) {
        match verdict {
            Ok(figure) => {
                self.passed += 1;
                println!("  passed {what}: {figure}");
            }
            Err(error) => {
                println!("  FAILED {what}: {error:#}");
                self.failed.push(what);
            }
        }
    }

    /// The last line of a run, and its exit code. Nothing judged is not a pass.
    pub fn finish(self) -> Result<()> {
        self.failed.iter().for_each(|what| println!("failed: {what}"));
        println!("{} passed, {} failed", self.passed, self.failed.len());
        ensure!(self.passed + self.failed.len() > 0, "nothing was judged");
        ensure!(self.failed.is_empty(), "{} of the judged checks failed", self.failed.len());
        Ok(())
    }
}

/// `cargo xtask scenes`.
pub fn run_alone(words: &[String]) -> Result<()> {
    let mut score = Score::default();
    setup::judges()?;
    build()?;
    judge_all(words, &mut score)?;
    score.finish()
}

/// `cargo xtask formats`.
pub fn formats_alone() -> Result<()> {
    let mut score = Score::default();
    setup::judges()?;
    build()?;
    judge_formats(&mut score)?;
    score.finish()
}

/// The program as users get it.
pub fn build() -> Result<()> {
    run(&mut command(&["cargo", "build", "--release", "--quiet", "--package", "pliant_cli"]))
}

/// All scene files, in a fixed order.
pub fn all() -> Result<Vec<PathBuf>> {
    let (mut found, mut folders) = (vec![], vec![root().join("scenes")]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).with_context(|| shown(&folder))? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "toml") {
                found.push(path);
            }
        }
    }
    found.sort();
    ensure!(!found.is_empty(), "there is no scene in scenes/");
    Ok(found)
}

/// Judges the scenes whose path contains one of the words; two at a time where there are two cores.
pub fn judge_all(words: &[String], score: &mut Score) -> Result<()> {
    let mut chosen = all()?;
    chosen.retain(|s| words.is_empty() || words.iter().any(|w| shown(s).contains(w.as_str())));
    ensure!(!chosen.is_empty(), "no scene's path contains {}", words.join(" or "));
    let queue = Mutex::new(chosen.into_iter());
    let shared = Mutex::new(score);
    let workers = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    // The guard must not live while the scene runs.
                    let next = queue.lock().unwrap_or_else(|e| e.into_inner()).next();
                    let Some(scene) = next else { break };
                    let began = Instant::now();
                    let verdicts = Trial::new(&scene).and_then(|t| t.judge());
                    let mut score = shared.lock().unwrap_or_else(|e| e.into_inner());
                    println!("{} ({:.1} s)", shown(&scene), began.elapsed().as_secs_f64());
                    let name = stem(&scene);
                    match verdicts {
                        Ok(all) => {
                            all.into_iter().for_each(|(what, v)| score.add(format!("{name} {what}"), v))
                        }
                        Err(error) => score.add(format!("{name} run"), Err(error)),
                    }
                }
            });
        }
    });
    Ok(())
}

/// One scene's files and what the plain run said.
struct Trial<'a> {
    scene: &'a Path,
    recording: PathBuf,
    usda: PathBuf,
    summary: Value,
    took: Duration,
}

type Verdict = (&'static str, Result<String>);

impl<'a> Trial<'a> {
    /// Runs the scene on one thread.
    fn new(scene: &'a Path) -> Result<Self> {
        let folder = root().join("out/scenes").join(stem(scene));
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        fs::create_dir_all(&folder)?;
        let (recording, usda) = (folder.join("one.pliant"), folder.join("scene.usda"));
        let began = Instant::now();
        let summary = json(
            pliant("run")
                .arg(scene)
                .args(["--json", "--threads", "1"])
                .arg("-o")
                .arg(&recording)
                .arg("-o")
                .arg(&usda),
        )?;
        Ok(Self { scene, recording, usda, summary, took: began.elapsed() })
    }

    fn judge(&self) -> Result<Vec<Verdict>> {
        let crossings = crossing_frames(&self.usda, &self.summary);
        let certificate = self.certificate(crossings.as_ref().ok());
        let ipc = crossings.and_then(|bad| {
            ensure!(bad.is_empty(), "frames {bad:?} intersect");
            Ok(format!("0 of {} frames intersect", self.summary["frames"]))
        });
        let mut verdicts = vec![
            ("expect", self.expectations()),
            ("ipc toolkit", ipc),
            ("certificate", certificate),
            ("2 threads and kills", self.killed()),
        ];
        // Where no body has points of its own there is none to move.
        if let Some(seen) = self.corrupted().transpose() {
            verdicts.push(("damage is seen", seen));
        }
        if verdicts.iter().all(|(_, v)| v.is_ok()) {
            // What passed need not fill the disk; what failed stays to be looked at.
            fs::remove_dir_all(self.recording.parent().context("no folder")?)?;
        }
        Ok(verdicts)
    }

    fn expectations(&self) -> Result<String> {
        let output = ask(pliant("check").arg(&self.recording).arg("--json"))?;
        let reports: Value = serde_json::from_slice(&output.stdout).with_context(|| last_line(&output))?;
        let all = reports[0]["expectations"].as_array().context("the scene expects nothing")?;
        ensure!(!all.is_empty(), "the scene has no [expect] table");
        let unmet: Vec<_> = all.iter().filter(|e| e["pass"] != true).collect();
        ensure!(
            unmet.is_empty(),
            "{}",
            unmet.iter().map(|e| format!("{} is {}", e["key"], e["measured"])).collect::<Vec<_>>().join(", ")
        );
        ensure!(output.status.success(), "{}", last_line(&output));
        Ok(format!("{} hold", all.len()))
    }

    /// Our own certificate must be good, and must agree with the outside judge frame by frame.
    fn certificate(&self, theirs: Option<&BTreeSet<u64>>) -> Result<String> {
        let (c, own) = certify(&self.recording)?;
        if let Some(theirs) = theirs {
            ensure!(own == *theirs, "says frames {own:?} intersect, the outside judge says {theirs:?}");
        }
        ensure!(c["ok"] == true, "{}: {}", c["verdict"], c["failures"][0]["what"]);
        ensure!(c["frames"] == self.summary["frames"], "it saw {} frames", c["frames"]);
        Ok(format!("closest {} m, energy gain {}", c["min_distance"], c["energy_gain"]))
    }

    /// Both judges must see a point that was moved through a face, in the frame in which it was and in no other.
    fn corrupted(&self) -> Result<Option<String>> {
        let damaged = self.recording.with_file_name("corrupted.pliant");
        let Some(frame) = corrupt(&self.recording, &damaged)? else { return Ok(None) };
        let usda = damaged.with_extension("usda");
        let exported = ask(pliant("export").arg(&damaged).arg("-o").arg(&usda))?;
        ensure!(exported.status.success(), "{}", last_line(&exported));
        let (own, theirs) = (certify(&damaged)?.1, crossing_frames(&usda, &self.summary)?);
        let expected = BTreeSet::from([frame]);
        ensure!(own == expected, "the certificate sees it in frames {own:?} instead of {frame}");
        ensure!(theirs == expected, "the outside judge sees it in frames {theirs:?} instead of {frame}");
        Ok(Some(format!("both see it in frame {frame}")))
    }

    /// The same run on two threads, killed at random moments and resumed each time, must end with the same bytes. They
    /// hold the hash of the exact state at every frame.
    fn killed(&self) -> Result<String> {
        let path = self.recording.with_file_name("killed.pliant");
        let mut random = Random::from_clock();
        let (mut kills, mut starts, mut patience) = (0, 0, 0.5);
        loop {
            let started = path.exists();
            let mut go = if started { pliant("resume") } else { pliant("run") };
            if started {
                go.arg(&path);
            } else {
                go.arg(self.scene).arg("-o").arg(&path);
            }
            let mut child = go.args(["--quiet", "--threads", "2"]).spawn().context("cannot start pliant")?;
            if kills == KILLS {
                let status = child.wait()?;
                ensure!(status.success(), "after {kills} kills: {status}");
                break;
            }
            starts += 1;
            ensure!(starts <= STARTS, "ended before it could be killed {KILLS} times");
            std::thread::sleep(self.took.mul_f64(patience * random.next()));
            if child.try_wait()?.is_none() {
                kills += 1;
                child.kill()?;
                child.wait()?;
            } else if path.exists() {
                // It came to its end: once more from the start, with a shorter wait.
                patience *= 0.5;
                fs::remove_file(&path)?;
            }
        }
        ensure!(fs::read(&self.recording)? == fs::read(&path)?, "after {kills} kills the recordings differ");
        Ok(format!("the same bytes after {kills} kills"))
    }
}

/// Frames with a crossing or a body inside another, seen by a program that knows nothing of ours; `summary` is what the run
/// said.
pub fn crossing_frames(usda: &Path, summary: &Value) -> Result<BTreeSet<u64>> {
    let python = root().join(".venv/bin/python");
    let output = ask(Command::new(python).arg(root().join("validation/judges/ipc_judge.py")).arg(usda))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text.lines().rev().find(|l| l.starts_with('{')).with_context(|| last_line(&output))?;
    let verdict: Value = serde_json::from_str(line)?;
    ensure!(verdict["frames"] == summary["frames"], "it saw {} frames", verdict["frames"]);
    let list = |key: &str| verdict[key].as_array().with_context(|| format!("no {key}"));
    let all = list("intersecting_frames")?.iter().chain(list("contained_frames")?);
    all.map(|f| f.as_f64().map(|f| f as u64).context("not a number")).collect()
}

/// Our own certificate of a recording, and the frames in which it sees a crossing or a body inside another.
pub fn certify(recording: &Path) -> Result<(Value, BTreeSet<u64>)> {
    let output = ask(pliant("certify").arg(recording).arg("--json"))?;
    let c: Value = serde_json::from_slice(&output.stdout).with_context(|| last_line(&output))?;
    ensure!(output.status.success() == (c["ok"] == true), "its exit code contradicts its verdict");
    let frames = c["per_frame"].as_array().context("no frames")?;
    let bad = frames.iter().filter(|f| f["intersecting"] == true);
    let bad = bad.map(|f| f["frame"].as_u64().context("no number")).collect::<Result<_>>()?;
    Ok((c, bad))
}

/// Exports two scenes to every format and lets other programs read them.
pub fn judge_formats(score: &mut Score) -> Result<()> {
    let python = root().join(".venv/bin/python");
    for name in FORMAT_SCENES {
        let scene =
            all()?.into_iter().find(|s| stem(s) == *name).with_context(|| format!("no scene {name}"))?;
        let folder = root().join("out/formats").join(name);
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        fs::create_dir_all(&folder)?;
        let mut go = pliant("run");
        go.arg(&scene).args(["--quiet", "--set", FORMAT_SECONDS]);
        for ending in FORMATS {
            go.arg("-o").arg(folder.join(format!("{name}.{ending}")));
        }
        run(&mut go)?;
        let output = ask(Command::new(&python).arg(root().join("validation/judges/run.py")).arg(&folder))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let line = text.lines().rev().find(|l| l.starts_with('[')).with_context(|| last_line(&output))?;
        let verdicts: Vec<Value> = serde_json::from_str(line)?;
        println!("{}", shown(&scene));
        for v in &verdicts {
            let word = |key: &str| v[key].as_str().unwrap_or("?").to_string();
            let judged =
                if v["ok"] == true { Ok("good".into()) } else { Err(anyhow::anyhow!("{}", v["faults"])) };
            score.add(format!("{} reads {}", word("judge"), word("file")), judged);
        }
        ensure!(verdicts.len() >= FORMATS.len(), "only {} judgements", verdicts.len());
        ensure!(
            output.status.success() == verdicts.iter().all(|v| v["ok"] == true),
            "the judges contradict themselves"
        );
    }
    Ok(())
}

pub fn pliant(word: &str) -> Command {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    let mut command = Command::new(root().join(target).join("release/pliant"));
    command.arg(word).current_dir(root());
    command
}

pub fn json(command: &mut Command) -> Result<Value> {
    let output = ask(command)?;
    ensure!(output.status.success(), "{}", last_line(&output));
    serde_json::from_slice(&output.stdout).with_context(|| last_line(&output))
}

pub fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}
