//! What players are told about the film, and the form in which its pictures are stored.

use super::boxes::Boxes;
use super::index::Index;

/// Kinds of units in an H.264 stream.
const SEQUENCE_PARAMETERS: u8 = 7;
const PICTURE_PARAMETERS: u8 = 8;

/// What a decoder must know before the first picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ParameterSets {
    pub sequence: Vec<u8>,
    pub picture: Vec<u8>,
}

/// Turns one picture of an H.264 stream, units divided by start codes, into the form stored in MP4, units with
/// their lengths, and appends it to `sample`. Parameters are not stored with the picture but returned.
pub(super) fn sample(stream: &[u8], sample: &mut Vec<u8>) -> Result<Option<ParameterSets>, String> {
    let (mut sequence, mut picture) = (None, None);
    for unit in units(stream) {
        match unit.first().map(|first| first & 31) {
            Some(SEQUENCE_PARAMETERS) => sequence = Some(unit.to_vec()),
            Some(PICTURE_PARAMETERS) => picture = Some(unit.to_vec()),
            Some(_) => {
                sample.extend_from_slice(&(unit.len() as u32).to_be_bytes());
                sample.extend_from_slice(unit);
            }
            None => {}
        }
    }
    if sample.is_empty() {
        return Err("no picture came out".to_owned());
    }
    match (sequence, picture) {
        (Some(sequence), _) if sequence.len() < 4 => Err("parameters are too short".to_owned()),
        (Some(sequence), Some(picture)) => Ok(Some(ParameterSets { sequence, picture })),
        _ => Ok(None),
    }
}

/// The units between start codes `00 00 01`; zeros before a start code belong to it.
fn units(stream: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = after_start_code(stream);
    std::iter::from_fn(move || {
        let from = rest?;
        let next = after_start_code(from);
        let length = next.map_or(from.len(), |next| from.len() - next.len() - 3);
        rest = next;
        let unit = &from[..length];
        let zeros = unit.iter().rev().take_while(|&&byte| byte == 0).count();
        Some(&unit[..length - zeros])
    })
}

fn after_start_code(bytes: &[u8]) -> Option<&[u8]> {
    bytes.windows(3).position(|code| code == [0, 0, 1]).map(|at| &bytes[at + 3..])
}

/// The film's only track.
#[derive(Debug)]
pub(super) struct Track {
    pub width: u16,
    pub height: u16,
    /// Ticks per second.
    pub timescale: u32,
    /// Ticks per picture.
    pub picture_length: u32,
    pub parameter_sets: ParameterSets,
}

impl Track {
    /// The box `moov`.
    pub fn movie(&self, index: &Index) -> Vec<u8> {
        let duration = u64::from(index.count()) * u64::from(self.picture_length);
        let version = u8::from(duration > u64::from(u32::MAX));
        let mut boxes = Boxes::default();
        boxes.put(b"moov", |b| {
            b.put_full(b"mvhd", version, 0, |b| {
                // Made and changed at no particular time: same film, same bytes.
                b.time(version, 0).time(version, 0).u32(self.timescale).time(version, duration);
                // Speed 1, volume 1.
                b.u32(1 << 16).u16(1 << 8).zeros(10);
                b.identity_matrix().zeros(24);
                b.u32(2); // number of the next track
            });
            b.put(b"trak", |b| {
                b.put_full(b"tkhd", version, 3, |b| {
                    b.time(version, 0).time(version, 0).u32(1).u32(0).time(version, duration);
                    b.zeros(16);
                    b.identity_matrix().u32(u32::from(self.width) << 16).u32(u32::from(self.height) << 16);
                });
                b.put(b"mdia", |b| self.media(index, version, duration, b));
            });
        });
        boxes.as_ref().to_vec()
    }

    fn media(&self, index: &Index, version: u8, duration: u64, b: &mut Boxes) {
        b.put_full(b"mdhd", version, 0, |b| {
            b.time(version, 0).time(version, 0).u32(self.timescale).time(version, duration);
            // No language: "und", five bits per letter.
            b.u16(0x55C4).u16(0);
        });
        b.put_full(b"hdlr", 0, 0, |b| {
            b.u32(0).bytes(b"vide").zeros(12);
            b.bytes(b"video\0");
        });
        b.put(b"minf", |b| {
            b.put_full(b"vmhd", 0, 1, |b| b.zeros(8));
            b.put(b"dinf", |b| {
                // The pictures stand in this very file.
                b.put_full(b"dref", 0, 0, |b| b.u32(1).put_full(b"url ", 0, 1, |_| {}));
            });
            b.put(b"stbl", |b| {
                b.put_full(b"stsd", 0, 0, |b| b.u32(1).put(b"avc1", |b| self.description(b)));
                index.write(self.picture_length, b);
            });
        });
    }

    fn description(&self, b: &mut Boxes) {
        b.zeros(6);
        b.u16(1).zeros(16);
        b.u16(self.width).u16(self.height);
        // 72 dots per inch, one picture per sample.
        b.u32(72 << 16).u32(72 << 16).u32(0).u16(1).zeros(32);
        b.u16(24).u16(0xFFFF);
        b.put(b"avcC", |b| {
            let ParameterSets { sequence, picture } = &self.parameter_sets;
            // Version; profile, constraints and level; lengths of four bytes; one set of each kind.
            b.u8(1).bytes(&sequence[1..4]).u8(0xFF);
            b.u8(0xE1).u16(sequence.len() as u16).bytes(sequence);
            b.u8(1).u16(picture.len() as u16).bytes(picture);
        });
        b.put(b"colr", |b| {
            // BT.709 primaries, curve and matrix, limited range; as the stream itself says.
            b.bytes(b"nclx").u16(1).u16(1).u16(1).u8(0);
        });
        // Square pixels.
        b.put(b"pasp", |b| _ = b.u32(1).u32(1));
    }
}

#[cfg(test)]
mod tests {
    use super::sample;

    #[test]
    fn stream_is_divided_at_start_codes() {
        let stream = [0, 0, 0, 1, 0x67, 1, 2, 3, 0, 0, 0, 1, 0x68, 9, 0, 0, 1, 0x65, 0, 7, 0, 0, 1, 0x65, 8];
        let mut stored = Vec::new();
        let sets = sample(&stream, &mut stored).unwrap().unwrap();
        assert_eq!(sets.sequence, [0x67, 1, 2, 3]);
        assert_eq!(sets.picture, [0x68, 9]);
        assert_eq!(stored, [0, 0, 0, 3, 0x65, 0, 7, 0, 0, 0, 2, 0x65, 8]);
        assert!(sample(&[1, 2, 3], &mut Vec::new()).is_err());
    }
}
