//! What a picture costs beside the rays it needs: a heap of about 50 000 triangles with soft shadows and ambient
//! occlusion, on one thread, against Embree's time for exactly the same rays in the same run. Both times are the
//! processor's, so that what else runs on the machine is left out.
//!
//! usage: rays PYTHON [--size 960x540] [--samples 4] [--repeat 3] [--picture OUT.ppm]
//!
//! PYTHON must have the packages of `bench/peers/requirements.txt`.

use pliant::World;
use pliant_render::{Settings, Studio};
use std::io::Write;
use std::path::Path;
use std::process::Command;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let option = |name: &str, default: &str| {
        let at = args.iter().position(|a| a == name);
        at.and_then(|i| args.get(i + 1)).cloned().unwrap_or_else(|| default.into())
    };
    let python = args.get(1).expect("usage: rays PYTHON [options]");
    let size: Vec<u32> = option("--size", "960x540").split('x').map(|n| n.parse().expect("WxH")).collect();
    let samples: u32 = option("--samples", "4").parse().expect("--samples takes a number");
    let repeat: usize = option("--repeat", "3").parse().expect("--repeat takes a number");
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global().expect("one thread pool");

    let spec = pliant_io::scene_file::parse(SCENE, "the heap").expect("a valid scene");
    let mut world = World::new(&spec, &Default::default()).expect("a world");
    let mut frames = vec![world.frame()];
    for _ in 0..spec.scene.frame_count() {
        frames.push(world.next_frame(&mut ()).expect("a frame"));
    }
    let settings = Settings { size: Some([size[0], size[1]]), samples, ..Settings::default() };
    let studio = Studio::new(&spec, &world.topology(), &frames, None, settings).expect("a studio");
    let frame = frames.last().expect("frames");

    let folder = std::env::temp_dir().join(format!("pliant-rays-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let (corners, rays) = (folder.join("corners.bin"), folder.join("rays.bin"));
    let logged = studio.measure(frame, true);
    write(&corners, logged.corners.iter().flatten().flatten().copied());
    write(&rays, logged.rays.iter().flat_map(|(o, d, t, any)| {
        o.iter().chain(d).copied().chain([*t, f32::from(u8::from(*any))]).collect::<Vec<_>>()
    }));
    if let Some(path) = args.iter().position(|a| a == "--picture").and_then(|i| args.get(i + 1)) {
        let image = &logged.image;
        let mut out = format!("P6 {} {} 255\n", image.width, image.height).into_bytes();
        out.extend(image.pixels.iter().flat_map(|p| [p[0], p[1], p[2]]));
        std::fs::write(path, out).expect("a picture");
    }
    let (mut ours, mut theirs) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..repeat {
        let began = pliant_bench::cpu();
        let measured = studio.measure(frame, false);
        ours = ours.min(pliant_bench::cpu() - began);
        assert_eq!(measured.ray_count, logged.ray_count);
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/embree_rays.py");
        let output = Command::new(python).arg(script).args([&corners, &rays]).arg("1").output().expect("Python");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let seconds = text.split("\"seconds\": ").nth(1).and_then(|t| t.split(',').next()).expect("seconds");
        theirs = theirs.min(seconds.parse().expect("a number"));
    }
    std::fs::remove_dir_all(&folder).expect("the folder is ours");
    let count = logged.ray_count as f64;
    println!("triangles, rays, picture_s, embree_s, ratio, our_mrays_per_s, embree_mrays_per_s");
    println!(
        "{}, {count}, {ours:.3}, {theirs:.3}, {:.2}, {:.2}, {:.2}",
        logged.corners.len(),
        ours / theirs,
        count / ours * 1e-6,
        count / theirs * 1e-6
    );
}

fn write(path: &Path, numbers: impl Iterator<Item = f32>) {
    let mut out = std::io::BufWriter::new(std::fs::File::create(path).expect("a file"));
    for x in numbers {
        out.write_all(&x.to_le_bytes()).expect("space on the disk");
    }
}

/// The floor is a box: an endless plane would be no triangle for Embree.
const SCENE: &str = r#"
[scene]
title = "A heap of balls and rings"
duration = 0.7

[[body]]
name = "ball"
kind = "rigid"
shape = { sphere = 0.1 }
position = [-0.3, 0.2, -0.3]
copies = { count = [4, 2, 3], spacing = [0.22, 0.25, 0.22], jitter = 0.01 }

[[body]]
name = "ring"
kind = "rigid"
shape = { torus = { major = 0.1, minor = 0.035 } }
position = [-0.3, 0.8, -0.2]
copies = { count = [3, 1, 2], spacing = [0.3, 0.3, 0.3] }
rotation = [40, 0, 20]

[[obstacle]]
name = "floor"
shape = { box = [6, 0.2, 6] }
position = [0, -0.1, 0]
"#;
