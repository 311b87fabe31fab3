//! What is shown where coats touch others.

use super::fit::onto;
use super::*;
use crate::math::portable::angle_between;
use crate::{Frame, MeshLibrary};

/// Where the free surface turns into a contact face, its normal turns smoothly, whatever the angle between them.
#[test]
fn the_surface_has_no_edge_where_it_meets_what_it_touches() {
    for angle in [0.3f64, 1.0, 2.0] {
        let (a, b) = (Vec3::Y, Vec3::new(angle.sin(), angle.cos(), 0.0));
        // Half a thousandth of the thickness apart.
        let normal = |k: i32| least((0.0, a), (f64::from(k) * 5e-4, b)).1.normalize();
        for k in -1000..1000 {
            let turn = normal(k).angle_between(normal(k + 1)).to_degrees();
            assert!(turn < 0.5, "{angle} {k}: {turn}");
        }
        assert_eq!((normal(-1000), normal(1000)), (b, a));
    }
}

/// Two lumps of clay, one on top of the other, on a floor.
const LUMPS: &str = "[[obstacle]]\nname = \"floor\"\nshape = { plane = {} }\n\
    [[body]]\nname = \"lower\"\nkind = \"clay\"\nshape = { sphere = 0.1 }\nposition = [0.0, 0.15, 0.0]\n\
    spacing = 0.05\nmaterial = { young = 2e4, damping = 0.8 }\n\
    [[body]]\nname = \"upper\"\nkind = \"clay\"\nshape = { sphere = 0.07 }\nposition = [0.02, 0.33, 0.01]\n\
    spacing = 0.04\nmaterial = { young = 2e4, damping = 0.8 }\n";

fn world(text: &str) -> World {
    World::new(&toml::from_str(text).unwrap(), &MeshLibrary::new()).unwrap()
}

/// The points of an object as a frame shows them.
fn shown(frame: &Frame, i: usize) -> Vec<Vec3> {
    let object = &frame.objects[i];
    object.points.iter().map(|p| object.translation + Vec3::from(p.map(f64::from))).collect()
}

/// Each edge of the mesh that crosses the border of a contact face, followed along the surface itself in a thousand steps, turns by
/// less than half a degree in each: there is no crease.
#[test]
fn the_mesh_is_smooth_across_the_borders_of_contact_faces() {
    let mut world = world(LUMPS);
    let frame = (0..60).map(|_| world.next_frame(&mut ()).unwrap()).last().unwrap();
    for i in 0..2 {
        let coat = world.bodies[i].coat().unwrap();
        let limits = world.limits_of(i, coat);
        let (points, surface) = (shown(&frame, i), frame.objects[i].surface.as_ref().unwrap());
        let is_free = |p: Vec3| {
            let (f, gradient) = coat.at(p);
            (limits.at(p, f, gradient).0 - (f - 1.0)).abs() < 1e-9
        };
        let mut followed = 0;
        let sides = surface.triangles.iter().flat_map(|[a, b, c]| [[*a, *b], [*b, *c], [*c, *a]]);
        for [a, b] in sides.filter(|[a, b]| a < b) {
            let [p, q] = [a, b].map(|k| points[k as usize]);
            if is_free(p) == is_free(q) {
                continue;
            }
            let outward = Vec3::from(surface.normals[a as usize].map(f64::from));
            let normal = |k: i32| {
                onto(p.lerp(q, f64::from(k) / 1000.0), outward, 0.25 * p.distance(q), coat, &limits).1
            };
            let mut last = normal(0);
            for k in 1..=1000 {
                let next = normal(k);
                let turn = angle_between(last, next).to_degrees();
                assert!(turn < 0.5, "{turn} between {p} and {q} at {k}");
                last = next;
            }
            followed += 1;
        }
        assert!(followed > 30, "{followed}");
    }
}
