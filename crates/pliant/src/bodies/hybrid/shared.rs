//! What copies of a hybrid body share: reference shape, masses, energy, factors.

use super::IMPLICIT;
use super::carrier::Carrier;
use super::factor::{Factor, Method};
use super::fracture::Broken;
use super::rigid_modes::RigidModes;
use super::spline::Spline;
use super::stiffness::Stiffness;
use crate::bodies::CUTS;
use crate::bodies::node_frame::{exact_force, total};
use crate::math::Vec3;
use crate::math::portable::{cos, log2, sin};
use crate::scene::Material;
use crate::shape::TriMesh;
use crate::skin::SkinForm;
use std::sync::{Arc, OnceLock};

/// What copies share.
pub struct Shared {
    /// Reference positions about the centre of mass.
    pub reference: Vec<Vec3>,
    /// The centre of mass in the shape's own coordinates.
    pub centre: Vec3,
    pub mass: Vec<f64>,
    pub total_mass: f64,
    pub spline: Spline,
    pub stiffness: Stiffness,
    /// Kelvin-Voigt time `[s]`: internal damping is `beta K`.
    pub beta: f64,
    pub method: Method,
    /// Length of an uncut step `[s]`.
    pub step: f64,
    /// Whether the body lives in a plane of constant z.
    pub planar: bool,
    /// The skin's triangles and rest points in the shape's own coordinates.
    pub mesh: TriMesh,
    /// What carries each point of the skin.
    pub carriers: Vec<Carrier>,
    pub form: Arc<SkinForm>,
    pub smooth: bool,
    /// Surface over which the air drags, per node `[m^2]`.
    pub drag_area: f64,
    /// Distance across the section `[m]`; turns curvature into strain.
    pub thickness: f64,
    pub material: Material,
    /// Time in which the reference follows the shape `[s]`; 0 never.
    pub creep_time: f64,
    /// For solids: nodes of each cell, for the certificate.
    pub cells: Vec<[u32; 8]>,
    /// For bodies that can break: what it is a piece of.
    pub broken: Option<Broken>,
    /// For steps of each length the world may take.
    contact: [OnceLock<Contact>; CUTS + 1],
    flight: [OnceLock<Flight>; CUTS + 1],
    absorbing: OnceLock<(Factor, f64)>,
}

/// The factor of steps with contact.
pub struct Contact {
    pub factor: Factor,
    /// `A^-1 m`.
    pub still: Vec<f64>,
}

/// The factor of free flight: implicit midpoint, with the rigid modes of the reference shape.
pub struct Flight {
    pub factor: Factor,
    pub still: Vec<f64>,
    pub modes: RigidModes,
}

/// Everything but what is derived.
pub struct Parts {
    pub reference: Vec<Vec3>,
    pub centre: Vec3,
    pub mass: Vec<f64>,
    pub spline: Spline,
    pub method: Method,
    pub step: f64,
    pub planar: bool,
    pub mesh: TriMesh,
    pub carriers: Vec<Carrier>,
    pub form: SkinForm,
    pub smooth: bool,
    pub drag_area: f64,
    pub thickness: f64,
    pub material: Material,
    pub creep_time: f64,
    pub cells: Vec<[u32; 8]>,
    /// Kelvin-Voigt time `[s]`; none to take it from the damping of the slowest motion.
    pub beta: Option<f64>,
}

impl Shared {
    /// Assembles the matrices; factors are made when first used.
    pub fn new(parts: Parts) -> Self {
        let stiffness = Stiffness::new(&parts.spline, parts.mass.len());
        let mut shared = Self {
            total_mass: parts.mass.iter().sum(),
            reference: parts.reference,
            centre: parts.centre,
            mass: parts.mass,
            spline: parts.spline,
            stiffness,
            beta: parts.beta.unwrap_or(0.0),
            method: parts.method,
            step: parts.step,
            planar: parts.planar,
            mesh: parts.mesh,
            carriers: parts.carriers,
            form: Arc::new(parts.form),
            smooth: parts.smooth,
            drag_area: parts.drag_area,
            thickness: parts.thickness,
            material: parts.material,
            creep_time: parts.creep_time,
            cells: parts.cells,
            broken: None,
            contact: Default::default(),
            flight: Default::default(),
            absorbing: OnceLock::new(),
        };
        if parts.beta.is_none() && shared.material.damping > 0.0 {
            let lowest = shared.lowest_frequency();
            if lowest > 0.0 {
                shared.beta = 2.0 * shared.material.damping / lowest;
            }
        }
        shared
    }

