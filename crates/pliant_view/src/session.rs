//! The session: a world or a recording, what has been seen of it, and the hand that plays with it.

use crate::command::{Command, Saved};
use crate::hand::Hand;
use crate::history::{History, Moment};
use crate::message::{self, Standing};
use crate::{describe, describe::describe};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pliant::math::Vec3;
use pliant::{PhaseObserver, SceneSpec, Topology, World};
use pliant_io::export::{SinkInfo, glb};
use pliant_io::recording::{self, Header, Recording};
use pliant_io::scene_file::{self, LoadedScene, SceneFileError};
use serde_json::json;
use std::collections::BTreeMap;

/// Phases of a step, in the order in which their times are told.
const PHASES: &[&str] = &["aim", "free_motion", "find", "solve", "advance", "check"];

/// What a session lives in.
pub struct Settings {
    /// Seconds since any moment; for telling how long phases take.
    pub clock: Box<dyn Fn() -> f64 + Send + Sync>,
    /// Bytes that frames which have been seen may take; the oldest are forgotten.
    pub history: usize,
}

/// A world that somebody watches.
pub struct Session {
    settings: Settings,
    scene: Option<Scene>,
    history: History,
    /// Index of the frame that is shown.
    shown: u64,
    playing: bool,
    /// Whether frames bring what bodies are made of inside.
    inside: bool,
}

/// What is shown.
struct Scene {
    name: String,
    text: String,
    files: BTreeMap<String, Vec<u8>>,
    spec: SceneSpec,
    topology: Topology,
    /// Meshes, for recordings.
    meshes: pliant::MeshLibrary,
    /// None for a recording.
    world: Option<World>,
    hand: Hand,
}

/// Why a command was not carried out.
enum Refusal {
    Scene(Box<SceneFileError>),
    Plain(String),
}

impl From<SceneFileError> for Refusal {
    fn from(error: SceneFileError) -> Self {
        Refusal::Scene(Box::new(error))
    }
}

impl From<String> for Refusal {
    fn from(message: String) -> Self {
        Refusal::Plain(message)
    }
}

type Answer = Result<Vec<Vec<u8>>, Refusal>;

impl Session {
    /// A session that shows nothing yet.
    pub fn new(settings: Settings) -> Self {
        let history = History::new(settings.history);
        Self { settings, scene: None, history, shown: 0, playing: false, inside: false }
    }

    /// Carries out a command that is JSON text. Whatever the text, the answer is messages.
    pub fn handle_text(&mut self, text: &str) -> Vec<Vec<u8>> {
        match serde_json::from_str(text) {
            Ok(command) => self.handle(command),
            Err(error) => vec![refused(&Refusal::Plain(format!("not a command: {error}")))],
        }
    }

    /// Carries out a command and says what there is to see.
    pub fn handle(&mut self, command: Command) -> Vec<Vec<u8>> {
        let answer = match command {
            Command::Load { name, text, files } => self.load(&name, &text, files),
            Command::Open { name, data } => self.open(&name, data),
            Command::Play => self.play(true),
            Command::Pause => self.play(false),
            Command::Tick if self.playing => self.advance(),
            Command::Tick => self.show(),
            Command::Step => self.advance(),
            Command::Reset => self.reset(),
            Command::Seek { frame } => self.seek(frame),
            Command::Set { body, parameter, value } => self.set(body, &parameter, value),
            Command::Grab { body, at } => self.grab(body, Vec3::from(at)),
            Command::Move { to } => self.move_hand(Vec3::from(to)),
            Command::Release => self.release(),
            Command::Push { body, at, impulse } => self.push(body, Vec3::from(at), Vec3::from(impulse)),
            Command::Cut { body, at, across } => self.cut(body, Vec3::from(at), Vec3::from(across)),
            Command::Inside { shown } => self.show_inside(shown),
            Command::Save { what } => self.save(what),
        };
        answer.unwrap_or_else(|refusal| {
            self.playing = false;
            vec![refused(&refusal)]
        })
    }

