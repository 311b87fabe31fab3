//! What is plotted: numbers of every frame, gathered frame by frame.

use super::axis::Spread;
use super::chart::{Chart, Curve, MOST_CURVES};
use pliant::math::Vec3;
use pliant::scene::{ControlSpec, SceneSettings, SceneSpec};
use pliant::{Environment, Frame, Measures, Topology};

/// Numbers over time. All lists have one entry per frame.
#[derive(Debug)]
pub(super) struct Series<'a> {
    settings: &'a SceneSettings,
    /// Name and rest volume `[m^3]` of each body.
    bodies: Vec<(&'a str, f64)>,
    times: Vec<f64>,
    kinetic: Vec<f64>,
    elastic: Vec<f64>,
    potential: Vec<f64>,
    momentum: Vec<Vec3>,
    angular_momentum: Vec<Vec3>,
    /// Relative change of each body's volume; not a number for bodies without one.
    volumes: Vec<Vec<f64>>,
    least_jacobian: Vec<f64>,
    least_distance: Vec<f64>,
    penetration: Vec<f64>,
    contacts: Vec<f64>,
    contact_force: Vec<f64>,
    control_error: Vec<f64>,
    /// What each control is called, and its force in every frame.
    controls: Vec<(String, Vec<f64>)>,
    residual: Vec<f64>,
    held_back: Vec<f64>,
}

impl<'a> Series<'a> {
    pub fn new(topology: &'a Topology, scene: &'a SceneSpec) -> Self {
        let label = |c: &ControlSpec| match &c.to {
            Some(to) => format!("{} of {} to {to}", c.kind.name(), c.body),
            None => format!("{} of {}", c.kind.name(), c.body),
        };
        let settings = &scene.scene;
        let bodies = topology.objects.iter().filter(|object| object.is_body());
        Self {
            settings,
            bodies: bodies.map(|object| (object.name.as_str(), object.rest_volume)).collect(),
            times: Vec::new(),
            kinetic: Vec::new(),
            elastic: Vec::new(),
            potential: Vec::new(),
            momentum: Vec::new(),
            angular_momentum: Vec::new(),
            volumes: Vec::new(),
            least_jacobian: Vec::new(),
            least_distance: Vec::new(),
            penetration: Vec::new(),
            contacts: Vec::new(),
            contact_force: Vec::new(),
            control_error: Vec::new(),
            controls: scene.control.iter().map(|c| (label(c), Vec::new())).collect(),
            residual: Vec::new(),
            held_back: Vec::new(),
        }
    }

    /// Takes the next frame.
    pub fn add(&mut self, frame: &Frame) {
        let measures = &frame.measures;
        let sum = |of: fn(&Measures) -> f64| measures.iter().map(of).sum::<f64>();
        let gravity = Environment::at(self.settings, frame.time).gravity;
        self.times.push(frame.time);
        self.kinetic.push(sum(|m| m.kinetic));
        self.elastic.push(sum(|m| m.elastic));
        self.potential.push(measures.iter().map(|m| -m.mass * gravity.dot(m.centre)).sum());
        self.momentum.push(measures.iter().map(|m| m.momentum).sum());
        self.angular_momentum.push(measures.iter().map(|m| m.angular_momentum).sum());
        let change = |(m, &(_, rest)): (&Measures, &(&str, f64))| match rest > 0.0 {
            true => m.volume / rest - 1.0,
            false => f64::NAN,
        };
        self.volumes.push(measures.iter().zip(&self.bodies).map(change).collect());
        self.least_jacobian.push(measures.iter().map(|m| m.least_jacobian).fold(f64::INFINITY, f64::min));
        let report = &frame.report;
        self.least_distance.push(report.min_distance);
        self.penetration.push(report.max_penetration);
        self.contacts.push(f64::from(report.contacts));
        let force = |force: [f32; 3]| Vec3::from(force.map(f64::from)).length();
        self.contact_force
            .push(frame.contacts.iter().map(|contact| force(contact.force)).fold(0.0, f64::max));
        self.control_error.push(report.max_control_error);
        for (k, (_, forces)) in self.controls.iter_mut().enumerate() {
            forces.push(frame.controls.get(k).map_or(f64::NAN, |c| c.force.length()));
        }
        self.residual.push(report.relative_residual);
        self.held_back.push(f64::from(report.held_back));
    }

