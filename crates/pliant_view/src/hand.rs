//! A hand in the world: it takes hold of a patch of a body by a spring, and pushes bodies.
//!
//! The spring is critically damped for the body's mass, and its force is bounded by a few times the body's weight, so that
//! every body feels alike. What its material does not bear where it is held is carried by the body as a whole; so no drag,
//! however wild, turns it inside out. The hand lags behind the pointer: it has a top speed, and never gets farther ahead of
//! what it holds than its spring can pull.

use pliant::math::Vec3;
use pliant::scene::{BodySpec, ControlKind, ControlSpec, Keyed, Select};
use pliant::{Grasp, SceneError, World, material};

use crate::describe::source_name;

/// Least and largest radius of a patch over the body's size.
const PATCH: (f64, f64) = (0.25, 0.55);
/// A body that hangs on the hand stretches the spring by this part of its size.
const SAG: f64 = 0.1;
/// The largest force over the body's weight.
const STRENGTH: f64 = 4.0;
/// Part of it that the spring alone may have: the rest is for damping.
const AHEAD: f64 = 0.8;
/// Largest stress in the middle of a patch over Young's modulus.
const STRAIN: f64 = 0.15;
/// The hand's top speed over that of a fall from a height of half the body's size.
const SPEED: f64 = 1.2;
/// Least determinant of the deformation gradient at which the hand lets its force go, and that at which it begins to.
const SPARED: (f64, f64) = (0.2, 0.6);
/// Gravity by which the spring is made `[m/s^2]`, also where there is none.
const EARTH: f64 = 9.81;

/// The spring between a patch and the hand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pull {
    /// The body.
    pub body: u32,
    /// The middle of the patch that is held `[m]`.
    pub point: [f32; 3],
    /// The hand `[m]`.
    pub hand: [f32; 3],
    /// Total force on the body `[N]`.
    pub force: [f32; 3],
}

/// What the hand is doing.
#[derive(Debug, Default)]
pub struct Hand {
    grip: Option<Grip>,
    /// Numbers of the controls that push.
    pushes: Vec<usize>,
}

#[derive(Clone, Copy, Debug)]
struct Grip {
    /// Number of its control.
    control: usize,
    body: usize,
    /// Where the hand shall be.
    hand: Vec3,
    /// How it has hold of the body.
    grasp: Grasp,
    /// How fast it goes at most `[m/s]`.
    speed: f64,
}

impl Hand {
    /// Takes hold of a body about a place on it.
    pub fn grab(&mut self, world: &mut World, body: usize, at: Vec3) -> Result<(), String> {
        self.release(world);
        let cannot = || format!("\"{}\" cannot be held", world.name(body));
        let feel = Feel::of(world, body, at).ok_or_else(cannot)?;
        let grasp = feel.grasp();
        let control = world.take_hold(body, at, grasp).ok_or("nothing is there to be held")?;
        let hand = world.held(control).map_or(at, |held| held.hand);
        let speed = SPEED * (EARTH * feel.size).sqrt();
        self.grip = Some(Grip { control, body, hand, grasp, speed });
        Ok(())
    }

    /// Moves the hand, if it has hold of something.
    pub fn go_to(&mut self, to: Vec3) {
        if let Some(grip) = &mut self.grip {
            grip.hand = to;
        }
    }

    /// Lets go.
    pub fn release(&mut self, world: &mut World) {
        if let Some(grip) = self.grip.take() {
            world.remove_control(grip.control);
        }
    }

    /// A push spread over the next frame, and over the side of the body that it meets.
    pub fn push(
        &mut self,
        world: &mut World,
        body: usize,
        at: Vec3,
        impulse: Vec3,
    ) -> Result<(), SceneError> {
        let radius = PATCH.1 * Feel::of(world, body, at).map_or(0.0, |feel| feel.size);
        let force = Some(Keyed::Constant((impulse * world.scene().scene.fps).to_array()));
        let push = |select| ControlSpec { select, force: force.clone(), ..force_on(world, body) };
        let about = push(Select::Ball { centre: at.to_array(), radius });
        let nearest = push(Select::Nearest(at.to_array()));
        self.pushes.push(world.add_control(&about).or_else(|_| world.add_control(&nearest))?);
        Ok(())
    }

