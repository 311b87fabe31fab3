//! `.usda`, read as text.

use super::fixture::{BALL, BOX, FRAMES, Run, error};

/// The text between `from` and the next `to`.
pub fn between<'a>(text: &'a str, from: &str, to: &str) -> &'a str {
    let start = text.find(from).unwrap_or_else(|| panic!("no `{from}`")) + from.len();
    &text[start..start + text[start..].find(to).unwrap()]
}

/// Time code and numbers of each sample of an attribute.
pub fn samples(text: &str, attribute: &str) -> Vec<(usize, Vec<f64>)> {
    let block = between(text, &format!("{attribute}.timeSamples = {{"), "}");
    let number = |s: &str| s.parse::<f64>().ok();
    let line = |l: &str| {
        let (code, values) = l.trim().split_once(": ")?;
        let numbers = values.split(|c: char| "[]() ,".contains(c)).filter_map(number).collect();
        Some((code.parse().ok()?, numbers))
    };
    block.lines().filter_map(line).collect()
}

pub fn export(run: &Run) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.usda");
    run.export(&path).unwrap();
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn usda_gives_the_world_positions_of_every_frame() {
    let run = Run::new();
    let text = export(&run);
    for (i, name) in [(BOX, "tumbling_box"), (BALL, "jelly")] {
        let object = between(&text, &format!("def Xform \"{name}\""), "\n    }\n");
        let transforms = samples(object, "matrix4d xformOp:transform");
        assert_eq!(transforms.len(), FRAMES);
        for (k, m) in &transforms {
            let points: Vec<f64> = if i == BALL {
                samples(object, "point3f[] points")[*k].1.clone()
            } else {
                run.topology.objects[i].points.as_flattened().iter().map(|&x| x.into()).collect()
            };
            // Row vector times matrix.
            let world: Vec<[f64; 3]> = points
                .chunks_exact(3)
                .map(|p| std::array::from_fn(|c| p[0] * m[c] + p[1] * m[4 + c] + p[2] * m[8 + c] + m[12 + c]))
                .collect();
            // Points are written with the digits an f32 needs, and read here as f64.
            assert!(error(&world, &run.world(*k, i)) < 1e-7, "{name}, frame {k}");
        }
    }
}

#[test]
fn usda_samples_only_what_changes() {
    let text = export(&Run::new());
    assert_eq!(text.matches("xformOp:transform.timeSamples").count(), 2);
    assert_eq!(text.matches("points.timeSamples").count(), 1);
    assert_eq!(text.matches("extent.timeSamples").count(), 1);
    assert_eq!(text.matches("normals.timeSamples").count(), 1);
    let ball = between(&text, "def Xform \"jelly\"", "\n    }\n");
    for attribute in ["point3f[] points", "float3[] extent", "normal3f[] normals"] {
        let codes: Vec<usize> = samples(ball, attribute).into_iter().map(|(code, _)| code).collect();
        assert_eq!(codes, (0..FRAMES).collect::<Vec<_>>());
    }
}

#[test]
fn usda_names_units_and_times() {
    let text = export(&Run::new());
    for line in [
        "defaultPrim = \"World\"",
        "metersPerUnit = 1",
        "upAxis = \"Y\"",
        "startTimeCode = 0",
        "endTimeCode = 23",
        "timeCodesPerSecond = 24",
        "framesPerSecond = 24",
        "def Xform \"_1_table_top\"",
        "displayName = \"1 table/top\"",
        "doc = \"Fixture \\\"one\\\"; a=b\"",
    ] {
        assert!(text.contains(line), "missing {line}");
    }
    for line in
        ["subdivisionScheme = \"none\"", "doubleSided = 0", "orientation = \"rightHanded\"", "displayColor"]
    {
        assert_eq!(text.matches(line).count(), 3, "{line}");
    }
}
