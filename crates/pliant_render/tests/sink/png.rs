use super::support::{film, names, picture, write};
use pliant_render::Image;
use pliant_render::sink::FilmInfo;
use std::path::Path;
use tempfile::tempdir;

fn read(path: &Path) -> (Image, png::Info<'static>) {
    let mut reader =
        png::Decoder::new(std::io::BufReader::new(std::fs::File::open(path).unwrap())).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut bytes).unwrap();
    let info = reader.info().clone();
    let pixels = match info.color_type {
        png::ColorType::Rgba => bytes.chunks(4).map(|p| [p[0], p[1], p[2], p[3]]).collect(),
        _ => bytes.chunks(3).map(|p| [p[0], p[1], p[2], 255]).collect(),
    };
    (Image { width: info.width, height: info.height, pixels }, info)
}

#[test]
fn single_picture_is_kept_exactly_under_its_own_name() {
    let folder = tempdir().unwrap();
    for alpha in [false, true] {
        let info = FilmInfo { alpha, ..film(31, 17, 1) };
        let path = folder.path().join("still.png");
        write(&path, &info).unwrap();
        let (image, header) = read(&path);
        assert_eq!(image, picture(&info, 0));
        assert_eq!(header.color_type, if alpha { png::ColorType::Rgba } else { png::ColorType::Rgb });
        assert!(header.srgb.is_some());
    }
    assert_eq!(names(folder.path()), ["still.png"]);
}

#[test]
fn many_pictures_are_numbered() {
    let folder = tempdir().unwrap();
    let info = film(20, 10, 3);
    write(&folder.path().join("a.png"), &info).unwrap();
    write(&folder.path().join("b_##.png"), &info).unwrap();
    write(&folder.path().join("c#.PNG"), &film(20, 10, 1)).unwrap();
    let expected = ["a.0000.png", "a.0001.png", "a.0002.png", "b_00.png", "b_01.png", "b_02.png", "c0.PNG"];
    assert_eq!(names(folder.path()), expected);
    assert_eq!(read(&folder.path().join("b_02.png")).0, picture(&info, 2));
}
