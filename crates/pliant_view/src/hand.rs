//! A hand in the world: it takes hold of bodies by a spring, and pushes them.
//!
//! A grip is a control of the engine that returns to the hand with critical damping, whatever hangs on it, but may use no
//! more force than the damped spring between point and hand has. So the spring carries a load where its stretch says so,
//! and is stable however light the point is that it pulls.

use pliant::math::Vec3;
use pliant::scene::{ControlKind, ControlMethod, ControlSpec, Keyed, Select};
use pliant::{SceneError, World};

/// Points within this part of a body's size are taken together.
const PATCH: f64 = 0.12;
/// A body that hangs on the hand stretches the spring by this part of its size.
const SAG: f64 = 0.1;
/// Damping of the body's motion on the spring, over the critical one.
const DAMPING: f64 = 0.5;
/// Rate at which a point that is light enough returns to the hand `[1/s]`.
const RATE: f64 = 25.0;
/// Gravity by which the spring is made `[m/s^2]`, also where there is none.
const EARTH: f64 = 9.81;

/// The spring between a point and the hand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pull {
    /// The body.
    pub body: u32,
    /// The point that is held `[m]`.
    pub point: [f32; 3],
    /// The hand `[m]`.
    pub hand: [f32; 3],
    /// Force on the body `[N]`.
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
    /// Where the held points were, and where the hand is.
    start: Vec3,
    hand: Vec3,
    /// Of the spring `[N/m]`, and its damping `[N s/m]`.
    stiffness: f64,
    damping: f64,
    /// What it may use without any stretch `[N]`.
    least: f64,
}

impl Hand {
    /// Takes hold of a body at a place on it.
    pub fn grab(&mut self, world: &mut World, body: usize, at: Vec3) -> Result<(), SceneError> {
        self.release(world);
        let (size, mass) = extent_and_mass(world, body);
        let control = ControlSpec {
            kind: ControlKind::Hold,
            method: ControlMethod::Reaction,
            stiffness: Some(RATE * RATE * mass),
            ..control(world, body)
        };
        let control = take(world, control, at, PATCH * size)?;
        let start = world.control_middles(control).map_or(at, |[point, _]| point);
        let weight = mass * EARTH;
        let (stiffness, least) = (weight / (SAG * size), 1e-3 * weight);
        let damping = 2.0 * DAMPING * (stiffness * mass).sqrt();
        self.grip = Some(Grip { control, body, start, hand: start, stiffness, damping, least });
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

    /// A push spread over the next frame.
    pub fn push(
        &mut self,
        world: &mut World,
        body: usize,
        at: Vec3,
        impulse: Vec3,
    ) -> Result<(), SceneError> {
        let (size, _) = extent_and_mass(world, body);
        let force = Some(Keyed::Constant((impulse * world.scene().scene.fps).to_array()));
        let control = ControlSpec { kind: ControlKind::Force, force, ..control(world, body) };
        self.pushes.push(take(world, control, at, PATCH * size)?);
        Ok(())
    }

    /// Pulls the spring for the next frame.
    pub fn pull(&self, world: &mut World) {
        if let Some(grip) = &self.grip {
            let Some([point, _]) = world.control_middles(grip.control) else { return };
            let (body, along) = (&world.bodies()[grip.body], grip.hand - point);
            // The point may be far lighter than the body: what is damped is the motion of the whole.
            let approach = along.normalize_or_zero().dot(body.momentum() / body.centre().1);
            let force = grip.stiffness * along.length() - grip.damping * approach;
            let (force, frame) = (force.max(grip.least), 1.0 / world.scene().scene.fps);
            world.steer_control(grip.control, grip.hand - grip.start, frame, force);
        }
    }

    /// After a frame: pushes have done their work.
    pub fn end_pushes(&mut self, world: &mut World) {
        self.pushes.drain(..).for_each(|control| world.remove_control(control));
    }

    /// The spring as it now is.
    pub fn spring(&self, world: &World) -> Option<Pull> {
        let grip = self.grip?;
        let single = |v: Vec3| v.as_vec3().to_array();
        Some(Pull {
            body: grip.body as u32,
            point: single(world.control_middles(grip.control)?[0]),
            hand: single(grip.hand),
            force: single(world.control_force(grip.control)),
        })
    }
}

/// A control of a body from now on.
fn control(world: &World, body: usize) -> ControlSpec {
    ControlSpec {
        body: world.name(body).to_owned(),
        kind: ControlKind::Hold,
        select: Select::All,
        keys: vec![],
        to: None,
        at: None,
        end: None,
        axis: None,
        length: None,
        damping: None,
        break_force: None,
        force: None,
        method: ControlMethod::Exact,
        stiffness: None,
        max_force: None,
        max_torque: None,
        response: None,
        from: world.time(),
        until: None,
    }
}

/// Adds a control of the points about a place, or of the nearest one if none is so near.
fn take(world: &mut World, control: ControlSpec, at: Vec3, radius: f64) -> Result<usize, SceneError> {
    let about = Select::Ball { centre: at.to_array(), radius };
    let nearest = ControlSpec { select: Select::Nearest(at.to_array()), ..control.clone() };
    world.add_control(&ControlSpec { select: about, ..control }).or_else(|_| world.add_control(&nearest))
}

/// Largest extent of a body as it now is `[m]`, and its mass.
fn extent_and_mass(world: &World, body: usize) -> (f64, f64) {
    let body = &world.bodies()[body];
    let skin = body.skin();
    let (low, high) = skin
        .points
        .iter()
        .fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), p| (low.min(*p), high.max(*p)));
    let mass = body.centre().1;
    // One skeleton of clay has no extent of its own; as water it would have this one.
    let as_water = (mass / 1000.0).cbrt();
    (((high - low).max_element() + 2.0 * skin.form.radius).max(as_water), mass)
}