    fn factored(&self, stiffness: &Stiffness, s: f64) -> Factor {
        let direct = Factor::new(&self.mass, stiffness, s, self.method);
        // Round-off can cost the last bit of definiteness of an enormously stiff matrix; iteration needs no factor.
        direct
            .or_else(|| Factor::new(&self.mass, stiffness, s, Method::Iterative))
            .expect("iteration takes any matrix")
    }

    fn still(&self, factor: &Factor) -> Vec<f64> {
        let mut still = self.mass.clone();
        factor.solve_numbers(&mut still);
        still
    }

    /// How often an uncut step was halved for one of length `h`.
    fn cut(&self, h: f64) -> usize {
        if h == self.step { 0 } else { (log2(self.step / h).round() as usize).min(CUTS) }
    }

    /// `M + (T^2 h^2 + T h beta) K`.
    pub fn contact(&self, h: f64) -> &Contact {
        self.contact[self.cut(h)].get_or_init(|| {
            let factor = self.factored(&self.stiffness, IMPLICIT * h * (IMPLICIT * h + self.beta));
            Contact { still: self.still(&factor), factor }
        })
    }

    /// `M + (h^2/4 + h beta/2) K`.
    pub fn flight(&self, h: f64) -> &Flight {
        self.flight[self.cut(h)].get_or_init(|| {
            let factor = self.factored(&self.stiffness, h * (0.25 * h + 0.5 * self.beta));
            let still = self.still(&factor);
            let modes = RigidModes::new(&self.mass, &factor, &still, self.reference.clone());
            Flight { factor, still, modes }
        })
    }

    /// The energy without its anchors, made regular by a little mass: where the reference itself should go. Order 0
    /// pulls towards the reference wherever that is, so it has no say. Comes with its `s`.
    pub fn absorbing(&self) -> &(Factor, f64) {
        self.absorbing.get_or_init(|| {
            let loose = Stiffness::new(&self.spline.filtered(|r| r.order > 0), self.mass.len());
            let s = self.nearly_static(&loose);
            (self.factored(&loose, s), s)
        })
    }

    /// An `s` so large that in `M + s K` the mass hardly counts.
    fn nearly_static(&self, stiffness: &Stiffness) -> f64 {
        let own = |i: usize| stiffness.row(i).find(|(j, _)| *j == i).map_or(0.0, |(_, k)| k);
        let trace: f64 = (0..self.mass.len()).map(own).sum();
        1e8 * self.total_mass / trace.max(1e-300)
    }

    /// Lowest elastic frequency `[rad/s]`, by inverse iteration off the rigid motions.
    pub fn lowest_frequency(&self) -> f64 {
        let factor = &self.factored(&self.stiffness, self.nearly_static(&self.stiffness));
        let still = self.still(factor);
        let modes = RigidModes::new(&self.mass, factor, &still, self.reference.clone());
        // Any start that no symmetry of the body can be orthogonal to.
        let mut e: Vec<Vec3> = (0..self.mass.len())
            .map(|i| {
                let x = i as f64;
                let z = if self.planar { 0.0 } else { sin(2.3 * x + 0.2) };
                Vec3::new(sin(1.7 * x + 0.3), cos(0.9 * x + 1.1), z)
            })
            .collect();
        let mut square = 0.0;
        for _ in 0..24 {
            let mut b: Vec<Vec3> = e.iter().zip(&self.mass).map(|(e, m)| *e * *m).collect();
            factor.solve(&mut b);
            modes.elastic(&self.mass, &still, &mut b);
            let size = b.iter().zip(&self.mass).map(|(b, m)| m * b.length_squared()).sum::<f64>().sqrt();
            if size <= 0.0 {
                return 0.0;
            }
            e = b.into_iter().map(|b| b / size).collect();
            let energy: f64 = self.stiffness.times(&e).iter().zip(&e).map(|(k, e)| k.dot(*e)).sum();
            let change = (energy - square).abs();
            square = energy;
            if change < 1e-6 * energy {
                break;
            }
        }
        square.max(0.0).sqrt()
    }

    /// The exact elastic force at a displacement `e` from a reference, body axes.
    pub fn force(&self, reference: &[Vec3], e: &[Vec3], q: &[Vec3]) -> Vec<Vec3> {
        let mut f = self.stiffness.times(e);
        f.iter_mut().for_each(|f| *f = -*f);
        exact_force(&self.mass, (reference, q), &mut f);
        f
    }

    /// Elastic energy `[J]`.
    pub fn energy(&self, e: &[Vec3]) -> f64 {
        self.spline.energy(e)
    }

    /// Takes the mean motion out.
    pub fn centred(&self, v: &mut [Vec3]) -> Vec3 {
        let mean = total(&self.mass, v) / self.total_mass;
        v.iter_mut().for_each(|v| *v -= mean);
        mean
    }
}
