//! Fracture: rows of the energy across a break are deleted, and what no row holds together any more becomes bodies of
//! their own.
//!
//! The body is made of bricks, the cells between its nodes (`shape/net/bricks.rs`). A crack runs along facets, where two
//! bricks meet (`crack.rs` says when). Around every node the bricks that still hang together keep one copy of it, with
//! their share of its mass; rows of the energy are kept by the bricks that they lie in, and deleted where these no longer
//! hang together (`cut.rs`). Bricks that hang together are a piece: a hybrid body with a frame, a factor and a skin of its
//! own (`part.rs`).

mod crack;
mod cut;
mod part;

pub(super) use cut::{Cut, Support};

use super::carrier::Carrier;
use super::factor::Method;
use super::shared::{Parts, Shared};
use super::spline::Spline;
use crate::math::Vec3;
use crate::math::portable::pow;
use crate::scene::Material;
use crate::shape::{Bricks, TriMesh};
use crate::skin::SkinForm;
use std::sync::Arc;

/// What all pieces of a body have in common: the body as it was before anything broke.
pub struct Whole {
    pub bricks: Bricks,
    /// Strain at which each facet breaks.
    pub strength: Vec<f64>,
    /// Masses and energy of the whole.
    pub mass: Vec<f64>,
    pub spline: Spline,
    /// The bricks that each row lies in.
    pub support: Vec<Support>,
    /// Skin of the whole at rest, and its centre of mass, in the shape's own coordinates.
    pub mesh: TriMesh,
    pub centre: Vec3,
    pub method: Method,
    pub step: f64,
    pub planar: bool,
    pub smooth: bool,
    pub drag_area: f64,
    pub thickness: f64,
    pub material: Material,
    pub creep_time: f64,
    /// Whether it is a solid, whose cells can be turned inside out.
    pub solid: bool,
}

/// What a piece is made of.
pub struct Broken {
    pub whole: Arc<Whole>,
    pub cut: Cut,
}

impl Whole {
    /// What a piece shares with its copies: `reference` of its nodes about its centre of mass, `centre` of mass in the
    /// coordinates of the whole shape, `offsets` of the points of its skin.
    pub fn piece(
        self: &Arc<Self>,
        cut: Cut,
        reference: Vec<Vec3>,
        centre: Vec3,
        offsets: &[Vec3],
        beta: Option<f64>,
    ) -> Shared {
        let carried = |(s, o): (&(u32, u32), &Vec3)| Carrier::node(s.0, *o);
        let carriers: Vec<Carrier> = cut.spots.iter().zip(offsets).map(carried).collect();
        let mesh = TriMesh {
            points: carriers.iter().map(|c| centre + c.place(|n| reference[n])).collect(),
            triangles: cut.triangles.clone(),
            ..TriMesh::default()
        };
        let mass = cut.mass(self);
        let all: f64 = self.mass.iter().sum();
        let parts = Parts {
            reference,
            centre,
            spline: cut.spline(self),
            method: self.method,
            step: self.step,
            planar: self.planar,
            carriers,
            form: SkinForm::loose(&mesh),
            smooth: self.smooth,
            // Air sees a piece by its share.
            drag_area: self.drag_area * pow(mass.iter().sum::<f64>() / all, 2.0 / 3.0),
            mesh,
            thickness: self.thickness,
            material: self.material.clone(),
            creep_time: self.creep_time,
            cells: if self.solid { cut.cells() } else { vec![] },
            mass,
            beta,
        };
        let mut shared = Shared::new(parts);
        shared.broken = Some(Broken { whole: self.clone(), cut });
        shared
    }
}

#[cfg(test)]
mod tests;
