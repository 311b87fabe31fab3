//! Controls: what each kind needs, whom it names, and that attachments do not run in a circle.

use super::{Names, at_least_zero, finite, finite3, increasing, keyed, positive};
use crate::scene::{ControlKind, ControlMethod, ControlSpec, SceneError, Select};
use std::collections::BTreeMap;

pub(super) fn control(control: &ControlSpec, path: &str, names: &Names) -> Result<(), SceneError> {
    names.body(&control.body, &format!("{path}.body"))?;
    at_least_zero(&format!("{path}.from"), control.from)?;
    if let Some(until) = control.until {
        finite(&format!("{path}.until"), until)?;
        if until <= control.from {
            let message = format!("must come after `from`, which is {} s; it is {until} s", control.from);
            return Err(SceneError::new(format!("{path}.until"), message));
        }
    }
    if let Some(most) = control.max_force {
        positive(&format!("{path}.max_force"), most, "N")?;
    }
    for (key, value, unit) in [("max_torque", control.max_torque, "N m"), ("response", control.response, "s")]
    {
        if let Some(value) = value {
            let at = format!("{path}.{key}");
            positive(&at, value, unit)?;
            if control.kind != ControlKind::Servo {
                return Err(SceneError::new(at, format!("only a `servo` has `{key}`; remove it")));
            }
        }
    }
    joint(control, path)?;
    plane(control, path)?;
    motion(control, path)?;
    method(control, path)?;
    select(&control.select, &format!("{path}.select"))?;
    for (i, key) in control.keys.iter().enumerate() {
        finite3(&format!("{path}.keys[{i}].at"), &key.at)?;
        if let Some(turn) = &key.rotation {
            let at = format!("{path}.keys[{i}].rotation");
            finite3(&at, turn)?;
            if control.kind != ControlKind::Servo {
                return Err(SceneError::new(at, "only a `servo` turns a body; remove this, or use a servo"));
            }
        }
    }
    increasing(&format!("{path}.keys"), control.keys.iter().map(|k| k.t))?;
    if let Some(force) = &control.force {
        keyed(&format!("{path}.force"), force)?;
    }
    if let Some(to) = &control.to {
        names.body_or_obstacle(to, &format!("{path}.to"))?;
        if *to == control.body {
            return Err(SceneError::new(
                format!("{path}.to"),
                format!("`{to}` cannot be attached to itself"),
            ));
        }
    }
    what_the_kind_needs(control, path)
}

/// Across which direction a plane stands.
fn plane(control: &ControlSpec, path: &str) -> Result<(), SceneError> {
    let wrong = |message: String| Err(SceneError::new(format!("{path}.normal"), message));
    match (&control.normal, control.kind) {
        (Some(normal), ControlKind::Plane) => {
            finite3(&format!("{path}.normal"), normal)?;
            if *normal == [0.0; 3] {
                return wrong("the normal must not be zero; such as [0, 1, 0]".into());
            }
            Ok(())
        }
        (None, ControlKind::Plane) => wrong("a `plane` needs `normal`, a direction such as [0, 1, 0]".into()),
        (Some(_), kind) => wrong(format!("a `{}` has no `normal`, only `plane`; remove it", kind.name())),
        (None, _) => Ok(()),
    }
}

