//! A session seen from the side of a page.

#![allow(dead_code, reason = "each test uses a part of it")]

use pliant_io::recording::Recording;
use pliant_view::{Session, Settings};
use serde_json::{Value, json};

/// What a page would be.
pub struct Client {
    session: Session,
    pub texts: Vec<Value>,
    pub frame: Vec<u8>,
    pub file: Vec<u8>,
}

impl Client {
    pub fn new() -> Self {
        let settings = Settings { clock: Box::new(|| 0.0), history: 64 << 20 };
        Self { session: Session::new(settings), texts: vec![], frame: vec![], file: vec![] }
    }

    pub fn with_scene(text: &str) -> Self {
        let mut client = Self::new();
        client.send(json!({ "do": "load", "name": "test.toml", "text": text }));
        assert!(client.error().is_none(), "{:?}", client.error());
        client
    }

    pub fn send(&mut self, command: Value) {
        self.texts.clear();
        for message in self.session.handle_text(&command.to_string()) {
            let (kind, rest) = message.split_at(4);
            match kind {
                [0, ..] => self.texts.push(serde_json::from_slice(rest).unwrap()),
                [2, ..] => self.frame = message,
                [3, ..] => self.file = rest.to_vec(),
                _ => {}
            }
        }
    }

    pub fn error(&self) -> Option<&Value> {
        self.texts.iter().find(|t| t["type"] == "error")
    }

    pub fn run(&mut self, frames: usize) {
        self.send(json!({ "do": "play" }));
        for _ in 0..frames {
            self.send(json!({ "do": "tick" }));
            assert!(self.error().is_none(), "{:?}", self.error());
        }
    }

    pub fn word(&self, at: usize) -> u32 {
        u32::from_le_bytes(self.frame[at..at + 4].try_into().unwrap())
    }

    pub fn index(&self) -> u32 {
        self.word(4)
    }

    /// Numbers of the first body: they stand before phases, which come last.
    pub fn body(&self, bodies_after: usize) -> Vec<f32> {
        let (bodies, phases) = (self.word(52) as usize, self.word(56) as usize);
        let start = self.frame.len() - 4 * (11 * bodies + phases) + 44 * bodies_after;
        let number = |k: usize| f32::from_bits(self.word(start + 4 * k));
        (0..11).map(number).collect()
    }

    pub fn centre(&self) -> [f32; 3] {
        self.body(0)[6..9].try_into().unwrap()
    }

    pub fn speed(&self) -> f32 {
        self.body(0)[9]
    }

    /// The force of the hand `[N]`, if it has hold of something.
    pub fn pull(&self) -> Option<[f32; 3]> {
        let held = self.word(24) & 1 == 1;
        held.then(|| std::array::from_fn(|d| f32::from_bits(self.word(68 + 28 + 4 * d))))
    }

    /// What has been simulated, as a recording.
    pub fn recording(&mut self) -> Recording {
        self.send(json!({ "do": "save", "what": "recording" }));
        let name = u32::from_le_bytes(self.file[..4].try_into().unwrap()) as usize;
        Recording::from_bytes("test.pliant", self.file[4 + name.next_multiple_of(4)..].to_vec()).unwrap()
    }
}
