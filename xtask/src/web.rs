//! `cargo xtask web`: the engine as WASM, the scenes, and the page around them, in `web/dist/`.
//! `cargo xtask page`: the same, then tests in a real browser, of the page alone and behind `pliant view`.

use crate::scenes;
use crate::setup::apt;
use crate::shell::{ask, command, root, run, shown, works};
use anyhow::{Context, Result, ensure};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pliant_io::scene_file;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const TARGET: &str = "wasm32-unknown-unknown";
/// Rust of the distribution for WASM, where rustup has none.
const DEBIAN: &[&str] = &["rustc-web", "cargo-web", "rust-web-src", "lld-19"];
/// What reads and writes files is built for size: a visitor waits for its bytes, and nobody for its speed.
const SMALL: &[&str] = &[
    "pliant_io",
    "pliant_view",
    "base64",
    "gltf",
    "gltf-json",
    "ply-rs-bw",
    "indexmap",
    "itoa",
    "memchr",
    "peg-runtime",
    "schemars",
    "serde",
    "serde_core",
    "serde_json",
    "serde_spanned",
    "strsim",
    "toml",
    "toml_datetime",
    "toml_edit",
    "toml_parser",
    "toml_writer",
    "winnow",
];
/// Where browsers are found, in this order.
const BROWSERS: &[&str] = &["chromium", "chromium-browser", "google-chrome"];

/// Builds everything into `web/dist/`.
pub fn build() -> Result<()> {
    node()?;
    let public = root().join("web/public");
    fs::copy(wasm()?, public.join("pliant.wasm")).context("web/public/pliant.wasm")?;
    fs::write(public.join("scenes.json"), serde_json::to_vec(&shipped()?)?)
        .context("web/public/scenes.json")?;
    run(command(&["npm", "run", "--silent", "build"]).current_dir(root().join("web")))?;
    println!("the page is in web/dist; cargo build puts it into the binary");
    Ok(())
}

/// Builds the page and the binary with it in it, and tests both in a browser.
pub fn page() -> Result<()> {
    build()?;
    scenes::build()?;
    test()
}

/// Tests the page that has been built in a browser.
pub fn test() -> Result<()> {
    let browser = browser()?;
    let mut test = command(&["npm", "run", "--silent", "test"]);
    run(test.current_dir(root().join("web")).env("PLIANT_BROWSER", browser))
}

/// The engine as WASM. The ordinary way is rustup's target; Debian has a toolchain of its own for it.
fn wasm() -> Result<PathBuf> {
    let ready = || {
        let libraries = ask(&mut command(&["rustc", "--print", "target-libdir", "--target", TARGET]));
        libraries.is_ok_and(|o| Path::new(String::from_utf8_lossy(&o.stdout).trim()).is_dir())
    };
    if !ready() {
        works(&["rustup", "target", "add", TARGET]);
    }
    let ordinary = ready();
    let mut cargo = if ordinary { command(&["cargo"]) } else { debian_cargo()? };
    cargo.args([
        "rustc",
        "--release",
        "--quiet",
        "--package",
        "pliant_view",
        "--lib",
        "--crate-type",
        "cdylib",
    ]);
    if !ordinary {
        cargo.args(["-Z", "build-std=std,panic_abort"]);
    }
    for package in SMALL {
        cargo.args(["--config", &format!("profile.release.package.{package}.opt-level='z'")]);
    }
    // What a visitor waits for is smaller when it is put together as a whole.
    cargo.args(["--config", "profile.release.lto='fat'"]);
    // Without what only a debugger reads.
    cargo.args(["--target", TARGET, "--target-dir", "target/wasm", "--", "-C", "strip=symbols"]);
    cargo.env("RUSTFLAGS", "-C target-feature=+simd128");
    run(&mut cargo)?;
    Ok(root().join("target/wasm").join(TARGET).join("release/pliant_view.wasm"))
}

fn debian_cargo() -> Result<Command> {
    if !Path::new("/usr/share/cargo/bin/cargo-web").exists() && !works(&["/usr/bin/rustc", "--version"]) {
        apt(DEBIAN).with_context(|| format!("run: rustup target add {TARGET}"))?;
    }
    let mut cargo = command(&["/usr/bin/cargo"]);
    cargo
        .env("RUSTC", "/usr/bin/rustc")
        .env("RUSTC_BOOTSTRAP", "1")
        .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", "/usr/bin/wasm-ld-19");
    Ok(cargo)
}

/// Every scene with its text and its meshes.
fn shipped() -> Result<Value> {
    let mut list = vec![];
    for path in scenes::all()? {
        let text = fs::read_to_string(&path).with_context(|| shown(&path))?;
        let spec = scene_file::parse(&text, &shown(&path)).map_err(|e| anyhow::anyhow!("{e}"))?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut files = serde_json::Map::new();
        for name in scene_file::mesh_names(&spec) {
            let bytes = fs::read(folder.join(&name)).with_context(|| name.clone())?;
            files.insert(name, json!(STANDARD.encode(bytes)));
        }
        let name = shown(&path.with_extension(""));
        let name = name.strip_prefix("scenes/").unwrap_or(&name).to_owned();
        list.push(json!({ "path": name, "title": spec.scene.title, "text": text, "files": files }));
    }
    Ok(Value::Array(list))
}

/// Node, npm and what the page is made with.
fn node() -> Result<()> {
    if !works(&["node", "--version"]) || !works(&["npm", "--version"]) {
        apt(&["nodejs", "npm"])?;
    }
    let (lock, stamp) =
        (root().join("web/package-lock.json"), root().join("web/node_modules/.pliant-lock.json"));
    let wanted = fs::read(&lock).context("web/package-lock.json")?;
    if fs::read(&stamp).is_ok_and(|have| have == wanted) {
        return Ok(());
    }
    // `npm ci` refuses a lock file that leaves out the parts for other systems; this takes the same versions.
    run(&mut command(&["npm", "install", "--no-save", "--silent", "--prefix", "web"]))?;
    fs::write(stamp, wanted).context("web/node_modules")
}

fn browser() -> Result<String> {
    let there = || BROWSERS.iter().find(|b| works(&[**b, "--version"])).map(|b| (*b).to_owned());
    if let Some(found) = there() {
        return Ok(found);
    }
    apt(&["chromium"])?;
    let found = there();
    ensure!(found.is_some(), "the page is tested in Chromium: install it, so that `chromium` starts it");
    Ok(found.unwrap_or_default())
}
