//! Compiles Jolt, from the package that carries its source, and our scenes.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

fn main() {
    let jolt = source();
    let mut build = cc::Build::new();
    build.cpp(true).std("c++17").opt_level(3).debug(false).warnings(false).include(&jolt);
    build
        .define("NDEBUG", None)
        .flag("-pthread")
        .flag("-ffp-contract=fast")
        .flag("-fno-exceptions")
        .flag("-fno-rtti");
    // What Jolt's own build turns on for this processor.
    if env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|a| a == "x86_64") {
        for feature in ["SSE4_1", "SSE4_2", "AVX", "AVX2", "LZCNT", "TZCNT", "F16C", "FMADD"] {
            build.define(&format!("JPH_USE_{feature}"), None);
        }
        for flag in ["-mavx2", "-mbmi", "-mpopcnt", "-mlzcnt", "-mf16c", "-mfma"] {
            build.flag(flag);
        }
    }
    add(&mut build, &jolt.join("Jolt"));
    add(&mut build, Path::new("src"));
    build.compile("jolt_scenes");
    // Not for the Rust beside them: Jolt takes minutes.
    for file in ["jello.cpp", "stairs.cpp", "world.h"] {
        println!("cargo:rerun-if-changed=src/{file}");
    }
}

/// Cargo knows where it put the package.
fn source() -> PathBuf {
    let mut ask = Command::new(env::var("CARGO").expect("cargo runs this"));
    let output = ask.args(["metadata", "--format-version", "1"]).output().expect("cargo metadata");
    let text = String::from_utf8_lossy(&output.stdout);
    let manifests = text.split("\"manifest_path\":\"").skip(1).filter_map(|t| t.split('"').next());
    let ours =
        manifests.map(Path::new).filter_map(Path::parent).find(|p| p.to_string_lossy().contains("joltc-sys"));
    let error = String::from_utf8_lossy(&output.stderr);
    ours.unwrap_or_else(|| panic!("no package joltc-sys: {error}")).join("JoltC/JoltPhysics")
}

/// All C++ files of a folder.
fn add(build: &mut cc::Build, folder: &Path) {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).expect("a folder of sources").map(|e| e.expect("a name").path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            add(build, &path);
        } else if path.extension().is_some_and(|e| e == "cpp") {
            build.file(path);
        }
    }
}
