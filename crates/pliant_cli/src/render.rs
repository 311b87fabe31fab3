//! `pliant render`: pictures and films of a recording.

use crate::pictures::{Look, Pictures, Show, is_picture};
use crate::{Common, Failure, outputs, scenes};
use pliant_io::scene_file;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Arguments of `pliant render`.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// The recording
    pub recording: PathBuf,
    /// Where to write: .png, .mp4, .gif or .webp; name.####.png for one file per frame; may be given several times
    #[arg(short, long = "output", value_name = "OUT", required = true)]
    pub output: Vec<PathBuf>,
    /// One picture of this moment, in seconds; without it, a single picture shows the end
    #[arg(long, value_name = "T", group = "moments")]
    pub at: Option<f64>,
    /// Several moments in one picture: times in seconds, or xN for N of them evenly spread
    #[arg(long, value_name = "TIMES", group = "moments")]
    pub strobe: Option<String>,
    /// Several moments side by side: times in seconds, or xN
    #[arg(long, value_name = "TIMES", group = "moments")]
    pub sheet: Option<String>,
    /// Two moments side by side, before and after
    #[arg(long, value_name = "T,T", group = "moments")]
    pub pair: Option<String>,
    /// What the scene's figure table asks for
    #[arg(long, group = "moments")]
    pub figure: bool,
    /// First moment of a film, in seconds
    #[arg(long, value_name = "T")]
    pub from: Option<f64>,
    /// Last moment of a film, in seconds
    #[arg(long, value_name = "T")]
    pub to: Option<f64>,
    /// Change any key of the recorded scene that pictures depend on, such as camera.fov=40
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = crate::run::key_value)]
    pub set: Vec<(String, String)>,
    /// How pictures are taken.
    #[command(flatten)]
    pub look: Look,
}

#[derive(Serialize)]
struct Report<'a> {
    frames: usize,
    size: [u32; 2],
    outputs: &'a [PathBuf],
}

/// Runs the command.
pub fn execute(args: &Args, common: &Common) -> Result<(), Failure> {
    outputs::check_paths(&args.output)?;
    if let Some(path) = args.output.iter().find(|p| !is_picture(p)) {
        let message = format!("{}: is no picture; use pliant export", path.display());
        return Err(Failure::input_message(message));
    }
    let recording = scenes::open_recording(&args.recording)?;
    let frames = recording.frame_count();
    let spec = scene_file::parse_with(recording.scene_text(), "the scene in the recording", &args.set)
        .map_err(Failure::input)?;
    let fps = recording.header().fps;
    let end = (frames - 1) as f64 / fps;
    let show = match show(args, end)? {
        None if args.figure => Some(Show::figure(&spec).ok_or_else(|| {
            Failure::input_message(format!("{}: its scene has no [figure]", args.recording.display()))
        })?),
        other => other,
    };
    let mut look = args.look.clone();
    if let (true, Some(figure)) = (args.figure, &spec.figure) {
        look.overlay.extend(figure.overlays.iter().cloned());
    }
    let folder = args.recording.parent().unwrap_or(Path::new(""));
    let pictures = Pictures::open(&args.output, &spec, folder, &look, (frames, fps), show)?;
    let size = pictures.size();
    pictures.take(&recording, common)?;
    for path in &args.output {
        common.say(format_args!("wrote {}", path.display()))?;
    }
    common.say_json(&Report { frames, size, outputs: &args.output })
}

/// What the arguments ask for, if they ask for anything.
fn show(args: &Args, end: f64) -> Result<Option<Show>, Failure> {
    let wrong = |name: &str, why: String| Failure::input_message(format!("--{name}: {why}"));
    let inside = |name: &str, t: f64| {
        let good = (0.0..=end + 1e-6).contains(&t);
        if good { Ok(t) } else { Err(wrong(name, format!("{t} s is not between 0 and {end} s"))) }
    };
    let times = |name: &str, text: &Option<String>| -> Result<Option<Vec<f64>>, Failure> {
        let Some(text) = text else { return Ok(None) };
        let all = moments(text, end).map_err(|e| wrong(name, e))?;
        all.iter().try_for_each(|t| inside(name, *t).map(|_| ()))?;
        Ok(Some(all))
    };
    if let Some(t) = args.at {
        return Ok(Some(Show::Still(inside("at", t)?)));
    }
    if let Some(all) = times("strobe", &args.strobe)? {
        return Ok(Some(Show::Strobe(all)));
    }
    if let Some(all) = times("sheet", &args.sheet)? {
        return Ok(Some(Show::Sheet(all)));
    }
    if let Some(all) = times("pair", &args.pair)? {
        let pair = <[f64; 2]>::try_from(all).map_err(|_| wrong("pair", "give two times".into()))?;
        return Ok(Some(Show::Pair(pair)));
    }
    if args.from.is_none() && args.to.is_none() {
        return Ok(None);
    }
    let (from, to) = (inside("from", args.from.unwrap_or(0.0))?, inside("to", args.to.unwrap_or(end))?);
    if from > to {
        return Err(wrong("from", format!("{from} s is after --to {to} s")));
    }
    Ok(Some(Show::Film(from, to)))
}

/// Reads "0.5,1,1.5" or "x5".
fn moments(text: &str, end: f64) -> Result<Vec<f64>, String> {
    let hint = || "give times in seconds, such as 0.5,1,1.5, or xN for N moments".to_string();
    if let Some(count) = text.strip_prefix('x') {
        let n: usize = count.parse().ok().filter(|n| (1..=1000).contains(n)).ok_or_else(hint)?;
        return Ok((0..n).map(|k| if n == 1 { end } else { end * k as f64 / (n - 1) as f64 }).collect());
    }
    text.split(',').map(|t| t.trim().parse().map_err(|_| hint())).collect()
}

#[cfg(test)]
mod tests {
    use super::moments;

    #[test]
    fn moments_are_times_or_a_count() {
        assert_eq!(moments("0.5, 1,2", 5.0), Ok(vec![0.5, 1.0, 2.0]));
        assert_eq!(moments("x3", 5.0), Ok(vec![0.0, 2.5, 5.0]));
        assert_eq!(moments("x1", 5.0), Ok(vec![5.0]));
        assert!(moments("", 5.0).is_err() && moments("x0", 5.0).is_err() && moments("1;2", 5.0).is_err());
    }
}
