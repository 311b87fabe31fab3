//! How a command can end other than well, and the exit code that says so.

use anyhow::Error;
use std::fmt::Display;
use std::process::ExitCode;

/// Why a command did not end well.
#[derive(Debug)]
pub enum Failure {
    /// The input is wrong and nothing was written: exit code 2.
    Input(Error),
    /// It ran, and something failed on the way: exit code 1.
    Run(Error),
    /// It ran, something it checks does not hold, and the result already says what: exit code 1.
    Unmet,
    /// The input is wrong, nothing was written, and the messages are out already: exit code 2.
    WrongInput,
}

impl Failure {
    /// Wrong input.
    pub fn input(error: impl Into<Error>) -> Self {
        Failure::Input(error.into())
    }
    /// A failure while running.
    pub fn run(error: impl Into<Error>) -> Self {
        Failure::Run(error.into())
    }
    /// Wrong input, in words.
    pub fn input_message(message: impl Display) -> Self {
        Failure::Input(Error::msg(message.to_string()))
    }
    /// What the process returns.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Failure::Input(_) | Failure::WrongInput => ExitCode::from(2),
            Failure::Run(_) | Failure::Unmet => ExitCode::from(1),
        }
    }
    /// Prints the message, if there is one, to standard error.
    pub fn report(&self) {
        match self.message() {
            // Errors of scene files are laid out over several lines and bring the word along.
            Some(message) if message.starts_with("error: ") => eprintln!("{message}"),
            Some(message) => eprintln!("error: {message}"),
            None => {}
        }
    }
    /// What is printed to standard error, if anything.
    pub fn message(&self) -> Option<String> {
        match self {
            // `:#` appends the causes: "what: why".
            Failure::Input(e) | Failure::Run(e) => Some(format!("{e:#}")),
            Failure::Unmet | Failure::WrongInput => None,
        }
    }
}
