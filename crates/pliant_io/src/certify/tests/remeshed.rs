//! Surfaces that are made anew in every frame are tested as they are in that frame.

use super::*;
use pliant::Surface;

type Damage = fn(&mut Surface);

/// Cubes of one body: middle along x, and half the side.
fn lumps(cubes: &[(f32, f32)]) -> ObjectFrame {
    let (mut points, mut surface) = (vec![], Surface::default());
    for (piece, (x, half)) in cubes.iter().enumerate() {
        let base = points.len() as u32;
        surface.triangles.extend(CUBE.map(|[a, b, c]| [a + base, c + base, b + base]));
        for [px, y, z] in cube_points(*half) {
            points.push([px + x, y, z]);
            surface.normals.push([px, y, z].map(|c| c / (half * 3_f32.sqrt())));
            surface.pieces.push(piece as u32);
        }
    }
    ObjectFrame {
        translation: Vec3::new(0.0, 0.75, 0.0),
        rotation: Quat::IDENTITY,
        points,
        surface: Some(surface),
        ..ObjectFrame::default()
    }
}

/// A lump that is one cube in the first two frames, then two; another body two metres to the right.
fn splitting() -> Run {
    let clay = ObjectTopology { remeshed: true, incompressible: true, ..cube("clay", 0.5) };
    let mut run = Run::new(vec![
        (clay, Vec3::ZERO),
        (cube("right", 0.5), Vec3::new(2.0, 0.75, 0.0)),
        (ground(), Vec3::ZERO),
    ]);
    for (k, frame) in run.frames.iter_mut().enumerate() {
        frame.objects[0] = if k < 2 { lumps(&[(0.0, 0.5)]) } else { lumps(&[(-0.5, 0.25), (1.0, 0.375)]) };
    }
    run
}

fn surface(run: &mut Run, k: usize) -> &mut Surface {
    run.frames[k].objects[0].surface.as_mut().unwrap()
}

#[test]
fn a_lump_that_splits_is_good_and_its_distances_are_those_of_each_frame() {
    let mut run = splitting();
    // Neither Jacobian nor volume mean anything to a body without a rest shape.
    run.frames[4].measures[0].least_jacobian = -1.0;
    let c = run.certify();
    assert!(c.ok, "{:?}", c.failures);
    assert_eq!((c.open_surfaces, c.inverted_elements, c.max_volume_error), (0, 0, 0.0));
    let distances: Vec<f64> = c.per_frame.iter().map(|f| f.bodies[1].min_distance).collect();
    // To the ground first; then one half is nearer.
    assert_eq!(distances, [0.25, 0.25, 0.125, 0.125, 0.125]);
    assert_eq!(c.per_frame[4].bodies[0].volume_error, None);
}

#[test]
fn each_unsound_surface_is_found_with_frame_and_name() {
    let damages: [(Damage, &str); 4] = [
        (|s| s.triangles.truncate(23), "open edge"),
        (|s| s.triangles[7].swap(0, 1), "same direction"),
        (|s| s.triangles.iter_mut().for_each(|t| t.swap(0, 1)), "inside out"),
        (|s| s.triangles.clear(), "empty"),
    ];
    for (damage, word) in damages {
        let mut run = splitting();
        damage(surface(&mut run, 3));
        let c = run.certify();
        let finding = only(&c);
        assert_eq!((finding.frame, &finding.objects[..]), (3, &["clay".to_owned()][..]));
        assert!(finding.what.contains(word), "{}", finding.what);
        assert_eq!((c.open_surfaces, c.per_frame[3].open_surfaces), (1, 1));
        assert!(c.per_frame[3].bodies[0].open_surface && !c.per_frame[2].bodies[0].open_surface);
    }
}

#[test]
fn pieces_that_meet_each_other_or_another_body_are_found() {
    let mut run = splitting();
    run.frames[3].objects[0] = lumps(&[(0.5, 0.25), (0.9, 0.375)]);
    assert_eq!(only(&run.certify()).what, "passes through itself");
    // The second piece alone reaches into the other body, beyond where the start's surface ever was.
    run.frames[3].objects[0] = lumps(&[(-0.5, 0.25), (1.3, 0.375)]);
    let c = run.certify();
    assert_eq!((only(&c).frame, only(&c).what.as_str()), (3, "intersect"));
    run.frames[3].objects[0] = lumps(&[(-0.5, 0.25), (2.01, 0.125)]);
    assert_eq!(only(&run.certify()).what, "one is inside the other");
}

#[test]
fn normals_that_are_not_finite_are_named() {
    let mut run = splitting();
    surface(&mut run, 1).normals[2][0] = f32::NAN;
    let c = run.certify();
    assert_eq!((c.non_finite_frames, &only(&c).objects[..]), (1, &["clay".to_owned()][..]));
}
