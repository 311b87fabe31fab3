use super::support::{film, picture, psnr, write};
use image_webp::{LoopCount, WebPDecoder};
use pliant_render::sink::FilmInfo;
use std::io::Cursor;
use tempfile::tempdir;

fn decoder(info: &FilmInfo) -> WebPDecoder<Cursor<Vec<u8>>> {
    let folder = tempdir().unwrap();
    let path = folder.path().join("film.webp");
    write(&path, info).unwrap();
    let bytes = std::fs::read(path).unwrap();
    let length = u32::from_le_bytes(bytes[4..8].try_into().unwrap());
    assert_eq!(length as usize + 8, bytes.len());
    WebPDecoder::new(Cursor::new(bytes)).unwrap()
}

fn pixels(bytes: &[u8], alpha: bool) -> Vec<[u8; 4]> {
    match alpha {
        true => bytes.chunks(4).map(|p| [p[0], p[1], p[2], p[3]]).collect(),
        false => bytes.chunks(3).map(|p| [p[0], p[1], p[2], 255]).collect(),
    }
}

#[test]
fn animation_shows_the_pictures_for_as_long_as_they_last() {
    for alpha in [false, true] {
        let info = FilmInfo { alpha, ..film(161, 91, 12) };
        let mut decoder = decoder(&info);
        assert!(decoder.is_animated());
        assert_eq!(decoder.dimensions(), (161, 91));
        assert_eq!((decoder.num_frames(), decoder.loop_duration()), (12, 400));
        assert!(matches!(decoder.loop_count(), LoopCount::Forever));
        assert_eq!(decoder.has_alpha(), alpha);
        let mut bytes = vec![0; decoder.output_buffer_size().unwrap()];
        for k in 0..12 {
            assert!([33, 34].contains(&decoder.read_frame(&mut bytes).unwrap()));
            let (mut decoded, mut wanted) = (pixels(&bytes, alpha), picture(&info, k).pixels);
            if alpha {
                assert!(decoded.iter().zip(&wanted).all(|(a, b)| a[3] == b[3]), "opacity of picture {k}");
                // Colours that cannot be seen do not count.
                for (a, b) in decoded.iter_mut().zip(&mut wanted).filter(|(a, _)| a[3] < 32) {
                    (*a, *b) = ([0; 4], [0; 4]);
                }
            }
            let psnr = psnr(&decoded, &wanted);
            assert!(psnr > 36.0, "picture {k}, opacity {alpha}: {psnr:.1} dB");
        }
    }
}

#[test]
fn single_picture_is_kept_exactly() {
    for alpha in [false, true] {
        let info = FilmInfo { alpha, ..film(33, 20, 1) };
        let mut decoder = decoder(&info);
        assert!(!decoder.is_animated());
        let mut bytes = vec![0; decoder.output_buffer_size().unwrap()];
        decoder.read_image(&mut bytes).unwrap();
        assert_eq!(pixels(&bytes, decoder.has_alpha()), picture(&info, 0).pixels);
    }
}

#[test]
fn fast_films_are_thinned() {
    let decoder = decoder(&FilmInfo { fps: 240.0, ..film(32, 16, 48) });
    assert_eq!((decoder.num_frames(), decoder.loop_duration()), (16, 200));
}
