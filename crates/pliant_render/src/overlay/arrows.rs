//! Contacts, forces, paths and velocities as dots, arrows and lines in space.

use super::canvas::Letters;
use super::{Canvas, Overlays};
use crate::camera::Camera;
use pliant::math::Vec3;
use pliant::scene::{ControlKind, SceneSpec};
use pliant::{Frame, Topology};

const CONTACT: [u8; 4] = [0xd4, 0x1f, 0x3a, 255];
const FORCE: [u8; 4] = [0xd4, 0x1f, 0x3a, 255];
const PATH: [u8; 4] = [0x1c, 0x5f, 0xd0, 230];
const VELOCITY: [u8; 4] = [0x12, 0x7a, 0x3c, 255];

/// Draws what is asked for of one frame. `radius` is the size of the action, by which arrows are measured.
pub(crate) fn draw(
    canvas: &mut Canvas,
    what: &Overlays,
    camera: &Camera,
    (spec, topology): (&SceneSpec, &Topology),
    frame: &Frame,
    radius: f64,
) {
    let at = |p: Vec3| camera.project(p).map(|(pixel, _)| pixel);
    let thick = f64::from(camera.size[1]) / 270.0;
    super::inner::draw(canvas, what, camera, topology, frame, thick);
    if what.paths {
        for (points, here) in paths(spec, topology, frame) {
            let line: Vec<[f64; 2]> = points.into_iter().filter_map(at).collect();
            canvas.line(&line, thick, PATH);
            here.and_then(at).iter().for_each(|p| canvas.dot(*p, 2.0 * thick, PATH));
        }
    }
    if what.contacts {
        for contact in &frame.contacts {
            let place = at(Vec3::from(contact.position.map(f64::from)));
            place.iter().for_each(|p| canvas.dot(*p, 1.6 * thick, CONTACT));
        }
    }
    if what.forces {
        // The weight of everything, shared by the bodies, is a force of ordinary size.
        let gravity = spec.scene.gravity.at(frame.time).length().max(1.0);
        let mass = frame.measures.iter().map(|m| m.mass).sum::<f64>() / frame.measures.len().max(1) as f64;
        let scale = 0.25 * radius / (mass * gravity).max(1e-12);
        for contact in &frame.contacts {
            let from = Vec3::from(contact.position.map(f64::from));
            let force = Vec3::from(contact.force.map(f64::from)) * scale;
            // Impacts are many times as strong as weights; their arrows still end in the picture.
            let force = force.clamp_length_max(0.8 * radius);
            arrow(canvas, camera, from, from + force, thick, FORCE);
        }
    }
    if what.velocity {
        for m in frame.measures.iter().filter(|m| m.mass > 0.0) {
            let reach = (m.momentum / m.mass * 0.1).clamp_length_max(0.8 * radius);
            arrow(canvas, camera, m.centre, m.centre + reach, thick, VELOCITY);
            at(m.centre).iter().for_each(|p| canvas.dot(*p, 1.6 * thick, VELOCITY));
        }
    }
    if what.time {
        let text = format!("{:.3} s", frame.time);
        let [w, h] = camera.size.map(f64::from);
        canvas.text(
            Letters::Small,
            &text,
            [w - Letters::Small.width(&text) - 12.0, h - 26.0],
            [30, 30, 30, 255],
        );
    }
}

fn arrow(canvas: &mut Canvas, camera: &Camera, from: Vec3, to: Vec3, width: f64, ink: [u8; 4]) {
    if let (Some((a, _)), Some((b, _))) = (camera.project(from), camera.project(to)) {
        canvas.arrow(a, b, width, ink);
    }
}

/// Keyed paths, each from where the body's centre of mass is now taken back by the path's displacement, and the place
/// on it at the frame's time.
fn paths(spec: &SceneSpec, topology: &Topology, frame: &Frame) -> Vec<(Vec<Vec3>, Option<Vec3>)> {
    let mut all = vec![];
    for control in spec.control.iter().filter(|c| c.kind == ControlKind::Path) {
        let Some(i) = topology.objects.iter().position(|o| o.name == control.body) else { continue };
        let Some(measures) = frame.measures.get(i) else { continue };
        let displacement = |t: f64| {
            let keys = control.keys.iter().map(|k| pliant::scene::Key { t: k.t, value: k.at }).collect();
            pliant::scene::Keyed::Keys(keys).at(t)
        };
        let active = frame.time >= control.from && control.until.is_none_or(|u| frame.time <= u);
        let start = measures.centre - displacement(frame.time);
        if !active {
            continue;
        }
        let points = control.keys.iter().map(|k| start + Vec3::from(k.at)).collect();
        all.push((points, Some(measures.centre)));
    }
    all
}
