//! The skeletons of a scene, as they are typed and as they stand in the body.

use super::bonds::{Pull, pulls};
use super::bone::{Bone, Site, Sites, Turning, share_at_sites};
use super::coat::BITS;
use super::field::{Field, Shape};
use super::form::Form;
use super::law::Law;
use super::pairs::Pairs;
use crate::math::portable::pow;
use crate::math::{Quat, Vec3};
use crate::scene::{Colour, SceneError, rotation_from_degrees};
use std::sync::Arc;

/// A skeleton: a place, or a table.
#[derive(schemars::JsonSchema)]
#[serde(untagged)]
#[expect(
    dead_code,
    reason = "for the schema: read as one or the other, so that errors can say what is wrong"
)]
pub enum SkeletonKeys {
    /// A point at this place `[m]`.
    Point([f64; 3]),
    /// Anything else.
    Shaped(Box<ShapedKeys>),
}

/// A skeleton with a shape, a colour or a mind of its own. One of `segment`, `curve`, `triangle`, `box` and `ball`; a point
/// if it has none of them.
#[derive(Clone, Debug, Default, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ShapedKeys {
    /// Where the centre of a point, box or ball is `[m]`.
    at: Option<[f64; 3]>,
    /// Both ends `[m]`.
    segment: Option<[[f64; 3]; 2]>,
    /// Places that it goes through, straight from each to the next `[m]`.
    curve: Option<Vec<[f64; 3]>>,
    /// Corners `[m]`.
    triangle: Option<[[f64; 3]; 3]>,
    /// Edges along its own x, y, z `[m]`.
    #[serde(rename = "box")]
    cuboid: Option<[f64; 3]>,
    /// Turn of a box about x, then y, then z (fixed axes) `[degrees]`.
    rotation: Option<[f64; 3]>,
    /// Radius `[m]`.
    ball: Option<f64>,
    /// Whether it is a rigid body, which turns, or a mass point, which does not; by default all but points are rigid.
    rigid: Option<bool>,
    /// Colour of the clay about it.
    colour: Option<Colour>,
}

/// A skeleton in the body's own axes.
#[derive(Clone, Debug)]
pub struct Placed {
    pub at: Vec3,
    /// Velocity beside that of the body.
    pub velocity: Vec3,
    /// Its shape, unless it is but a mass point; and whether it turns.
    pub form: Option<(Arc<Form>, bool)>,
    pub rotation: Quat,
    /// Linear red, green and blue.
    pub colour: Option<[f32; 3]>,
}

impl Placed {
    /// A mass point.
    pub fn point(at: Vec3) -> Self {
        Self { at, velocity: Vec3::ZERO, form: None, rotation: Quat::IDENTITY, colour: None }
    }

    /// From what stands in the scene at a path.
    pub fn read(value: &toml::Value, path: &str) -> Result<Self, SceneError> {
        let wrong = |key: &str, message: &str| Err(SceneError::new(format!("{path}{key}"), message));
        if value.is_array() {
            return match value.clone().try_into() {
                Ok(at) => Ok(Self::point(vector(at, path)?)),
                Err(_) => {
                    wrong("", "must be three numbers, or a table such as { ball = 0.1, at = [0, 0, 0] }")
                }
            };
        }
        let keys: ShapedKeys =
            value.clone().try_into().map_err(|e: toml::de::Error| SceneError::new(path, e.message()))?;
        let (form, at) = keys.form(path)?;
        let solid = matches!(form, Form::Point | Form::Box(_) | Form::Ball(_));
        if keys.at.is_some() && !solid {
            return wrong(".at", "its places say already where it is; leave this out");
        }
        if keys.rotation.is_some() && !matches!(form, Form::Box(_)) {
            return wrong(".rotation", "only a box is turned by this; leave it out");
        }
        let rotation = match keys.rotation {
            Some(angles) => rotation_from_degrees(vector(angles, &format!("{path}.rotation"))?.to_array()),
            None => Quat::IDENTITY,
        };
        let colour = keys.colour.as_ref().map(|c| linear(c, &format!("{path}.colour"))).transpose()?;
        let turns = keys.rigid.unwrap_or(form != Form::Point);
        let form = (turns || form != Form::Point).then(|| (Arc::new(form), turns));
        Ok(Self { form, rotation, colour, ..Self::point(at) })
    }
}

