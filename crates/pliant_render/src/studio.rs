//! From frames to pictures: the scene's camera, lights and looks, set up once for a recording.

use crate::camera::{Action, Camera, CameraPath};
use crate::film::{Darkroom, Exposure, Negative, Slice};
use crate::image::Image;
use crate::light::Lights;
use crate::matte::{self, MatteError, Photo, Plate, Solved};
use crate::overlay::{self, Canvas, Overlays, Paint};
use crate::stage::{Cast, Stage, Who};
use crate::trace::Rays;
use pliant::math::Vec3;
use pliant::scene::SceneSpec;
use pliant::{Frame, ObjectFrame, Topology};
use std::sync::{Mutex, PoisonError};

/// Frames that are looked at to choose the camera and the range of colours.
const SCOUTED: usize = 48;
/// Moments during which the shutter is open, if it is open for any time at all.
const SLICES: usize = 8;

/// How pictures are taken; the scene says the rest.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Pixels across and down, instead of the camera's.
    pub size: Option<[u32; 2]>,
    /// Samples per pixel; rounded up to a power of two.
    pub samples: u32,
    /// What is drawn over the picture.
    pub overlays: Overlays,
    /// Whether the background stays transparent.
    pub alpha: bool,
    /// Opacity of the oldest of several moments in one picture; the last has 1, those between in equal steps.
    pub oldest: f32,
}

impl Default for Settings {
    fn default() -> Self {
        Self { size: None, samples: 16, overlays: Overlays::default(), alpha: false, oldest: 0.7 }
    }
}

/// A scene ready to be photographed.
#[derive(Debug)]
pub struct Studio {
    spec: SceneSpec,
    cast: Cast,
    lights: Lights,
    path: CameraPath,
    paint: Option<Paint>,
    settings: Settings,
    matte: Option<Matte>,
    /// Memory of the last picture, for the next.
    darkroom: Mutex<Darkroom>,
}

#[derive(Debug)]
struct Matte {
    photo: Photo,
    solved: Solved,
    catchers: Vec<bool>,
}

/// A picture and what it took.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The picture.
    pub image: Image,
    /// Rays cast.
    pub ray_count: u64,
    /// Origin, direction, longest distance, and whether any hit was enough; in the order in which they were cast.
    pub rays: Vec<([f32; 3], [f32; 3], f32, bool)>,
    /// Corners of all triangles, in the coordinates of the rays, if these were asked for.
    pub corners: Vec<[[f32; 3]; 3]>,
}

/// A frame, and the one after it if there is one: moving bodies are blurred from the one towards the other.
#[derive(Clone, Copy, Debug)]
pub struct Moment<'a> {
    /// The frame.
    pub frame: &'a Frame,
    /// The next.
    pub next: Option<&'a Frame>,
}

impl<'a> From<&'a Frame> for Moment<'a> {
    fn from(frame: &'a Frame) -> Self {
        Self { frame, next: None }
    }
}