    fn load(&mut self, name: &str, text: &str, files: BTreeMap<String, String>) -> Answer {
        let decode = |(name, data): (String, String)| match STANDARD.decode(data) {
            Ok(bytes) => Ok((name, bytes)),
            Err(error) => Err(format!("{name}: not base64: {error}")),
        };
        let files = files.into_iter().map(decode).collect::<Result<BTreeMap<_, _>, _>>()?;
        let (loaded, world) = build(name, text, &files, &[])?;
        self.begin(name, loaded, files, world)
    }

    fn begin(
        &mut self,
        name: &str,
        loaded: LoadedScene,
        files: BTreeMap<String, Vec<u8>>,
        world: World,
    ) -> Answer {
        let moment = moment(&world, &loaded.spec, &Hand::default(), vec![]);
        self.scene = Some(Scene {
            name: name.to_owned(),
            text: loaded.text,
            files,
            topology: world.topology(),
            spec: loaded.spec,
            meshes: loaded.meshes,
            world: Some(world),
            hand: Hand::default(),
        });
        (self.shown, self.playing) = (0, false);
        self.history.clear();
        self.history.push(moment);
        self.introduce()
    }

    /// The scene, its topology and the frame that is shown.
    fn introduce(&self) -> Answer {
        let scene = self.scene()?;
        let live = scene.world.is_some();
        let about = (scene.name.as_str(), scene.text.as_str());
        let description = describe(about, &scene.spec, &scene.topology, PHASES, live);
        let mut messages = vec![message::text(&description), message::topology(&scene.topology)];
        messages.extend(self.show()?);
        Ok(messages)
    }

    fn open(&mut self, name: &str, data: String) -> Answer {
        let bytes = STANDARD.decode(data).map_err(|error| format!("{name}: not base64: {error}"))?;
        self.open_recording(Recording::from_bytes(name, bytes).map_err(|e| e.to_string())?)
            .map_err(Refusal::Plain)
    }

    /// Shows a recording.
    pub fn open_recording(&mut self, recording: Recording) -> Result<Vec<Vec<u8>>, String> {
        let name = recording.path().file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if recording.frame_count() == 0 {
            return Err(format!("{name}: has no whole frame yet"));
        }
        // A recording of another version may hold a scene that this one cannot read; it can be shown all the same.
        let spec = scene_file::parse(recording.scene_text(), &name).unwrap_or_default();
        self.history.clear();
        for frame in recording.frames() {
            let frame = frame.map_err(|e| e.to_string())?;
            let potential = potential(&frame, &spec);
            self.history.push(Moment { frame, potential, ..Moment::default() });
        }
        self.scene = Some(Scene {
            name: format!("{name}.toml"),
            text: recording.scene_text().to_owned(),
            files: BTreeMap::new(),
            topology: recording.topology().clone(),
            spec,
            meshes: recording.meshes().clone(),
            world: None,
            hand: Hand::default(),
        });
        (self.shown, self.playing) = (self.history.range().map_or(0, |r| r.0), false);
        self.introduce().map_err(|refusal| match refusal {
            Refusal::Plain(message) => message,
            Refusal::Scene(error) => error.to_string(),
        })
    }

    /// Whether there is anything to show.
    pub fn has_scene(&self) -> bool {
        self.scene.is_some()
    }

    /// Everything that a page must know to go on with what is shown.
    pub fn introduce_again(&self) -> Vec<Vec<u8>> {
        self.introduce().unwrap_or_else(|refusal| vec![refused(&refusal)])
    }

    fn scene(&self) -> Result<&Scene, Refusal> {
        self.scene.as_ref().ok_or_else(|| Refusal::Plain("no scene has been loaded".into()))
    }

    /// The world and the hand, at the last frame that there is.
    fn living(&mut self) -> Result<(&mut World, &mut Hand), Refusal> {
        self.shown = self.history.range().map_or(0, |r| r.1);
        match &mut self.scene {
            Some(Scene { world: Some(world), hand, .. }) => Ok((world, hand)),
            Some(_) => Err(Refusal::Plain("this is a recording; load its scene to play with it".into())),
            None => Err(Refusal::Plain("no scene has been loaded".into())),
        }
    }

    fn play(&mut self, playing: bool) -> Answer {
        self.scene()?;
        self.playing = playing;
        self.show()
    }

