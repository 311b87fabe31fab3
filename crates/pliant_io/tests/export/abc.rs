//! `.abc`, read with a small Ogawa reader of our own; Blender reads it in `validation/judges`.

use super::fixture::{BALL, BOX, FRAMES, Run, TABLE, error};
use std::fs;

pub struct File(Vec<u8>);

impl File {
    fn number(&self, at: u64) -> u64 {
        u64::from_le_bytes(self.0[at as usize..at as usize + 8].try_into().unwrap())
    }

    pub fn group(&self, child: u64) -> Vec<u64> {
        assert_eq!(child >> 63, 0, "a group");
        if child == 0 {
            vec![]
        } else {
            (0..self.number(child)).map(|k| self.number(child + 8 + 8 * k)).collect()
        }
    }

    fn data(&self, child: u64) -> &[u8] {
        assert_eq!(child >> 63, 1, "data");
        let at = child & !(1 << 63);
        if at == 0 { &[] } else { &self.0[at as usize + 8..][..self.number(at) as usize] }
    }

    /// Properties of a compound whose headers use one-byte numbers: name, samples, constant, child.
    fn properties(&self, compound: u64) -> Vec<(String, usize, bool, u64)> {
        let children = self.group(compound);
        let mut headers = self.data(*children.last().unwrap());
        let mut take = |n: usize| {
            let (head, rest) = headers.split_at(n);
            headers = rest;
            head.to_vec()
        };
        let mut properties = Vec::new();
        for &child in &children[..children.len() - 1] {
            let info = u32::from_le_bytes(take(4).try_into().unwrap());
            assert_eq!(info >> 2 & 3, 0, "one-byte numbers");
            let mut count = 0;
            if info & 3 != 0 {
                count = take(1)[0] as usize;
                take(usize::from(info >> 9 & 1 == 1) * 2 + usize::from(info >> 8 & 1 == 1));
            }
            let length = take(1)[0] as usize;
            let name = String::from_utf8(take(length)).unwrap();
            properties.push((name, count, info >> 11 & 1 == 1, child));
        }
        properties
    }

    pub fn property(&self, compound: u64, name: &str) -> (usize, bool, u64) {
        let found = self.properties(compound).into_iter().find(|p| p.0 == name);
        found.map(|p| (p.1, p.2, p.3)).unwrap_or_else(|| panic!("no property {name}"))
    }

    /// Bytes of a sample, behind its hash.
    pub fn sample(&self, child: u64) -> &[u8] {
        &self.data(child)[16..]
    }
}

pub fn export(run: &Run) -> File {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.abc");
    run.export(&path).unwrap();
    File(fs::read(path).unwrap())
}

/// The compounds `.xform` and `.geom` of every object.
pub fn schemas(file: &File) -> Vec<(u64, u64)> {
    let root = file.group(file.number(8));
    let top = file.group(root[2]);
    let schema = |object: &[u64], name| file.property(object[0], name).2;
    let objects = top[1..top.len() - 1].iter().map(|&xform| {
        let xform = file.group(xform);
        let mesh = file.group(xform[1]);
        (schema(&xform, ".xform"), schema(&mesh, ".geom"))
    });
    objects.collect()
}

#[test]
fn abc_is_frozen_and_sampled_at_the_frame_rate() {
    let file = export(&Run::new());
    assert_eq!(&file.0[..8], b"Ogawa\xff\0\x01");
    let root = file.group(file.number(8));
    assert_eq!(file.data(root[1]), 10803_i32.to_le_bytes());
    let samplings = file.data(root[4]);
    assert_eq!(samplings.len(), 48);
    assert_eq!(samplings[24..28], (FRAMES as u32).to_le_bytes());
    assert_eq!(samplings[28..36], (1.0 / 24.0_f64).to_le_bytes());
}

#[test]
fn abc_gives_the_world_positions_of_every_frame() {
    let run = Run::new();
    let file = export(&run);
    for (i, (xform, geom)) in schemas(&file).into_iter().enumerate() {
        let (_, _, values) = file.property(xform, ".vals");
        let (_, _, points) = file.property(geom, "P");
        let (values, points) = (file.group(values), file.group(points));
        for k in 0..FRAMES {
            let m: Vec<f64> = file
                .sample(values[k.min(values.len() - 1)])
                .chunks_exact(8)
                .map(|b| f64::from_le_bytes(b.try_into().unwrap()))
                .collect();
            // Samples and dimensions alternate.
            let p: Vec<f64> = file
                .sample(points[(2 * k).min(points.len() - 2)])
                .chunks_exact(4)
                .map(|b| f32::from_le_bytes(b.try_into().unwrap()).into())
                .collect();
            let world: Vec<[f64; 3]> = p
                .chunks_exact(3)
                .map(|p| std::array::from_fn(|c| p[0] * m[c] + p[1] * m[4 + c] + p[2] * m[8 + c] + m[12 + c]))
                .collect();
            assert!(error(&world, &run.world(k, i)) < 1e-9, "object {i}, frame {k}");
        }
    }
}

#[test]
fn abc_stores_constants_once_but_counts_them_where_readers_look() {
    let file = export(&Run::new());
    let schemas = schemas(&file);
    let count = |compound, name| {
        let (count, constant, child) = file.property(compound, name);
        (count, constant, file.group(child).len())
    };
    for i in [BOX, BALL] {
        assert_eq!(count(schemas[i].0, ".inherits"), (FRAMES, true, 1));
        assert_eq!(count(schemas[i].0, ".ops"), (FRAMES, true, 1));
        assert_eq!(count(schemas[i].0, ".vals"), (FRAMES, false, FRAMES));
    }
    assert_eq!(count(schemas[TABLE].0, ".vals"), (1, true, 1));
    assert_eq!(count(schemas[BOX].1, "P"), (1, true, 2));
    assert_eq!(count(schemas[BALL].1, "P"), (FRAMES, false, 2 * FRAMES));
    assert_eq!(count(schemas[BALL].1, ".faceIndices"), (1, true, 2));
}

#[test]
fn abc_faces_are_clockwise() {
    let run = Run::new();
    let file = export(&run);
    let (_, _, indices) = file.property(schemas(&file)[BOX].1, ".faceIndices");
    let bytes = file.sample(file.group(indices)[0]);
    let corners: Vec<u32> =
        bytes.chunks_exact(4).map(|b| u32::from_le_bytes(b.try_into().unwrap())).collect();
    let expected: Vec<u32> =
        run.topology.objects[BOX].triangles.iter().flat_map(|&[a, b, c]| [a, c, b]).collect();
    assert_eq!(corners, expected);
}
