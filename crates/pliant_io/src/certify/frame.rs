//! The check of one frame.

use super::budget::Totals;
use super::certificate::{BodyEntry, Finding, FrameEntry, Limits};
use super::geometry::{self, Violation};
use super::skin::{Placed, Skin};
use super::surface;
use pliant::{Frame, ObjectFrame};

/// What was found in one frame.
pub(super) struct FrameCheck {
    pub entry: FrameEntry,
    pub findings: Vec<Finding>,
    pub totals: Totals,
    pub non_finite: bool,
}

impl FrameCheck {
    pub fn new(frame: &Frame, skins: &[Skin], limits: &Limits) -> Self {
        let mut check = Self {
            entry: FrameEntry { frame: frame.index, time: frame.time, ..FrameEntry::default() },
            findings: vec![],
            totals: Totals::of(frame),
            non_finite: false,
        };
        check.judge_finite(frame, skins);
        let own: Vec<Option<Skin>> = frame.objects.iter().zip(skins).map(|(o, s)| s.of_frame(o)).collect();
        let placed: Vec<Option<Placed>> = frame
            .objects
            .iter()
            .zip(skins.iter().zip(&own))
            .map(|(o, (start, own))| {
                let skin = own.as_ref().unwrap_or(start);
                is_finite(o).then(|| skin.place(o.translation, o.rotation, &o.points))
            })
            .collect();
        let geometry = geometry::examine(&placed, limits.distance_reach);
        check.entry.intersecting = !geometry.violations.is_empty();
        check.entry.min_distance = geometry.distances.iter().copied().fold(f64::INFINITY, f64::min);
        for violation in &geometry.violations {
            check.add_violation(violation, skins);
        }
        let bodies = skins.iter().enumerate().filter(|(_, s)| s.is_body).zip(&frame.measures);
        for ((i, skin), measures) in bodies {
            let body = BodyEntry {
                name: skin.name.clone(),
                intersecting: geometry.violations.iter().any(|v| v.objects.contains(&i)),
                min_distance: geometry.distances[i],
                least_jacobian: measures.least_jacobian,
                ..BodyEntry::default()
            };
            if skin.remeshed {
                check.judge_surface(body, &frame.objects[i], placed[i].as_ref());
            } else {
                check.judge_body(body, skin, placed[i].as_ref(), limits);
            }
        }
        let worst = |exact: bool| {
            let errors = frame.controls.iter().filter(|c| c.exact == exact).map(|c| c.error);
            errors.fold(0.0, f64::max)
        };
        // The report knows the worst of the steps since the last frame.
        let (error, limit) = (worst(true).max(frame.report.max_control_error), limits.control_error);
        check.entry.max_control_error = error;
        check.entry.max_soft_control_error = worst(false);
        if error > limit {
            check.fail(
                &[],
                format!("a controlled point is {error:.3e} m from its target (limit {limit:.1e})"),
            );
        }
        check
    }

    /// Adds what can only be judged in view of the whole run.
    pub fn judge_budget(&mut self, momentum: f64, energy: f64, limits: &Limits) {
        self.entry.momentum_error = momentum;
        self.entry.energy_gain = energy;
        if momentum > limits.momentum_error {
            self.fail(&[], format!("{momentum:.3e} of the momentum comes from nowhere"));
        }
        if energy > limits.energy_gain {
            self.fail(&[], format!("{energy:.3e} of the energy comes from nowhere"));
        }
    }

    fn fail(&mut self, objects: &[&str], what: String) {
        let objects = objects.iter().map(|name| (*name).to_owned()).collect();
        let (frame, time) = (self.entry.frame, self.entry.time);
        self.findings.push(Finding { frame, time, objects, place: None, what });
    }

    fn add_violation(&mut self, violation: &Violation, skins: &[Skin]) {
        let [a, b] = violation.objects;
        let names = [skins[a].name.as_str(), skins[b].name.as_str()];
        self.fail(if a == b { &names[..1] } else { &names }, violation.what.into());
        if let Some(finding) = self.findings.last_mut() {
            finding.place = Some(violation.place.to_array());
        }
    }

    fn judge_finite(&mut self, frame: &Frame, skins: &[Skin]) {
        let mut wrong: Vec<&str> = vec![];
        let bodies = skins.iter().filter(|s| s.is_body).zip(&frame.measures);
        wrong.extend(
            frame.objects.iter().zip(skins).filter(|(o, _)| !is_finite(o)).map(|(_, s)| s.name.as_str()),
        );
        for (skin, m) in bodies {
            let numbers = [m.mass, m.kinetic, m.elastic, m.volume, m.least_jacobian];
            let vectors = [m.centre, m.momentum, m.angular_momentum];
            let finite = numbers.iter().all(|v| v.is_finite()) && vectors.iter().all(|v| v.is_finite());
            if !finite && !wrong.contains(&skin.name.as_str()) {
                wrong.push(&skin.name);
            }
        }
        let r = &frame.report;
        // `min_distance` may be infinite: nothing was near.
        let numbers = [frame.time, r.max_penetration, r.max_control_error, r.external_work, r.residual];
        let report_finite = numbers.iter().all(|v| v.is_finite())
            && r.external_impulse.is_finite()
            && !r.min_distance.is_nan()
            && !r.max_contact_work.is_nan();
        self.non_finite = !wrong.is_empty() || !report_finite;
        if self.non_finite {
            self.fail(&wrong, "holds a number that is not finite".into());
        }
    }

    /// A body whose surface is made anew in every frame has no rest shape to be held against, but its surface must be
    /// sound each time.
    fn judge_surface(&mut self, mut body: BodyEntry, state: &ObjectFrame, placed: Option<&Placed>) {
        let triangles = state.surface.as_ref().map_or(&[][..], |s| &s.triangles);
        let inside_out = || placed.filter(|p| p.volume() <= 0.0).map(|_| "is inside out");
        if let Some(fault) = surface::fault(triangles).or_else(inside_out) {
            body.open_surface = true;
            self.entry.open_surfaces += 1;
            self.fail(&[&body.name], format!("its surface {fault}"));
        }
        self.entry.bodies.push(body);
    }

    fn judge_body(&mut self, mut body: BodyEntry, skin: &Skin, placed: Option<&Placed>, limits: &Limits) {
        if let Some(placed) = placed.filter(|_| skin.closed && skin.rest_volume > 0.0) {
            let ratio = placed.volume() / skin.rest_volume;
            let error = (ratio - 1.0).abs();
            body.volume_error = Some(error);
            body.inverted = ratio <= 0.0;
            if skin.incompressible {
                self.entry.max_volume_error = self.entry.max_volume_error.max(error);
                if error > limits.volume_error {
                    self.fail(
                        &[&skin.name],
                        format!("is incompressible, but its volume is off by {error:.3e}"),
                    );
                }
            }
        }
        body.inverted |= body.least_jacobian <= 0.0;
        if body.inverted {
            self.entry.inverted_elements += 1;
            self.fail(&[&skin.name], format!("is inverted (smallest Jacobian {:.3e})", body.least_jacobian));
        }
        self.entry.bodies.push(body);
    }
}

fn is_finite(object: &ObjectFrame) -> bool {
    object.translation.is_finite()
        && object.rotation.is_finite()
        && object.points.iter().flatten().all(|c| c.is_finite())
        && object
            .surface
            .iter()
            .flat_map(|s| [&s.normals, &s.colours])
            .flatten()
            .flatten()
            .all(|c| c.is_finite())
}
