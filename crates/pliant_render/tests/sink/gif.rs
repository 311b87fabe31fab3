use super::support::{film, picture, psnr};
use gif::{ColorOutput, DecodeOptions, DisposalMethod, Repeat};
use pliant_render::Image;
use pliant_render::sink::{FilmInfo, open};
use tempfile::tempdir;

/// An animation as a viewer shows it.
struct Shown {
    /// Each picture with the hundredths of a second it lasts.
    pictures: Vec<(Image, u16)>,
    /// Pixels written for each.
    written: Vec<usize>,
    local_palettes: usize,
    repeat: Repeat,
}

fn write(info: &FilmInfo, picture: impl Fn(usize) -> Image) -> Shown {
    let folder = tempdir().unwrap();
    let path = folder.path().join("film.gif");
    let mut sink = open(&path, info).unwrap();
    (0..info.count).for_each(|k| sink.picture(&picture(k)).unwrap());
    sink.finish().unwrap();

    let mut options = DecodeOptions::new();
    options.set_color_output(ColorOutput::RGBA);
    let mut decoder = options.read_info(std::fs::File::open(path).unwrap()).unwrap();
    let repeat = decoder.repeat();
    let mut canvas = Image::filled(decoder.width().into(), decoder.height().into(), [0; 4]);
    let mut shown = Shown { pictures: Vec::new(), written: Vec::new(), local_palettes: 0, repeat };
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        let places = (0..frame.buffer.len() / 4).map(|i| {
            let (x, y) = (i % usize::from(frame.width), i / usize::from(frame.width));
            (usize::from(frame.top) + y) * canvas.width as usize + usize::from(frame.left) + x
        });
        let places: Vec<_> = places.collect();
        for (pixel, &place) in frame.buffer.chunks(4).zip(&places) {
            if pixel[3] > 0 {
                canvas.pixels[place] = pixel.try_into().unwrap();
            }
        }
        shown.pictures.push((canvas.clone(), frame.delay));
        shown.written.push(places.len());
        shown.local_palettes += usize::from(frame.palette.is_some());
        if frame.dispose == DisposalMethod::Background {
            places.iter().for_each(|&place| canvas.pixels[place] = [0; 4]);
        }
    }
    shown
}

#[test]
fn animation_shows_the_pictures_for_as_long_as_they_last() {
    let info = FilmInfo { fps: 24.0, ..film(160, 90, 24) };
    let shown = write(&info, |k| picture(&info, k));
    assert_eq!(shown.pictures.len(), 24);
    assert_eq!(shown.repeat, Repeat::Infinite);
    assert_eq!(shown.pictures.iter().map(|(_, delay)| u32::from(*delay)).sum::<u32>(), 100);
    for (k, (image, delay)) in shown.pictures.iter().enumerate() {
        assert!([4, 5].contains(delay));
        let original = picture(&info, k);
        assert_eq!((image.width, image.height), (160, 90));
        let psnr = psnr(&image.pixels, &original.pixels);
        assert!(psnr > 30.0, "picture {k}: {psnr:.1} dB");
        for c in 0..3 {
            let mean =
                |image: &Image| image.pixels.iter().map(|p| f64::from(p[c])).sum::<f64>() / (160.0 * 90.0);
            assert!((mean(image) - mean(&original)).abs() < 1.0, "picture {k}, channel {c}");
        }
    }
}

#[test]
fn still_regions_do_not_flicker_and_are_not_written() {
    let info = film(160, 90, 10);
    let shown = write(&info, |k| picture(&info, k));
    let top = |k: usize| &shown.pictures[k].0.pixels[..160 * 20];
    assert!((1..10).all(|k| top(k) == top(0)));
    assert_eq!(shown.written[0], 160 * 90);
    assert!(shown.written[1..].iter().all(|&pixels| pixels < 160 * 90 / 2));
    assert_eq!(shown.local_palettes, 0);

    let still = write(&info, |_| picture(&info, 0));
    assert_eq!(still.written, [vec![160 * 90], vec![1; 9]].concat());
}

#[test]
fn fast_films_are_thinned() {
    let info = FilmInfo { fps: 60.0, ..film(32, 16, 60) };
    let shown = write(&info, |k| picture(&info, k));
    assert_eq!(shown.pictures.len(), 30);
    assert_eq!(shown.pictures.iter().map(|(_, delay)| u32::from(*delay)).sum::<u32>(), 100);
}

#[test]
fn colours_that_come_later_are_shown() {
    let info = film(64, 64, 3);
    let with_green = |k: usize| {
        let mut image = Image::filled(64, 64, [240, 30, 30, 255]);
        image.pixels[..64 * 5 * k].fill([20, 220, 40, 255]);
        image
    };
    let shown = write(&info, with_green);
    assert!((0..3).all(|k| shown.pictures[k].0 == with_green(k)));
    assert_eq!(shown.local_palettes, 2);
}

#[test]
fn transparent_pixels_stay_transparent() {
    let info = FilmInfo { alpha: true, ..film(64, 48, 4) };
    let shown = write(&info, |k| picture(&info, k));
    for (k, (image, _)) in shown.pictures.iter().enumerate() {
        let wanted = picture(&info, k);
        assert!(image.pixels.iter().zip(&wanted.pixels).all(|(a, b)| (a[3] == 255) == (b[3] >= 128)));
    }
}
