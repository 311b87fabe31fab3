//! Where the frames of a run go: recordings and exporters, chosen by file ending.

use crate::{Failure, SimulateError};
use pliant::{Frame, Topology, World};
use pliant_io::export::{self, FrameSink, SinkInfo};
use pliant_io::recording::{Header, Recorder};
use std::path::{Path, PathBuf};

/// Ending of recordings.
pub(crate) const RECORDING: &str = "pliant";

/// Everything that takes the frames of one run.
#[derive(Default)]
pub struct Outputs {
    recorders: Vec<Recorder>,
    sinks: Vec<Box<dyn FrameSink>>,
}

impl Outputs {
    /// Opens all outputs, or none: on an error nothing new is left behind.
    pub fn open(
        paths: &[PathBuf],
        header: &Header,
        topology: &Topology,
        title: &str,
    ) -> Result<Self, Failure> {
        check_paths(paths)?;
        let (recordings, exports): (Vec<_>, Vec<_>) = paths.iter().partition(|p| is_recording(p));
        let frame_count = usize::try_from(header.frame_count).unwrap_or(usize::MAX);
        // All names before the first file: a recording replaces an older one of its name for good.
        for path in &recordings {
            Recorder::check_name(path).map_err(Failure::input)?;
        }
        let info = SinkInfo { topology, fps: header.fps, frame_count, title };
        // Exporters first: until they are finished they touch nothing under a final name.
        let sinks = exports.iter().map(|p| export::open(p, &info).map_err(Failure::input));
        let mut outputs = Self { sinks: sinks.collect::<Result<_, _>>()?, recorders: vec![] };
        for path in recordings {
            match Recorder::create(path, header, topology) {
                Ok(recorder) => outputs.recorders.push(recorder),
                Err(error) => {
                    for begun in &outputs.recorders {
                        let _ = std::fs::remove_file(begun.path());
                    }
                    return Err(Failure::input(error));
                }
            }
        }
        Ok(outputs)
    }

    /// Goes on with one recording.
    pub fn resumed(recorder: Recorder) -> Self {
        Self { recorders: vec![recorder], sinks: vec![] }
    }

    /// Hands a frame, and the world it shows, to every output.
    pub(crate) fn frame(&mut self, frame: &Frame, world: &World) -> Result<(), SimulateError> {
        for recorder in &mut self.recorders {
            recorder.frame(frame)?;
            if recorder.checkpoint_due() {
                recorder.checkpoint(&world.save())?;
            }
        }
        self.export_frame(frame)
    }

    /// Hands a frame to every exporter.
    pub(crate) fn export_frame(&mut self, frame: &Frame) -> Result<(), SimulateError> {
        for sink in &mut self.sinks {
            sink.frame(frame)?;
        }
        Ok(())
    }

    /// Completes every output.
    pub fn finish(self) -> Result<(), SimulateError> {
        for recorder in self.recorders {
            recorder.finish()?;
        }
        for sink in self.sinks {
            sink.finish()?;
        }
        Ok(())
    }
}

/// Finds, before any work is done, what would make an output fail in the end.
pub(crate) fn check_paths(paths: &[PathBuf]) -> Result<(), Failure> {
    for (i, path) in paths.iter().enumerate() {
        check_path(path).map_err(|why| Failure::input_message(format!("{}: {why}", path.display())))?;
        if paths[..i].contains(path) {
            return Err(Failure::input_message(format!("{}: given twice", path.display())));
        }
    }
    Ok(())
}

fn check_path(path: &Path) -> Result<(), String> {
    let known = || {
        let files = export::endings().chain(pliant_render::sink::endings()).map(String::from);
        std::iter::once(format!(".{RECORDING}")).chain(files)
    };
    let ending = path.extension().map(|e| format!(".{}", e.to_string_lossy().to_lowercase()));
    if path.is_dir() {
        return Err("is a folder; give a file name".into());
    }
    match ending {
        Some(ending) if known().any(|k| k == ending) => {}
        _ => {
            return Err(format!(
                "unknown file ending; use one of {}",
                known().collect::<Vec<_>>().join(", ")
            ));
        }
    }
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match std::fs::metadata(folder) {
        Ok(m) if m.is_dir() => Ok(()),
        Ok(_) => Err(format!("{} is not a folder", folder.display())),
        Err(e) => Err(format!("folder {}: {e}", folder.display())),
    }
}

/// Whether a path names a recording.
pub(crate) fn is_recording(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case(RECORDING))
}
