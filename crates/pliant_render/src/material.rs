//! What surfaces are like.

use glam::Vec3A;
use pliant::ObjectTopology;
use pliant::scene::{Colour, Finish, LookSpec, SceneSpec, ShapeSpec};
use std::collections::BTreeMap;

/// How one object answers light.
#[derive(Clone, Debug)]
pub(crate) struct Surface {
    /// Linear RGB.
    pub colour: Vec3A,
    /// A second colour in squares, and how many squares there are to the metre.
    pub squares: Option<(Vec3A, f32)>,
    pub finish: Finish,
}

impl Surface {
    /// Colour at a place in the object's rest shape.
    pub fn colour_at(&self, rest: Vec3A) -> Vec3A {
        match self.squares {
            // The small shift keeps faces at whole multiples of the size away from the change of colour.
            Some((other, per_metre)) => {
                let cell = (rest * per_metre + Vec3A::splat(1e-3)).floor();
                if (cell.x + cell.y + cell.z) as i64 & 1 == 0 { self.colour } else { other }
            }
            None => self.colour,
        }
    }

    /// Roughness of the coat and its reflectance straight on; nothing if there is no coat.
    pub fn coat(&self) -> Option<(f32, Vec3A)> {
        match self.finish {
            Finish::Matte | Finish::Gelatin => None,
            Finish::Satin => Some((0.35, Vec3A::splat(0.04))),
            Finish::Glossy => Some((0.06, Vec3A::splat(0.05))),
            Finish::Metal => Some((0.18, self.colour)),
        }
    }

    /// Whether what is seen in it or through it matters more than its own light.
    pub fn shows_surroundings(&self) -> bool {
        matches!(self.finish, Finish::Glossy | Finish::Metal | Finish::Gelatin)
    }
}

/// The surfaces of all objects, in the order of the topology; nothing for those that are hidden.
pub(crate) fn surfaces(spec: &SceneSpec, objects: &[ObjectTopology]) -> Vec<Option<Surface>> {
    let (mut bodies, mut obstacles) = (0, 0);
    objects
        .iter()
        .map(|object| {
            let look = look_of(&spec.look, &object.name);
            let count = if object.is_body() { &mut bodies } else { &mut obstacles };
            let number = *count;
            *count += 1;
            if look.is_some_and(|l| l.hidden) {
                return None;
            }
            let is_plane = spec
                .obstacle
                .iter()
                .any(|o| o.name == object.name && matches!(o.shape, ShapeSpec::Plane { .. }));
            Some(surface(look, number, object.is_body(), is_plane))
        })
        .collect()
}

/// Entry of an object: under its own name, or under that of the body it is a copy of.
fn look_of<'a>(looks: &'a BTreeMap<String, LookSpec>, name: &str) -> Option<&'a LookSpec> {
    let copied_from = || name.rsplit_once('.').and_then(|(base, _)| looks.get(base));
    looks.get(name).or_else(copied_from)
}

fn surface(look: Option<&LookSpec>, number: usize, is_body: bool, is_plane: bool) -> Surface {
    let default = LookSpec::default();
    let given = look.unwrap_or(&default);
    let finish = given.finish.unwrap_or(if is_body { Finish::Satin } else { Finish::Matte });
    let own = match (is_body, is_plane) {
        (true, _) => BODIES[number % BODIES.len()],
        (false, true) => FLOOR,
        (false, false) => OBSTACLES[number % OBSTACLES.len()],
    };
    let colour = given.colour.as_ref().map_or(from_srgb(own.map(|x| f64::from(x) / 255.0)), linear);
    let squares = match (&given.squares, is_plane && given.colour.is_none()) {
        (Some(other), _) => Some((linear(other), 1.0 / given.square_size.unwrap_or(0.25) as f32)),
        // A floor without any mark gives no idea of size and speed.
        (None, true) => Some((colour * 0.94, 1.0 / given.square_size.unwrap_or(0.5) as f32)),
        (None, false) => None,
    };
    Surface { colour, squares, finish }
}

/// Colours of bodies that a scene gives none: warm and cool in turn, none of them shrill.
const BODIES: [[u8; 3]; 8] = [
    [0xe0, 0x7a, 0x3f],
    [0x2f, 0x8f, 0x9d],
    [0xe3, 0xb5, 0x4a],
    [0x4f, 0x6f, 0xa8],
    [0xc4, 0x4f, 0x45],
    [0x6f, 0xa3, 0x5c],
    [0x8c, 0x6b, 0xa1],
    [0xd9, 0x8f, 0x9f],
];
const OBSTACLES: [[u8; 3]; 3] = [[0xd9, 0xd3, 0xc8], [0xc9, 0xcb, 0xcc], [0xcb, 0xbf, 0xae]];
const FLOOR: [u8; 3] = [0xd2, 0xcf, 0xc9];

/// Linear RGB of a colour as shown.
pub(crate) fn linear(colour: &Colour) -> Vec3A {
    from_srgb(colour.srgb().unwrap_or([0.5; 3]))
}

fn from_srgb(rgb: [f64; 3]) -> Vec3A {
    Vec3A::from_array(rgb.map(|x| crate::develop::to_linear(x as f32)))
}