impl Studio {
    /// Sets up a scene. `frames` are some of the film's frames, in order; the first must be the first of the film.
    /// [`Studio::scouted`] says which to take.
    pub fn new(
        spec: &SceneSpec,
        topology: &Topology,
        frames: &[Frame],
        photo: Option<Photo>,
        settings: Settings,
    ) -> Result<Self, MatteError> {
        let mut action = Action::default();
        frames.iter().for_each(|f| action.add(topology, f));
        let action = action.trimmed();
        let (centre, radius) = action.ball();
        let mut cast = Cast::new(spec, topology, centre, radius);
        if settings.overlays.field.is_some() {
            cast.make_matte();
        }
        let empty = Frame::default();
        let first = frames.first().unwrap_or(&empty);
        let size = photo.as_ref().map(Photo::size).or(settings.size).unwrap_or(spec.camera.size);
        let (fov, up) = (spec.camera.fov.to_radians(), Vec3::from(spec.camera.up));
        let automatic = action.camera(&cast, first, fov, size, up);
        let names: Vec<String> = topology.objects.iter().map(|o| o.name.clone()).collect();
        let path = CameraPath::new(&spec.camera, &automatic, first, &names);
        let matte = match (photo, &spec.matte) {
            (Some(photo), Some(given)) => {
                let solved = matte::solve(given, photo.size())?;
                let catches = |o: &pliant::ObjectTopology| {
                    !o.is_body() && given.catch.as_ref().is_none_or(|names| names.contains(&o.name))
                };
                Some(Matte { photo, solved, catchers: topology.objects.iter().map(catches).collect() })
            }
            _ => None,
        };
        let lights = Lights::new(&spec.light, &cast);
        let paint = settings.overlays.field.map(|field| Paint::new(field, topology, frames.iter()));
        Ok(Self {
            spec: spec.clone(),
            cast,
            lights,
            path,
            paint,
            settings,
            matte,
            darkroom: Mutex::default(),
        })
    }

    /// Which frames of a film of `count` are enough to set up by.
    pub fn scouted(count: usize) -> Vec<usize> {
        let n = count.min(SCOUTED);
        (0..n).map(|k| if n < 2 { 0 } else { k * (count - 1) / (n - 1) }).collect()
    }

    /// The camera found for the photograph, if there is one.
    pub fn solved(&self) -> Option<&Solved> {
        self.matte.as_ref().map(|m| &m.solved)
    }

    /// Pixels across and down.
    pub fn size(&self, frame: &Frame) -> [u32; 2] {
        self.camera(frame).size
    }

    /// The camera at the time of a frame.
    pub fn camera(&self, frame: &Frame) -> Camera {
        match &self.matte {
            Some(matte) => matte.solved.camera,
            None => self.path.at(frame),
        }
    }

