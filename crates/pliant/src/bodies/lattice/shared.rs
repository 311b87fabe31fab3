//! What copies of a lattice body share.

use super::KIND;
use super::forces::{Cells, State, modes_of};
use super::law::Inverse;
use super::limit::Limits;
use super::mould::Mouldable;
use crate::bodies::points::Points;
use crate::bodies::scaffold::Scaffold;
use crate::frame::{Inner, Measures, ObjectFrame, ObjectTopology};
use crate::math::{Mat3, Quat, Vec3};
use crate::scene::Material;
use crate::shape::TriMesh;
use crate::skin::{Skin, SkinForm, SkinPoint};
use smallvec::SmallVec;
use std::sync::Arc;

/// What copies share.
pub struct Shared {
    /// Cells and their material.
    pub cells: Cells,
    /// Mass of each node `[kg]`.
    pub mass: Vec<f64>,
    /// One over it.
    pub inverse_mass: Vec<f64>,
    /// How it is moulded.
    pub mouldable: Mouldable,
    /// Mass of all `[kg]`.
    pub total_mass: f64,
    /// Centre of mass of the rest shape.
    pub centre: Vec3,
    /// The skin at rest.
    pub mesh: TriMesh,
    /// Its unchanging part.
    pub form: Arc<SkinForm>,
    /// Whether the skin is shaded as one smooth surface.
    pub smooth: bool,
    /// Nodes that carry the skin: others are never pushed.
    pub outer: Vec<u32>,
    /// Which of them carry each skin point.
    pub carriers: Carriers,
    /// How nodes are numbered where they are looked at.
    pub scaffold: Scaffold,
    /// Material as typed.
    pub material: Material,
    /// Volume inside the skin at rest `[m^3]`.
    pub rest_volume: f64,
    /// Area that air drags at `[m^2]`.
    pub drag_area: f64,
    /// What explicit steps must reckon with.
    pub limits: Limits,
    /// Whether steps keep the energy of free flight.
    pub conserves: bool,
    /// Whether it is a box, cell by cell.
    pub is_box: bool,
}

impl Shared {
    /// Nodes that carry a skin point, by slot, with weights.
    pub fn carriers_of(&self, p: &SkinPoint) -> SmallVec<[(u32, f64); 8]> {
        let mut all: SmallVec<[(u32, f64); 8]> = SmallVec::new();
        for k in (0..3).filter(|k| p.weights[*k] != 0.0) {
            for (slot, w) in self.carriers.of(p.corners[k] as usize) {
                let w = w * p.weights[k];
                match all.iter_mut().find(|(s, _)| s == slot) {
                    Some((_, sum)) => *sum += w,
                    None => all.push((*slot, w)),
                }
            }
        }
        all
    }

    /// Something that nodes have, at a corner of the skin.
    pub fn at_corner(&self, corner: usize, of_nodes: &[Vec3]) -> Vec3 {
        match self.carriers.of(corner) {
            [(slot, _)] => of_nodes[self.outer[*slot as usize] as usize],
            list => list.iter().map(|(slot, w)| of_nodes[self.outer[*slot as usize] as usize] * *w).sum(),
        }
    }

    /// The point of the rest shape that stands at a place: the cell whose middle is nearest, then its map as far as it is
    /// linear.
    pub fn material_point(&self, x: &[Vec3], place: Vec3) -> Option<Vec3> {
        let grid = &self.cells.grid;
        let middle = |c: &[u32; 8]| c.iter().map(|n| x[*n as usize]).sum::<Vec3>() / 8.0;
        let nearest = (0..grid.cells.len()).min_by(|a, b| {
            let d = |c: usize| middle(&grid.cells[c]).distance_squared(place);
            d(*a).total_cmp(&d(*b))
        })?;
        let m = modes_of(&grid.cells[nearest], x);
        let f = |k: usize| Vec3::from_array(m.0[k].0) * grid.cell.per[k];
        let inverse = Mat3::from_cols(f(0), f(1), f(2)).inverse();
        let off = place - middle(&grid.cells[nearest]);
        inverse.is_finite().then(|| grid.middle(nearest) + grid.axes * (inverse * off))
    }

    /// Energies, momenta, volume.
    pub fn measure(&self, all: &Points, centre: Vec3, inverse: &[Inverse<f64>], skin: &Skin) -> Measures {
        let now = TriMesh {
            points: skin.points.iter().map(|p| *p - centre).collect(),
            triangles: self.mesh.triangles.clone(),
            ..TriMesh::default()
        };
        Measures {
            mass: self.total_mass,
            centre,
            momentum: all.momentum(),
            angular_momentum: all.angular_momentum(),
            kinetic: all.kinetic(),
            elastic: self.cells.energy(State { x: all.x, inverse }),
            volume: now.volume(),
            least_jacobian: self.cells.least_jacobian(all.x),
            asleep: false,
        }
    }

    /// What does not change from frame to frame.
    pub fn topology(&self, name: &str) -> ObjectTopology {
        let mesh = &self.mesh;
        ObjectTopology {
            name: name.into(),
            kind: KIND.name.into(),
            deforms: true,
            remeshed: false,
            smooth: self.smooth,
            triangles: mesh.triangles.clone(),
            points: mesh.points.iter().map(|p| (*p - self.centre).as_vec3().to_array()).collect(),
            rest_volume: self.rest_volume,
            incompressible: self.material.incompressible,
            freedoms: 3 * self.mass.len() as u32,
            cell_edges: self.scaffold.edges(&self.cells.grid.cells),
        }
    }

    /// Pose and points for a frame, from places of nodes and skin.
    pub fn frame(&self, (centre, rotation): (Vec3, Quat), x: &[Vec3], skin: &Skin) -> ObjectFrame {
        let back = Mat3::from_quat(rotation).transpose();
        ObjectFrame {
            translation: centre,
            rotation,
            points: skin.points.iter().map(|p| (back * (*p - centre)).as_vec3().to_array()).collect(),
            nodes: Inner::new(self.scaffold.inner.iter().map(|k| back * (x[*k as usize] - centre))),
            ..ObjectFrame::default()
        }
    }
}

/// For each skin point the slots in `outer` of the nodes that carry it, with weights.
#[derive(Debug, Default)]
pub struct Carriers {
    starts: Vec<u32>,
    entries: Vec<(u32, f64)>,
    /// The one slot of each skin point, if all have no more.
    single: Option<Vec<u32>>,
}

impl Carriers {
    /// From lists.
    pub fn new(lists: Vec<Vec<(u32, f64)>>) -> Self {
        let one = |list: &Vec<(u32, f64)>| if let [(slot, _)] = list[..] { Some(slot) } else { None };
        let mut all = Self { starts: vec![0], entries: vec![], single: lists.iter().map(one).collect() };
        for list in lists {
            all.entries.extend(list);
            all.starts.push(all.entries.len() as u32);
        }
        all
    }

    /// Number of skin points.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The one of each skin point, if all have no more.
    pub fn single(&self) -> Option<&[u32]> {
        self.single.as_deref()
    }

    /// Those of one skin point.
    #[inline]
    pub fn of(&self, point: usize) -> &[(u32, f64)] {
        &self.entries[self.starts[point] as usize..self.starts[point + 1] as usize]
    }
}
