"""Decodes a film with ffmpeg (`.mp4`, `.gif`) or Pillow (`.webp`) and compares it with what it should be.

usage: film_judge.py FILE --width W --height H --frames N --fps R [--pictures DIR [--every n] [--least-psnr DB]]

Codec and pixel format, size, number of decoded frames, rate and duration, a decoder that has nothing to complain
about and, for `.mp4`, the colour description. With --pictures, the frames must look like the PNG files of DIR in
order of their names; if the film shows only every n-th of them (fast GIF and WebP), say so with --every n.

N and R are those of the film as it is shown. Prints one line of JSON; exit code 1 if anything is off.
"""
import argparse
import glob
import json
import os
import subprocess
from fractions import Fraction

import numpy as np
from PIL import Image, ImageSequence

from reference import report

# What the formats cannot avoid: colour at half size in film, few colours in GIF.
LEAST_PSNR = {".mp4": 38.0, ".gif": 28.0, ".webp": 34.0}
CODECS = {".mp4": ("h264", "yuv420p"), ".gif": ("gif", None)}
# One tick of the format's clock, by which the film may be longer or shorter [s].
TICK = {".mp4": 0.0, ".gif": 0.01, ".webp": 0.001}


def run(*command):
    done = subprocess.run(command, capture_output=True)
    return done.stdout, done.stderr.decode("utf-8", "replace").strip()


def probe(path):
    """What ffprobe says about the only stream."""
    entries = ["-show_streams", "-show_packets", "-show_entries", "packet=duration_time,flags"]
    text, complaints = run("ffprobe", "-v", "warning", "-of", "json", *entries, path)
    found = json.loads(text or "{}")
    return found.get("streams", []), found.get("packets", []), complaints


def ffmpeg_frames(path, width, height, faults):
    """All frames as red, green and blue, one at a time."""
    command = ["ffmpeg", "-v", "warning", "-nostdin", "-i", path, "-fps_mode", "passthrough"]
    # Accurate conversion: the judge's own rounding must not count against the film.
    command += ["-sws_flags", "accurate_rnd+full_chroma_int+bicubic", "-pix_fmt", "rgb24", "-f", "rawvideo", "-"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as decoder:
        size = width * height * 3
        while len(data := decoder.stdout.read(size)) == size:
            yield np.frombuffer(data, np.uint8).reshape(height, width, 3)
        if data:
            faults.append(f"{len(data)} bytes behind the last whole frame")
        complaints = decoder.stderr.read().decode("utf-8", "replace").strip()
        if decoder.wait() or complaints:
            faults.append(f"ffmpeg: {complaints or decoder.returncode}")


def webp_frames(path):
    with Image.open(path) as film:
        for frame in ImageSequence.Iterator(film):
            yield np.asarray(frame.convert("RGB"))


def check_stream(path, ending, options, faults):
    """Facts from ffprobe; duration in seconds."""
    streams, packets, complaints = probe(path)
    if complaints:
        faults.append(f"ffprobe: {complaints}")
    if len(streams) != 1:
        faults.append(f"{len(streams)} streams instead of one")
        return 0.0
    stream = streams[0]
    codec, pixels = CODECS[ending]
    wanted = {"codec_name": codec, "width": options.width, "height": options.height}
    if pixels:
        wanted["pix_fmt"] = pixels
    if ending == ".mp4":
        wanted |= dict.fromkeys(("color_primaries", "color_transfer", "color_space"), "bt709")
        wanted |= {"color_range": "tv", "nb_frames": str(options.frames), "field_order": "progressive"}
        for key in ("r_frame_rate", "avg_frame_rate"):
            if Fraction(stream.get(key, "0/1")) != options.fps:
                faults.append(f"{key} {stream.get(key)} instead of {options.fps}")
        if not packets or "K" not in packets[0]["flags"]:
            faults.append("first frame is no key frame")
    for key, value in wanted.items():
        if stream.get(key) != value:
            faults.append(f"{key} {stream.get(key)} instead of {value}")
    if ending == ".mp4":
        if len({packet.get("duration_time") for packet in packets}) != 1:
            faults.append("frames do not all last the same")
        return float(stream.get("duration_ts", 0) * Fraction(stream.get("time_base", "0/1")))
    return sum(float(packet.get("duration_time", 0)) for packet in packets)


def check_webp(path, options, faults):
    """Facts from Pillow; duration in seconds."""
    with Image.open(path) as film:
        if film.format != "WEBP" or film.size != (options.width, options.height):
            faults.append(f"{film.format} of size {film.size}")
        if options.frames > 1 and film.info.get("loop") != 0:
            faults.append("does not loop for ever")
        milliseconds = 0
        for frame in ImageSequence.Iterator(film):
            frame.load()
            milliseconds += frame.info.get("duration", 0)
    return milliseconds / 1000


def psnr(a, b):
    error = np.mean((a.astype(float) - b.astype(float)) ** 2)
    return 99.0 if error == 0 else float(10 * np.log10(255**2 / error))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--width", type=int, required=True)
    parser.add_argument("--height", type=int, required=True)
    parser.add_argument("--frames", type=int, required=True)
    parser.add_argument("--fps", type=Fraction, required=True, help="a number or a fraction such as 30000/1001")
    parser.add_argument("--pictures", help="folder of PNG files")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--least-psnr", type=float)
    options = parser.parse_args()
    ending, faults, ratios = os.path.splitext(options.file)[1].lower(), [], []
    verdict = {"ok": False, "file": os.path.basename(options.file), "faults": faults}
    if ending not in TICK:
        faults.append(f"unknown ending {ending}")
        report(verdict)
    try:
        if ending == ".webp":
            duration = check_webp(options.file, options, faults)
            frames = webp_frames(options.file)
        else:
            duration = check_stream(options.file, ending, options, faults)
            frames = ffmpeg_frames(options.file, options.width, options.height, faults)
        pictures = sorted(glob.glob(os.path.join(glob.escape(options.pictures or ""), "*.png")))[:: options.every]
        if options.pictures and len(pictures) != options.frames:
            faults.append(f"{len(pictures)} pictures to compare with instead of {options.frames}")
        count = 0
        for count, frame in enumerate(frames, 1):
            if count <= len(pictures) and options.pictures:
                with Image.open(pictures[count - 1]) as picture:
                    wanted = np.asarray(picture.convert("RGB"))
                if wanted.shape != frame.shape:
                    faults.append(f"frame {count - 1}: {frame.shape} against {wanted.shape}")
                    break
                ratios.append(psnr(frame, wanted))
    except (OSError, ValueError, EOFError) as error:
        faults.append(f"{type(error).__name__}: {error}")
        report(verdict)
    if count != options.frames:
        faults.append(f"{count} frames instead of {options.frames}")
    # A still picture has no duration.
    if options.frames > 1 and abs(duration - options.frames / options.fps) > TICK[ending] + 1e-9:
        faults.append(f"{duration:.4f} s instead of {float(options.frames / options.fps):.4f} s")
    least = LEAST_PSNR[ending] if options.least_psnr is None else options.least_psnr
    if ratios and min(ratios) < least:
        faults.append(f"frame {int(np.argmin(ratios))}: {min(ratios):.1f} dB is less than {least:g} dB")
    figures = {"frames": count, "duration": round(duration, 4)}
    if ratios:
        figures |= {"min_psnr": round(min(ratios), 2), "mean_psnr": round(float(np.mean(ratios)), 2)}
    report({**verdict, **figures, "ok": not faults, "faults": faults[:20]})


main()
