//! Shapes that say how their nodes are joined: curves, surfaces of revolution, sheets. Kinds of body that move nodes use
//! these; all other kinds, and obstacles, use the closed surface around them.

use super::one;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A rod, a ring or a knot: a curve with a cross-section.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CurveSpec {
    /// Places through which the curve passes `[m]`; or give `circle`.
    #[serde(default)]
    pub points: Option<Vec<[f64; 3]>>,
    /// Radius of a circle in the xy plane about the origin `[m]`, in place of `points`; a circle is always closed.
    #[serde(default)]
    pub circle: Option<f64>,
    /// Whether the last point is joined to the first.
    #[serde(default)]
    pub closed: bool,
    /// How many nodes, at equal distances along the curve.
    #[serde(default = "fifty")]
    pub nodes: u32,
    /// Whether a smooth curve joins the points; otherwise straight lines do.
    #[serde(default = "yes")]
    pub smooth: bool,
    /// Sides of a rectangular cross-section `[m]`: the first across the curve in its plane, the second along the
    /// normal of that plane (along z for curves in the xy plane); or give `radius`.
    #[serde(default)]
    pub section: Option<[f64; 2]>,
    /// Radius of a round cross-section `[m]`, in place of `section`.
    #[serde(default)]
    pub radius: Option<f64>,
}

/// A profile turned about y: an apple, a vase, a pumpkin, a squash.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RevolveSpec {
    /// Distance from the axis and height `[m]` of the points of the profile, from one end to the other; both ends lie
    /// on the axis.
    pub profile: Vec<[f64; 2]>,
    /// Rings of nodes between the two poles, at equal distances along the profile.
    #[serde(default = "eleven")]
    pub rings: u32,
    /// Nodes of each ring: an even number, at least 6.
    #[serde(default = "fourteen")]
    pub around: u32,
    /// Whether a smooth curve joins the points of the profile; then both poles are round. Otherwise straight lines do.
    #[serde(default = "yes")]
    pub smooth: bool,
    /// Thickness of the wall `[m]`; by default what the kind of body says.
    #[serde(default)]
    pub thickness: Option<f64>,
    /// Ribs from pole to pole.
    #[serde(default)]
    pub bumps: Option<BumpsSpec>,
    /// Angle by which the axis is bent into an arc in the xy plane `[degrees]`: the lower end stays, the upper leans
    /// towards -x if positive.
    #[serde(default)]
    pub bend: f64,
}

/// Ribs of a pumpkin: the radius times `1 + depth cos(count angle)`, less towards the poles.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BumpsSpec {
    /// How many around; at most half of `around`.
    pub count: u32,
    /// Height of a rib as a fraction of the radius, at least 0 and below 1.
    pub depth: f64,
}

/// A flat sheet in the xz plane.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GridSpec {
    /// Full side lengths along x and z `[m]`.
    pub size: [f64; 2],
    /// How many cells along x and z; there is one node more each way.
    pub cells: [u32; 2],
    /// Thickness `[m]`.
    pub thickness: f64,
}

/// A pipe along y, open at both ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TubeSpec {
    /// Radius to the middle of the wall `[m]`.
    pub radius: f64,
    /// Full length `[m]`.
    pub length: f64,
    /// How many cells along and around; at least 6 around.
    pub cells: [u32; 2],
    /// Thickness of the wall `[m]`.
    pub thickness: f64,
}

/// A triangle surface in a file, open or closed, as a thin sheet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SheetSpec {
    /// Path relative to the scene file: obj, ply, stl or glb.
    pub file: String,
    /// Multiplies every coordinate.
    #[serde(default = "one")]
    pub scale: f64,
    /// Thickness `[m]`, half of it on either side of the surface.
    pub thickness: f64,
}

fn yes() -> bool {
    true
}

fn fifty() -> u32 {
    50
}

fn eleven() -> u32 {
    11
}

fn fourteen() -> u32 {
    14
}
