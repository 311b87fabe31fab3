//! Puts the page of `pliant view` into the binary, if `cargo xtask web` has made it.

use std::fmt::Write;
use std::path::{Path, PathBuf};

fn main() -> std::io::Result<()> {
    let web = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web");
    let page = web.join("dist");
    println!("cargo:rerun-if-changed={}", web.join("public").display());
    let mut files = vec![];
    if page.is_dir() {
        println!("cargo:rerun-if-changed={}", page.display());
        collect(&page, &mut files)?;
    }
    files.sort();
    let mut list = String::from("&[\n");
    for file in files {
        let name = file.strip_prefix(&page).unwrap_or(&file).to_string_lossy().replace('\\', "/");
        writeln!(list, "    (\"/{name}\", include_bytes!({:?})),", file.canonicalize()?)
            .map_err(std::io::Error::other)?;
    }
    list.push_str("]\n");
    let out = std::env::var_os("OUT_DIR").ok_or_else(|| std::io::Error::other("OUT_DIR is not set"))?;
    std::fs::write(PathBuf::from(out).join("page.rs"), list)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() { collect(&path, files)? } else { files.push(path) }
    }
    Ok(())
}
