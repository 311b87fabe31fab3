use super::support::{film, picture, psnr, write};
use openh264::decoder::Decoder;
use openh264::formats::YUVSource;
use pliant_render::Image;
use pliant_render::sink::{FilmInfo, open};
use tempfile::tempdir;

/// A file, taken apart without any code of the sink.
struct Mp4 {
    bytes: Vec<u8>,
    /// Names of the boxes of the file, in order.
    order: Vec<String>,
}

impl Mp4 {
    fn write(info: &FilmInfo) -> Self {
        let folder = tempdir().unwrap();
        let path = folder.path().join("film.mp4");
        write(&path, info).unwrap();
        Self::new(std::fs::read(path).unwrap())
    }

    fn new(bytes: Vec<u8>) -> Self {
        let order = boxes(&bytes).map(|(name, _)| String::from_utf8(name.to_vec()).unwrap()).collect();
        Self { bytes, order }
    }

    /// The content of the box at the end of a path.
    fn find(&self, path: &str) -> &[u8] {
        path.split('/').fold(&self.bytes[..], |content, name| {
            boxes(content)
                .find(|(found, _)| found == &name.as_bytes())
                .unwrap_or_else(|| panic!("no {name}"))
                .1
        })
    }

    fn table(&self, name: &str) -> Vec<u32> {
        let content = self.find(&format!("moov/trak/mdia/minf/stbl/{name}"));
        content.chunks_exact(4).map(|b| u32::from_be_bytes(b.try_into().unwrap())).collect()
    }

    /// Pictures of the film as an H.264 stream with start codes.
    fn samples(&self) -> Vec<Vec<u8>> {
        let (sizes, runs, chunks) = (self.table("stsz"), self.table("stsc"), self.table("stco"));
        let mut sizes = sizes[3..].iter();
        let mut samples = Vec::new();
        for (i, &chunk) in chunks[2..].iter().enumerate() {
            let run = runs[2..].chunks(3).rfind(|run| run[0] as usize <= i + 1).unwrap();
            let mut at = chunk as usize;
            for _ in 0..run[1] {
                let size = *sizes.next().unwrap() as usize;
                samples.push(start_codes(&self.bytes[at..at + size]));
                at += size;
            }
        }
        assert!(sizes.next().is_none());
        samples
    }

    /// Pictures, decoded.
    fn decode(&self) -> Vec<Image> {
        let avc1 = &self.find("moov/trak/mdia/minf/stbl/stsd")[16..];
        let avcc = boxes(&avc1[78..]).find(|(name, _)| name == b"avcC").unwrap().1;
        let length = |at: usize| usize::from(u16::from_be_bytes([avcc[at], avcc[at + 1]]));
        let sps = &avcc[8..8 + length(6)];
        let at = 8 + sps.len() + 1;
        let pps = &avcc[at + 2..at + 2 + length(at)];
        let mut decoder = Decoder::new().unwrap();
        let code = [0, 0, 0, 1];
        assert!(decoder.decode(&[&code, sps, &code, pps].concat()).unwrap().is_none());
        self.samples().iter().map(|sample| image(&decoder.decode(sample).unwrap().unwrap())).collect()
    }
}

fn boxes(bytes: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let short = u32::from_be_bytes(rest.get(..4)?.try_into().unwrap());
        let name = &rest[4..8];
        let (head, length) = match short {
            1 => (16, u64::from_be_bytes(rest[8..16].try_into().unwrap()) as usize),
            _ => (8, short as usize),
        };
        let content = &rest[head..length];
        rest = &rest[length..];
        Some((name, content))
    })
}

fn start_codes(sample: &[u8]) -> Vec<u8> {
    let (mut stream, mut rest) = (Vec::new(), sample);
    while let Some((length, after)) = rest.split_first_chunk::<4>() {
        let (unit, next) = after.split_at(u32::from_be_bytes(*length) as usize);
        stream.extend([0, 0, 0, 1]);
        stream.extend(unit);
        rest = next;
    }
    stream
}

/// By BT.709 in limited range, straight from the standard.
fn image(yuv: &impl YUVSource) -> Image {
    let ((width, height), (stride, half, _)) = (yuv.dimensions(), yuv.strides());
    let mut image = Image::filled(width as u32, height as u32, [255; 4]);
    for (i, pixel) in image.pixels.iter_mut().enumerate() {
        let (x, y) = (i % width, i / width);
        let colour = |plane: &[u8]| (f64::from(plane[y / 2 * half + x / 2]) - 128.0) / 224.0;
        let (luma, cb, cr) =
            ((f64::from(yuv.y()[y * stride + x]) - 16.0) / 219.0, colour(yuv.u()), colour(yuv.v()));
        let (r, b) = (luma + 1.5748 * cr, luma + 1.8556 * cb);
        let g = (luma - 0.2126 * r - 0.0722 * b) / 0.7152;
        *pixel = [r, g, b, 1.0].map(|v| (v * 255.0).round().clamp(0.0, 255.0) as u8);
    }
    image
}

