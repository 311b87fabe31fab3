//! Pictures and films of a run: opened before it, so that what cannot work is said at once, and taken after it, when
//! it is known where everything goes.

use crate::progress::{Progress, unless_interrupted};
use crate::{Common, Failure};
use anyhow::anyhow;
use pliant::scene::{FigureStyle, SceneSpec};
use pliant::{Frame, SceneError};
use pliant_io::recording::{Recording, RecordingError};
use pliant_render::sink::{self, FilmInfo, PictureSink};
use pliant_render::{Image, Moment, Overlays, Photo, Settings, Studio};
use std::path::{Path, PathBuf};
use std::sync::mpsc::sync_channel;

/// Pictures that wait to be written while the next ones are taken.
const WAITING: usize = 2;

/// How pictures are taken.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Look {
    /// Size in pixels, such as 1920x1080; by default what the scene's camera says
    #[arg(long, value_name = "WxH", value_parser = size)]
    pub size: Option<[u32; 2]>,
    /// Samples per pixel, rounded up to a power of two; by default 4 for films and 32 for single pictures
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=16384))]
    pub samples: Option<u32>,
    /// Draw over the picture: wire, cells, skeletons, seeds, contacts, forces, paths, velocity, time, and one of strain, volume, pressure
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub overlay: Vec<String>,
    /// Leave the background transparent (PNG and WebP)
    #[arg(long)]
    pub alpha: bool,
    /// Opacity of the oldest of several moments in one picture, 0 to 1; those after it grow up to the last, which has 1
    #[arg(long, value_name = "OPACITY", value_parser = opacity)]
    pub fade: Option<f32>,
    /// The photograph behind the scene, instead of the one that the scene names
    #[arg(long, value_name = "FILE")]
    pub photo: Option<PathBuf>,
}

/// Which moments are shown.
#[derive(Clone, Debug, PartialEq)]
pub enum Show {
    /// Every frame from one time to another, one after the other.
    Film(f64, f64),
    /// One moment.
    Still(f64),
    /// Several moments in one picture.
    Strobe(Vec<f64>),
    /// Several moments side by side.
    Sheet(Vec<f64>),
    /// Two moments side by side, called before and after.
    Pair([f64; 2]),
}

impl Show {
    /// What a scene's `[figure]` asks for.
    pub fn figure(spec: &SceneSpec) -> Option<Self> {
        let figure = spec.figure.as_ref()?;
        Some(match (figure.style, figure.times.as_slice()) {
            (_, [t]) => Show::Still(*t),
            (FigureStyle::Strobe, times) => Show::Strobe(times.to_vec()),
            (FigureStyle::Sheet, times) => Show::Sheet(times.to_vec()),
        })
    }
}

/// Files that are open and wait for their pictures.
pub struct Pictures {
    spec: SceneSpec,
    photo: Option<Photo>,
    settings: Settings,
    size: [u32; 2],
    films: Vec<(PathBuf, Show, Box<dyn PictureSink>)>,
}

/// Whether a path names a picture or film.
pub(crate) fn is_picture(path: &Path) -> bool {
    let ending = path.extension().map(|e| format!(".{}", e.to_string_lossy().to_lowercase()));
    sink::endings().any(|known| Some(known) == ending.as_deref())
}