impl ShapedKeys {
    /// Its shape about its centre, and where that is.
    fn form(&self, path: &str) -> Result<(Form, Vec3), SceneError> {
        let wrong = |key: &str, message: String| Err(SceneError::new(format!("{path}.{key}"), message));
        let typed: Vec<&str> = [
            ("segment", self.segment.is_some()),
            ("curve", self.curve.is_some()),
            ("triangle", self.triangle.is_some()),
            ("box", self.cuboid.is_some()),
            ("ball", self.ball.is_some()),
        ]
        .into_iter()
        .filter_map(|(key, typed)| typed.then_some(key))
        .collect();
        if let [first, second, ..] = typed[..] {
            return wrong(second, format!("it is a {first} already; type one of the two"));
        }
        let places = |list: &[[f64; 3]], key: &str| {
            let each = list.iter().map(|p| vector(*p, &format!("{path}.{key}")));
            each.collect::<Result<Vec<Vec3>, SceneError>>()
        };
        let line = |list: &[[f64; 3]], key: &str| {
            let mut list = places(list, key)?;
            if list.len() < 2 {
                return wrong(key, "needs at least two places".into());
            }
            if let Some(k) = list.windows(2).position(|ends| ends[0].distance(ends[1]) < 1e-9) {
                return wrong(key, format!("places {k} and {} are the same; leave one out", k + 1));
            }
            let lengths = || list.windows(2).map(|ends| ends[0].distance(ends[1]));
            let weighed =
                list.windows(2).zip(lengths()).map(|(ends, length)| ends[0].midpoint(ends[1]) * length);
            let centre = weighed.sum::<Vec3>() / lengths().sum::<f64>();
            list.iter_mut().for_each(|p| *p -= centre);
            Ok((Form::Line(list), centre))
        };
        if let Some(ends) = &self.segment {
            return line(ends, "segment");
        }
        if let Some(list) = &self.curve {
            return line(list, "curve");
        }
        if let Some(corners) = &self.triangle {
            let corners = places(corners, "triangle")?;
            let centre = corners.iter().sum::<Vec3>() / 3.0;
            let [a, b, c] = [0, 1, 2].map(|k| corners[k] - centre);
            let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
            if (b - a).cross(c - a).length() <= 1e-9 * longest * longest {
                return wrong("triangle", "its corners lie on one line; use a segment, or move one".into());
            }
            return Ok((Form::Triangle([a, b, c]), centre));
        }
        let Some(at) = self.at else {
            return wrong(
                "at",
                "is missing: where the centre of the skeleton is, three numbers in metres".into(),
            );
        };
        let at = vector(at, &format!("{path}.at"))?;
        let positive = |x: f64| x > 0.0 && x.is_finite();
        match (self.cuboid, self.ball) {
            (Some(edges), _) if edges.into_iter().all(positive) => {
                Ok((Form::Box(0.5 * Vec3::from(edges)), at))
            }
            (Some(edges), _) => wrong("box", format!("edges must be above 0 m; found {edges:?}")),
            (_, Some(radius)) if positive(radius) => Ok((Form::Ball(radius), at)),
            (_, Some(radius)) => wrong("ball", format!("the radius must be above 0 m; found {radius}")),
            (None, None) => Ok((Form::Point, at)),
        }
    }
}

fn vector(v: [f64; 3], path: &str) -> Result<Vec3, SceneError> {
    let v = Vec3::from(v);
    if v.is_finite() { Ok(v) } else { Err(SceneError::new(path, "must be three finite numbers")) }
}

/// A typed colour as linear red, green and blue.
pub fn linear(colour: &Colour, path: &str) -> Result<[f32; 3], SceneError> {
    let message = "must be \"#rrggbb\" with six hexadecimal digits, or [red, green, blue] from 0 to 1";
    colour.srgb().map(from_shown).ok_or_else(|| SceneError::new(path, message))
}

/// Linear red, green and blue from those that are shown (sRGB, IEC 61966-2-1).
pub fn from_shown(rgb: [f64; 3]) -> [f32; 3] {
    rgb.map(|x| if x <= 0.040_45 { x / 12.92 } else { pow((x + 0.055) / 1.055, 2.4) } as f32)
}

/// The field about skeletons under a coat.
pub fn dressed(shape: Shape, list: &[Placed], e: f64) -> Field {
    let x: Vec<Vec3> = list.iter().map(|p| p.at).collect();
    let bones = bones(list, &vec![1.0; list.len()], e);
    let shaped = bones.iter().map(|bone| bone.shaped(x[bone.skeleton], bone.rotation, e)).collect();
    let thickness = vec![e; x.len()];
    Field::with_shapes(shape, x, thickness, shaped)
}

