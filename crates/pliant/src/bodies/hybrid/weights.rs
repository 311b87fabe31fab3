//! The weights of the spline energy, as typed: numbers, functions of material coordinates, or paint.
//!
//! Derivatives are taken along physical lengths, so each weight is a physical stiffness:
//!
//! | | curve | surface | solid | what it resists |
//! |---|---|---|---|---|
//! | order 0 | `w0` `[N/m^2]` | `w00` `[N/m^3]` | `w000` `[N/m^4]` | leaving the reference shape at all |
//! | order 1 | `w1` `[N]` | `w10 w01` `[N/m]` | `w100 w010 w001` `[Pa]` | stretching, shearing, turning against the frame |
//! | order 2 | `w2` `[N m^2]` | `w20 w11 w02` `[N m]` | `w200 ... w011` `[N]` | bending |
//!
//! On a triangle mesh (shapes `sheet`, `mesh` and others without rows of nodes) there are no directions: `w10` resists
//! every slope and `w20` every curvature.
//!
//! Without `weights` they follow from Young's modulus `E` and the section: `w1 = E A`, `w2 = E I` for curves, `E t` and
//! `E t^3/12` for surfaces, `E` and nothing for solids.

use crate::math::Vec3;
use crate::scene::SceneError;
use crate::shape::{Net, Weave};
use std::collections::BTreeMap;

/// One term of `[TW88]` Eq. 13: a derivative by material coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Term {
    /// The displacement itself.
    Zero,
    /// First derivative along a coordinate.
    First(u8),
    /// Second derivative along two coordinates, the smaller first.
    Second(u8, u8),
}

/// `weights = ...` as typed.
#[derive(Clone, Debug, PartialEq, schemars::JsonSchema)]
#[schemars(untagged)]
pub enum WeightKeys {
    /// The name of a preset: `turgid gourd`, `rubber hoop`, `paper`, `tin`.
    Preset(String),
    /// Weights by name. `w0`, `w1` and `w2` stand for all terms of their order.
    Terms(BTreeMap<String, Field>),
}

/// One weight as typed.
#[derive(Clone, Debug, PartialEq, schemars::JsonSchema)]
#[schemars(untagged)]
pub enum Field {
    /// The same everywhere.
    Number(f64),
    /// Values at equal distances from one end of the body to the other, on straight lines in between.
    Along(Along),
    /// Painted on the mesh: from `from` where the colour channel is 0 to `to` where it is full.
    Paint(Paint),
}

impl WeightKeys {
    /// Reads what was typed; `path` is the key. By hand, because the errors of untagged choices say neither what is
    /// wrong nor where.
    pub fn from_toml(value: &toml::Value, path: &str) -> Result<Self, SceneError> {
        match value {
            toml::Value::String(name) => Ok(Self::Preset(name.clone())),
            toml::Value::Table(table) => {
                let field = |(name, value): (&String, &toml::Value)| {
                    Ok((name.clone(), Field::from_toml(value, &format!("{path}.{name}"))?))
                };
                Ok(Self::Terms(table.iter().map(field).collect::<Result<_, SceneError>>()?))
            }
            other => {
                let message = format!("must be a preset's name or a table of weights; found {other}");
                Err(SceneError::new(path, message))
            }
        }
    }
}

impl Field {
    fn from_toml(value: &toml::Value, path: &str) -> Result<Self, SceneError> {
        let wrong = |e: toml::de::Error| SceneError::new(path, e.message().trim_end());
        match value {
            toml::Value::Float(w) => Ok(Self::Number(*w)),
            toml::Value::Integer(w) => Ok(Self::Number(*w as f64)),
            toml::Value::Table(table) if table.contains_key("paint") => {
                value.clone().try_into().map(Self::Paint).map_err(wrong)
            }
            toml::Value::Table(_) => value.clone().try_into().map(Self::Along).map_err(wrong),
            other => {
                let message = format!(
                    "must be a number, {{ along = \"u\", values = [0, 1] }} or {{ paint = \"red\", from = 0, to = 1 }}; \
                     found {other}"
                );
                Err(SceneError::new(path, message))
            }
        }
    }
}

