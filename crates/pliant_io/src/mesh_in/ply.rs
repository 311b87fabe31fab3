//! PLY, text and binary of both byte orders, decoded by `ply-rs-bw`.

use super::{Wrong, fan, finite_point, index_in_range};
use pliant::math::Vec3;
use pliant::shape::TriMesh;
use ply_rs_bw::parser::{ParseError, Parser, Reader};
use ply_rs_bw::ply::{
    ElementDef, Encoding, Property, PropertyAccess, PropertyAccessResult, PropertyType, ScalarType,
};

pub(super) fn decode(bytes: &[u8]) -> Result<TriMesh, Wrong> {
    if !bytes.starts_with(b"ply") {
        return Err(Wrong::at("byte 0", "a ply file begins with the word `ply`; this is another format"));
    }
    let parser = Parser::<Element>::new();
    let mut reader = Reader::new(bytes);
    let header = parser.read_header(&mut reader).map_err(|e| wrong(&e, bytes, true))?;
    let text = header.encoding == Encoding::Ascii;
    fits(header.elements.values(), text, reader.get_ref().len())?;
    let demand = |name: &str| {
        header.elements.get(name).ok_or_else(|| Wrong::at("header", format!("no `element {name}`")))
    };
    for axis in ["x", "y", "z"] {
        if !demand("vertex")?.properties.contains_key(axis) {
            return Err(Wrong::at("header", format!("`element vertex` has no property `{axis}`")));
        }
    }
    let corners = demand("face")?.properties.values().find(|p| is_corner_list(&p.name));
    match corners.map(|p| &p.data_type) {
        Some(PropertyType::List(_, ScalarType::Float | ScalarType::Double)) => {
            return Err(Wrong::at(
                "header",
                "`vertex_indices` must hold whole numbers, such as `list uchar int`",
            ));
        }
        Some(PropertyType::List(..)) => {}
        _ => return Err(Wrong::at("header", "`element face` has no list `vertex_indices`")),
    }
    let painted = CHANNELS.iter().all(|c| {
        let property = header.elements.get("vertex").and_then(|v| v.properties.get(*c));
        property.is_some_and(|p| is_colour(&p.data_type))
    });
    let mut mesh = TriMesh::default();
    let mut faces = Vec::new();
    for (name, element) in &header.elements {
        let entries = parser
            .read_payload_for_element(&mut reader, element, &header)
            .map_err(|e| wrong(&e, bytes, text))?;
        match name.as_str() {
            "vertex" => {
                mesh.points = entries.iter().map(|e| Vec3::from(e.xyz)).collect();
                if painted {
                    mesh.colours = entries.iter().map(|e| e.colour).collect();
                }
            }
            "face" => faces = entries,
            _ => {}
        }
    }
    for (i, p) in mesh.points.iter().enumerate() {
        finite_point(*p, || format!("vertex {i}"))?;
    }
    if let Some(i) = mesh.colours.iter().position(|c| c.iter().any(|v| !v.is_finite())) {
        let message = format!("the colour {:?} is not finite", mesh.colours[i]);
        return Err(Wrong::at(format!("vertex {i}"), message));
    }
    for (i, face) in faces.iter().enumerate() {
        let place = || format!("face {i}");
        if face.corners.len() < 3 {
            return Err(Wrong::at(place(), "a face needs at least 3 corners"));
        }
        let corners: Result<Vec<u32>, Wrong> =
            face.corners.iter().map(|c| index_in_range(*c, mesh.points.len(), place)).collect();
        fan(&corners?, &mut mesh.triangles);
    }
    Ok(mesh)
}

/// Compares what the header announces with the bytes that follow, before anything is read or allocated.
fn fits<'e>(
    elements: impl Iterator<Item = &'e ElementDef>,
    text: bool,
    available: usize,
) -> Result<(), Wrong> {
    let mut needed: u128 = 0;
    for element in elements {
        if element.properties.is_empty() && element.count > 0 {
            return Err(Wrong::at("header", format!("`element {}` has no properties", element.name)));
        }
        let sizes = element.properties.values().map(|p| least_size(&p.data_type, text));
        needed += element.count as u128 * sizes.sum::<usize>() as u128;
        // The last number of a text file needs no separator after it.
        if needed > available as u128 + u128::from(text) {
            let message = format!(
                "announces {} of `{}`, which need at least {needed} bytes, but only {available} follow; \
                 the file is cut off or the header is wrong",
                element.count, element.name
            );
            return Err(Wrong::at("header", message));
        }
    }
    Ok(())
}

/// Fewest bytes a property can take: in text a digit and a separator, in binary its width; a list may be empty.
fn least_size(property: &PropertyType, text: bool) -> usize {
    let (PropertyType::Scalar(scalar) | PropertyType::List(scalar, _)) = property;
    match scalar {
        _ if text => 2,
        ScalarType::Char | ScalarType::UChar => 1,
        ScalarType::Short | ScalarType::UShort => 2,
        ScalarType::Int | ScalarType::UInt | ScalarType::Float => 4,
        ScalarType::Double => 8,
    }
}

/// The crate's messages span lines and explain its grammar; the line itself says more.
fn wrong(error: &ParseError, bytes: &[u8], text: bool) -> Wrong {
    let message = error.to_string();
    let message =
        message.split_once(": ").filter(|_| error.line().is_some()).map_or(message.as_str(), |(_, m)| m);
    let message = message.lines().next().unwrap_or_default();
    match error.line().filter(|_| text) {
        Some(line) if error.kind() != std::io::ErrorKind::UnexpectedEof => {
            let shown = bytes.split(|b| *b == b'\n').nth(line.saturating_sub(1)).unwrap_or_default();
            let shown: String = String::from_utf8_lossy(shown).trim().chars().take(60).collect();
            Wrong::at(format!("line {line}"), format!("`{shown}` cannot be read: {message}"))
        }
        Some(line) => Wrong::at(format!("line {line}"), message),
        None => Wrong::whole(message),
    }
}

