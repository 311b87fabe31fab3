//! What a scene says about pictures of itself. The engine reads none of it; `pliant render` and `pliant view` do.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The `[camera]` table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CameraSpec {
    /// Where it stands `[m]`; by default where all that moves is in the picture.
    pub at: Option<[f64; 3]>,
    /// The place in the middle of the picture `[m]`; by default the middle of all that moves.
    pub look_at: Option<[f64; 3]>,
    /// Which way is up in the picture.
    pub up: [f64; 3],
    /// Angle of view from the lower to the upper edge `[degrees]`.
    pub fov: f64,
    /// Pixels across and down.
    pub size: [u32; 2],
    /// Turns about `look_at` by this much per second `[degrees/s]`.
    pub orbit: f64,
    /// A body that the camera goes along with.
    pub follow: Option<String>,
    /// Places over time, on a smooth curve; they take the place of `at` and `look_at`.
    pub keys: Vec<CameraKey>,
    /// Diameter of the lens `[m]`; 0 is sharp at every distance.
    pub aperture: f64,
    /// Distance that is sharp `[m]`; by default that of `look_at`.
    pub focus: Option<f64>,
    /// Part of the time between two frames during which light falls in; 0 shows moving bodies without blur.
    pub shutter: f64,
    /// Steps of brightness: 1 is twice as bright.
    pub exposure: f64,
}

impl Default for CameraSpec {
    fn default() -> Self {
        Self {
            at: None,
            look_at: None,
            up: [0.0, 1.0, 0.0],
            fov: 30.0,
            size: [960, 540],
            orbit: 0.0,
            follow: None,
            keys: vec![],
            aperture: 0.0,
            focus: None,
            shutter: 0.0,
            exposure: 0.0,
        }
    }
}

/// Where the camera is at one time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CameraKey {
    /// Time `[s]`.
    pub t: f64,
    /// Where it stands `[m]`.
    pub at: [f64; 3],
    /// The place in the middle of the picture `[m]`.
    pub look_at: [f64; 3],
}

/// The `[light]` table: a sun, the sky and any number of lamps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LightSpec {
    /// From the scene towards the sun.
    pub direction: [f64; 3],
    /// Half the angle under which the sun appears `[degrees]`; larger gives softer shadows.
    pub softness: f64,
    /// Colour of the sun.
    pub colour: Colour,
    /// Brightness of the sun: 1 shows a white wall that faces it as white.
    pub strength: f64,
    /// Colour of the sky overhead.
    pub sky: Colour,
    /// Colour of the sky at the horizon.
    pub horizon: Colour,
    /// Brightness of the sky.
    pub sky_strength: f64,
    /// Flat lamps.
    pub lamp: Vec<LampSpec>,
}

impl Default for LightSpec {
    fn default() -> Self {
        Self {
            direction: [-0.45, 1.0, 0.6],
            softness: 3.0,
            colour: Colour::Rgb([1.0, 0.96, 0.9]),
            strength: 0.85,
            sky: Colour::Rgb([0.84, 0.89, 0.96]),
            horizon: Colour::Rgb([0.95, 0.945, 0.935]),
            sky_strength: 0.55,
            lamp: vec![],
        }
    }
}

/// A flat round lamp that shines to one side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LampSpec {
    /// Its middle `[m]`.
    pub at: [f64; 3],
    /// Where it points `[m]`.
    pub look_at: [f64; 3],
    /// Radius `[m]`; larger gives softer shadows.
    #[serde(default = "lamp_radius")]
    pub radius: f64,
    /// Colour.
    #[serde(default = "white")]
    pub colour: Colour,
    /// Brightness: 1 shows a white wall at `look_at` that faces it as white.
    #[serde(default = "one")]
    pub strength: f64,
}

fn lamp_radius() -> f64 {
    0.2
}

fn white() -> Colour {
    Colour::Rgb([1.0; 3])
}

fn one() -> f64 {
    1.0
}

/// How one object looks: an entry of the `[look]` table, under the object's name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LookSpec {
    /// Its colour; by default one of its own.
    pub colour: Option<Colour>,
    /// A second colour makes a pattern of squares.
    pub squares: Option<Colour>,
    /// Side of the squares `[m]`.
    pub square_size: Option<f64>,
    /// What the surface is like; by default bodies are satin and obstacles matte.
    pub finish: Option<Finish>,
    /// Whether it is left out of pictures.
    pub hidden: bool,
}