/// What a control follows.
fn motion(control: &ControlSpec, path: &str) -> Result<(), SceneError> {
    let wrong = |key: &str, message: String| Err(SceneError::new(format!("{path}.{key}"), message));
    let motion = match (&control.motion, control.kind) {
        (Some(motion), ControlKind::Follow) => motion,
        (None, ControlKind::Follow) => {
            let message = "a `follow` needs `motion`, such as { mesh = \"walk.####.obj\", frames = [1, 48] }";
            return wrong("motion", message.into());
        }
        (Some(_), kind) => {
            return wrong("motion", format!("a `{}` has no `motion`, only `follow`; remove it", kind.name()));
        }
        (None, _) => return Ok(()),
    };
    positive(&format!("{path}.motion.fps"), motion.fps, "1/s")?;
    match (&motion.cache, motion.frames) {
        (Some(_), Some(_)) => wrong("motion.frames", "a `cache` knows its frames; remove this".into()),
        (Some(cache), None) if !cache.to_lowercase().ends_with(".pc2") => {
            wrong("motion.cache", format!("must be a `.pc2` file; found `{cache}`"))
        }
        (Some(_), None) => Ok(()),
        (None, None) => wrong(
            "motion.frames",
            "give the numbers of the first and the last mesh file, such as [1, 48], or a `cache`".into(),
        ),
        (None, Some([first, last])) if first >= last => wrong(
            "motion.frames",
            format!("the last number must be above the first; found [{first}, {last}]"),
        ),
        (None, Some([first, last])) if last - first >= MOST_FRAMES => {
            wrong("motion.frames", format!("at most {MOST_FRAMES} frames; found [{first}, {last}]"))
        }
        (None, Some(_)) if motion.frame(0) == motion.mesh => {
            wrong("motion.mesh", "mark where numbers stand by `#`, such as \"walk.####.obj\"".into())
        }
        (None, Some(_)) => Ok(()),
    }
}

/// The most mesh files that a control follows.
const MOST_FRAMES: u32 = 100_000;

/// Keys that joints need, and that nothing else has.
fn joint(control: &ControlSpec, path: &str) -> Result<(), SceneError> {
    use ControlKind::{Attach, Ball, Hinge, Slider, Spring};
    let kind = control.kind;
    let own: [(&str, bool, &[ControlKind]); 6] = [
        ("at", control.at.is_some(), &[Ball, Hinge, Slider, Spring]),
        ("end", control.end.is_some(), &[Spring]),
        ("axis", control.axis.is_some(), &[Hinge, Slider]),
        ("length", control.length.is_some(), &[Spring]),
        ("damping", control.damping.is_some(), &[Spring]),
        ("break_force", control.break_force.is_some(), &[Attach, Ball, Hinge, Slider, Spring]),
    ];
    for (key, given, kinds) in own {
        if given && !kinds.contains(&kind) {
            let names: Vec<String> = kinds.iter().map(|k| format!("`{}`", k.name())).collect();
            let message = format!("a `{}` has no `{key}`, only {}; remove it", kind.name(), names.join(", "));
            return Err(SceneError::new(format!("{path}.{key}"), message));
        }
    }
    for (key, place) in [("at", control.at), ("end", control.end), ("axis", control.axis)] {
        if let Some(place) = place {
            finite3(&format!("{path}.{key}"), &place)?;
        }
    }
    if control.axis == Some([0.0; 3]) {
        return Err(SceneError::new(format!("{path}.axis"), "the axis must not be zero; such as [0, 1, 0]"));
    }
    if let Some(length) = control.length {
        at_least_zero(&format!("{path}.length"), length)?;
    }
    if let Some(damping) = control.damping {
        at_least_zero(&format!("{path}.damping"), damping)?;
    }
    if let Some(most) = control.break_force {
        positive(&format!("{path}.break_force"), most, "N")?;
    }
    if !kind.is_joint() {
        return Ok(());
    }
    let needed: [(&str, bool, &[ControlKind], &str); 5] = [
        ("to", control.to.is_some(), &[Ball, Hinge, Slider, Spring], "the name of a body or an obstacle"),
        ("at", control.at.is_some(), &[Ball, Hinge, Slider, Spring], "a place such as [0, 1, 0] (m)"),
        ("end", control.end.is_some(), &[Spring], "its other end, such as [0, 2, 0] (m)"),
        ("axis", control.axis.is_some(), &[Hinge, Slider], "a direction such as [0, 1, 0]"),
        ("stiffness", control.stiffness.is_some(), &[Spring], "such as 1000 (N/m)"),
    ];
    for (key, given, kinds, example) in needed {
        if !given && kinds.contains(&kind) {
            let message = format!("a `{}` needs `{key}`, {example}", kind.name());
            return Err(SceneError::new(format!("{path}.{key}"), message));
        }
    }
    if control.select != Select::All {
        let message = format!("a `{}` acts at a place, `at`; leave `select` out", kind.name());
        return Err(SceneError::new(format!("{path}.select"), message));
    }
    if control.max_force.is_some() {
        let message = format!("a `{}` has no `max_force`; it can have a `break_force`", kind.name());
        return Err(SceneError::new(format!("{path}.max_force"), message));
    }
    match (kind, control.stiffness) {
        (Spring, Some(stiffness)) => positive(&format!("{path}.stiffness"), stiffness, "N/m"),
        _ => Ok(()),
    }
}

