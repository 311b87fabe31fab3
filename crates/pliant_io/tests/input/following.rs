//! Controls that follow a mesh that moves: files that are good, missing, changed or cut off.

use crate::bad_common::{POINTS, obj};
use pliant::World;
use pliant::math::Vec3;
use pliant_io::scene_file::{load, mesh_names};
use std::fs;
use std::path::Path;

/// The tetrahedron, lifted.
fn lifted(by: f32) -> String {
    let points: String = POINTS.iter().map(|[x, y, z]| format!("v {x} {} {z}\n", y + by)).collect();
    points + &obj().lines().filter(|l| l.starts_with('f')).map(|l| format!("{l}\n")).collect::<String>()
}

/// A cache of the tetrahedron, lifted more in each sample.
fn cache(points: i32, samples: i32) -> Vec<u8> {
    let mut bytes = b"POINTCACHE2\0".to_vec();
    [1, points].iter().for_each(|n: &i32| bytes.extend(n.to_le_bytes()));
    [0f32, 1.0].iter().for_each(|n| bytes.extend(n.to_le_bytes()));
    bytes.extend(samples.to_le_bytes());
    for n in 0..samples {
        for [x, y, z] in POINTS {
            [x, y + 0.1 * n as f32, z].iter().for_each(|v| bytes.extend(v.to_le_bytes()));
        }
    }
    bytes
}

/// A folder with all files, and in it a scene with a ball that follows.
fn folder(motion: &str) -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
    (8..=11).for_each(|n| write(&format!("walk.{n:03}.obj"), lifted(0.1 * (n - 8) as f32).as_bytes()));
    write("still.obj", lifted(0.0).as_bytes());
    write("walk.pc2", &cache(4, 4));
    write("short.pc2", &cache(4, 4)[..100]);
    write("other.pc2", &cache(5, 3));
    write("none.pc2", &cache(4, 0));
    write("text.pc2", b"hello");
    let ball =
        "[scene]\ngravity = [0, 0, 0]\n[[body]]\nname = \"a\"\nkind = \"rigid\"\nshape = { sphere = 0.1 }\n";
    let file = folder.path().join("scene.toml");
    fs::write(
        &file,
        format!("{ball}[[control]]\nbody = \"a\"\nkind = \"follow\"\nmotion = {{ {motion} }}\n"),
    )
    .unwrap();
    (folder, file)
}

fn built(file: &Path) -> Result<World, String> {
    let scene = load(file, &[], false).map_err(|e| e.to_string())?;
    World::new(&scene.spec, &scene.meshes).map_err(|e| scene.locate(&e).to_string())
}

#[test]
fn a_body_follows_a_row_of_files_and_a_cache_alike() {
    for motion in [
        "mesh = \"walk.###.obj\", frames = [8, 11], fps = 10",
        "mesh = \"still.obj\", cache = \"walk.pc2\", fps = 10",
    ] {
        let (_folder, file) = folder(motion);
        let mut world = built(&file).unwrap();
        let start = world.bodies()[0].centre().0;
        while world.time() < 0.25 - 1e-9 {
            world.next_frame(&mut ()).unwrap();
        }
        let way = world.bodies()[0].centre().0 - start;
        assert!(way.distance(Vec3::Y * world.time()) < 1e-6, "{motion}: {way} at {}", world.time());
        let names = mesh_names(&load(&file, &[], false).unwrap().spec);
        assert!(names.iter().all(|n| file.with_file_name(n).exists()), "{names:?}");
    }
}

#[test]
fn wrong_motions_are_refused_with_advice() {
    for (motion, key, words) in [
        ("mesh = \"walk.###.obj\", frames = [8, 12]", "motion.mesh", "walk.012.obj"),
        ("mesh = \"walk.###.obj\"", "motion.frames", "[1, 48]"),
        ("mesh = \"walk.###.obj\", frames = [9, 9]", "motion.frames", "above the first"),
        ("mesh = \"walk.obj\", frames = [1, 9]", "motion.mesh", "walk.####.obj"),
        ("mesh = \"still.obj\", cache = \"gone.pc2\"", "motion.cache", "gone.pc2"),
        (
            "mesh = \"still.obj\", cache = \"short.pc2\"",
            "motion.cache",
            "is cut off: 4 samples of 4 points take 192 bytes",
        ),
        ("mesh = \"still.obj\", cache = \"other.pc2\"", "motion.cache", "cut off"),
        ("mesh = \"still.obj\", cache = \"none.pc2\"", "motion.cache", "found 4 and 0"),
        ("mesh = \"still.obj\", cache = \"text.pc2\"", "motion.cache", "POINTCACHE2"),
        ("mesh = \"still.obj\", cache = \"walk.mdd\"", "motion.cache", "`.pc2`"),
        ("mesh = \"still.obj\", cache = \"walk.pc2\", fps = 0", "motion.fps", "above 0"),
        ("mesh = \"still.obj\", cache = \"walk.pc2\", frames = [1, 4]", "motion.frames", "remove"),
    ] {
        let (_folder, file) = folder(motion);
        let said = built(&file).err().unwrap_or_else(|| panic!("accepted: {motion}"));
        assert!(
            said.contains(&format!("control[0].{key}")),
            "{motion}\nis said to be wrong elsewhere: {said}"
        );
        assert!(said.contains(words), "{motion}\nno word of {words}: {said}");
    }
    // Frames of other meshes, which have other points.
    let (folder, file) = folder("mesh = \"walk.###.obj\", frames = [8, 11]");
    fs::write(folder.path().join("walk.010.obj"), format!("v 5 5 5\n{}", lifted(0.0))).unwrap();
    let said = built(&file).err().unwrap();
    assert!(said.contains("`walk.010.obj` has 5, the first has 4"), "{said}");
    // Nothing selected, and a motion that nobody follows.
    for (from, to, words) in [
        (
            "kind = \"follow\"",
            "kind = \"follow\"\nselect = { ball = { centre = [9, 9, 9], radius = 0.1 } }",
            "selects no point",
        ),
        ("kind = \"follow\"", "kind = \"hold\"", "only `follow`"),
    ] {
        let (_folder, file) = self::folder("mesh = \"walk.###.obj\", frames = [8, 11]");
        let text = fs::read_to_string(&file).unwrap().replace(from, to);
        fs::write(&file, text).unwrap();
        let said = built(&file).err().unwrap();
        assert!(said.contains(words), "{said}");
    }
}