    /// Leads the hand on for the next frame.
    pub fn pull(&self, world: &mut World) {
        let Some(grip) = self.grip else { return };
        let Some(held) = world.held(grip.control) else { return };
        // What is about to be turned inside out somewhere is spared.
        let piece = world.piece_at(grip.body, held.point).map(|i| world.bodies()[i].measure());
        let left = piece.map_or(1.0, |m| m.least_jacobian);
        let ease = ((left - SPARED.0) / (SPARED.1 - SPARED.0)).clamp(0.0, 1.0);
        let Grasp { max_force, stiffness, .. } = grip.grasp;
        let frame = 1.0 / world.scene().scene.fps;
        let ahead = (grip.hand - held.point).clamp_length_max(AHEAD * max_force / stiffness);
        let step = (held.point + ahead - held.hand).clamp_length_max(grip.speed * frame);
        world.lead_hand(grip.control, held.hand + step, frame, ease * max_force);
    }

    /// After a frame: pushes have done their work.
    pub fn end_pushes(&mut self, world: &mut World) {
        self.pushes.drain(..).for_each(|control| world.remove_control(control));
    }

    /// The spring as it now is.
    pub fn spring(&self, world: &World) -> Option<Pull> {
        let held = world.held(self.grip?.control)?;
        let single = |v: Vec3| v.as_vec3().to_array();
        Some(Pull {
            body: held.object as u32,
            point: single(held.point),
            hand: single(held.hand),
            force: single(held.force),
        })
    }
}

/// What a body feels like to a hand.
#[derive(Clone, Copy, Debug)]
struct Feel {
    /// Largest extent as it now is `[m]`.
    size: f64,
    mass: f64,
    /// Young's modulus `[Pa]`; infinite for what has no shape of its own to lose.
    young: f64,
}

impl Feel {
    /// Of a body, or of its piece nearest to a place.
    fn of(world: &World, object: usize, at: Vec3) -> Option<Self> {
        let body = &world.bodies()[world.piece_at(object, at)?];
        let skin = body.skin();
        let (low, high) = skin
            .points
            .iter()
            .fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), p| (low.min(*p), high.max(*p)));
        let mass = body.centre().1;
        // One skeleton of clay has no extent of its own; as water it would have this one.
        let as_water = (mass / 1000.0).cbrt();
        let size = ((high - low).max_element() + 2.0 * skin.form.radius).max(as_water);
        Some(Self { size, mass, young: young(world, object) })
    }

    fn grasp(&self) -> Grasp {
        let weight = self.mass * EARTH;
        // Shares fall off so that the stress in the middle is three times the mean over the patch.
        let bears = |radius: f64| STRAIN * self.young * std::f64::consts::PI * radius * radius / 3.0;
        let (least, most) = (PATCH.0 * self.size, PATCH.1 * self.size);
        let max_force = STRENGTH * weight;
        let radius = (least * (max_force / bears(least)).sqrt()).clamp(least, most);
        let carried = 1.0 - (bears(radius) / max_force).min(1.0);
        let stiffness = weight / (SAG * self.size);
        Grasp { radius, stiffness, damping: 2.0 * (stiffness * self.mass).sqrt(), max_force, carried }
    }
}

/// Young's modulus of a body's material.
fn young(world: &World, object: usize) -> f64 {
    let (scene, name) = (world.scene(), source_name(world.scene(), world.name(object)));
    let elastic =
        |b: &&BodySpec| b.name == name && matches!(b.kind.as_str(), "lattice" | "global" | "hybrid");
    let material = scene.body.iter().find(elastic).and_then(|b| material::resolve(&b.material, "").ok());
    material.map_or(f64::INFINITY, |m| m.young)
}

/// A force on a body from now on.
fn force_on(world: &World, body: usize) -> ControlSpec {
    ControlSpec { from: world.time(), ..ControlSpec::new(world.name(body), ControlKind::Force) }
}
