//! What the outside judges need besides cargo: a Python environment, the system libraries of Blender's module, and a
//! Node package. Installs what it can and otherwise says in one line what to do.

use crate::shell::{ask, command, last_line, root, run, works};
use anyhow::{Context, Result, bail, ensure};
use std::fs;
use std::path::PathBuf;

/// Libraries that Blender's module and VTK load but do not bring along.
const LIBRARIES: &[&str] = &[
    "libegl1",
    "libgl1",
    "libgomp1",
    "libice6",
    "libsm6",
    "libx11-6",
    "libxext6",
    "libxfixes3",
    "libxi6",
    "libxkbcommon0",
    "libxrender1",
    "libxxf86vm1",
];
const IMPORTS: &str = "import bpy, ipctk, numpy, pyvista, rtree, scipy, trimesh, pxr";
const REQUIREMENTS: &str = "validation/judges/requirements.txt";

/// Makes sure that every judge can be asked; gives the Python to ask them with. A judge that cannot be had is a
/// failure: a check that was skipped has not passed.
pub fn judges() -> Result<PathBuf> {
    let python = environment(".venv", REQUIREMENTS)?;
    imports(&python)?;
    validator()?;
    if !works(&["ffmpeg", "-version"]) || !works(&["ffprobe", "-version"]) {
        apt(&["ffmpeg"])?;
    }
    println!("judges are ready");
    Ok(python)
}

/// Valgrind, which counts instructions for `cargo xtask guard`.
pub fn valgrind() -> Result<()> {
    if !works(&["valgrind", "--version"]) {
        apt(&["valgrind"])?;
    }
    Ok(())
}

/// The Python of the peers of `cargo xtask bench`, in an environment of its own.
pub fn peers() -> Result<PathBuf> {
    environment("bench/.venv", "bench/peers/requirements.txt")
}

/// An environment with exactly what the requirements say.
fn environment(name: &str, requirements: &str) -> Result<PathBuf> {
    let (folder, stamp) = (root().join(name), root().join(name).join("pliant-requirements.txt"));
    let python = folder.join("bin/python");
    let wanted = fs::read_to_string(root().join(requirements)).with_context(|| requirements.to_string())?;
    if fs::read_to_string(&stamp).is_ok_and(|have| have == wanted) && works(&[&python]) {
        return Ok(python);
    }
    let base = python_3_11()?;
    println!("making {name} from {requirements} (about a gigabyte)");
    run(&mut command(&[&base, "-m", "venv", "--clear", name]))?;
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", requirements];
    run(command(&[&python]).args(pip))?;
    fs::write(&stamp, wanted)?;
    Ok(python)
}

/// The module `bpy` is built for one version of Python only.
fn python_3_11() -> Result<String> {
    let usable = |name: &str| {
        let test = "import sys, venv, ensurepip; sys.exit(sys.version_info[:2] != (3, 11))";
        works(&[name, "-c", test])
    };
    let names = ["python3.11", "python3"];
    if let Some(name) = names.into_iter().find(|n| usable(n)) {
        return Ok(name.into());
    }
    // The error is not the point here; whether Python is there afterwards is.
    let _ = apt(&["python3.11", "python3.11-venv"]);
    names.into_iter().find(|n| usable(n)).map(String::from).context(
        "the judges need Python 3.11 with venv: apt-get install python3.11 python3.11-venv, or, where there is no \
         such package: pip install uv && uv python install 3.11",
    )
}

fn imports(python: &PathBuf) -> Result<()> {
    let test = || ask(command(&[python]).args(["-c", IMPORTS]));
    if test()?.status.success() {
        return Ok(());
    }
    let installed = apt(LIBRARIES);
    let again = test()?;
    if !again.status.success() {
        installed?;
        bail!("the judges do not start: {}", last_line(&again));
    }
    Ok(())
}

fn validator() -> Result<()> {
    if !works(&["node", "--version"]) || !works(&["npm", "--version"]) {
        apt(&["nodejs", "npm"])?;
    }
    if root().join("validation/judges/node_modules/gltf-validator").is_dir() {
        return Ok(());
    }
    run(&mut command(&["npm", "ci", "--silent", "--prefix", "validation/judges"]))
}

/// Installs packages of the distribution, or says how.
pub fn apt(packages: &[&str]) -> Result<()> {
    let by_hand = format!("run as root: apt-get install -y --no-install-recommends {}", packages.join(" "));
    let root_user = ask(&mut command(&["id", "-u"])).is_ok_and(|o| o.stdout.starts_with(b"0\n"));
    ensure!(root_user && works(&["apt-get", "--version"]), "{by_hand}");
    println!("installing {}", packages.join(" "));
    let mut update = command(&["apt-get", "update", "-qq"]);
    run(&mut update).with_context(|| by_hand.clone())?;
    let mut install = command(&["apt-get", "install", "-y", "-qq", "--no-install-recommends"]);
    run(install.args(packages).env("DEBIAN_FRONTEND", "noninteractive")).with_context(|| by_hand)
}