    /// A picture of one moment.
    pub fn picture<'a>(&self, moment: impl Into<Moment<'a>>) -> Image {
        let moment = moment.into();
        let shutter = self.spec.camera.shutter;
        let frames: Vec<Frame> = match moment.next {
            Some(next) if shutter > 0.0 => (0..SLICES)
                .map(|k| between(moment.frame, next, shutter * (k as f64 + 0.5) / SLICES as f64))
                .collect(),
            _ => vec![moment.frame.clone()],
        };
        let slices: Vec<Vec<(&Frame, Who)>> = frames.iter().map(|f| vec![(f, Who::Everyone)]).collect();
        self.developed(&slices, &[moment.frame], &self.camera(moment.frame))
    }

    /// Pixels across and down of a sheet of `count` pictures.
    pub fn sheet_size(count: usize, size: [u32; 2]) -> [u32; 2] {
        let (columns, cell) = layout(count, size);
        [cell[0] * columns as u32, cell[1] * count.div_ceil(columns) as u32]
    }

    /// Several moments side by side, each with its time, or with a caption if there is one for it.
    pub fn sheet(&self, frames: &[Frame], captions: &[&str]) -> Image {
        let Some(first) = frames.first() else { return Image::filled(0, 0, [0; 4]) };
        let (columns, cell) = layout(frames.len(), self.size(first));
        let [width, height] = Self::sheet_size(frames.len(), self.size(first));
        let mut sheet = Image::filled(width, height, [255; 4]);
        for (k, frame) in frames.iter().enumerate() {
            let camera = Camera { size: cell, ..self.camera(frame) };
            let picture = self.developed(&[vec![(frame, Who::Everyone)]], &[frame], &camera);
            let corner = [k % columns, k / columns].map(|n| n as u32);
            sheet.paste(&picture, [corner[0] * cell[0], corner[1] * cell[1]]);
        }
        let Some(mut canvas) = Canvas::new(&sheet) else { return sheet };
        for (k, frame) in frames.iter().enumerate() {
            let time = format!("{:.2} s", frame.time);
            let text = captions.get(k).map_or(time.clone(), |c| format!("{c}, {time}"));
            let (column, row) = ((k % columns) as u32, (k / columns) as u32);
            let at = [f64::from(column * cell[0]), f64::from((row + 1) * cell[1])];
            overlay::caption(&mut canvas, &text, at);
        }
        canvas.image()
    }

    /// A picture of several moments at once, the older the fainter. Obstacles, and the camera, are those of the last.
    pub fn strobe(&self, frames: &[Frame]) -> Image {
        let Some((last, before)) = frames.split_last() else { return Image::filled(0, 0, [0; 4]) };
        let (camera, mut darkroom) = (self.camera(last), Darkroom::default());
        // The mean of pictures, each of which leaves out one more of the oldest moments: whatever is in some of them only
        // is seen through, and its shadow is as faint.
        let mut mean: Option<Negative> = None;
        for (k, part) in parts(before.len(), self.settings.oldest).enumerate().filter(|(_, part)| *part > 0.0)
        {
            let mut cast: Vec<(&Frame, Who)> = before[k..].iter().map(|f| (f, Who::BodiesOnly)).collect();
            cast.push((last, Who::Everyone));
            let negative = self.negative(&[cast], &camera, false, &mut darkroom);
            mean.get_or_insert_with(|| negative.blank()).add(&negative, part);
            darkroom.take_back(negative);
        }
        let image = mean.map_or(Image::filled(0, 0, [0; 4]), |m| m.developed());
        self.drawn_over(image, &camera, &frames.iter().collect::<Vec<_>>())
    }

    fn developed(&self, slices: &[Vec<(&Frame, Who)>], shown: &[&Frame], camera: &Camera) -> Image {
        let (image, _) = self.photographed(slices, camera, false);
        self.drawn_over(image, camera, shown)
    }

    /// A picture without anything drawn over it, and the rays that it took.
    fn photographed(&self, slices: &[Vec<(&Frame, Who)>], camera: &Camera, log_rays: bool) -> (Image, Rays) {
        // Whoever takes a picture meanwhile works with memory of his own.
        let mut darkroom = std::mem::take(&mut *self.darkroom.lock().unwrap_or_else(PoisonError::into_inner));
        let mut negative = self.negative(slices, camera, log_rays, &mut darkroom);
        let (image, rays) = (negative.developed(), std::mem::take(&mut negative.rays));
        darkroom.take_back(negative);
        *self.darkroom.lock().unwrap_or_else(PoisonError::into_inner) = darkroom;
        (image, rays)
    }

    /// Takes a picture only to see what that costs: how many rays it takes and, if asked for, which.
    pub fn measure(&self, frame: &Frame, log_rays: bool) -> Measured {
        let (image, rays) = self.photographed(&[vec![(frame, Who::Everyone)]], &self.camera(frame), log_rays);
        let log = rays.log.unwrap_or_default().into_iter();
        let plain =
            |(o, d, t, any): (glam::Vec3A, glam::Vec3A, f32, bool)| (o.to_array(), d.to_array(), t, any);
        let stage = || Stage::new(&self.cast, &[(frame, Who::Everyone)], None);
        let corners = if log_rays { stage().corners() } else { vec![] };
        Measured { image, ray_count: rays.count, rays: log.map(plain).collect(), corners }
    }

    fn negative(
        &self,
        slices: &[Vec<(&Frame, Who)>],
        camera: &Camera,
        log_rays: bool,
        darkroom: &mut Darkroom,
    ) -> Negative {
        let empty = |cast: &Vec<(&Frame, Who)>| {
            let (last, _) = cast.last()?;
            let obstacles = [(*last, Who::ObstaclesOnly)];
            self.matte.as_ref().map(|_| Stage::new(&self.cast, &obstacles, None))
        };
        let empty: Vec<Option<Stage>> = slices.iter().map(empty).collect();
        fn plate<'a>(matte: &'a Matte, empty: &'a Stage<'a>, centre: Vec3) -> Plate<'a> {
            Plate {
                photo: &matte.photo,
                camera: &matte.solved.camera,
                centre,
                empty,
                catchers: &matte.catchers,
            }
        }
        let slices: Vec<Slice> = slices
            .iter()
            .zip(&empty)
            .map(|(cast, empty)| Slice {
                stage: Stage::new(&self.cast, cast, self.paint.as_ref()),
                lens: camera.lens(self.cast.centre),
                plate: self.matte.as_ref().zip(empty.as_ref()).map(|(m, e)| plate(m, e, self.cast.centre)),
            })
            .collect();
        // Blur spreads one pixel's samples over many things; it needs more of them.
        let blurred = slices.len() > 1 || camera.aperture > 0.0;
        let samples = self.settings.samples.clamp(1, 1 << 14).next_power_of_two();
        let how = Exposure {
            size: camera.size,
            samples: if blurred { samples.max(SLICES as u32) * 2 } else { samples },
            gain: (self.spec.camera.exposure as f32).exp2(),
            alpha: self.settings.alpha,
            wire: if self.settings.overlays.wire { 1.1 } else { 0.0 },
        };
        darkroom.expose(&slices, &self.lights, &how, log_rays)
    }

    fn drawn_over(&self, image: Image, camera: &Camera, frames: &[&Frame]) -> Image {
        let what = &self.settings.overlays;
        if !what.any_drawn() && self.paint.is_none() {
            return image;
        }
        let Some(mut canvas) = Canvas::new(&image) else { return image };
        for frame in frames {
            let scene = (&self.spec, &self.cast.topology);
            overlay::draw(&mut canvas, what, camera, scene, frame, self.cast.radius);
        }
        if let Some(paint) = &self.paint {
            overlay::legend(&mut canvas, paint, f64::from(image.height));
        }
        canvas.image()
    }
}

