//! Objects whose surface is another in every frame: one mesh per frame, of which one at a time is shown.
//!
//! glTF has no other way: morph targets need one set of triangles. The object is a node without mesh; below it, one node
//! per frame stands where the object is then, with scale 1 while that frame is shown and 0 otherwise. The change comes
//! half a frame early, so that a key time that was rounded does no harm. Colours are those of the points (`COLOR_0`).

use super::super::error::ExportError;
use super::super::spool::Mesh;
use super::{Builder, matte, named_mesh, primitive};
use gltf_json::animation::{Interpolation, Property};
use gltf_json::mesh::Semantic;
use gltf_json::scene::{Node, UnitQuaternion};
use gltf_json::validation::Checked::Valid;
use gltf_json::{Accessor, Index, Material};
use pliant::ObjectTopology;
use std::collections::BTreeMap;

/// Key times and values by which the frames' nodes take turns: the same for all objects.
pub(super) struct Turns {
    /// Per frame the times of its keys.
    times: Vec<Index<Accessor>>,
    /// Scales of the first frame's node, of the last one's, and of those between.
    scales: [Index<Accessor>; 3],
}

impl Builder {
    /// The node of a remeshed object, with one child per frame.
    pub fn frames(
        &mut self,
        i: usize,
        object: &ObjectTopology,
        colour: [f32; 3],
        fps: f64,
    ) -> Result<Index<Node>, ExportError> {
        let count = self.spool.frames();
        // Colours of points are multiplied with the material's.
        let material = matte(&object.name, if self.spool.coloured(i) { [1.0; 3] } else { colour });
        let material = self.bin.root.push(material);
        let mut children = Vec::new();
        for k in 0..count {
            let mut mesh = self.spool.mesh(k, i)?;
            // An accessor cannot be empty: where nothing is left, nothing is shown.
            if mesh.triangles.is_empty() {
                continue;
            }
            if self.spool.coloured(i) && mesh.colours.is_empty() {
                mesh.colours = vec![colour; mesh.points.len()];
            }
            let name = format!("{}.{k:04}", object.name);
            let node = self.frame_node(k, i, &name, &mesh, material)?;
            self.take_turns(node, k, fps)?;
            children.push(node);
        }
        Ok(self.bin.root.push(Node {
            name: Some(object.name.clone()),
            children: (!children.is_empty()).then_some(children),
            ..Node::default()
        }))
    }

    fn frame_node(
        &mut self,
        k: usize,
        i: usize,
        name: &str,
        mesh: &Mesh,
        material: Index<Material>,
    ) -> Result<Index<Node>, ExportError> {
        let mut attributes = BTreeMap::new();
        attributes.insert(Valid(Semantic::Positions), self.bin.vertices(&mesh.points)?);
        attributes.insert(Valid(Semantic::Normals), self.bin.vertices(&mesh.normals)?);
        if !mesh.colours.is_empty() {
            attributes.insert(Valid(Semantic::Colors(0)), self.bin.vertices(&mesh.colours)?);
        }
        let indices = Some(self.bin.indices(mesh.triangles.as_flattened())?);
        let mesh = self.bin.root.push(named_mesh(name, primitive(attributes, indices, material)));
        let pose = self.spool.pose(k, i)?;
        Ok(self.bin.root.push(Node {
            mesh: Some(mesh),
            name: Some(name.to_owned()),
            translation: Some(pose.translation.as_vec3().to_array()),
            rotation: Some(UnitQuaternion(pose.rotation.as_quat().to_array())),
            // Without playing the animation, a viewer shows the first frame.
            scale: (k > 0).then_some([0.0; 3]),
            ..Node::default()
        }))
    }

    /// Shows a node in frame `k` only.
    fn take_turns(&mut self, node: Index<Node>, k: usize, fps: f64) -> Result<(), ExportError> {
        let count = self.spool.frames();
        if count < 2 {
            return Ok(());
        }
        if self.turns.is_none() {
            self.turns = Some(self.turns(count, fps)?);
        }
        let Some(turns) = &self.turns else { return Ok(()) };
        let [first, last, between] = turns.scales;
        let scales = match k {
            0 => first,
            _ if k == count - 1 => last,
            _ => between,
        };
        let keys = [turns.times[k], scales];
        self.keys(node, Property::Scale, Interpolation::Step, keys);
        Ok(())
    }

    fn turns(&mut self, count: usize, fps: f64) -> Result<Turns, ExportError> {
        // When frame k comes; the last entry is the end of the film.
        let comes = |k: usize| match k {
            0 => 0.0,
            _ if k == count => (count - 1) as f64 / fps,
            _ => (k as f64 - 0.5) / fps,
        };
        let times = (0..count).map(|k| {
            let keys: Vec<f32> = (k.saturating_sub(1)..=k + 1).map(|k| comes(k) as f32).collect();
            self.bin.times(&keys)
        });
        let times = times.collect::<Result<_, _>>()?;
        let [no, yes] = [[0.0; 3], [1.0; 3]];
        let scales = [
            self.bin.vectors(&[yes, no])?,
            self.bin.vectors(&[no, yes, yes])?,
            self.bin.vectors(&[no, yes, no])?,
        ];
        Ok(Turns { times, scales })
    }
}
