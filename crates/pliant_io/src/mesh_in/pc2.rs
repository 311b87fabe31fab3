//! Point caches, `.pc2`: places of the points of a mesh over time. A header of 32 bytes, then numbers of four bytes each, all
//! little-endian.

use super::{PointCache, Wrong, finite_point};
use pliant::math::Vec3;

const NAME: &[u8] = b"POINTCACHE2\0";
const HEADER: usize = 32;

pub(super) fn decode(bytes: &[u8]) -> Result<PointCache, Wrong> {
    if !bytes.starts_with(NAME) {
        return Err(Wrong::whole("this is no pc2 file: it does not begin with POINTCACHE2"));
    }
    let word = |at: usize| bytes.get(at..at + 4).and_then(|b| b.try_into().ok());
    let whole = |at: usize, what: &str| {
        let number = word(at).map(i32::from_le_bytes);
        number.ok_or_else(|| Wrong::at("header", format!("the file ends before the {what}")))
    };
    let version = whole(12, "version")?;
    if version != 1 {
        return Err(Wrong::at("header", format!("the version must be 1; found {version}")));
    }
    let (points, samples) = (whole(16, "number of points")?, whole(28, "number of samples")?);
    let (Some(points), Some(samples)) =
        (usize::try_from(points).ok().filter(|n| *n > 0), usize::try_from(samples).ok().filter(|n| *n > 0))
    else {
        let message = format!("there must be points and samples; found {points} and {samples}");
        return Err(Wrong::at("header", message));
    };
    let (needed, found) = (12 * points as u128 * samples as u128, bytes.len() - HEADER);
    if (found as u128) < needed {
        let message = format!(
            "is cut off: {samples} samples of {points} points take {needed} bytes, there are {found}"
        );
        return Err(Wrong::whole(message));
    }
    let numbers: Vec<f64> = bytes[HEADER..HEADER + needed as usize]
        .chunks_exact(4)
        .map(|b| f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]])))
        .collect();
    let all: Vec<Vec3> = numbers.chunks_exact(3).map(Vec3::from_slice).collect();
    for (i, p) in all.iter().enumerate() {
        finite_point(*p, || format!("sample {}, point {}", i / points, i % points))?;
    }
    Ok(PointCache { points, samples: all.chunks_exact(points).map(<[Vec3]>::to_vec).collect() })
}