fn is_corner_list(property: &str) -> bool {
    matches!(property, "vertex_indices" | "vertex_index")
}

/// The properties that hold a vertex's colour.
const CHANNELS: [&str; 3] = ["red", "green", "blue"];

/// Types whose full brightness is known.
fn is_colour(property: &PropertyType) -> bool {
    use ScalarType::{Double, Float, UChar, UShort};
    matches!(property, PropertyType::Scalar(UChar | UShort | Float | Double))
}

fn brightness(property: &Property) -> Option<f32> {
    Some(match *property {
        Property::UChar(v) => f32::from(v) / 255.0,
        Property::UShort(v) => f32::from(v) / 65535.0,
        Property::Float(v) => v,
        Property::Double(v) => v as f32,
        _ => return None,
    })
}

/// A vertex or a face; the properties of other elements are dropped as they are read.
#[derive(Default)]
struct Element {
    xyz: [f64; 3],
    colour: [f32; 3],
    corners: Vec<i64>,
}

impl PropertyAccess for Element {
    fn new() -> Self {
        Self::default()
    }

    fn set_property(&mut self, name: &str, property: Property) -> PropertyAccessResult {
        let axis = match name {
            "x" => 0,
            "y" => 1,
            "z" => 2,
            _ if is_corner_list(name) => {
                return match corner_list(property) {
                    Some(corners) => {
                        self.corners = corners;
                        PropertyAccessResult::Set
                    }
                    None => PropertyAccessResult::UnsupportedType,
                };
            }
            _ => {
                let channel = CHANNELS.iter().position(|c| *c == name);
                return match channel.zip(brightness(&property)) {
                    Some((channel, value)) => {
                        self.colour[channel] = value;
                        PropertyAccessResult::Set
                    }
                    None => PropertyAccessResult::Ignored,
                };
            }
        };
        match number(&property) {
            Some(value) => {
                self.xyz[axis] = value;
                PropertyAccessResult::Set
            }
            None => PropertyAccessResult::UnsupportedType,
        }
    }
}

fn number(property: &Property) -> Option<f64> {
    Some(match *property {
        Property::Char(v) => f64::from(v),
        Property::UChar(v) => f64::from(v),
        Property::Short(v) => f64::from(v),
        Property::UShort(v) => f64::from(v),
        Property::Int(v) => f64::from(v),
        Property::UInt(v) => f64::from(v),
        Property::Float(v) => f64::from(v),
        Property::Double(v) => v,
        _ => return None,
    })
}

fn corner_list(property: Property) -> Option<Vec<i64>> {
    fn wide<T: Into<i64>>(list: Vec<T>) -> Vec<i64> {
        list.into_iter().map(Into::into).collect()
    }
    Some(match property {
        Property::ListChar(v) => wide(v),
        Property::ListUChar(v) => wide(v),
        Property::ListShort(v) => wide(v),
        Property::ListUShort(v) => wide(v),
        Property::ListInt(v) => wide(v),
        Property::ListUInt(v) => wide(v),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "element vertex 4\nproperty double x\nproperty float y\nproperty float z\nproperty uchar red\n\
                          element face 1\nproperty list uchar int vertex_indices\nend_header\n";

    #[test]
    fn text_and_both_byte_orders_give_the_same_mesh() {
        let points = [(0.1, 0.0f32, 0.0f32), (1.0, 0.0, 0.0), (1.0, 1.0, 0.0), (0.0, 1.0, 0.5)];
        let mut text = format!("ply\nformat ascii 1.0\ncomment x\n{HEADER}");
        let mut little = format!("ply\nformat binary_little_endian 1.0\n{HEADER}").into_bytes();
        let mut big = format!("ply\nformat binary_big_endian 1.0\n{HEADER}").into_bytes();
        for (x, y, z) in points {
            text.push_str(&format!("{x} {y} {z} 255\n"));
            little.extend(
                f64::to_le_bytes(x).into_iter().chain(y.to_le_bytes()).chain(z.to_le_bytes()).chain([255]),
            );
            big.extend(
                f64::to_be_bytes(x).into_iter().chain(y.to_be_bytes()).chain(z.to_be_bytes()).chain([255]),
            );
        }
        text.push_str("4 0 1 2 3\n");
        little.push(4);
        big.push(4);
        for i in 0..4i32 {
            little.extend(i.to_le_bytes());
            big.extend(i.to_be_bytes());
        }
        let mesh = decode(text.as_bytes()).unwrap();
        assert_eq!(mesh.points[0].x, 0.1);
        assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3]]);
        assert_eq!(decode(&little).unwrap(), mesh);
        assert_eq!(decode(&big).unwrap(), mesh);
        assert!(mesh.colours.is_empty(), "red alone is no colour");
    }

    #[test]
    fn colours_of_every_width_mean_the_same() {
        let full = [("uchar", "255"), ("ushort", "65535"), ("float", "1"), ("double", "1.0")];
        for (scalar, most) in full {
            let channels: String = CHANNELS.iter().map(|c| format!("property {scalar} {c}\n")).collect();
            let text = format!(
                "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
                 {channels}element face 1\nproperty list uchar int vertex_indices\nend_header\n\
                 0 0 0 {most} 0 0\n1 0 0 0 {most} 0\n0 1 0 0 0 {most}\n3 0 1 2\n"
            );
            let mesh = decode(text.as_bytes()).unwrap();
            assert_eq!(mesh.colours, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], "{scalar}");
        }
    }
}