    fn show(&self) -> Answer {
        self.scene()?;
        let range = self.history.range().unwrap_or_default();
        let Some(moment) = self.history.get(self.shown) else {
            let message =
                format!("frame {} is no longer there; frames {} to {} are", self.shown, range.0, range.1);
            return Err(Refusal::Plain(message));
        };
        Ok(vec![message::frame(moment, &Standing { range, playing: self.playing, inside: self.inside })])
    }

    fn show_inside(&mut self, inside: bool) -> Answer {
        self.inside = inside;
        if self.scene.is_some() { self.show() } else { Ok(vec![]) }
    }

    fn seek(&mut self, frame: u64) -> Answer {
        let (first, last) = self.history.range().unwrap_or_default();
        self.shown = frame.clamp(first, last);
        self.show()
    }

    /// One frame on: one that is there, or a new one.
    fn advance(&mut self) -> Answer {
        let (first, last) = self.history.range().unwrap_or_default();
        if self.shown < last {
            self.shown = (self.shown + 1).max(first);
            return self.show();
        }
        let Some(Scene { world: Some(world), hand, spec, .. }) = &mut self.scene else {
            // The end of a recording.
            self.playing = false;
            return self.show();
        };
        hand.pull(world);
        let mut clock = PhaseClock::new(&self.settings.clock);
        let frame = world.next_frame(&mut clock);
        let phases = clock.finish();
        hand.end_pushes(world);
        match frame {
            Ok(frame) => {
                let now = Moment { potential: potential(&frame, spec), frame, ..around(world, hand, phases) };
                self.history.push(now);
                self.shown = last + 1;
                self.show()
            }
            Err(error) => Err(Refusal::Plain(error.to_string())),
        }
    }

    fn reset(&mut self) -> Answer {
        let Some(scene) = self.scene.take() else { return Err("no scene has been loaded".to_owned().into()) };
        if scene.world.is_none() {
            self.scene = Some(scene);
            self.playing = false;
            return self.seek(0);
        }
        // The text was read before, so it is read again.
        let (loaded, world) = build(&scene.name, &scene.text, &scene.files, &[])?;
        let (name, files) = (scene.name, scene.files);
        self.begin(&name, loaded, files, world)
    }

    fn set(&mut self, body: u32, parameter: &str, value: f64) -> Answer {
        let body = self.body(body)?;
        self.living()?;
        let scene = self.scene()?;
        let change = describe::change(&scene.spec, &scene.topology.objects[body].name, parameter, value)?;
        let (loaded, mut world) = build(&scene.name, &scene.text, &scene.files, &[change])?;
        let Some(Scene { world: Some(old), hand, .. }) = &mut self.scene else {
            return Err("no scene has been loaded".to_owned().into());
        };
        hand.release(old);
        hand.end_pushes(old);
        world.go_on_from(old)?;
        let text = loaded.text.clone();
        if let Some(scene) = &mut self.scene {
            (scene.text, scene.spec, scene.world) = (loaded.text, loaded.spec, Some(world));
        }
        Ok(vec![message::text(&json!({ "type": "text", "text": text }))])
    }

    /// The number of a body, checked.
    fn body(&self, body: u32) -> Result<usize, Refusal> {
        let objects = &self.scene()?.topology.objects;
        match objects.get(body as usize) {
            Some(object) if object.is_body() => Ok(body as usize),
            Some(object) => Err(format!("\"{}\" is an obstacle and cannot be moved", object.name).into()),
            None => Err(format!("there is no object {body}; the scene has {}", objects.len()).into()),
        }
    }

    fn grab(&mut self, body: u32, at: Vec3) -> Answer {
        let body = self.body(body)?;
        finite(at)?;
        let (world, hand) = self.living()?;
        hand.grab(world, body, at)?;
        Ok(vec![])
    }

    fn cut(&mut self, body: u32, at: Vec3, across: Vec3) -> Answer {
        let body = self.body(body)?;
        finite(at)?;
        finite(across)?;
        let (world, hand) = self.living()?;
        // What the hand holds may be another piece afterwards.
        hand.release(world);
        world.cut(body, at, across)?;
        Ok(vec![])
    }

    fn move_hand(&mut self, to: Vec3) -> Answer {
        finite(to)?;
        self.living()?.1.go_to(to);
        Ok(vec![])
    }

    fn release(&mut self) -> Answer {
        let (world, hand) = self.living()?;
        hand.release(world);
        Ok(vec![])
    }

