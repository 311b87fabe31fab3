//! How large a step each method can take: measured, not computed.

use super::{Function, MassPoint, Penalty, Plane, Problem, ReactionConstraint};
use crate::math::Vec3;

/// The largest step up to which a system stays well, found by halving an interval: `is_well` is true at and below the
/// result and false above it.
///
/// ```
/// use pliant::constraint::largest_stable_step;
///
/// // Explicit Euler on x' = -3 x is stable up to 2/3.
/// let limit = largest_stable_step((0.0, 10.0), |dt| (1.0 - 3.0 * dt).abs() <= 1.0);
/// assert!((limit - 2.0 / 3.0).abs() < 1e-9);
/// ```
pub fn largest_stable_step((mut low, mut high): (f64, f64), is_well: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if is_well(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

/// A mass that lies on a plane under a load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RestingLoad {
    /// `[kg]`.
    pub mass: f64,
    /// What presses it onto the plane `[N]`.
    pub load: f64,
    /// How deep it may lie in the plane `[m]`. A rubber band must be at least `load / depth` stiff for that.
    pub depth: f64,
    /// How fast a reaction constraint brings it back to the plane `[1/s]`; its stiffness is `mass rate^2`, and the load
    /// does not enter.
    pub rate: f64,
}

/// Largest steps of symplectic Euler `[s]`, each found by simulating.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactSteps {
    /// A rubber band as stiff as the depth asks for; larger steps throw the mass off the plane.
    pub penalty: f64,
    /// A reaction constraint that keeps the mass on the plane from both sides; larger steps swing it away.
    pub reaction_on_plane: f64,
    /// A reaction constraint that keeps the mass on one side; with larger steps it does not come to rest.
    pub reaction_contact: f64,
}

/// Steps simulated for one verdict: enough to tell 1 + 1e-4 from 1 as growth per step.
const STEPS: usize = 20_000;
/// Growth of a small disturbance that counts as lost: short of its limit a spring swings wider by up to that much.
const GROWN: f64 = 1e3;

impl RestingLoad {
    /// Stiffness of the rubber band `[N/m]`.
    pub fn penalty_stiffness(&self) -> f64 {
        self.load / self.depth
    }

    /// The reaction constraint with this load's rate.
    pub fn reaction(&self) -> ReactionConstraint {
        ReactionConstraint { stiffness: self.mass * self.rate * self.rate }
    }

    /// Largest steps of both methods.
    ///
    /// `[PB88]` section 4 says that reaction constraints allow much larger steps. At equal stiffness they do not: their
    /// damping takes its share of the step. But their stiffness is free to be small, as it does not decide how deep a load
    /// sinks in.
    ///
    /// ```
    /// use pliant::constraint::RestingLoad;
    ///
    /// let load = RestingLoad { mass: 1.0, load: 9.81, depth: 1e-4, rate: 10.0 };
    /// let steps = load.largest_steps();
    /// println!("penalty {:.2e} s, reaction {:.2e} s", steps.penalty, steps.reaction_contact);
    /// assert!(steps.reaction_contact > 11.0 * steps.penalty);
    /// ```
    pub fn largest_steps(&self) -> ContactSteps {
        let stiff_time = (self.mass / self.penalty_stiffness()).sqrt();
        ContactSteps {
            penalty: largest_stable_step((0.0, 10.0 * stiff_time), |dt| self.penalty_stays(dt)),
            reaction_on_plane: largest_stable_step((0.0, 10.0 / self.rate), |dt| self.reaction_returns(dt)),
            reaction_contact: largest_stable_step((0.0, 10.0 / self.rate), |dt| self.reaction_settles(dt)),
        }
    }

    /// Whether a mass that lies on the rubber band stays there when it is disturbed a little.
    fn penalty_stays(&self, dt: f64) -> bool {
        let height = |x: &[f64], gradient: &mut [f64]| {
            gradient[0] = 1.0;
            x[0]
        };
        let weight = |x: &[f64], gradient: &mut [f64]| {
            gradient[0] = self.load;
            self.load * x[0]
        };
        let problem = Problem::new(&weight).at_least(&height as &dyn Function);
        let band = Penalty { strength: 0.5 * self.penalty_stiffness() };
        let rest = -self.depth;
        let disturbance = 1e-6 * self.depth;
        let mut point = MassPoint::at(Vec3::Y * (rest + disturbance), self.mass);
        (0..STEPS).all(|_| {
            let force = band.force(&problem, &[point.position.y])[0];
            point.step(Vec3::Y * force, dt);
            (point.position.y - rest).abs() < GROWN * disturbance
        })
    }

    /// Whether a mass that is held on the plane from both sides comes nearer when it is disturbed.
    fn reaction_returns(&self, dt: f64) -> bool {
        let (hold, plane) = (self.reaction(), Plane::new(Vec3::Y, 0.0));
        let mut point = MassPoint::at(Vec3::Y * self.depth, self.mass);
        for _ in 0..STEPS {
            let forces = hold.on_plane(&point, &plane, Vec3::NEG_Y * self.load);
            point.step(forces.output, dt);
        }
        point.position.y.abs() < self.depth
    }

    /// Whether a mass that is let go above or below the plane comes to rest on it.
    fn reaction_settles(&self, dt: f64) -> bool {
        let (hold, plane) = (self.reaction(), Plane::new(Vec3::Y, 0.0));
        [-3.0, -1.0, 1.0, 10.0].iter().all(|start| {
            let mut point = MassPoint::at(Vec3::Y * start * self.depth, self.mass);
            for _ in 0..STEPS {
                let forces = hold.above_plane(&point, &plane, Vec3::NEG_Y * self.load);
                point.step(forces.output, dt);
            }
            point.position.y.abs() < 1e-6 * self.depth && point.velocity.y.abs() * dt < 1e-6 * self.depth
        })
    }
}
