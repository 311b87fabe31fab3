//! Films are decoded by other programs and compared with the pictures they were made of; memory must not grow with a
//! film's length; a full disk must leave nothing behind.

use crate::scenes::{Score, all, pliant, stem};
use crate::setup;
use crate::shell::{ask, command, last_line, root, run, works};
use anyhow::{Context, Result, bail, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const SCENE: &str = "bw92_fig5_block_falls_down_stairs";
const SIZE: [u32; 2] = [320, 180];
/// Seconds of the film that is compared picture by picture, and its frames: the first frame is the start.
const SECONDS: (&str, usize) = ("0.5", 31);
/// Memory that a film of five seconds may need over that of one.
const GROWTH: f64 = 1.08;

/// `cargo xtask films`.
pub fn run_alone() -> Result<()> {
    let mut score = Score::default();
    setup::judges()?;
    crate::scenes::build()?;
    judge(&mut score)?;
    score.finish()
}

/// Judges films of one scene in every format.
pub fn judge(score: &mut Score) -> Result<()> {
    let scene = all()?.into_iter().find(|s| stem(s) == SCENE).with_context(|| format!("no scene {SCENE}"))?;
    let folder = root().join("out/films");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(folder.join("pictures"))?;
    let recording = folder.join("run.pliant");
    run(pliant("run").arg(&scene).arg("-o").arg(&recording).arg("--quiet"))?;
    let mut render = rendered(&recording);
    render.args(["--to", SECONDS.0, "-o"]).arg(folder.join("pictures/p.####.png"));
    for ending in ["mp4", "gif", "webp"] {
        render.arg("-o").arg(folder.join(format!("film.{ending}")));
    }
    run(&mut render)?;
    // GIF cannot show 60 pictures in a second; it shows every other one.
    for (ending, frames, fps, every) in
        [("mp4", SECONDS.1, 60, 1), ("gif", SECONDS.1.div_ceil(2), 30, 2), ("webp", SECONDS.1, 60, 1)]
    {
        let file = folder.join(format!("film.{ending}"));
        score.add(format!("film.{ending} decodes to its pictures"), decoded(&file, frames, fps, every));
    }
    score.add("memory does not grow with a film's length".into(), memory(&recording, &folder));
    full_disk(&recording, &folder, score)
}

fn rendered(recording: &Path) -> Command {
    let mut render = pliant("render");
    render.arg(recording).args(["--quiet", "--samples", "2", "--size", &format!("{}x{}", SIZE[0], SIZE[1])]);
    render
}

fn decoded(file: &Path, frames: usize, fps: u32, every: u32) -> Result<String> {
    let numbers = [
        ("--width", SIZE[0]),
        ("--height", SIZE[1]),
        ("--frames", frames as u32),
        ("--fps", fps),
        ("--every", every),
    ];
    let mut judge = Command::new(python());
    judge.arg(root().join("validation/judges/film_judge.py")).arg(file);
    judge.args(numbers.iter().flat_map(|(name, n)| [name.to_string(), n.to_string()]));
    judge.arg("--pictures").arg(file.with_file_name("pictures"));
    let output = ask(&mut judge)?;
    ensure!(output.status.success(), "{}", last_line(&output));
    Ok(format!("{frames} frames of {}x{}", SIZE[0], SIZE[1]))
}

fn memory(recording: &Path, folder: &Path) -> Result<String> {
    let peak = |seconds: &str| -> Result<f64> {
        let mut render = rendered(recording);
        render.args(["--to", seconds, "-o"]).arg(folder.join("long.mp4"));
        let code = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True); \
                    print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)";
        let mut watched = Command::new(python());
        watched.args(["-c", code]).arg(render.get_program()).args(render.get_args());
        let output = ask(&mut watched)?;
        let text = String::from_utf8_lossy(&output.stdout).trim().to_string();
        text.parse().with_context(|| last_line(&output))
    };
    let (short, long) = (peak("1")?, peak("5")?);
    ensure!(long <= GROWTH * short, "{short} kB for 1 s, {long} kB for 5 s");
    Ok(format!("{short} kB for 1 s, {long} kB for 5 s"))
}

/// A disk so small that the film does not fit: only root can make one.
fn full_disk(recording: &Path, folder: &Path, score: &mut Score) -> Result<()> {
    let disk = folder.join("disk");
    fs::create_dir_all(&disk)?;
    if !works(&["mount", "-t", "tmpfs", "-o", "size=16k", "pliant-test", &disk.display().to_string()]) {
        println!("  not judged: a full disk (making a small one needs root)");
        return Ok(());
    }
    let verdict = (|| {
        for name in ["film.mp4", "film.gif", "film.webp", "p.####.png"] {
            let output = ask(rendered(recording).args(["--to", "1", "-o"]).arg(disk.join(name)))?;
            let error = last_line(&output);
            ensure!(output.status.code() == Some(1), "{name}: exit code {:?}: {error}", output.status.code());
            ensure!(error.contains("space"), "{name}: {error}");
            let left: Vec<PathBuf> =
                fs::read_dir(&disk)?.map(|e| e.map(|e| e.path())).collect::<Result<_, _>>()?;
            if !left.is_empty() {
                bail!("{name}: left behind {left:?}");
            }
        }
        Ok("an error that says so, and nothing left behind, in 4 formats".into())
    })();
    run(command(&["umount"]).arg(&disk))?;
    score.add("full disk".into(), verdict);
    Ok(())
}

fn python() -> PathBuf {
    root().join(".venv/bin/python")
}