/// Strain at which a body breaks, at every node; `path` is the key.
pub fn strengths(
    value: &toml::Value,
    net: &Net,
    colours: Option<&[[f32; 3]]>,
    path: &str,
) -> Result<Vec<f64>, SceneError> {
    let values = per_node(&Field::from_toml(value, path)?, net, colours, path)?;
    let at = |node: usize| match &values {
        PerNode::Same(w) => *w,
        PerNode::Each(all) => all[node],
    };
    let all: Vec<f64> = (0..net.nodes.len()).map(at).collect();
    match all.iter().find(|s| **s <= 0.0) {
        Some(s) => {
            let message = format!("must be positive everywhere, such as 0.1 for 10 % of stretch; found {s}");
            Err(SceneError::new(path, message))
        }
        None => Ok(all),
    }
}

/// Values along a coordinate.
#[derive(Clone, Debug, PartialEq, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Along {
    /// A material coordinate (`u`, `v`, `w`), or an axis of the rest shape (`x`, `y`, `z`).
    along: String,
    /// At least two values.
    values: Vec<f64>,
}

/// A colour channel of the mesh.
#[derive(Clone, Debug, PartialEq, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Paint {
    /// `red`, `green` or `blue`.
    paint: String,
    /// Value where the channel is 0.
    from: f64,
    /// Value where the channel is full.
    to: f64,
}

/// Named weights. What they look like: see `docs/gallery`.
///
/// Name, what it is, how many material coordinates it is meant for, orders 0, 1 and 2.
pub const PRESETS: &[(&str, &str, usize, [f64; 3])] = &[
    (
        "turgid gourd",
        "a closed vegetable under its own pressure: dents, wobbles, comes back",
        2,
        [6e5, 400.0, 0.2],
    ),
    ("rubber hoop", "a soft ring that flattens on impact and springs back", 1, [2500.0, 30.0, 0.06]),
    ("paper", "stiff to stretch, easy to bend", 2, [0.0, 300.0, 2e-3]),
    ("tin", "thin sheet metal", 2, [0.0, 2e5, 2.0]),
];

/// Weights at every node.
#[derive(Clone, Debug, Default)]
pub struct Weights(BTreeMap<Term, PerNode>);

#[derive(Clone, Debug)]
enum PerNode {
    Same(f64),
    Each(Vec<f64>),
}

impl Weights {
    /// The weight of a term at a node.
    pub fn at(&self, term: Term, node: usize) -> f64 {
        match self.0.get(&term) {
            None => 0.0,
            Some(PerNode::Same(w)) => *w,
            Some(PerNode::Each(all)) => all[node],
        }
    }

    /// The same three weights for all terms of each order.
    pub fn uniform(net: &Net, orders: [f64; 3]) -> Self {
        let terms = names(dimensions(net));
        Self(terms.into_iter().map(|(_, term)| (term, PerNode::Same(orders[order(term)]))).collect())
    }

    /// Reads what was typed; `path` is the key.
    pub fn read(
        keys: &WeightKeys,
        net: &Net,
        colours: Option<&[[f32; 3]]>,
        path: &str,
    ) -> Result<Self, SceneError> {
        let terms = match keys {
            WeightKeys::Preset(name) => return Self::preset(name, net, path),
            WeightKeys::Terms(terms) => terms,
        };
        let known = names_of(net);
        let mut out = Self::default();
        // Shorthands first, so that a term's own name has the last word.
        for shorthand in [true, false] {
            for (name, field) in terms {
                let whole = ["w0", "w1", "w2"].iter().position(|s| s == name);
                let at = format!("{path}.{name}");
                let meant: Vec<Term> = match whole {
                    Some(k) if shorthand => {
                        known.iter().map(|(_, t)| *t).filter(|t| order(*t) == k).collect()
                    }
                    None if !shorthand => match known.iter().find(|(n, _)| n == name) {
                        Some((_, term)) => vec![*term],
                        None => return Err(SceneError::new(at, unknown(name, &known, net))),
                    },
                    _ => continue,
                };
                let values = per_node(field, net, colours, &at)?;
                meant.iter().for_each(|t| drop(out.0.insert(*t, values.clone())));
            }
        }
        Ok(out)
    }

