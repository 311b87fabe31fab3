//! The session as WASM, without any glue: four functions, and the page reads memory.
//!
//! `room` gives a place for the text of a command; `command` carries it out; then `next` tells the length of each answer
//! in turn and `answer` where it stands, until the length is 0.

#![allow(unsafe_code, reason = "names of exported functions, and two functions of the page")]

use crate::{Session, Settings};
use std::cell::RefCell;
use std::collections::VecDeque;

#[link(wasm_import_module = "page")]
unsafe extern "C" {
    /// Milliseconds since any moment.
    safe fn now() -> f64;
    /// Tells the page why everything ends here.
    safe fn fail(text: *const u8, length: usize);
}

/// Frames that have been seen may take this many bytes: memory of WASM ends at 4 GB, and phones have less.
const HISTORY: usize = 400 << 20;

struct State {
    session: Session,
    command: Vec<u8>,
    answers: VecDeque<Vec<u8>>,
    answer: Vec<u8>,
}

thread_local! {
    static STATE: RefCell<State> = RefCell::new(State::new());
}

impl State {
    fn new() -> Self {
        std::panic::set_hook(Box::new(|info| {
            let text = info.to_string();
            fail(text.as_ptr(), text.len());
        }));
        let settings = Settings { clock: Box::new(|| 1e-3 * now()), history: HISTORY };
        Self { session: Session::new(settings), command: vec![], answers: VecDeque::new(), answer: vec![] }
    }
}

/// Where the page may write the text of a command of so many bytes.
#[unsafe(no_mangle)]
pub extern "C" fn room(length: usize) -> *mut u8 {
    STATE.with_borrow_mut(|state| {
        state.command = vec![0; length];
        state.command.as_mut_ptr()
    })
}

/// Carries out the command that was written.
#[unsafe(no_mangle)]
pub extern "C" fn command() {
    STATE.with_borrow_mut(|state| {
        let text = std::mem::take(&mut state.command);
        let answers = state.session.handle_text(&String::from_utf8_lossy(&text));
        state.answers.extend(answers);
    });
}

/// Length of the next answer; 0 if there is none.
#[unsafe(no_mangle)]
pub extern "C" fn next() -> usize {
    STATE.with_borrow_mut(|state| {
        state.answer = state.answers.pop_front().unwrap_or_default();
        state.answer.len()
    })
}

/// Where that answer stands.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> *const u8 {
    STATE.with_borrow(|state| state.answer.as_ptr())
}
