//! Exporters: every format is written, read back and compared with the frames by numbers.

mod abc;
mod failures;
mod fixture;
mod glb;
mod meshes;
mod remeshed;
mod usda;
