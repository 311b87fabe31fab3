//! What the tests of the command line share.
#![allow(dead_code, reason = "each test file uses its part")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// A hard box and a soft one fall on the ground, eleven frames.
pub const SCENE: &str = r#"
[scene]
title = "Two boxes fall"
duration = 0.5
fps = 20

[[body]]
name = "hard"
kind = "rigid"
shape = { box = [0.2, 0.2, 0.2] }
position = [0, 0.2, 0]
rotation = [10, 20, 30]

[[body]]
name = "soft"
kind = "global"
shape = { box = [0.2, 0.2, 0.2] }
position = [0.5, 0.2, 0]
spin = [0, 90, 0]

[[obstacle]]
name = "ground"
shape = { plane = { normal = [0, 1, 0] } }

[expect]
max_penetration = 0
"#;

/// A folder with `scene.toml`.
pub struct Folder {
    dir: TempDir,
}

impl Folder {
    pub fn new() -> Self {
        Self::with(SCENE)
    }

    pub fn with(scene: &str) -> Self {
        let dir = TempDir::new().unwrap();
        std::fs::write(dir.path().join("scene.toml"), scene).unwrap();
        Self { dir }
    }

    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    pub fn join(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pliant"));
        command.args(line.split_whitespace()).current_dir(self.path());
        command
    }

    /// Runs a command line in the folder; arguments must not contain spaces.
    pub fn pliant(&self, line: &str) -> Output {
        self.command(line).output().unwrap()
    }

    /// Runs a command line that must end with an exit code; returns standard output.
    pub fn ends(&self, code: i32, line: &str) -> String {
        let output = self.pliant(line);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "pliant {line}: {error}");
        if code == 2 {
            assert!(error.contains("error"), "pliant {line}: {error}");
        }
        String::from_utf8(output.stdout).unwrap()
    }

    pub fn json(&self, code: i32, line: &str) -> serde_json::Value {
        serde_json::from_str(&self.ends(code, line)).unwrap()
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.join(name)).unwrap()
    }

    /// Every file with its bytes.
    pub fn contents(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let entries = std::fs::read_dir(self.path()).unwrap().map(|e| e.unwrap().path());
        entries.filter(|p| p.is_file()).map(|p| (p.clone(), std::fs::read(&p).unwrap())).collect()
    }
}
