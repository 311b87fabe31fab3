//! A rejection with the place in the file, shown the way compilers do. Whoever prints it puts `error: ` before it.

use pliant::SceneError;
use std::fmt;
use std::ops::Range;

/// Why a scene file was refused, where, and what would be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SceneFileError {
    /// The file as the user named it; for a value given on the command line, the `--set` argument.
    pub file: String,
    /// Line, from 1; 0 when the error is not at a line, as when the file is missing.
    pub line: usize,
    /// Column in characters, from 1; 0 when there is no line.
    pub column: usize,
    /// Path of the key, such as `body[2].material.young`; empty when no key is to blame.
    pub path: String,
    /// What is wrong.
    pub message: String,
    /// What would be right, when the message does not say it already.
    pub help: Option<Box<str>>,
    excerpt: Option<Box<Excerpt>>,
}

/// The line to show, cut to a readable length, and the part of it to underline.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Excerpt {
    text: String,
    start: usize,
    width: usize,
}

/// Longest piece of a line that is shown; JSON scenes may be one endless line.
const SHOWN: usize = 120;

impl SceneFileError {
    /// An error about the file as a whole.
    pub fn whole(file: &str, message: impl Into<String>) -> Self {
        Self::without_place(file, SceneError::new("", message))
    }

    /// An error at a key that has no line, such as one given on the command line.
    pub fn without_place(file: &str, error: SceneError) -> Self {
        let SceneError { path, message } = error;
        Self { file: file.into(), line: 0, column: 0, path, message, help: None, excerpt: None }
    }

    /// An error at a range of bytes of the text.
    pub fn at(file: &str, text: &str, span: Range<usize>, error: SceneError) -> Self {
        let place = Place::of(text, span);
        Self {
            file: file.into(),
            line: place.line,
            column: place.column,
            path: error.path,
            message: error.message,
            help: None,
            excerpt: Some(Box::new(place.excerpt)),
        }
    }

    /// The same error with advice.
    pub fn with_help(mut self, help: Option<String>) -> Self {
        self.help = help.map(String::into_boxed_str);
        self
    }
}

impl fmt::Display for SceneFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file)?;
        if self.line > 0 {
            write!(f, ":{}:{}", self.line, self.column)?;
        }
        if !self.path.is_empty() {
            write!(f, ": {}", self.path)?;
        }
        write!(f, ": {}", self.message)?;
        let number = self.line.to_string();
        let margin = " ".repeat(number.len());
        if let Some(excerpt) = &self.excerpt {
            let (before, carets) = (" ".repeat(excerpt.start), "^".repeat(excerpt.width));
            write!(f, "\n{margin} |\n{number} | {}\n{margin} | {before}{carets}", excerpt.text)?;
        }
        match &self.help {
            Some(help) => write!(f, "\n{margin} = {help}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for SceneFileError {}

struct Place {
    line: usize,
    column: usize,
    excerpt: Excerpt,
}

impl Place {
    fn of(text: &str, span: Range<usize>) -> Self {
        let start = floor_char(text, span.start);
        let line_start = text[..start].rfind('\n').map_or(0, |i| i + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |i| start + i);
        let line = text[..line_start].bytes().filter(|b| *b == b'\n').count() + 1;
        let before = text[line_start..start].chars().count();
        let width = text[start..floor_char(text, span.end).clamp(start, line_end)].trim_end().chars().count();
        let cut = if before + width.min(SHOWN / 2) < SHOWN { 0 } else { before - before.min(SHOWN / 2) };
        let shown = text[line_start..line_end].trim_end_matches('\r').chars().skip(cut).take(SHOWN);
        // One column per character keeps the carets under what they mark.
        let shown: String = shown.map(|c| if c.is_control() { ' ' } else { c }).collect();
        let room = shown.chars().count().saturating_sub(before - cut);
        let excerpt = Excerpt { start: before - cut, width: width.min(room).max(1), text: shown };
        Place { line, column: before + 1, excerpt }
    }
}

/// The start of the character that holds byte `i`; spans from the parser lie on boundaries, byte offsets may not.
fn floor_char(text: &str, i: usize) -> usize {
    let mut i = i.min(text.len());
    while !text.is_char_boundary(i) {
        i -= 1;
    }
    i
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn display_underlines_the_key() {
        let text = "[[body]]\nmaterial = { youngg = 1e5 }\n";
        let start = text.find("youngg").unwrap();
        let error = SceneError::new("body[0].material.youngg", "unknown key");
        let error = SceneFileError::at("a.toml", text, start..start + 6, error)
            .with_help(Some("did you mean `young`?".into()));
        let expected = "a.toml:2:14: body[0].material.youngg: unknown key\n  |\n\
                        2 | material = { youngg = 1e5 }\n  |              ^^^^^^\n  = did you mean `young`?";
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn long_lines_are_cut_around_the_place() {
        let text = format!("{}HERE{}", "x".repeat(5000), "y".repeat(5000));
        let error = SceneFileError::at("a", &text, 5000..5004, SceneError::new("", "m"));
        assert_eq!((error.line, error.column), (1, 5001));
        let shown = error.to_string();
        assert!(shown.lines().all(|l| l.chars().count() < 140) && shown.contains("HERE"), "{shown}");
    }

    #[test]
    fn places_past_the_end_or_inside_a_character_are_harmless() {
        for span in [0..0, 1..2, 3..99, 99..3] {
            SceneFileError::at("a", "é\n", span, SceneError::new("", "m")).to_string();
        }
    }
}
