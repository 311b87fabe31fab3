//! Global bodies: a rest shape warped as a whole by a polynomial ([BW92]).
//!
//! | key | meaning | default |
//! |---|---|---|
//! | `order` | degree of the polynomial: 1 (affine), 2 or 3 | 2 |
//! | `resolution` | cells of the contact skin along x, y, z (boxes), or along the longest side | 3 (order 2), 5 (order 3) |
//!
//! `x = R Z(p)` ([BW92] Eq. 2) with `Z` all monomials up to the order. The basis is whitened, `Z~ = C^-1 Z` with
//! `M = C C^T` ([BW92] Eq. 5), so that the mass matrix is the identity and `x = sum_a R_a Z~_a(p)`.
//!
//! Step (symplectic where the step resolves a mode, implicit where it does not):
//!
//! ```text
//! v* = A^-1 (v + h f(x)),   x+ = x + h v+,   A = 1 + h tau K + max(0, h^2 s K - 1) mode by mode
//! ```
//!
//! `f` is the exact elastic force, `K` the stiffness at rest turned with the body, `s` how much the material has
//! stiffened by stretch. `A^-1` leaves rigid motion alone, so momentum is kept to round-off.

mod basis;
mod elastic;
mod response;

use super::{Blueprint, Body, BodyKind, Hold, Lever, Prototype, Start};
use crate::contact::wide;
use crate::environment::Environment;
use crate::frame::{Measures, ObjectFrame, ObjectTopology};
use crate::math::{Mat3, Quat, Vec3};
use crate::scene::{BodySpec, Material, SceneError, ShapeSpec};
use crate::shape::{TriMesh, box_mesh, refine};
use crate::skin::{Skin, SkinForm, SkinPoint};
use crate::state::{Reader, Writer};
use basis::Basis;
use elastic::Elastic;
use response::{Modes, rotation_of};
use std::sync::Arc;

/// The registry entry.
pub const KIND: BodyKind = BodyKind {
    name: "global",
    summary: "a rest shape warped as a whole by a polynomial of order 1, 2 or 3",
    own_keys: |generator| generator.subschema_for::<GlobalKeys>(),
    example,
    prepare,
};

/// Keys only a global body has.
#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct GlobalKeys {
    /// Degree of the polynomial: 1, 2 or 3.
    order: u32,
    /// Cells of the contact skin along x, y and z for boxes, or along the longest side for other shapes.
    resolution: Option<Resolution>,
}

impl Default for GlobalKeys {
    fn default() -> Self {
        Self { order: 2, resolution: None }
    }
}

/// One number for all axes, or one per axis.
#[derive(Clone, Copy, serde::Deserialize, schemars::JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "SkinCells")]
enum Resolution {
    Same(u32),
    PerAxis([u32; 3]),
}

fn example() -> BodySpec {
    BodySpec {
        own: [("order".to_string(), toml::Value::Integer(2))].into_iter().collect(),
        ..BodySpec::new("jelly", "global", ShapeSpec::Box([0.2, 0.3, 0.4]))
    }
}

fn prepare(blueprint: &Blueprint) -> Result<Box<dyn Prototype>, SceneError> {
    let keys: GlobalKeys = super::own_keys(blueprint.spec, blueprint.path, &["order", "resolution"])?;
    match keys.order {
        1 => Ok(Box::new(Form { shared: Arc::new(Shared::<4>::new(blueprint, &keys)?) })),
        2 => Ok(Box::new(Form { shared: Arc::new(Shared::<10>::new(blueprint, &keys)?) })),
        3 => Ok(Box::new(Form { shared: Arc::new(Shared::<20>::new(blueprint, &keys)?) })),
        other => Err(SceneError::new(
            format!("{}.order", blueprint.path),
            format!("order {other} is not available; use 1 (affine), 2 (quadratic) or 3 (cubic)"),
        )),
    }
}

/// The contact skin: refined so that its flat facets follow the curved faces.
fn skin_mesh(blueprint: &Blueprint, keys: &GlobalKeys) -> Result<TriMesh, SceneError> {
    let path = format!("{}.resolution", blueprint.path);
    let default = match keys.order {
        1 => 1,
        2 => 3,
        _ => 5,
    };
    let cells = match keys.resolution {
        None => [default; 3],
        Some(Resolution::Same(n)) => [n; 3],
        Some(Resolution::PerAxis(n)) => n,
    };
    if cells.iter().any(|n| *n == 0 || *n > 200) {
        return Err(SceneError::new(path, "resolution must lie between 1 and 200 cells"));
    }
    if let ShapeSpec::Box(size) = blueprint.spec.shape {
        return Ok(box_mesh(Vec3::from(size), cells));
    }
    if keys.order == 1 && keys.resolution.is_none() {
        return Ok(blueprint.shape.mesh.clone());
    }
    let (low, high) = blueprint.shape.mesh.bounds();
    let longest = (high - low).max_element() / f64::from(cells.into_iter().max().unwrap_or(1));
    // A cell's diagonal, so that a cube of one cell is left as it is.
    Ok(refine(&blueprint.shape.mesh, 1.5 * longest))
}

