//! Constraint methods after `[PB88]`, for functions and mass points of your own.
//!
//! Minimising an energy and moving a body with friction are the same thing (`[PB88]` section 2), so one
//! set of methods serves both. The world itself needs none of them: its controls and contacts are rows of one exact
//! solve. They are here to build things the world does not have, and to compare.
//!
//! | method | adds | fulfils the constraint | use it for |
//! |---|---|---|---|
//! | [`Penalty`] | a rubber band | up to an error of load over stiffness | compromises |
//! | [`ReactionConstraint`] | a force on a mass point, given its other forces | exactly, whatever the load | one path, plane or solid per point |
//! | [`Lagrange`] | one multiplier per condition | exactly, if the energy damps | showing that the sign matters |
//! | [`Augmented`] | multipliers and rubber bands | exactly | several conditions, equalities and inequalities |
//! | [`PhysicalAugmented`] | the same for masses in motion | exactly | conditions on moving points |
//!
//! Formulas of the paper that do not do what its text says are put right; each place says so.
//!
//! The paper's example, the point of the line `x + y = 1` that is nearest to the origin:
//!
//! ```
//! use pliant::constraint::{Augmented, Problem};
//!
//! // A function returns its value and writes its gradient.
//! let energy = |x: &[f64], gradient: &mut [f64]| {
//!     gradient.copy_from_slice(&[2.0 * x[0], 2.0 * x[1]]);
//!     x[0] * x[0] + x[1] * x[1]
//! };
//! let on_the_line = |x: &[f64], gradient: &mut [f64]| {
//!     gradient.copy_from_slice(&[1.0, 1.0]);
//!     x[0] + x[1] - 1.0
//! };
//! let problem = Problem::new(&energy).equal(&on_the_line);
//! let mut method = Augmented::new(&problem, 1.0);
//! let mut x = [3.0, -1.0];
//! for _ in 0..2000 {
//!     method.step(&problem, &mut x, 0.02);
//! }
//! assert!((x[0] - 0.5).abs() < 1e-9 && (x[1] - 0.5).abs() < 1e-9);
//! assert!((method.multipliers()[0] + 1.0).abs() < 1e-9);
//! ```

mod augmented;
mod function;
mod lagrange;
mod penalty;
mod physical;
mod point;
mod problem;
mod reaction;
mod slack;
mod steps;
#[cfg(test)]
mod tests;

pub use augmented::Augmented;
pub use function::{Function, OverPoints};
pub use lagrange::Lagrange;
pub use penalty::Penalty;
pub use physical::{Motion, PhysicalAugmented};
pub use point::MassPoint;
pub use problem::{Condition, Problem, Sense};
pub use reaction::{Forces, Plane, PolygonalModel, ReactionConstraint, Target};
pub use slack::Slack;
pub use steps::{ContactSteps, RestingLoad, largest_stable_step};
