//! What copies of a lattice body share.

use super::forces::Cells;
use super::limit::Limits;
use super::mould::Mouldable;
use crate::bodies::scaffold::Scaffold;
use crate::math::Vec3;
use crate::scene::Material;
use crate::shape::TriMesh;
use crate::skin::SkinForm;
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
    /// Whether it is a box, cell by cell.
    pub is_box: bool,
}

/// For each skin point the slots in `outer` of the nodes that carry it, with weights.
#[derive(Debug, Default)]
pub struct Carriers {
    starts: Vec<u32>,
    entries: Vec<(u32, f64)>,
}

impl Carriers {
    /// From lists.
    pub fn new(lists: Vec<Vec<(u32, f64)>>) -> Self {
        let mut all = Self { starts: vec![0], entries: vec![] };
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

    /// Those of one skin point.
    #[inline]
    pub fn of(&self, point: usize) -> &[(u32, f64)] {
        &self.entries[self.starts[point] as usize..self.starts[point + 1] as usize]
    }
}