/// What part the picture that leaves out the first k moments has in a mean in which the opacity of the moments grows in equal
/// steps up to 1, that of the last, which comes after `before` others.
fn parts(before: usize, oldest: f32) -> impl Iterator<Item = f32> {
    let oldest = if before == 0 { 1.0 } else { oldest.clamp(0.0, 1.0) };
    (0..=before).map(move |k| if k == 0 { oldest } else { (1.0 - oldest) / before as f32 })
}

/// Columns of a sheet, and the size of one picture on it: two have full size, more share their width.
fn layout(count: usize, size: [u32; 2]) -> (usize, [u32; 2]) {
    let columns = (1..=count).find(|c| c * c >= count).unwrap_or(1).max(count.clamp(1, 2));
    // Even sides, because films need them.
    (columns, size.map(|n| (2 * n / columns.max(2) as u32).max(2) / 2 * 2))
}

/// A moment between two frames: places on straight lines, turns on the shortest way. A surface that is another in the next
/// frame stays as it is: nothing says which of its points went where.
fn between(a: &Frame, b: &Frame, part: f64) -> Frame {
    let mut frame = a.clone();
    frame.time = a.time + part * (b.time - a.time);
    for (now, next) in frame.objects.iter_mut().zip(&b.objects) {
        if !corresponds(now, next) {
            continue;
        }
        now.translation = now.translation.lerp(next.translation, part);
        now.rotation = now.rotation.slerp(next.rotation, part);
        if now.points.len() == next.points.len() {
            for (p, q) in now.points.as_flattened_mut().iter_mut().zip(next.points.as_flattened()) {
                *p += part as f32 * (q - *p);
            }
        }
    }
    frame
}

/// Whether the points of one frame are those of the other.
fn corresponds(a: &ObjectFrame, b: &ObjectFrame) -> bool {
    match (&a.surface, &b.surface) {
        (Some(a), Some(b)) => a.triangles == b.triangles,
        (None, None) => true,
        _ => false,
    }
}