fn method(control: &ControlSpec, path: &str) -> Result<(), SceneError> {
    let at = format!("{path}.stiffness");
    if control.kind == ControlKind::Spring && control.method == ControlMethod::Exact {
        return Ok(());
    }
    let name = match control.method {
        ControlMethod::Exact if control.stiffness.is_some() => {
            let message = "the method `exact` has no `stiffness`; remove it, or set `method` to \"penalty\" or \"reaction\"";
            return Err(SceneError::new(at, message));
        }
        ControlMethod::Exact => return Ok(()),
        ControlMethod::Penalty => "penalty",
        ControlMethod::Reaction => "reaction",
    };
    if !matches!(control.kind, ControlKind::Path | ControlKind::Hold) {
        let message = format!("only a `path` or a `hold` has the method `{name}`; remove `method`");
        return Err(SceneError::new(format!("{path}.method"), message));
    }
    match control.stiffness {
        Some(stiffness) => positive(&at, stiffness, "N/m"),
        None => {
            let message = format!("the method `{name}` needs `stiffness`, such as 1000 (N/m)");
            Err(SceneError::new(at, message))
        }
    }
}

fn what_the_kind_needs(control: &ControlSpec, path: &str) -> Result<(), SceneError> {
    let missing = |key: &str, message: &str| Err(SceneError::new(format!("{path}.{key}"), message));
    match control.kind {
        ControlKind::Path if control.keys.is_empty() => missing(
            "keys",
            "a `path` needs `keys`, such as [{ t = 0, at = [0, 0, 0] }, { t = 1, at = [0, 0.5, 0] }]",
        ),
        ControlKind::Attach if control.to.is_none() => {
            missing("to", "an `attach` needs `to`, the name of a body or an obstacle")
        }
        ControlKind::Force if control.force.is_none() => {
            missing("force", "a `force` needs `force`, such as [0, 10, 0] (N)")
        }
        ControlKind::Thruster if control.force.is_none() => {
            missing("force", "a `thruster` needs `force` in the body's own axes, such as [0, 10, 0] (N)")
        }
        ControlKind::Servo if control.keys.is_empty() => missing(
            "keys",
            "a `servo` needs `keys`, such as [{ t = 0, at = [0, 0, 0] }, { t = 1, at = [0, 0.5, 0], rotation = [0, 90, 0] }]",
        ),
        ControlKind::Servo if control.select != Select::All => {
            missing("select", "a `servo` drives the body as a whole; leave `select` out")
        }
        _ => Ok(()),
    }
}

