//! What the sinks write, read back by decoders that are not theirs.

mod errors;
mod gif;
mod mp4;
mod png;
mod support;
mod webp;