    /// Everything as charts.
    pub fn charts(self) -> Vec<Chart> {
        let times = &self.times;
        let chart = |name, title, unit, curves| Chart {
            name,
            title,
            unit,
            spread: Spread::Linear,
            times: times.clone(),
            curves,
        };
        let one = |values: &[f64]| vec![Curve::new("", values.to_vec())];
        let distances = vec![
            Curve::new("least distance", self.least_distance.clone()),
            Curve::new("penetration", self.penetration.clone()),
        ];
        vec![
            chart("energy", "Energy", "J", self.energies()),
            chart("volume", "Change of volume", "%", self.volume_changes()),
            chart("momentum", "Momentum", "kg m/s", components(&self.momentum)),
            chart(
                "angular_momentum",
                "Angular momentum about the origin",
                "kg m²/s",
                components(&self.angular_momentum),
            ),
            Chart {
                spread: Spread::Log,
                ..chart("distance", "Least distance and deepest penetration", "m", distances)
            },
            chart("deformation", "Least volume ratio inside a body (det F)", "", one(&self.least_jacobian)),
            chart("contacts", "Contacts", "", one(&self.contacts)),
            chart("contact_force", "Largest contact force", "N", one(&self.contact_force)),
            Chart {
                spread: spread_of(&self.control_error),
                ..chart("control_error", "Largest control error", "m", one(&self.control_error))
            },
            chart("control_force", "Force of each control", "N", self.control_forces()),
            Chart {
                spread: spread_of(&self.residual),
                ..chart(
                    "residual",
                    "Residual of the solve, over the speeds at contacts",
                    "",
                    one(&self.residual),
                )
            },
            chart("held_back", "Bodies held back, since the last frame", "", one(&self.held_back)),
        ]
    }

    /// A curve for each control or, if they are many, for the largest.
    fn control_forces(&self) -> Vec<Curve> {
        if self.controls.len() <= MOST_CURVES {
            return self.controls.iter().map(|(label, forces)| Curve::new(label, forces.clone())).collect();
        }
        let largest = |k: usize| self.controls.iter().map(|(_, f)| f[k]).fold(f64::NAN, f64::max);
        vec![Curve::new("largest of all", (0..self.times.len()).map(largest).collect())]
    }

    fn energies(&self) -> Vec<Curve> {
        // Only differences of the potential mean something; at its lowest it counts as zero.
        let lowest = self.potential.iter().copied().fold(f64::INFINITY, f64::min);
        let potential: Vec<_> = self.potential.iter().map(|v| v - lowest).collect();
        let parts = self.kinetic.iter().zip(&self.elastic).zip(&potential);
        let total = parts.map(|((kinetic, elastic), potential)| kinetic + elastic + potential).collect();
        vec![
            Curve::new("kinetic", self.kinetic.clone()),
            Curve::new("elastic", self.elastic.clone()),
            Curve::new("potential", potential),
            Curve::new("total", total),
        ]
    }

    /// A curve for each body or, if they are many, for the largest, the mean and the least.
    fn volume_changes(&self) -> Vec<Curve> {
        let percent =
            |of: &dyn Fn(&[f64]) -> f64| self.volumes.iter().map(|frame| 100.0 * of(frame)).collect();
        let with_volume: Vec<_> = (0..self.bodies.len()).filter(|&i| self.bodies[i].1 > 0.0).collect();
        if with_volume.len() <= MOST_CURVES {
            let curve = |&i: &usize| {
                let values = percent(&|frame| frame.get(i).copied().unwrap_or(f64::NAN));
                Curve::new(self.bodies[i].0, values)
            };
            return with_volume.iter().map(curve).collect();
        }
        let known = |frame: &[f64]| frame.iter().copied().filter(|v| v.is_finite()).collect::<Vec<_>>();
        let mean = |frame: &[f64]| known(frame).iter().sum::<f64>() / known(frame).len() as f64;
        // `max` and `min` pass over what is not a number.
        vec![
            Curve::new("largest of all", percent(&|frame| frame.iter().copied().fold(f64::NAN, f64::max))),
            Curve::new("mean", percent(&mean)),
            Curve::new("least of all", percent(&|frame| frame.iter().copied().fold(f64::NAN, f64::min))),
        ]
    }
}

fn components(vectors: &[Vec3]) -> Vec<Curve> {
    let component = |label, of: fn(&Vec3) -> f64| Curve::new(label, vectors.iter().map(of).collect());
    vec![component("x", |v| v.x), component("y", |v| v.y), component("z", |v| v.z)]
}

/// Logarithmic where values span more than could be seen otherwise.
fn spread_of(values: &[f64]) -> Spread {
    let positive = values.iter().copied().filter(|v| v.is_finite() && *v > 0.0);
    let [low, high] = positive.fold([f64::INFINITY, 0.0], |[low, high], v| [v.min(low), v.max(high)]);
    if high > 1000.0 * low { Spread::Log } else { Spread::Linear }
}