/// What a surface is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    /// Rough, without reflections.
    Matte,
    /// Rough below a thin, slightly rough coat that mirrors at shallow angles.
    Satin,
    /// Below a smooth clear coat.
    Glossy,
    /// A polished metal.
    Metal,
    /// Clear and coloured, like fruit jelly: light goes through and bends.
    Gelatin,
}

/// A colour as it is shown: `"#c2452d"`, or red, green and blue from 0 to 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Colour {
    /// Six hexadecimal digits after `#`.
    Hex(String),
    /// Red, green, blue.
    Rgb([f64; 3]),
}

impl Colour {
    /// Red, green and blue as shown (sRGB), from 0 to 1; nothing if the text is no colour.
    pub fn srgb(&self) -> Option<[f64; 3]> {
        match self {
            Colour::Rgb(rgb) => Some(*rgb).filter(|c| c.iter().all(|x| (0.0..=1.0).contains(x))),
            Colour::Hex(text) => {
                let digits = text.strip_prefix('#').filter(|d| d.len() == 6 && d.is_ascii())?;
                let part = |i: usize| u8::from_str_radix(&digits[i..i + 2], 16).ok();
                Some([part(0)?, part(2)?, part(4)?].map(|x| f64::from(x) / 255.0))
            }
        }
    }
}

/// The `[matte]` table: bodies are put into a photograph (`[TW88]` figure 3).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MatteSpec {
    /// The photograph: a PNG or JPEG beside the scene or the recording. It gives the size of the pictures.
    pub photo: String,
    /// Marked points from which the camera is found: at least four, better eight, not all on a line.
    pub points: Vec<MarkSpec>,
    /// Obstacles that stand for surfaces in the photograph: they are not shown, but catch shadows. By default all.
    #[serde(default)]
    pub catch: Option<Vec<String>>,
    /// Angle of view from the lower to the upper edge, if it is known `[degrees]`.
    #[serde(default)]
    pub fov: Option<f64>,
}

/// A place that can be seen in the photograph.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MarkSpec {
    /// Where it is in the photograph, from the left and from the top `[pixels]`.
    pub pixel: [f64; 2],
    /// Where it is in the scene `[m]`.
    pub at: [f64; 3],
}

/// The `[figure]` table: which published figure the scene shows, and at which moments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FigureSpec {
    /// The figure, such as `[BW92] Figure 5`.
    pub of: String,
    /// Moments shown `[s]`.
    pub times: Vec<f64>,
    /// How several moments are put together.
    #[serde(default)]
    pub style: FigureStyle,
    /// What is drawn over the picture, as for `pliant render --overlay`.
    #[serde(default)]
    pub overlays: Vec<String>,
    /// Keys that are changed for the figure, as for `pliant run --set`: finer than the scene needs to be to play with it.
    #[serde(default)]
    pub set: Vec<String>,
    /// One line: what to look at.
    pub see: String,
    /// What the paper says, each with our number for it.
    #[serde(default)]
    pub claims: Vec<ClaimSpec>,
}

/// How several moments are put together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FigureStyle {
    /// All in one picture, as if lit by a stroboscope.
    #[default]
    Strobe,
    /// One picture beside the other.
    Sheet,
}

/// A statement of a paper that the scene can be held against.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClaimSpec {
    /// What the paper says.
    pub paper: String,
    /// What we measure.
    pub measure: Measure,
}

/// A number that can be read off a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// Triangles of the first body's skin.
    Triangles,
    /// Bodies in the scene.
    Bodies,
    /// Numbers that say where the first body is.
    Freedoms,
    /// Deepest penetration of any frame `[m]`.
    MaxPenetration,
    /// Part of the kinetic energy at the start that is no longer kinetic or elastic at the end.
    EnergyLost,
    /// Largest relative change of any body's volume.
    MaxVolumeError,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_read_from_digits_and_numbers() {
        assert_eq!(Colour::Hex("#ff8000".into()).srgb(), Some([1.0, 128.0 / 255.0, 0.0]));
        assert_eq!(Colour::Rgb([0.1, 0.2, 0.3]).srgb(), Some([0.1, 0.2, 0.3]));
        for wrong in ["ff8000", "#ff80", "#ff80zz", "#", "red", "#ff80é"] {
            assert_eq!(Colour::Hex(wrong.into()).srgb(), None, "{wrong}");
        }
        assert_eq!(Colour::Rgb([0.0, 1.1, 0.0]).srgb(), None);
        assert_eq!(Colour::Rgb([f64::NAN, 0.0, 0.0]).srgb(), None);
    }
}