impl Pictures {
    /// Opens files for pictures of a scene of `frame_count` frames. `folder` is where photographs are looked for. With
    /// `show`, all files show that; otherwise each what its ending suggests.
    pub fn open(
        paths: &[PathBuf],
        spec: &SceneSpec,
        folder: &Path,
        look: &Look,
        (frame_count, fps): (usize, f64),
        show: Option<Show>,
    ) -> Result<Self, Failure> {
        let overlays = Overlays::parse(look.overlay.iter().map(String::as_str))
            .map_err(|e| Failure::input_message(format!("--overlay: {e}")))?;
        let photo = photo(spec, folder, look)?;
        if let (Some(matte), Some(photo)) = (&spec.matte, &photo) {
            pliant_render::solve(matte, photo.size()).map_err(Failure::input)?;
        }
        let size = photo.as_ref().map(Photo::size).or(look.size).unwrap_or(spec.camera.size);
        let end = frame_count.saturating_sub(1) as f64 / fps;
        let mut films = vec![];
        for path in paths {
            let show = show.clone().unwrap_or_else(|| natural(path, end));
            let count = match &show {
                Show::Film(from, to) => frames_between(*from, *to, fps, frame_count).len(),
                _ => 1,
            };
            let [width, height] = size_of(&show, size);
            let info = FilmInfo { width, height, fps, count, alpha: look.alpha };
            let sink = sink::open(path, &info).map_err(Failure::input)?;
            films.push((path.clone(), show, sink));
        }
        let moving = films.iter().any(|(_, show, _)| matches!(show, Show::Film(..)));
        let samples = look.samples.unwrap_or(if moving { 4 } else { 32 });
        let mut settings =
            Settings { size: Some(size), samples, overlays, alpha: look.alpha, ..Settings::default() };
        if let Some(oldest) = look.fade {
            settings.oldest = oldest;
        }
        Ok(Self { spec: spec.clone(), photo, settings, size, films })
    }

    /// Takes all pictures from a recording and completes the files.
    pub fn take(self, recording: &Recording, common: &Common) -> Result<(), Failure> {
        let scouted = Studio::scouted(recording.frame_count()).into_iter().map(|i| recording.frame(i));
        let scouted: Vec<Frame> = scouted.collect::<Result<_, _>>().map_err(Failure::run)?;
        let (spec, topology) = (&self.spec, recording.topology());
        let studio =
            Studio::new(spec, topology, &scouted, self.photo, self.settings).map_err(Failure::input)?;
        if let Some(solved) = studio.solved() {
            common.note(format!("camera found; marks are {:.2} pixels off", solved.error));
        }
        for (path, show, sink) in self.films {
            take_one(&studio, recording, &show, sink, common)
                .map_err(|e| Failure::run(e.context(path.display().to_string())))?;
        }
        Ok(())
    }

    /// Pixels across and down of a single picture.
    pub fn size(&self) -> [u32; 2] {
        self.size
    }
}

fn take_one(
    studio: &Studio,
    recording: &Recording,
    show: &Show,
    mut sink: Box<dyn PictureSink>,
    common: &Common,
) -> anyhow::Result<()> {
    let fps = recording.header().fps;
    let count = recording.frame_count();
    let nearest = |t: f64| recording.frame(((t * fps).round() as usize).min(count.saturating_sub(1)));
    let many = |times: &[f64]| times.iter().map(|t| nearest(*t)).collect::<Result<Vec<_>, _>>();
    match show {
        Show::Still(t) => sink.picture(&studio.picture(&nearest(*t)?))?,
        Show::Strobe(times) => sink.picture(&studio.strobe(&many(times)?))?,
        Show::Sheet(times) => sink.picture(&studio.sheet(&many(times)?, &[]))?,
        Show::Pair(times) => sink.picture(&studio.sheet(&many(times)?, &["before", "after"]))?,
        Show::Film(from, to) => {
            let frames = frames_between(*from, *to, fps, count);
            let progress = Progress::new(common, "pictures", 0, frames.len() as u64);
            film(studio, recording, frames, |image| {
                sink.picture(&image)?;
                progress.advance();
                anyhow::ensure!(unless_interrupted().is_continue(), "stopped; nothing was written");
                Ok(())
            })?;
        }
    }
    Ok(sink.finish()?)
}