/// What copies share.
struct Shared<const N: usize> {
    basis: Basis<N>,
    elastic: Elastic<N>,
    modes: Modes,
    /// Whitened monomials at the skin's corners.
    skin_basis: Vec<[f64; N]>,
    form: Arc<SkinForm>,
    mesh: TriMesh,
    smooth: bool,
    rest_volume: f64,
    mass: f64,
    area: f64,
    material: Material,
}

impl<const N: usize> Shared<N> {
    fn new(blueprint: &Blueprint, keys: &GlobalKeys) -> Result<Self, SceneError> {
        let material = blueprint.material.clone();
        let solid = &blueprint.shape.mesh;
        let basis = Basis::new(solid, material.density).ok_or_else(|| {
            SceneError::new(format!("{}.shape", blueprint.path), "the shape is too thin for this order")
        })?;
        let elastic = Elastic::new(&basis, solid, keys.order as usize, &material);
        let modes = Modes::new(&elastic, &material, blueprint.step);
        let mesh = skin_mesh(blueprint, keys)?;
        let form = if keys.order == 1 {
            SkinForm::flat(&mesh, blueprint.shape.convex)
        } else {
            SkinForm::bending(&mesh)
        };
        Ok(Self {
            skin_basis: mesh.points.iter().map(|p| basis.at(*p)).collect(),
            form: Arc::new(form),
            smooth: blueprint.shape.smooth,
            rest_volume: solid.volume(),
            mass: basis.mass,
            area: super::rigid::frontal_area(solid),
            basis,
            elastic,
            modes,
            mesh,
            material,
        })
    }
}

struct Form<const N: usize> {
    shared: Arc<Shared<N>>,
}

impl<const N: usize> Prototype for Form<N> {
    fn instance(&self, start: &Start) -> Box<dyn Body> {
        Box::new(Global::new(&self.shared, start))
    }
}

impl<const N: usize> Global<N> {
    fn new(shared: &Arc<Shared<N>>, start: &Start) -> Self {
        let shared = shared.clone();
        let turn = Mat3::from_quat(start.rotation);
        // R for x = position + turn p: the constant column carries the translation.
        let mut r = shared.basis.rest.map(|column| turn * column);
        r[0] += start.position * shared.mass.sqrt();
        let centre = r[0] / shared.mass.sqrt();
        let points: Vec<Vec3> = shared.skin_basis.iter().map(|z| combine(&r, z)).collect();
        let mut body = Global {
            skin: Skin::new(shared.form.clone(), points),
            y: vec![0.0; 3 * N],
            next: r,
            rotation: start.rotation,
            answer: vec![],
            plastic: vec![
                Mat3::IDENTITY;
                if shared.material.yield_strain > 0.0 { shared.elastic.len() } else { 0 }
            ],
            r,
            shared,
        };
        for a in 0..N {
            let relative = if a == 0 { r[0] - centre * body.shared.mass.sqrt() } else { r[a] };
            let mut v = start.spin.cross(relative);
            if a == 0 {
                v += start.velocity * body.shared.mass.sqrt();
            }
            body.y[3 * a..3 * a + 3].copy_from_slice(&v.to_array());
        }
        body.answer_as_it_stands();
        body
    }
}

/// One global body.
struct Global<const N: usize> {
    shared: Arc<Shared<N>>,
    skin: Skin,
    /// Columns of the whitened `R`.
    r: [Vec3; N],
    /// Their rates, flat.
    y: Vec<f64>,
    /// Columns last aimed at.
    next: [Vec3; N],
    /// How the body as a whole is turned.
    rotation: Quat,
    /// `A^-1` of this step without the constant column, row major.
    answer: Vec<f64>,
    /// Inverse plastic deformation at the cubature points.
    plastic: Vec<Mat3>,
}

/// `sum_a z_a r_a`.
#[inline]
fn combine<const N: usize>(r: &[Vec3; N], z: &[f64; N]) -> Vec3 {
    let mut x = Vec3::ZERO;
    for a in 0..N {
        x += r[a] * z[a];
    }
    x
}