    fn push(&mut self, body: u32, at: Vec3, impulse: Vec3) -> Answer {
        let body = self.body(body)?;
        finite(at)?;
        finite(impulse)?;
        let (world, hand) = self.living()?;
        hand.push(world, body, at, impulse).map_err(|e| e.to_string())?;
        Ok(vec![])
    }

    fn save(&mut self, what: Saved) -> Answer {
        let scene = self.scene()?;
        let stem = scene.name.trim_end_matches(".toml").rsplit('/').next().unwrap_or("scene");
        let frames: Vec<&pliant::Frame> = self.history.frames().collect();
        let (ending, bytes) = match what {
            Saved::Scene => ("toml", scene.text.clone().into_bytes()),
            Saved::Recording => {
                let header = Header {
                    engine: env!("CARGO_PKG_VERSION").into(),
                    fps: scene.spec.scene.fps,
                    frame_count: frames.len() as u64,
                    scene: scene.text.clone(),
                    meshes: scene.meshes.clone(),
                };
                ("pliant", recording::to_bytes(&header, &scene.topology, frames))
            }
            Saved::Glb => {
                let (fps, title) = (scene.spec.scene.fps, scene.spec.scene.title.as_str());
                let info = SinkInfo { topology: &scene.topology, fps, frame_count: frames.len(), title };
                ("glb", glb::bytes(&info, frames).map_err(|e| e.to_string())?)
            }
        };
        Ok(vec![message::file(&format!("{stem}.{ending}"), &bytes)])
    }
}

fn refused(refusal: &Refusal) -> Vec<u8> {
    message::text(&match refusal {
        Refusal::Plain(message) => {
            json!({ "type": "error", "message": message, "line": 0, "column": 0, "shown": message })
        }
        Refusal::Scene(error) => json!({
            "type": "error",
            "message": error.message,
            "key": error.path,
            "line": error.line,
            "column": error.column,
            "shown": error.to_string(),
        }),
    })
}

fn finite(v: Vec3) -> Result<(), String> {
    if v.is_finite() { Ok(()) } else { Err("a place or impulse is not finite".into()) }
}

fn build(
    name: &str,
    text: &str,
    files: &BTreeMap<String, Vec<u8>>,
    changes: &[(String, String)],
) -> Result<(LoadedScene, World), Refusal> {
    let loaded = scene_file::load_text(text, name, files, changes)?;
    let world = World::new(&loaded.spec, &loaded.meshes).map_err(|e| loaded.locate(&e))?;
    Ok((loaded, world))
}

fn moment(world: &World, spec: &SceneSpec, hand: &Hand, phases: Vec<f32>) -> Moment {
    let frame = world.frame();
    Moment { potential: potential(&frame, spec), frame, ..around(world, hand, phases) }
}

/// What is around a frame.
fn around(world: &World, hand: &Hand, phases: Vec<f32>) -> Moment {
    Moment { phases, pull: hand.spring(world), ..Moment::default() }
}

fn potential(frame: &pliant::Frame, spec: &SceneSpec) -> Vec<f64> {
    let gravity = spec.scene.gravity.at(frame.time);
    frame.measures.iter().map(|m| -m.mass * gravity.dot(m.centre)).collect()
}

/// Adds up the time between one phase's beginning and the next.
struct PhaseClock<'a> {
    clock: &'a (dyn Fn() -> f64 + Sync),
    running: Option<(usize, f64)>,
    milliseconds: Vec<f32>,
}

impl<'a> PhaseClock<'a> {
    fn new(clock: &'a (dyn Fn() -> f64 + Sync)) -> Self {
        Self { clock, running: None, milliseconds: vec![0.0; PHASES.len()] }
    }

    fn stop(&mut self) {
        if let Some((phase, since)) = self.running.take() {
            self.milliseconds[phase] += (1e3 * ((self.clock)() - since)) as f32;
        }
    }

    fn finish(mut self) -> Vec<f32> {
        self.stop();
        self.milliseconds
    }
}

impl PhaseObserver for PhaseClock<'_> {
    fn phase(&mut self, name: &'static str) {
        self.stop();
        let phase = PHASES.iter().position(|known| *known == name);
        self.running = phase.map(|phase| (phase, (self.clock)()));
    }
}