    fn preset(name: &str, net: &Net, path: &str) -> Result<Self, SceneError> {
        let plain = name.replace('_', " ");
        let Some((_, _, meant_for, orders)) = PRESETS.iter().find(|p| p.0 == plain) else {
            let known = PRESETS.iter().map(|p| p.0);
            return Err(SceneError::new(path, crate::scene_check::unknown_name("weights", name, known)));
        };
        if *meant_for != dimensions(net) {
            let kinds = ["", "a curve", "a surface", "a solid"];
            let message = format!(
                "\"{plain}\" is meant for {}, and this body is {}; type the numbers instead",
                kinds[*meant_for],
                kinds[dimensions(net)]
            );
            return Err(SceneError::new(path, message));
        }
        Ok(Self::uniform(net, *orders))
    }
}

/// Material coordinates of a net: 1, 2 or 3.
pub fn dimensions(net: &Net) -> usize {
    match net.weave {
        Weave::Line { .. } => 1,
        Weave::Sheet { .. } | Weave::Mesh { .. } => 2,
        Weave::Block { .. } => 3,
    }
}

fn order(term: Term) -> usize {
    match term {
        Term::Zero => 0,
        Term::First(_) => 1,
        Term::Second(..) => 2,
    }
}

/// Names of all terms: exponents of the material coordinates after a `w`.
fn names(dimensions: usize) -> Vec<(String, Term)> {
    let mut terms = vec![Term::Zero];
    terms.extend((0..dimensions as u8).map(Term::First));
    terms.extend((0..dimensions as u8).flat_map(|i| (i..dimensions as u8).map(move |j| Term::Second(i, j))));
    let name = |term: &Term| {
        let mut powers = vec![0; dimensions];
        match term {
            Term::Zero => {}
            Term::First(i) => powers[*i as usize] += 1,
            Term::Second(i, j) => {
                powers[*i as usize] += 1;
                powers[*j as usize] += 1;
            }
        }
        powers.iter().fold("w".to_string(), |name, p| format!("{name}{p}"))
    };
    terms.iter().map(|t| (name(t), *t)).collect()
}

/// Names of the terms that a net has: all of its dimension, but on triangles one of each order.
fn names_of(net: &Net) -> Vec<(String, Term)> {
    let mut all = names(dimensions(net));
    if let Weave::Mesh { .. } = net.weave {
        all.retain(|(_, t)| matches!(t, Term::Zero | Term::First(0) | Term::Second(0, 0)));
    }
    all
}

fn unknown(name: &str, known: &[(String, Term)], net: &Net) -> String {
    if matches!(net.weave, Weave::Mesh { .. }) && names(dimensions(net)).iter().any(|(n, _)| n == name) {
        return format!(
            "triangles have no directions of their own, so `w10` is for every slope and `w20` for every curvature; \
             found `{name}`"
        );
    }
    let shorthands = ["w0", "w1", "w2"].map(String::from);
    let all = known.iter().map(|(n, _)| n).chain(&shorthands);
    let near = crate::scene_check::nearest(name, all.clone().map(String::as_str));
    let hint = near.map(|n| format!("; did you mean `{n}`?")).unwrap_or(".".into());
    let mut list: Vec<&String> = all.collect();
    list.sort();
    list.dedup();
    let list: Vec<&str> = list.into_iter().map(|s| s.as_str()).collect();
    format!("unknown weight `{name}`{hint} This body has {}", list.join(", "))
}

/// Largest weight: beyond it products with lengths and times overflow before anything is computed.
pub const LARGEST: f64 = 1e30;