fn select(select: &Select, path: &str) -> Result<(), SceneError> {
    match select {
        Select::All => Ok(()),
        Select::Top(d) => at_least_zero(&format!("{path}.top"), *d),
        Select::Bottom(d) => at_least_zero(&format!("{path}.bottom"), *d),
        Select::Left(d) => at_least_zero(&format!("{path}.left"), *d),
        Select::Right(d) => at_least_zero(&format!("{path}.right"), *d),
        Select::Nearest(p) => finite3(&format!("{path}.nearest"), p),
        Select::Box { low, high } => {
            finite3(&format!("{path}.box.low"), low)?;
            finite3(&format!("{path}.box.high"), high)?;
            match (0..3).find(|d| low[*d] > high[*d]) {
                None => Ok(()),
                Some(d) => Err(SceneError::new(
                    format!("{path}.box"),
                    format!(
                        "`low` must not be above `high`; found {} and {} along axis {d}",
                        low[d], high[d]
                    ),
                )),
            }
        }
        Select::Ball { centre, radius } => {
            finite3(&format!("{path}.ball.centre"), centre)?;
            positive(&format!("{path}.ball.radius"), *radius, "m")
        }
        Select::Painted { least, .. } if *least > 0.0 && *least <= 1.0 => Ok(()),
        Select::Painted { least, .. } => Err(SceneError::new(
            format!("{path}.painted.least"),
            format!("must be above 0 and at most 1, such as 0.5, not {least}"),
        )),
    }
}

/// Attachments lead from a body to what carries it. Going round in a circle, nothing would carry any of them.
///
/// Only attachments that act at the same time count. If some set of them overlaps, it overlaps when the last of
/// them begins, so it is enough to look at those moments.
pub(super) fn no_cycles(controls: &[ControlSpec]) -> Result<(), SceneError> {
    let attachments: Vec<Attachment> = controls
        .iter()
        .enumerate()
        .filter(|(_, c)| c.kind == ControlKind::Attach)
        .filter_map(|(index, c)| Some(Attachment { index, body: &c.body, to: c.to.as_deref()?, control: c }))
        .collect();
    let mut moments: Vec<f64> = attachments.iter().map(|a| a.control.from).collect();
    moments.sort_by(f64::total_cmp);
    moments.dedup();
    for t in moments {
        let acting: Vec<&Attachment> = attachments.iter().filter(|a| a.acts_at(t)).collect();
        if let Some(circle) = find_cycle(&acting) {
            let mut names: Vec<&str> = circle.iter().map(|a| a.body).collect();
            names.push(circle[0].body);
            let last = circle.iter().map(|a| a.index).max().unwrap_or(0);
            let message = format!("attachments run in a circle: {}; remove one of them", names.join(" -> "));
            return Err(SceneError::new(format!("control[{last}].to"), message));
        }
    }
    Ok(())
}

struct Attachment<'a> {
    index: usize,
    body: &'a str,
    to: &'a str,
    control: &'a ControlSpec,
}

impl Attachment<'_> {
    fn acts_at(&self, t: f64) -> bool {
        self.control.from <= t && self.control.until.is_none_or(|until| t < until)
    }
}

/// Settles what hangs from nothing unsettled, again and again; what is left hangs from itself.
fn find_cycle<'a>(acting: &[&'a Attachment<'a>]) -> Option<Vec<&'a Attachment<'a>>> {
    let mut unsettled: BTreeMap<&str, usize> = BTreeMap::new();
    let mut carried_by: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for a in acting {
        *unsettled.entry(a.body).or_default() += 1;
        carried_by.entry(a.to).or_default().push(a.body);
    }
    let mut settled: Vec<&str> =
        carried_by.keys().copied().filter(|to| !unsettled.contains_key(to)).collect();
    while let Some(carrier) = settled.pop() {
        for body in carried_by.get(carrier).into_iter().flatten() {
            if let Some(count) = unsettled.get_mut(body) {
                *count -= 1;
                if *count == 0 {
                    unsettled.remove(body);
                    settled.push(body);
                }
            }
        }
    }
    // From an unsettled body some attachment leads to another unsettled one, so this walk must meet itself.
    let mut trail: Vec<&'a Attachment<'a>> = Vec::new();
    let mut body = *unsettled.keys().next()?;
    loop {
        if let Some(start) = trail.iter().position(|a| a.body == body) {
            return Some(trail.split_off(start));
        }
        let next = *acting.iter().find(|a| a.body == body && unsettled.contains_key(a.to))?;
        trail.push(next);
        body = next.to;
    }
}