/// Takes pictures on one thread (and its helpers) while those before are written on another.
fn film(
    studio: &Studio,
    recording: &Recording,
    frames: std::ops::Range<usize>,
    mut write: impl FnMut(Image) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let last = recording.frame_count() - 1;
    let (send, receive) = sync_channel::<Result<Image, RecordingError>>(WAITING);
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let mut current: Option<Frame> = None;
            for i in frames {
                let taken = (|| {
                    let frame = current.take().map_or_else(|| recording.frame(i), Ok)?;
                    let next = if i < last { Some(recording.frame(i + 1)?) } else { None };
                    let image = studio.picture(Moment { frame: &frame, next: next.as_ref() });
                    current = next;
                    Ok(image)
                })();
                let failed = taken.is_err();
                // Nobody listens any more once writing has failed.
                if send.send(taken).is_err() || failed {
                    break;
                }
            }
        });
        for image in &receive {
            let written = image.map_err(|e| anyhow!(e)).and_then(&mut write);
            if written.is_err() {
                drop(receive);
                return written;
            }
        }
        Ok(())
    })
}

/// The photograph that a scene asks for.
fn photo(spec: &SceneSpec, folder: &Path, look: &Look) -> Result<Option<Photo>, Failure> {
    let Some(matte) = &spec.matte else {
        return match &look.photo {
            Some(_) => Err(Failure::input(SceneError::new(
                "matte",
                "--photo needs marked points: add a `[matte]` table to the scene",
            ))),
            None => Ok(None),
        };
    };
    let path = look.photo.clone().unwrap_or_else(|| folder.join(&matte.photo));
    Photo::open(&path).map(Some).map_err(|e| {
        let hint =
            if look.photo.is_none() { "; `matte.photo` names it, --photo FILE takes another" } else { "" };
        Failure::input_message(format!("{e}{hint}"))
    })
}

/// What a file's name suggests: a film, numbered pictures, or a picture of the end.
fn natural(path: &Path, end: f64) -> Show {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if name.to_lowercase().ends_with(".png") && !name.contains('#') {
        Show::Still(end)
    } else {
        Show::Film(0.0, end)
    }
}

/// Numbers of the frames from one time to another.
fn frames_between(from: f64, to: f64, fps: f64, count: usize) -> std::ops::Range<usize> {
    let first = ((from * fps - 1e-6).ceil().max(0.0) as usize).min(count.saturating_sub(1));
    let last = ((to * fps + 1e-6).floor().max(0.0) as usize).min(count.saturating_sub(1));
    first..(last + 1).max(first + 1)
}

fn size_of(show: &Show, size: [u32; 2]) -> [u32; 2] {
    match show {
        Show::Sheet(times) => Studio::sheet_size(times.len(), size),
        Show::Pair(_) => Studio::sheet_size(2, size),
        _ => size,
    }
}

fn opacity(text: &str) -> Result<f32, String> {
    let given = text.trim().parse::<f32>().ok().filter(|x| (0.0..=1.0).contains(x));
    given.ok_or_else(|| "give a number from 0, which cannot be seen, to 1, which is solid".into())
}

fn size(text: &str) -> Result<[u32; 2], String> {
    let most = pliant::scene_check::MOST_PIXELS;
    let side = |s: &str| s.trim().parse::<u32>().ok().filter(|n| (1..=most).contains(n));
    text.split_once(['x', 'X'])
        .and_then(|(w, h)| Some([side(w)?, side(h)?]))
        .ok_or_else(|| format!("write WIDTHxHEIGHT, such as 1920x1080, each between 1 and {most}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_choose_frames() {
        assert_eq!(frames_between(0.0, 5.0, 60.0, 301), 0..301);
        assert_eq!(frames_between(1.0, 2.0, 60.0, 301), 60..121);
        assert_eq!(frames_between(1.0 / 3.0, 1.0, 30.0, 301), 10..31);
        assert_eq!(frames_between(9.0, 10.0, 60.0, 301), 300..301);
        assert_eq!(frames_between(2.0, 1.0, 60.0, 301), 120..121);
    }

    #[test]
    fn sizes_are_read() {
        assert_eq!(size("1920x1080"), Ok([1920, 1080]));
        for wrong in ["1920", "0x5", "5x-1", "1e3x4", "20000x10"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }
}
