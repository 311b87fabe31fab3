//! Named materials, and from a material as written to numbers that are known to be sound.

use crate::scene::{Material, MaterialSpec, SceneError};
use crate::scene_check::{at_least_zero, finite, positive, unknown_name};

/// The named materials: name, what it is, numbers. `pliant list` prints this table.
///
/// Stiffness and density are typical handbook values. Damping and friction depend so much on the sample that the
/// values are middling choices that look right, not measurements.
pub const PRESETS: &[(&str, &str, Material)] = &[
    ("rubber", "soft vulcanised rubber: stretches far, grips well", elastic(1100.0, 1.5e6, 0.48, 0.05, 0.9)),
    ("soft_rubber", "silicone, as in kitchen moulds and toys", elastic(1080.0, 2.5e5, 0.48, 0.04, 0.8)),
    ("gelatin", "firm kitchen gelatin: wobbles for a while", elastic(1020.0, 1.5e4, 0.45, 0.03, 0.4)),
    ("foam", "upholstery foam: light, compressible, dead", elastic(35.0, 5.0e4, 0.1, 0.15, 0.6)),
    ("sponge", "cellulose sponge, dry", elastic(60.0, 2.0e5, 0.15, 0.12, 0.6)),
    ("flesh", "muscle and fat at rest", elastic(1050.0, 3.0e4, 0.45, 0.1, 0.5)),
    ("leather", "tanned hide, a few millimetres thick", elastic(900.0, 5.0e7, 0.4, 0.08, 0.6)),
    ("cork", "bottle stopper: squeezing it does not widen it", elastic(180.0, 2.0e7, 0.0, 0.08, 0.6)),
    ("plastic", "hard moulded plastic (ABS)", elastic(1050.0, 2.2e9, 0.35, 0.02, 0.35)),
    ("wood", "pine along the grain", elastic(550.0, 1.0e10, 0.35, 0.02, 0.45)),
    ("bone", "cortical bone", elastic(1900.0, 1.7e10, 0.3, 0.02, 0.3)),
    ("glass", "window glass", elastic(2500.0, 7.0e10, 0.22, 0.002, 0.4)),
    ("stone", "granite", elastic(2650.0, 5.0e10, 0.25, 0.01, 0.65)),
    ("aluminium", "wrought aluminium", elastic(2700.0, 7.0e10, 0.33, 0.002, 0.45)),
    ("steel", "structural steel", elastic(7850.0, 2.0e11, 0.29, 0.002, 0.4)),
    ("ice", "fresh-water ice just below freezing", elastic(917.0, 9.0e9, 0.33, 0.01, 0.03)),
    ("clay", "modelling clay: keeps the shape it is pressed into", plastic(1700.0, 5.0e5, 0.45, 0.02, 0.05)),
    ("dough", "bread dough: yields and creeps", plastic(1150.0, 2.0e4, 0.45, 0.05, 0.3)),
    ("wax", "paraffin at room temperature", plastic(900.0, 2.0e8, 0.4, 0.01, 0.02)),
    ("lead", "soft sheet lead: bends and stays bent", plastic(11340.0, 1.6e10, 0.44, 0.002, 0.0)),
];

const fn elastic(density: f64, young: f64, poisson: f64, damping: f64, friction: f64) -> Material {
    Material {
        density,
        young,
        poisson,
        damping,
        friction,
        yield_strain: 0.0,
        flow_time: 0.0,
        incompressible: false,
        drag: 1.0,
    }
}

const fn plastic(density: f64, young: f64, poisson: f64, yield_strain: f64, flow_time: f64) -> Material {
    Material {
        density,
        young,
        poisson,
        damping: 0.2,
        friction: 0.6,
        yield_strain,
        flow_time,
        incompressible: false,
        drag: 1.0,
    }
}

/// The numbers of a material as written in the scene, checked. `path` is the key it stands at, such as
/// `body[2].material`.
pub fn resolve(spec: &MaterialSpec, path: &str) -> Result<Material, SceneError> {
    match spec {
        MaterialSpec::Preset(name) => match PRESETS.iter().find(|(known, ..)| known == name) {
            Some((.., material)) => Ok(material.clone()),
            None => {
                let known = PRESETS.iter().map(|(name, ..)| *name);
                Err(SceneError::new(path, unknown_name("material", name, known)))
            }
        },
        MaterialSpec::Numbers(material) => {
            check(material, path)?;
            Ok(material.clone())
        }
    }
}

fn check(m: &Material, path: &str) -> Result<(), SceneError> {
    let key = |name: &str| format!("{path}.{name}");
    positive(&key("density"), m.density, "kg/m^3")?;
    positive(&key("young"), m.young, "Pa")?;
    finite(&key("poisson"), m.poisson)?;
    if m.poisson <= -1.0 || m.poisson >= 0.5 {
        let hint = if m.poisson >= 0.5 {
            "; for a volume that cannot change, set `incompressible = true`"
        } else {
            ""
        };
        let message = format!("must be above -1 and below 0.5, not {}{hint}", m.poisson);
        return Err(SceneError::new(key("poisson"), message));
    }
    at_least_zero(&key("damping"), m.damping)?;
    at_least_zero(&key("friction"), m.friction)?;
    at_least_zero(&key("yield_strain"), m.yield_strain)?;
    at_least_zero(&key("flow_time"), m.flow_time)?;
    at_least_zero(&key("drag"), m.drag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_passes_its_own_check_and_names_are_unique() {
        for (i, (name, what, material)) in PRESETS.iter().enumerate() {
            check(material, name).unwrap();
            assert!(!what.is_empty());
            assert!(PRESETS[..i].iter().all(|(other, ..)| other != name), "{name} twice");
        }
    }

    #[test]
    fn unknown_preset_names_the_nearest() {
        let error = resolve(&MaterialSpec::Preset("ruber".into()), "body[0].material").unwrap_err();
        assert_eq!(error.path, "body[0].material");
        assert!(error.message.contains("did you mean `rubber`?"), "{error}");
    }

    #[test]
    fn poisson_of_one_half_points_to_incompressible() {
        let spec = MaterialSpec::Numbers(Material { poisson: 0.5, ..Material::default() });
        let error = resolve(&spec, "body[0].material").unwrap_err();
        assert_eq!(error.path, "body[0].material.poisson");
        assert!(error.message.contains("incompressible = true"), "{error}");
    }
}