impl<const N: usize> Global<N> {
    fn rate(&self, a: usize) -> Vec3 {
        Vec3::from_slice(&self.y[3 * a..])
    }
    fn weights_at(&self, p: &SkinPoint) -> [f64; N] {
        let mut z = [0.0; N];
        for k in 0..3 {
            if p.weights[k] != 0.0 {
                let corner = &self.shared.skin_basis[p.corners[k] as usize];
                for a in 0..N {
                    z[a] += p.weights[k] * corner[a];
                }
            }
        }
        z
    }
    fn middle(&self) -> Vec3 {
        self.r[0] / self.shared.mass.sqrt()
    }
    /// The answer to pushes for the present shape alone, for bodies that are pushed outside a step of their own: at
    /// the start, and asleep. A loaded body thus answers like the one that was saved.
    fn answer_as_it_stands(&mut self) {
        let shared = self.shared.clone();
        let rotation = rotation_of(&self.r, &shared.basis.rest, self.rotation);
        let (_, stiffening) = shared.elastic.force(&self.r, &self.plastic);
        shared.modes.answer(&self.r, rotation, stiffening, shared.modes.step, &mut self.answer);
    }
}

impl<const N: usize> Body for Global<N> {
    fn free_motion(&mut self, environment: &Environment, h: f64) {
        let shared = self.shared.clone();
        self.rotation = rotation_of(&self.r, &shared.basis.rest, self.rotation);
        // Elastic force: [BW92] section 2.3.
        let (force, stiffening) = shared.elastic.force(&self.r, &self.plastic);
        for a in 1..N {
            for d in 0..3 {
                self.y[3 * a + d] += h * force[a][d];
            }
        }
        shared.modes.answer(&self.r, self.rotation, stiffening, h, &mut self.answer);
        response::apply(&self.answer, &mut self.y[3..]);
        // Gravity moves the constant column alone: the others have no mean.
        let root = shared.mass.sqrt();
        let mut v = self.rate(0) / root + h * environment.gravity;
        if environment.air_density > 0.0 {
            let relative = v - environment.wind;
            let factor = environment.drag_factor(shared.material.drag, shared.area, relative.length());
            v = environment.wind + relative / (1.0 + h * factor / shared.mass);
        }
        self.y[..3].copy_from_slice(&(v * root).to_array());
        self.aim(h, &[]);
    }

    fn skin(&self) -> &Skin {
        &self.skin
    }
    fn velocity(&self) -> &[f64] {
        &self.y
    }
    fn velocity_mut(&mut self) -> &mut [f64] {
        &mut self.y
    }
    fn lever(&self, p: &SkinPoint, store: &mut Vec<f64>) -> Lever {
        let z = self.weights_at(p);
        let at = store.len() as u32;
        store.extend_from_slice(&z);
        response::columns(&self.answer, &z, store);
        Lever::Blocks { at, count: N as u32 }
    }

    fn frame_lever(&self, hold: Hold, store: &mut Vec<f64>) -> Lever {
        let root = self.shared.mass.sqrt();
        let mut rows = [0, 1, 2].map(|_| vec![0.0; 3 * N]);
        if hold == Hold::Centre {
            (0..3).for_each(|d| rows[d][d] = 1.0 / root);
        } else {
            // Angular velocity of the whole, w = I^-1 sum r x y; in the whitened basis all masses are one. Rigid motion
            // passes the implicit step untouched, so the answer to a torque is the same matrix.
            let mut inertia = Mat3::ZERO;
            for r in &self.r[1..] {
                let outer = Mat3::from_cols(*r * r.x, *r * r.y, *r * r.z);
                inertia += Mat3::from_diagonal(Vec3::splat(r.length_squared())) - outer;
            }
            let inverse = inertia.inverse();
            for a in 1..N {
                for k in 0..3 {
                    let turned = inverse * self.r[a].cross(Vec3::AXES[k]);
                    (0..3).for_each(|d| rows[d][3 * a + k] = turned[d]);
                }
            }
        }
        wide(store, &rows, &rows)
    }
    fn rotation(&self) -> Quat {
        self.rotation
    }

    fn aim(&mut self, h: f64, shift: &[f64]) {
        for a in 0..N {
            self.next[a] = self.r[a] + h * Vec3::from_slice(&self.y[3 * a..]);
            if !shift.is_empty() {
                self.next[a] += Vec3::from_slice(&shift[3 * a..]);
            }
        }
        for (to, z) in self.skin.next.iter_mut().zip(&self.shared.skin_basis) {
            *to = combine(&self.next, z);
        }
    }

