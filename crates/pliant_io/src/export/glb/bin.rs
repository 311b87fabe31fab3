//! The binary chunk of a `.glb` and the accessors that describe it.

use super::super::error::{At, ExportError};
use super::super::look;
use super::super::staging::Scratch;
use gltf_json::accessor::sparse::{Indices, Sparse, Values};
use gltf_json::accessor::{Accessor, ComponentType, GenericComponentType, IndexComponentType, Type};
use gltf_json::buffer::{Buffer, Target, View};
use gltf_json::validation::Checked::Valid;
use gltf_json::validation::USize64;
use gltf_json::{Index, Root, Value, serialize};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Bytes on disk, their description in `root`.
pub(super) struct Bin {
    /// The document under construction.
    pub root: Root,
    file: BufWriter<Scratch>,
    length: u64,
    path: PathBuf,
}

impl Bin {
    /// An empty chunk in the scratch file `file`; `path` is for messages.
    pub fn new(file: Scratch, path: &Path) -> Self {
        Self { root: Root::default(), file: BufWriter::new(file), length: 0, path: path.to_owned() }
    }

    /// The document, the file and its length in bytes.
    pub fn finish(mut self) -> Result<(Root, Scratch, u64), ExportError> {
        if self.length > 0 {
            // Views refer to buffer 0; in a .glb it has no address of its own.
            self.root.push(Buffer {
                byte_length: USize64(self.length),
                name: None,
                uri: None,
                extensions: None,
                extras: Default::default(),
            });
        }
        let file = self.file.into_inner().map_err(io::IntoInnerError::into_error).at(&self.path)?;
        Ok((self.root, file, self.length))
    }

    /// Triangle corners.
    pub fn indices(&mut self, corners: &[u32]) -> Result<Index<Accessor>, ExportError> {
        let view =
            self.view(corners.iter().flat_map(|v| v.to_le_bytes()), Some(Target::ElementArrayBuffer))?;
        Ok(self.accessor(Some(view), corners.len(), ComponentType::U32, Type::Scalar))
    }

    /// A vertex attribute, with bounds.
    pub fn vertices(&mut self, points: &[[f32; 3]]) -> Result<Index<Accessor>, ExportError> {
        let view = self.view(bytes(points.as_flattened()), Some(Target::ArrayBuffer))?;
        let index = self.accessor(Some(view), points.len(), ComponentType::F32, Type::Vec3);
        let (low, high) = look::bounds(points);
        self.bound(index, &low, &high);
        Ok(index)
    }

    /// Translation keys.
    pub fn vectors(&mut self, keys: &[[f32; 3]]) -> Result<Index<Accessor>, ExportError> {
        let view = self.view(bytes(keys.as_flattened()), None)?;
        Ok(self.accessor(Some(view), keys.len(), ComponentType::F32, Type::Vec3))
    }

    /// Rotation keys.
    pub fn quaternions(&mut self, keys: &[[f32; 4]]) -> Result<Index<Accessor>, ExportError> {
        let view = self.view(bytes(keys.as_flattened()), None)?;
        Ok(self.accessor(Some(view), keys.len(), ComponentType::F32, Type::Vec4))
    }

    /// Key times, ascending.
    pub fn times(&mut self, times: &[f32]) -> Result<Index<Accessor>, ExportError> {
        let view = self.view(bytes(times), None)?;
        let index = self.accessor(Some(view), times.len(), ComponentType::F32, Type::Scalar);
        if let [first, .., last] = times {
            self.bound(index, &[*first], &[*last]);
        }
        Ok(index)
    }

    /// Weights of `n` targets at `n` keys: one where target and key agree, zero elsewhere. Stored sparsely, or it
    /// would take the square of the number of frames.
    pub fn identity_weights(&mut self, n: usize) -> Result<Index<Accessor>, ExportError> {
        if u32::try_from(n * n).is_err() {
            let reason = format!("{n} frames of a deforming object, at most 65535");
            return Err(ExportError::TooLarge { path: self.path.clone(), reason });
        }
        let places = self.view((0..n).flat_map(|k| ((k * n + k) as u32).to_le_bytes()), None)?;
        let ones = self.view(bytes(&vec![1.0; n]), None)?;
        let index = self.accessor(None, n * n, ComponentType::F32, Type::Scalar);
        self.root.accessors[index.value()].sparse = Some(Sparse {
            count: USize64::from(n),
            indices: Indices {
                buffer_view: places,
                byte_offset: USize64(0),
                component_type: Valid(IndexComponentType(ComponentType::U32)),
                extensions: None,
                extras: Default::default(),
            },
            values: Values {
                buffer_view: ones,
                byte_offset: USize64(0),
                extensions: None,
                extras: Default::default(),
            },
            extensions: None,
            extras: Default::default(),
        });
        Ok(index)
    }

    fn view(
        &mut self,
        bytes: impl Iterator<Item = u8>,
        target: Option<Target>,
    ) -> Result<Index<View>, ExportError> {
        // All components are four bytes wide, so every view starts aligned.
        let bytes: Vec<u8> = bytes.collect();
        self.file.write_all(&bytes).at(&self.path)?;
        let start = self.length;
        self.length += bytes.len() as u64;
        Ok(self.root.push(View {
            buffer: Index::new(0),
            byte_length: USize64::from(bytes.len()),
            byte_offset: Some(USize64(start)),
            byte_stride: None,
            name: None,
            target: target.map(Valid),
            extensions: None,
            extras: Default::default(),
        }))
    }

    fn accessor(
        &mut self,
        buffer_view: Option<Index<View>>,
        count: usize,
        component: ComponentType,
        kind: Type,
    ) -> Index<Accessor> {
        self.root.push(Accessor {
            buffer_view,
            byte_offset: None,
            count: USize64::from(count),
            component_type: Valid(GenericComponentType(component)),
            extensions: None,
            extras: Default::default(),
            type_: Valid(kind),
            min: None,
            max: None,
            name: None,
            normalized: false,
            sparse: None,
        })
    }

    fn bound(&mut self, index: Index<Accessor>, low: &[f32], high: &[f32]) {
        let value = |x: &[f32]| serialize::to_value(x).unwrap_or(Value::Null);
        let accessor = &mut self.root.accessors[index.value()];
        accessor.min = Some(value(low));
        accessor.max = Some(value(high));
    }
}

fn bytes(numbers: &[f32]) -> impl Iterator<Item = u8> + '_ {
    numbers.iter().flat_map(|x| x.to_le_bytes())
}
