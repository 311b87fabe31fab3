//! What the blocks hold, to bytes and back.

use super::bytes::{Malformed, Reader, Writer};
use pliant::shape::TriMesh;
use pliant::{
    ContactFrame, ControlFrame, Frame, FrameReport, Measures, MeshLibrary, ObjectFrame, ObjectTopology,
    Surface, Topology,
};

/// What a recording begins with: enough to run the scene again without any other file.
#[derive(Clone, Debug, PartialEq)]
pub struct Header {
    /// Version of the engine that made it.
    pub engine: String,
    /// Frames per second `[1/s]`.
    pub fps: f64,
    /// Frames of the completed run, the start included.
    pub frame_count: u64,
    /// The scene file's text, with all changes from the command line applied.
    pub scene: String,
    /// Meshes the scene names.
    pub meshes: MeshLibrary,
}

impl Header {
    pub(super) fn write(&self, w: &mut Writer) {
        w.text(&self.engine);
        w.f64(self.fps);
        w.u64(self.frame_count);
        w.text(&self.scene);
        w.count(self.meshes.len());
        for (name, mesh) in &self.meshes {
            w.text(name);
            w.count(mesh.points.len());
            mesh.points.iter().for_each(|p| w.vec3(*p));
            w.triangles(&mesh.triangles);
        }
        // Only where there is paint, so that recordings without it stay as they were.
        if self.meshes.values().any(|m| m.is_painted()) {
            for mesh in self.meshes.values() {
                w.points(if mesh.is_painted() { &mesh.colours } else { &[] });
            }
        }
    }

    pub(super) fn read(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut r = Reader::new(bytes);
        let engine = r.text()?;
        let fps = r.f64()?;
        let frame_count = r.u64()?;
        let scene = r.text()?;
        let mut meshes = MeshLibrary::new();
        for _ in 0..r.count(24)? {
            let name = r.text()?;
            let points = (0..r.count(24)?).map(|_| r.vec3()).collect::<Result<Vec<_>, _>>()?;
            let triangles = r.triangles(points.len())?;
            meshes.insert(name, TriMesh { points, triangles, ..TriMesh::default() });
        }
        if !r.is_empty() {
            for mesh in meshes.values_mut() {
                mesh.colours = r.points()?;
                if !(mesh.colours.is_empty() || mesh.is_painted()) {
                    return Err(Malformed);
                }
            }
        }
        r.end()?;
        if !(fps.is_finite() && fps > 0.0) {
            return Err(Malformed);
        }
        Ok(Self { engine, fps, frame_count, scene, meshes })
    }
}

pub(super) fn write_topology(topology: &Topology, w: &mut Writer) {
    w.count(topology.objects.len());
    for o in &topology.objects {
        w.text(&o.name);
        w.text(&o.kind);
        w.bool(o.deforms);
        w.bool(o.remeshed);
        w.bool(o.smooth);
        w.bool(o.incompressible);
        w.f64(o.rest_volume);
        w.u64(u64::from(o.freedoms));
        w.points(&o.points);
        w.triangles(&o.triangles);
        w.edges(&o.cell_edges);
    }
}

pub(super) fn read_topology(bytes: &[u8]) -> Result<Topology, Malformed> {
    let mut r = Reader::new(bytes);
    // An object without name, kind, points, triangles and edges: five counts, four flags, a volume, a number.
    let n = r.count(5 * 8 + 4 + 8 + 8)?;
    let objects = (0..n).map(|_| read_object_topology(&mut r)).collect::<Result<_, _>>()?;
    r.end()?;
    Ok(Topology { objects })
}

fn read_object_topology(r: &mut Reader) -> Result<ObjectTopology, Malformed> {
    let name = r.text()?;
    let kind = r.text()?;
    let [deforms, remeshed, smooth, incompressible] = [r.bool()?, r.bool()?, r.bool()?, r.bool()?];
    let rest_volume = r.f64()?;
    let freedoms = u32::try_from(r.u64()?).map_err(|_| Malformed)?;
    let points = r.points()?;
    let triangles = r.triangles(points.len())?;
    let cell_edges = r.edges()?;
    Ok(ObjectTopology {
        name,
        kind,
        deforms,
        remeshed,
        smooth,
        triangles,
        points,
        rest_volume,
        incompressible,
        freedoms,
        cell_edges,
    })
}

pub(super) fn write_frame(frame: &Frame, w: &mut Writer) {
    w.u64(frame.index);
    w.f64(frame.time);
    w.u64(frame.state_hash[0]);
    w.u64(frame.state_hash[1]);
    w.count(frame.objects.len());
    for o in &frame.objects {
        w.vec3(o.translation);
        w.quat(o.rotation);
        w.points(&o.points);
        if let Some(s) = &o.surface {
            w.triangles(&s.triangles);
            w.points(&s.normals);
            w.points(&s.colours);
            w.count(s.pieces.len());
            s.pieces.iter().for_each(|p| w.u32(*p));
        }
        w.inner(&o.nodes);
        w.inner(&o.seeds);
    }
    w.count(frame.contacts.len());
    for c in &frame.contacts {
        w.u32(c.a);
        w.u32(c.b);
        [c.position, c.normal, c.force].into_iter().for_each(|v| w.vec3_f32(v));
        w.f32(c.gap);
    }
    w.count(frame.measures.len());
    frame.measures.iter().for_each(|m| write_measures(m, w));
    w.count(frame.controls.len());
    for c in &frame.controls {
        w.vec3(c.force);
        w.bool(c.broken);
        w.bool(c.exact);
        w.f64(c.error);
    }
    write_report(&frame.report, w);
}

