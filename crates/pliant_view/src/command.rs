//! What can be asked of a session: one JSON object, `{ "do": "load", ... }`.

use serde::Deserialize;
use std::collections::BTreeMap;

/// One command. Places are in metres in the world, bodies are numbers of the topology's objects.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub enum Command {
    /// Begins with a scene.
    Load {
        /// Its file name, for messages and downloads.
        name: String,
        /// Its text.
        text: String,
        /// Mesh files by the names that the scene gives them, in base64.
        #[serde(default)]
        files: BTreeMap<String, String>,
    },
    /// Shows a recording.
    Open {
        /// Its file name.
        name: String,
        /// Its bytes, in base64.
        data: String,
    },
    /// From now on ticks advance.
    Play,
    /// From now on they do not.
    Pause,
    /// The page is ready for a picture: the next frame if playing, the present one if not.
    Tick,
    /// One frame on, simulated if it is not there yet.
    Step,
    /// Back to the start, in the scene as it now is.
    Reset,
    /// Shows a frame that has been simulated.
    Seek {
        /// Its index.
        frame: u64,
    },
    /// Changes a number of a body's material while the world goes on.
    Set {
        /// Which body.
        body: u32,
        /// Which number, as in the scene file: `young`.
        parameter: String,
        /// Its value, in SI units.
        value: f64,
    },
    /// Takes hold of a body.
    Grab {
        /// Which body.
        body: u32,
        /// Where on it.
        at: [f64; 3],
    },
    /// Moves the hand.
    Move {
        /// Where to.
        to: [f64; 3],
    },
    /// Lets go.
    Release,
    /// A push that lasts one frame.
    Push {
        /// Which body.
        body: u32,
        /// Where on it.
        at: [f64; 3],
        /// How much `[N s]`.
        impulse: [f64; 3],
    },
    /// Cuts a body in two along a plane.
    Cut {
        /// Which body.
        body: u32,
        /// Where the plane lies.
        at: [f64; 3],
        /// Which way is across it.
        across: [f64; 3],
    },
    /// Whether frames shall bring what bodies are made of inside: cells, skeletons, seeds. At first they do not.
    Inside {
        /// Whether they shall.
        shown: bool,
    },
    /// Asks for a file of what has been simulated.
    Save {
        /// Which.
        what: Saved,
    },
}

/// Files that a session can make.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Saved {
    /// The scene's text with all changes.
    Scene,
    /// A recording.
    Recording,
    /// A glTF file.
    Glb,
}