    fn moved_by(&self, d: Vec3) -> Vec<f64> {
        let mut shift = vec![0.0; 3 * N];
        shift[..3].copy_from_slice(&(d * self.shared.mass.sqrt()).to_array());
        shift
    }

    fn settle(&mut self, h: f64) {
        self.r = self.next;
        self.skin.points.copy_from_slice(&self.skin.next);
        if !self.plastic.is_empty() {
            self.shared.elastic.flow(&self.r, &mut self.plastic, &self.shared.material, h);
        }
    }

    fn momentum(&self) -> Vec3 {
        self.rate(0) * self.shared.mass.sqrt()
    }
    fn kinetic(&self) -> f64 {
        0.5 * self.y.iter().map(|v| v * v).sum::<f64>()
    }
    fn centre(&self) -> (Vec3, f64) {
        (self.r[0] / self.shared.mass.sqrt(), self.shared.mass)
    }
    fn material_point(&self, world: Vec3) -> Option<Vec3> {
        let guess = self.shared.basis.centre + self.rotation.inverse() * (world - self.middle());
        self.shared.basis.invert(&self.r, world, guess)
    }

    fn measure(&self) -> Measures {
        let turning = (0..N).map(|a| self.r[a].cross(self.rate(a))).sum();
        let (elastic, jacobian) = self.shared.elastic.energy(&self.r, &self.plastic);
        let least = self
            .shared
            .mesh
            .points
            .iter()
            .map(|p| self.shared.basis.gradient_of(&self.r, *p).determinant())
            .fold(jacobian, f64::min);
        Measures {
            mass: self.shared.mass,
            centre: self.middle(),
            momentum: self.momentum(),
            angular_momentum: turning,
            kinetic: self.kinetic(),
            elastic,
            volume: self.shared.elastic.volume(&self.r),
            least_jacobian: least,
            asleep: false,
        }
    }

    fn speed(&self) -> f64 {
        // Root mean square over the body's mass: no part can hide, none is counted twice.
        (self.y.iter().map(|v| v * v).sum::<f64>() / self.shared.mass).sqrt()
    }
    fn stop(&mut self) {
        self.y.fill(0.0);
        self.skin.next.copy_from_slice(&self.skin.points);
        self.answer_as_it_stands();
    }
    fn push(&mut self, p: &SkinPoint, impulse: Vec3) {
        let z = self.weights_at(p);
        // The mass matrix is the identity; the answer of the implicit step comes with the free motion that follows.
        for a in 0..N {
            for d in 0..3 {
                self.y[3 * a + d] += impulse[d] * z[a];
            }
        }
    }
    fn friction(&self) -> f64 {
        self.shared.material.friction
    }

    fn topology(&self, name: &str) -> ObjectTopology {
        let centre = self.shared.basis.centre;
        ObjectTopology {
            name: name.into(),
            kind: KIND.name.into(),
            deforms: true,
            remeshed: false,
            smooth: self.shared.smooth,
            triangles: self.shared.mesh.triangles.clone(),
            points: self.shared.mesh.points.iter().map(|p| (*p - centre).as_vec3().to_array()).collect(),
            rest_volume: self.shared.rest_volume,
            incompressible: false,
            freedoms: 3 * N as u32,
            cell_edges: vec![],
        }
    }
    fn frame(&self) -> ObjectFrame {
        let centre = self.middle();
        let rotation = rotation_of(&self.r, &self.shared.basis.rest, self.rotation);
        let back = rotation.inverse();
        ObjectFrame {
            translation: centre,
            rotation,
            points: self.skin.points.iter().map(|p| (back * (*p - centre)).as_vec3().to_array()).collect(),
            ..ObjectFrame::default()
        }
    }
    fn save(&self, out: &mut Writer) {
        self.r.iter().for_each(|c| out.vec3(*c));
        out.f64s(&self.y);
        out.quat(self.rotation);
        self.plastic.iter().for_each(|m| out.mat3(m));
    }
    fn load(&mut self, from: &mut Reader) -> Result<(), String> {
        for a in 0..N {
            self.r[a] = from.vec3()?;
        }
        from.f64s(&mut self.y)?;
        self.rotation = from.quat()?;
        for m in &mut self.plastic {
            *m = from.mat3()?;
        }
        for (to, z) in self.skin.points.iter_mut().zip(&self.shared.skin_basis) {
            *to = combine(&self.r, z);
        }
        self.skin.next.copy_from_slice(&self.skin.points);
        self.answer_as_it_stands();
        Ok(())
    }
}

#[cfg(test)]
mod tests;