fn read_surface(r: &mut Reader, points: usize) -> Result<Surface, Malformed> {
    let surface = Surface {
        triangles: r.triangles(points)?,
        normals: r.points()?,
        colours: r.points()?,
        pieces: (0..r.count(4)?).map(|_| r.u32()).collect::<Result<_, _>>()?,
    };
    let whole = surface.normals.len() == points
        && surface.pieces.len() == points
        && (surface.colours.is_empty() || surface.colours.len() == points);
    if whole { Ok(surface) } else { Err(Malformed) }
}

/// Reads a frame that fits the topology.
pub(super) fn read_frame(bytes: &[u8], topology: &Topology) -> Result<Frame, Malformed> {
    let mut r = Reader::new(bytes);
    let index = r.u64()?;
    let time = r.f64()?;
    let state_hash = [r.u64()?, r.u64()?];
    // Two counts of inner points, and one of points, beside a pose of seven numbers.
    if r.count(56 + 3 * 8)? != topology.objects.len() {
        return Err(Malformed);
    }
    let mut objects = Vec::with_capacity(topology.objects.len());
    for rest in &topology.objects {
        let mut object = ObjectFrame {
            translation: r.vec3()?,
            rotation: r.quat()?,
            points: r.points()?,
            ..ObjectFrame::default()
        };
        if rest.remeshed {
            object.surface = Some(read_surface(&mut r, object.points.len())?);
        } else if object.points.len() != if rest.deforms { rest.points.len() } else { 0 } {
            return Err(Malformed);
        }
        (object.nodes, object.seeds) = (r.inner()?, r.inner()?);
        let known = object.points.len() + object.nodes.places.len();
        if rest.cell_edges.iter().flatten().any(|end| *end as usize >= known) {
            return Err(Malformed);
        }
        objects.push(object);
    }
    let contacts =
        (0..r.count(48)?).map(|_| read_contact(&mut r, objects.len())).collect::<Result<_, _>>()?;
    if r.count(MEASURES_SIZE)? != topology.objects.iter().filter(|o| o.is_body()).count() {
        return Err(Malformed);
    }
    let bodies = topology.objects.iter().filter(|o| o.is_body());
    let measures = bodies.map(|_| read_measures(&mut r)).collect::<Result<_, _>>()?;
    let controls = (0..r.count(34)?)
        .map(|_| {
            let (force, broken, exact) = (r.vec3()?, r.bool()?, r.bool()?);
            Ok(ControlFrame { force, broken, exact, error: r.f64()? })
        })
        .collect::<Result<_, Malformed>>()?;
    let report = read_report(&mut r)?;
    r.end()?;
    Ok(Frame { index, time, objects, contacts, measures, controls, report, state_hash })
}

fn read_contact(r: &mut Reader, objects: usize) -> Result<ContactFrame, Malformed> {
    let [a, b] = [r.u32()?, r.u32()?];
    if a as usize >= objects || b as usize >= objects {
        return Err(Malformed);
    }
    let [position, normal, force] = [r.vec3_f32()?, r.vec3_f32()?, r.vec3_f32()?];
    Ok(ContactFrame { a, b, position, normal, force, gap: r.f32()? })
}

const MEASURES_SIZE: usize = 8 * (1 + 3 * 3 + 4) + 1;

fn write_measures(m: &Measures, w: &mut Writer) {
    w.f64(m.mass);
    w.vec3(m.centre);
    w.vec3(m.momentum);
    w.vec3(m.angular_momentum);
    w.f64(m.kinetic);
    w.f64(m.elastic);
    w.f64(m.volume);
    w.f64(m.least_jacobian);
    w.bool(m.asleep);
}

fn read_measures(r: &mut Reader) -> Result<Measures, Malformed> {
    Ok(Measures {
        mass: r.f64()?,
        centre: r.vec3()?,
        momentum: r.vec3()?,
        angular_momentum: r.vec3()?,
        kinetic: r.f64()?,
        elastic: r.f64()?,
        volume: r.f64()?,
        least_jacobian: r.f64()?,
        asleep: r.bool()?,
    })
}

fn write_report(p: &FrameReport, w: &mut Writer) {
    w.u32(p.steps);
    w.u32(p.contacts);
    w.f64(p.min_distance);
    w.f64(p.max_penetration);
    w.f64(p.max_contact_work);
    w.f64(p.residual);
    w.f64(p.relative_residual);
    w.u32(p.unsolved);
    w.f64(p.max_control_error);
    w.vec3(p.external_impulse);
    w.f64(p.external_work);
    w.u32(p.held_back);
}

fn read_report(r: &mut Reader) -> Result<FrameReport, Malformed> {
    Ok(FrameReport {
        steps: r.u32()?,
        contacts: r.u32()?,
        min_distance: r.f64()?,
        max_penetration: r.f64()?,
        max_contact_work: r.f64()?,
        residual: r.f64()?,
        relative_residual: r.f64()?,
        unsolved: r.u32()?,
        max_control_error: r.f64()?,
        external_impulse: r.vec3()?,
        external_work: r.f64()?,
        held_back: r.u32()?,
    })
}
