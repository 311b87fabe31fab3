//! What can be drawn over a picture: triangles' edges, what bodies are made of, contacts and their forces, paths,
//! velocities, and quantities as colours with a legend.

mod arrows;
mod canvas;
mod colours;
mod field;
mod inner;
mod legend;

pub(crate) use arrows::draw;
pub(crate) use canvas::Canvas;
pub(crate) use field::Paint;
pub(crate) use legend::{caption, legend};

use pliant::scene_check::unknown_name;

/// What to draw over pictures.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overlays {
    /// Edges of the bodies' triangles.
    pub wire: bool,
    /// Cells that bodies are made of, as if one could see into them.
    pub cells: bool,
    /// Skeletons of clay as dots.
    pub skeletons: bool,
    /// Where the coats of clay are sampled, as dots.
    pub seeds: bool,
    /// Touching places as dots.
    pub contacts: bool,
    /// Contact forces as arrows.
    pub forces: bool,
    /// Paths of controlled bodies.
    pub paths: bool,
    /// Velocity of each body's centre of mass as an arrow.
    pub velocity: bool,
    /// A quantity as colour.
    pub field: Option<Field>,
    /// The time in seconds.
    pub time: bool,
}

/// A quantity that can be shown as colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// Largest stretch or compression of the surface.
    Strain,
    /// Change of the whole body's volume.
    Volume,
    /// Contact force per area.
    Pressure,
}

/// Names of all overlays.
const NAMES: [&str; 12] = [
    "wire",
    "cells",
    "skeletons",
    "seeds",
    "contacts",
    "forces",
    "paths",
    "velocity",
    "time",
    "strain",
    "volume",
    "pressure",
];

impl Overlays {
    /// Whether anything is drawn over the finished picture.
    pub(crate) fn any_drawn(&self) -> bool {
        let inside = self.cells || self.skeletons || self.seeds;
        inside || self.contacts || self.forces || self.paths || self.velocity || self.time
    }

    /// Reads names of overlays.
    pub fn parse<'a>(names: impl Iterator<Item = &'a str>) -> Result<Self, String> {
        let mut all = Self::default();
        for name in names {
            let field = match name {
                "wire" => Err(&mut all.wire),
                "cells" => Err(&mut all.cells),
                "skeletons" => Err(&mut all.skeletons),
                "seeds" => Err(&mut all.seeds),
                "contacts" => Err(&mut all.contacts),
                "forces" => Err(&mut all.forces),
                "paths" => Err(&mut all.paths),
                "velocity" => Err(&mut all.velocity),
                "time" => Err(&mut all.time),
                "strain" => Ok(Field::Strain),
                "volume" => Ok(Field::Volume),
                "pressure" => Ok(Field::Pressure),
                other => return Err(unknown_name("overlay", other, NAMES.into_iter())),
            };
            match field {
                Err(flag) => *flag = true,
                Ok(field) => {
                    if let Some(other) = all.field.replace(field)
                        && other != field
                    {
                        return Err("only one of strain, volume and pressure can be shown at a time".into());
                    }
                }
            }
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_slips_get_a_hint() {
        let all = Overlays::parse(["wire", "forces", "strain"].into_iter()).expect("known names");
        assert!(all.wire && all.forces && !all.paths && all.field == Some(Field::Strain));
        let error = Overlays::parse(["strian"].into_iter()).expect_err("a slip");
        assert!(error.contains("did you mean `strain`?"), "{error}");
        assert!(Overlays::parse(["strain", "volume"].into_iter()).is_err());
        for name in NAMES {
            assert_ne!(Overlays::parse([name].into_iter()), Ok(Overlays::default()), "{name}");
        }
    }
}