fn per_node(
    field: &Field,
    net: &Net,
    colours: Option<&[[f32; 3]]>,
    path: &str,
) -> Result<PerNode, SceneError> {
    let check = |w: f64, at: String| match (0.0..=LARGEST).contains(&w) {
        true => Ok(()),
        false if w < 0.0 => {
            let message = format!("must not be negative; found {w}");
            Err(SceneError::new(at, message))
        }
        false => Err(SceneError::new(at, format!("must be a number from 0 to {LARGEST:e}; found {w:e}"))),
    };
    match field {
        Field::Number(w) => {
            check(*w, path.into())?;
            Ok(PerNode::Same(*w))
        }
        Field::Along(along) => {
            let mut values = along.values.iter().enumerate();
            values.try_for_each(|(i, w)| check(*w, format!("{path}.values[{i}]")))?;
            if along.values.len() < 2 {
                let message = format!("needs at least two values; found {}", along.values.len());
                return Err(SceneError::new(format!("{path}.values"), message));
            }
            let coordinate = coordinate(&along.along, net, &format!("{path}.along"))?;
            let last = (along.values.len() - 1) as f64;
            let value = |s: f64| {
                let x = s.clamp(0.0, 1.0) * last;
                let i = (x as usize).min(along.values.len() - 2);
                along.values[i] + (along.values[i + 1] - along.values[i]) * (x - i as f64)
            };
            Ok(PerNode::Each(coordinate.into_iter().map(value).collect()))
        }
        Field::Paint(paint) => {
            check(paint.from, format!("{path}.from"))?;
            check(paint.to, format!("{path}.to"))?;
            let at = format!("{path}.paint");
            let channel =
                ["red", "green", "blue"].iter().position(|c| *c == paint.paint).ok_or_else(|| {
                    let message = format!("must be `red`, `green` or `blue`; found `{}`", paint.paint);
                    SceneError::new(at.clone(), message)
                })?;
            let colours = colours.ok_or_else(|| {
                SceneError::new(
                    at.clone(),
                    "the shape has no vertex colours; paint them on a mesh and save it as .ply, .obj or .glb",
                )
            })?;
            // Conversions round; whole brightnesses beyond 1 are another scale.
            let strange = |c: &&[f32; 3]| !(-1e-3..=1.001).contains(&c[channel]);
            if let Some(c) = colours.iter().find(strange) {
                let message = format!("colours must be from 0 to 1; found {} in the mesh", c[channel]);
                return Err(SceneError::new(at, message));
            }
            let mix = |share: f64| paint.from * (1.0 - share) + paint.to * share;
            Ok(PerNode::Each(colours.iter().map(|c| mix(f64::from(c[channel]).clamp(0.0, 1.0))).collect()))
        }
    }
}

/// A coordinate of every node, from 0 at one end of the body to 1 at the other.
fn coordinate(name: &str, net: &Net, path: &str) -> Result<Vec<f64>, SceneError> {
    let n = net.nodes.len();
    if let Some(axis) = ["x", "y", "z"].iter().position(|a| *a == name) {
        let low = net.nodes.iter().fold(Vec3::INFINITY, |a, p| a.min(*p))[axis];
        let high = net.nodes.iter().fold(Vec3::NEG_INFINITY, |a, p| a.max(*p))[axis];
        let size = (high - low).max(1e-300);
        return Ok(net.nodes.iter().map(|p| (p[axis] - low) / size).collect());
    }
    let share = |i: usize, count: usize, wraps: bool| {
        let steps = if wraps { count } else { count - 1 };
        i as f64 / steps.max(1) as f64
    };
    let material = ["u", "v", "w"].iter().position(|a| *a == name);
    let of: Option<Vec<f64>> = match (&net.weave, material) {
        (Weave::Line { closed }, Some(0)) => Some((0..n).map(|i| share(i, n, *closed)).collect()),
        (Weave::Sheet { counts: [m, k], wrap, poles }, Some(d @ (0 | 1))) => {
            let inner = |i: usize| match (d, poles) {
                (0, true) => (i / k + 1) as f64 / (m + 1) as f64,
                (0, false) => share(i / k, *m, wrap[0]),
                _ => share(i % k, *k, wrap[1]),
            };
            Some((0..n).map(|i| if i < m * k { inner(i) } else { (i - m * k) as f64 }).collect())
        }
        (Weave::Block { counts: [a, b, c] }, Some(d)) => Some(
            (0..n)
                .map(|i| match d {
                    0 => share(i / (b * c), *a, false),
                    1 => share(i / c % b, *b, false),
                    _ => share(i % c, *c, false),
                })
                .collect(),
        ),
        _ => None,
    };
    of.ok_or_else(|| {
        let own = match net.weave {
            Weave::Line { .. } => "`u`",
            Weave::Sheet { .. } => "`u`, `v`",
            Weave::Block { .. } => "`u`, `v`, `w`",
            Weave::Mesh { .. } => "no material coordinates of its own",
        };
        SceneError::new(path, format!("this body has {own} and the axes `x`, `y`, `z`; found `{name}`"))
    })
}