#[test]
fn film_decodes_to_the_pictures_that_were_given() {
    let info = film(320, 180, 60);
    let film = Mp4::write(&info);
    let pictures = film.decode();
    assert_eq!(pictures.len(), 60);
    for (k, decoded) in pictures.iter().enumerate() {
        assert_eq!((decoded.width, decoded.height), (320, 180));
        let psnr = psnr(&decoded.pixels, &picture(&info, k).pixels);
        assert!(psnr > 38.0, "picture {k}: {psnr:.1} dB");
    }
}

#[test]
fn still_background_does_not_pulse_at_key_pictures() {
    let info = film(320, 180, 100);
    let film = Mp4::write(&info);
    let keys = film.table("stss")[2..].to_vec();
    assert_eq!(keys, [1, 46, 91]);
    let pictures = film.decode();
    let corner = |k: usize| pictures[k].pixels[..320 * 30].iter().map(|p| i32::from(p[1]));
    for key in [45, 90] {
        let change = corner(key - 1).zip(corner(key)).map(|(a, b)| (a - b).abs());
        let (worst, mean) = (change.clone().max().unwrap(), change.sum::<i32>() as f64 / (320.0 * 30.0));
        assert!(worst <= 3 && mean < 0.25, "{worst} at worst, {mean} on average");
    }
}

#[test]
fn rate_is_exact_and_constant() {
    for (fps, (rate, length)) in
        [(60.0, (60, 1)), (24.0, (24, 1)), (29.97, (2997, 100)), (30e3 / 1001.0, (30_000, 1001))]
    {
        let film = Mp4::write(&FilmInfo { fps, ..film(32, 16, 7) });
        let stts = film.table("stts");
        assert_eq!(stts[1..3], [1, 7]);
        let clock = film.find("moov/trak/mdia/mdhd");
        let number = |at: usize| u32::from_be_bytes(clock[at..at + 4].try_into().unwrap());
        assert_eq!(stts[3] * rate, number(12) * length);
        assert_eq!(number(16), 7 * stts[3]);
    }
}

#[test]
fn index_stands_first_unless_the_film_outgrows_its_announcement() {
    let announced = film(32, 16, 200);
    assert_eq!(Mp4::write(&announced).order, ["ftyp", "moov", "free", "mdat"]);

    let folder = tempdir().unwrap();
    let path = folder.path().join("film.mp4");
    let info = FilmInfo { count: 1, fps: 1.0, ..announced };
    let mut sink = open(&path, &info).unwrap();
    (0..400).for_each(|k| sink.picture(&picture(&info, k % 50)).unwrap());
    sink.finish().unwrap();
    let film = Mp4::new(std::fs::read(path).unwrap());
    assert_eq!(film.order, ["ftyp", "free", "mdat", "moov"]);
    assert_eq!(film.decode().len(), 400);
}

#[test]
fn colours_are_signalled() {
    let film = Mp4::write(&film(32, 16, 2));
    let avc1 = &film.find("moov/trak/mdia/minf/stbl/stsd")[16..];
    let colr = boxes(&avc1[78..]).find(|(name, _)| name == b"colr").unwrap().1;
    assert_eq!(colr, b"nclx\0\x01\0\x01\0\x01\0");
}

#[test]
fn pictures_of_noise_are_taken() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("film.mp4");
    let info = film(320, 180, 6);
    let mut sink = open(&path, &info).unwrap();
    let mut random = 1_u32;
    for k in 0..6 {
        let mut image = picture(&info, k);
        if k >= 2 {
            for value in image.pixels.as_flattened_mut() {
                random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                *value = (random >> 24) as u8;
            }
        }
        sink.picture(&image).unwrap();
    }
    sink.finish().unwrap();
    let film = Mp4::new(std::fs::read(path).unwrap());
    assert_eq!(film.decode().len(), 6);
    assert_eq!(film.table("stss")[2..], [1, 3]);
}

#[test]
fn small_films_are_possible() {
    for (width, height) in [(16, 16), (18, 34)] {
        assert_eq!(Mp4::write(&film(width, height, 3)).decode().len(), 3);
    }
}