/// Those that are more than mass points.
pub fn bones(list: &[Placed], mass: &[f64], e: f64) -> Vec<Bone> {
    let each = list.iter().zip(mass).enumerate().filter_map(|(skeleton, (placed, mass))| {
        let (form, turns) = placed.form.as_ref()?;
        Some(Bone {
            skeleton,
            form: form.clone(),
            rotation: placed.rotation,
            rays: form.rays(e).into(),
            turning: turns.then(|| Turning::new(*mass, form.second_moment(e))),
        })
    });
    each.collect()
}

/// Where skeletons feel bonds, if there are bones.
pub fn sites(list: &[Placed], bones: &[Bone], mass: &[f64], law: &Law) -> Sites {
    let mut sites = vec![];
    let mut next = bones.iter().enumerate().peekable();
    for (skeleton, mass) in mass.iter().enumerate().take(if bones.is_empty() { 0 } else { list.len() }) {
        let lone = Site { skeleton, bone: None, at: Vec3::ZERO, mass: *mass, within: 0.0 };
        let Some((b, bone)) = next.next_if(|(_, bone)| bone.skeleton == skeleton) else {
            sites.push(lone);
            continue;
        };
        let Some(turning) = &bone.turning else {
            sites.push(Site { bone: Some(b), ..lone });
            continue;
        };
        let places = bone.form.sites(law.rest);
        let share = mass * share_at_sites(&places, turning) / places.len() as f64;
        let mut pairs = Pairs::default();
        pairs.keep_up(&places, law.reach, 0.0);
        let mut pulled = vec![Pull::default(); places.len()];
        pulls(law, &mut pairs, &places, &mut pulled);
        sites.extend(places.iter().zip(&pulled).map(|(at, pull)| Site {
            skeleton,
            bone: Some(b),
            at: *at,
            mass: share,
            within: pull.stiffness,
        }));
    }
    Sites::new(sites)
}

/// Words for the seeds that stick.
#[derive(Default)]
pub struct Words {
    /// The first word of each skeleton, and the skeleton of each word; empty where each skeleton has but one.
    first: Vec<u32>,
    of: Vec<u32>,
}

impl Words {
    /// For so many skeletons, some of them bones.
    pub fn new(count: usize, bones: &[Bone]) -> Self {
        let needed = |b: &Bone| b.rays.len().div_ceil(BITS).max(1);
        let mut words = Self::default();
        if bones.iter().any(|b| needed(b) > 1) {
            let mut counts = vec![1; count];
            bones.iter().for_each(|b| counts[b.skeleton] = needed(b));
            for (i, n) in counts.into_iter().enumerate() {
                words.first.push(words.of.len() as u32);
                words.of.resize(words.of.len() + n, i as u32);
            }
        }
        words
    }

    /// How many so many skeletons have.
    pub fn count(&self, skeletons: usize) -> usize {
        if self.of.is_empty() { skeletons } else { self.of.len() }
    }

    /// The first of a skeleton.
    pub fn first(&self, skeleton: usize) -> u32 {
        self.first.get(skeleton).copied().unwrap_or(skeleton as u32)
    }

    /// The skeleton of one.
    pub fn skeleton(&self, word: usize) -> usize {
        self.of.get(word).map_or(word, |i| *i as usize)
    }
}

/// Two skeletons closer to each other than they may be.
pub fn too_close(list: &[Placed], sites: &Sites, bones: &[Bone], least: f64) -> Option<(usize, usize)> {
    let x: Vec<Vec3> = list.iter().map(|p| p.at).collect();
    let poses: Vec<_> =
        bones.iter().map(|b| super::bone::Pose { rotation: b.rotation, momentum: Vec3::ZERO }).collect();
    let places = sites.places(&x, &poses);
    let mut pairs = Pairs::default();
    pairs.keep_up(&places, least, 0.0);
    let mut found = None;
    pairs.each(|a, b| {
        let (i, j) = (sites.skeleton(a), sites.skeleton(b));
        if found.is_none() && i != j && places[a].distance(places[b]) < least {
            found = Some((i.min(j), i.max(j)));
        }
    });
    // What reaches into a bone between its sites.
    for bone in bones {
        let shaped = bone.shaped(x[bone.skeleton], bone.rotation, 1.0);
        let (far, own) = (bone.form.extent() + least, bone.skeleton);
        let reached = places.iter().enumerate().filter(|(s, p)| {
            sites.skeleton(*s) != own && p.distance(shaped.at) < far && shaped.way_to(**p).length() < least
        });
        let first = reached.map(|(s, _)| sites.skeleton(s)).next();
        found = found.or(first.map(|other| (own.min(other), own.max(other))));
    }
    found
}
