//! From a path to text: what can be wrong before the first key is read.

use super::error::SceneFileError;
use pliant::SceneError;
use std::io::Read;
use std::path::Path;

/// Largest scene file read. Geometry belongs into mesh files, so a larger one is most likely a wrong path.
const LARGEST: u64 = 64 << 20;

/// Reads a scene file as text, without a byte order mark.
pub(super) fn read_text(path: &Path, file: &str) -> Result<String, SceneFileError> {
    let bytes = read_bytes(path, LARGEST).map_err(|message| SceneFileError::whole(file, message))?;
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(SceneFileError::whole(file, "the file is UTF-16 text; save it as UTF-8"));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        let bytes = error.as_bytes();
        let message =
            format!("byte {offset} (0x{:02x}) is not UTF-8 text; save the file as UTF-8", bytes[offset]);
        let valid = String::from_utf8_lossy(&bytes[..offset]);
        SceneFileError::at(file, &valid, offset..offset, SceneError::new("", message))
    })?;
    Ok(match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    })
}

/// The whole of a regular file of at most `largest` bytes, or a sentence that says why not.
pub(crate) fn read_bytes(path: &Path, largest: u64) -> Result<Vec<u8>, String> {
    let about = std::fs::metadata(path).map_err(|e| cannot_read(&e))?;
    if about.is_dir() {
        return Err("this is a folder; give the path of a file in it".into());
    }
    if !about.is_file() {
        return Err("this is not a regular file".into());
    }
    let file = std::fs::File::open(path).map_err(|e| cannot_read(&e))?;
    // The length may change while reading, so the limit is put on what is read, not only on what is announced.
    let mut bytes = Vec::new();
    if about.len() <= largest {
        file.take(largest + 1).read_to_end(&mut bytes).map_err(|e| cannot_read(&e))?;
    }
    if about.len() > largest || bytes.len() as u64 > largest {
        let size = about.len().max(bytes.len() as u64) as f64 / f64::from(1 << 20);
        return Err(format!("the file has {size:.0} MB; at most {} MB are read", largest >> 20));
    }
    Ok(bytes)
}

fn cannot_read(error: &std::io::Error) -> String {
    use std::io::ErrorKind;
    match error.kind() {
        ErrorKind::NotFound => "the file does not exist".into(),
        ErrorKind::PermissionDenied => "the file may not be read; check its permissions".into(),
        ErrorKind::NotADirectory => "a part of the path before the last is a file, not a folder".into(),
        _ => format!("the file cannot be read: {error}"),
    }
}

/// Whether a text is JSON rather than TOML: no TOML document begins with a brace.
pub(super) fn is_json(text: &str) -> bool {
    text.trim_start().starts_with('{')
}

/// Rewrites a JSON object as TOML in which every value stands at the same byte, so that places found in the
/// rewritten text are places in the file. (TOML has JSON's values; it wants `=` for `:`, no braces around the
/// whole, and line ends where JSON has the outermost commas.)
pub(super) fn toml_from_json(text: &str, file: &str) -> Result<String, SceneFileError> {
    serde_json::from_str::<serde::de::IgnoredAny>(text).map_err(|error| {
        let line_start: usize =
            text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
        let offset = line_start + error.column().saturating_sub(1);
        let what = error.to_string();
        let what = what.split(" at line ").next().unwrap_or("wrong syntax");
        let error = SceneError::new("", format!("not valid JSON: {what}"));
        SceneFileError::at(file, text, offset..offset + 1, error)
    })?;
    let mut out = String::with_capacity(text.len());
    let mut depth = 0;
    let mut rest = text.char_indices().peekable();
    while let Some((i, c)) = rest.next() {
        match c {
            '"' => {
                let end = i + string_length(&text[i..]);
                out.push_str(&toml_string(&text[i..end]));
                // A shorter spelling is made up for outside the string.
                out.extend(std::iter::repeat_n(' ', end.saturating_sub(out.len())));
                while rest.next_if(|(j, _)| *j < end).is_some() {}
            }
            '{' | '[' => {
                depth += 1;
                out.push(if depth == 1 { ' ' } else { c });
            }
            '}' | ']' => {
                depth -= 1;
                out.push(if depth == 0 { ' ' } else { c });
            }
            ',' if depth == 1 => out.push('\n'),
            ':' => out.push('='),
            'n' => {
                let error = SceneError::new("", "`null` has no meaning here; leave the key out");
                return Err(SceneFileError::at(file, text, i..i + 4, error));
            }
            c if c.is_whitespace() => out.push(' '),
            c => out.push(c),
        }
    }
    Ok(out)
}

/// Bytes of the string that begins `text`, quotes included.
fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (i, b) in text.bytes().enumerate().skip(1) {
        match b {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return i + 1,
            _ => {}
        }
    }
    text.len()
}

/// The same string in TOML's spelling. Only two escapes that TOML lacks differ, and both become shorter.
fn toml_string(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let (piece, length) = match surrogate_pair(rest) {
            Some(c) => (c.to_string(), 12),
            None if rest.starts_with("\\/") => ("/".to_owned(), 2),
            None => (rest.chars().take(2).collect(), rest.chars().take(2).map(char::len_utf8).sum()),
        };
        out.push_str(&piece);
        rest = &rest[length..];
    }
    out + rest
}

/// The character written as two escapes, `\ud83d\ude00`, at the start of `text`.
fn surrogate_pair(text: &str) -> Option<char> {
    let unit = |at: usize| {
        let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    char::decode_utf16([unit(0)?, unit(6)?]).next()?.ok().filter(|c| c.len_utf16() == 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rewritten_json_keeps_every_place() {
        let json = "{\n \"scene\": { \"title\": \"a: {b}, \\\" c\\/d \\ud83d\\ude00 \\u00e9\",\n \"fps\": 30 },\n \"body\": [\n { \"x\": [1, 2.5e3] } ]\n}\n";
        let toml = toml_from_json(json, "a.json").unwrap();
        assert_eq!(toml.len(), json.len());
        assert_eq!(toml.find("30"), json.find("30"));
        assert_eq!(toml.find("2.5e3"), json.find("2.5e3"));
        let table: toml::Table = toml.parse().unwrap();
        assert_eq!(table["scene"]["title"].as_str(), Some("a: {b}, \" c/d 😀 é"));
        assert_eq!(table["body"][0]["x"][1].as_float(), Some(2500.0));
    }

    #[test]
    fn broken_json_and_null_are_located() {
        let error = toml_from_json("{\n \"a\": 1,\n \"b\" 2 }", "a.json").unwrap_err();
        assert_eq!(error.line, 3);
        let error = toml_from_json("{\n \"a\": null }", "a.json").unwrap_err();
        assert_eq!((error.line, error.column), (2, 7));
    }
}
