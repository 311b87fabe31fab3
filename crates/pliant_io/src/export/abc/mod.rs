//! Alembic (Ogawa) files: `/<object>` is an xform with the rigid motion, `/<object>/<object>Shape` a polymesh.
use super::{ExportError, FrameSink, SinkInfo};
use std::path::Path;
/// Opens
pub fn open(_path: &Path, _info: &SinkInfo) -> Result<Box<dyn FrameSink>, ExportError> {
    Err(ExportError::BadClip("not yet".into()))
}
