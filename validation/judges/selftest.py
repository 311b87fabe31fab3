"""Feeds every judge a damaged export and checks that it says no.

usage: selftest.py DIR STEM      DIR holds good exports in all formats, as for run.py, and those of
                                 the run `clay`, as README.md has them made

A judge that never says no proves nothing. Exit code 1 if a damage goes unseen.
"""
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

# The run in DIR that has a body made anew in every frame.
LUMP = "clay"
HERE = os.path.dirname(os.path.abspath(__file__))
os.environ["PYTHONDONTWRITEBYTECODE"] = "1"


def judge(name, *arguments):
    """"yes", "no", or "crash" for a judge that gave no verdict."""
    command = ["node"] if name.endswith(".mjs") else [sys.executable]
    done = subprocess.run([*command, os.path.join(HERE, name), *arguments], capture_output=True, text=True)
    verdicts = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if not verdicts or json.loads(verdicts[-1])["ok"] != (done.returncode == 0):
        return "crash"
    return "no" if done.returncode else "yes"


def edit(path, change):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    changed = change(text)
    assert changed != text, f"{path}: nothing to damage"
    with open(path, "w", encoding="utf-8") as file:
        file.write(changed)


def move_last_reference(stem):
    """Moves one point of the last reference frame by a tenth of a millimetre."""
    pattern = re.escape(os.path.basename(stem)) + r"\.\d+\.obj"
    last = sorted(n for n in os.listdir(os.path.dirname(stem)) if re.fullmatch(pattern, n))[-1]
    nudge = lambda m: f"v {float(m.group(1)) + 1e-4:.9f} "
    edit(os.path.join(os.path.dirname(stem), last), lambda text: re.sub(r"v (\S+) ", nudge, text, count=1))


def wrong_bound(stem):
    """Moves an upper bound in the .glb's JSON, keeping its length."""
    with open(stem + ".glb", "r+b") as file:
        data = file.read()
        length = struct.unpack_from("<I", data, 12)[0]
        text = data[20 : 20 + length]
        place = text.index(b'"max":[') + len(b'"max":[')
        digit = re.compile(rb"[1-9]").search(text, place).start()
        file.seek(20 + digit)
        file.write(b"8" if text[digit : digit + 1] != b"8" else b"7")


def wrong_index(stem):
    edit(stem + ".usda", lambda text: re.sub(r"faceVertexIndices = \[\d+", "faceVertexIndices = [99999", text, count=1))


def another_colour(stem):
    edit(stem + ".usda", lambda text: text.replace("displayColor = [", "displayColor = [(1, 0, 0), ", 1))


def another_piece(stem):
    """Gives the last point of the last frame a piece of its own. Pieces stand last in the file."""
    folder = stem + "_vtp"
    with open(os.path.join(folder, sorted(os.listdir(folder))[-1]), "r+b") as file:
        file.seek(file.read().rindex(b"\n</AppendedData>") - 4)
        file.write(b"\7")


def no_up_axis(stem):
    edit(stem + ".usda", lambda text: text.replace('    upAxis = "Y"\n', ""))


CUBES = """#usda 1.0
(
    defaultPrim = "World"
    endTimeCode = 0
    metersPerUnit = 1
    startTimeCode = 0
    upAxis = "Y"
)
def Xform "World"
{{
{}
}}
"""
CUBE = """
def Mesh "cube{name}"
{{
    int[] faceVertexCounts = [3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3]
    int[] faceVertexIndices = [0,4,6, 0,6,2, 1,3,7, 1,7,5, 0,1,5, 0,5,4, 2,6,7, 2,7,3, 0,2,3, 0,3,1, 4,5,7, 4,7,6]
    point3f[] points = [(-{r},-{r},-{r}), ({r},-{r},-{r}), (-{r},{r},-{r}), ({r},{r},-{r}),
        (-{r},-{r},{r}), ({r},-{r},{r}), (-{r},{r},{r}), ({r},{r},{r})]
    double3 xformOp:translate = ({x}, 0.1, 0.2)
    uniform token[] xformOpOrder = ["xformOp:translate"]
    uniform token subdivisionScheme = "none"
}}
"""


def cubes(path, small, x):
    with open(path, "w", encoding="utf-8") as file:
        file.write(CUBES.format(CUBE.format(name="A", r=1, x=0) + CUBE.format(name="B", r=small, x=x)))


def films(scratch, expect):
    """A good film, made by ffmpeg, then the same cut short, announced wrongly and compared with another picture."""
    film, pictures = os.path.join(scratch, "film.mp4"), os.path.join(scratch, "pictures")
    os.makedirs(pictures)
    colours = [f"-{key}" for key in ("color_primaries", "color_trc", "colorspace")]
    colours = [word for key in colours for word in (key, "bt709")] + ["-color_range", "tv"]
    source = ["-f", "lavfi", "-i", "testsrc=size=320x180:rate=24:duration=1", "-pix_fmt", "yuv420p"]
    convert = ["-vf", "scale=out_color_matrix=bt709:out_range=tv", "-c:v", "libx264", "-bf", "0", "-crf", "10"]
    quiet = ["ffmpeg", "-v", "error", "-nostdin", "-y"]
    subprocess.run([*quiet, *source, *convert, *colours, film], check=True)
    exact = ["-sws_flags", "accurate_rnd+full_chroma_int+bicubic"]
    subprocess.run([*quiet, "-i", film, *exact, os.path.join(pictures, "%04d.png")], check=True)
    right = ["--width", "320", "--height", "180", "--frames", "24", "--fps", "24", "--pictures", pictures]
    expect("film, as it should be", "yes", judge("film_judge.py", film, *right))
    expect("film, one frame too few", "no", judge("film_judge.py", film, *right, "--frames", "25"))
    expect("film, other rate", "no", judge("film_judge.py", film, *right, "--fps", "25"))
    expect("film, other size", "no", judge("film_judge.py", film, *right, "--width", "640"))
    shutil.copy(os.path.join(pictures, "0001.png"), os.path.join(pictures, "0020.png"))
    expect("film, one frame of other looks", "no", judge("film_judge.py", film, *right))
    with open(film, "r+b") as file:
        data = bytearray(file.read())
        place = data.index(b"mdat") + len(data) // 2
        data[place : place + 64] = bytes(64)
        file.seek(0)
        file.write(data)
    expect("film, damaged", "no", judge("film_judge.py", film, *right[:-2]))


def main(folder, stem):
    missed, asked = 0, 0

    def expect(what, wanted, got):
        nonlocal missed, asked
        asked += 1
        missed += got != wanted
        print(f"{'ok' if got == wanted else 'MISSED':7} {what}: {got}", flush=True)

    with tempfile.TemporaryDirectory() as scratch:
        def damaged(damage):
            shutil.rmtree(scratch)
            shutil.copytree(folder, scratch)
            damage(os.path.join(scratch, stem))
            return os.path.join(scratch, stem)

        copy = damaged(move_last_reference)
        for ending in (".glb", ".usda", ".abc", ".pc2"):
            expect(f"blender, {ending}, one point off by 0.1 mm", "no", judge("blender_judge.py", copy + ending, copy))
        for ending in (".pvd", ".0000.ply"):
            expect(f"mesh, {ending}, one point off by 0.1 mm", "no", judge("mesh_judge.py", copy + ending, copy))
        expect("gltf, wrong bound", "no", judge("gltf_judge.mjs", damaged(wrong_bound) + ".glb"))
        expect("usd, index beyond the points", "no", judge("usd_judge.py", damaged(wrong_index) + ".usda"))
        expect("usd, one colour too many", "no", judge("usd_judge.py", damaged(another_colour) + ".usda"))
        expect("usd, no up axis", "no", judge("usd_judge.py", damaged(no_up_axis) + ".usda"))
        lump = os.path.join(scratch, LUMP)
        damaged(lambda _: another_piece(lump))
        expect("mesh, .pvd, one point in another piece", "no", judge("mesh_judge.py", lump + ".pvd", lump))
        two = os.path.join(scratch, "cubes.usda")
        for what, wanted, small, x in (
            ("apart", "yes", 0.5, 1.6),
            ("crossing", "no", 0.5, 1.4),
            ("one inside the other", "no", 0.5, 0.1),
        ):
            cubes(two, small, x)
            expect(f"ipc, two cubes {what}", wanted, judge("ipc_judge.py", two))
        films(scratch, expect)
    print(f"{asked - missed} passed, {missed} failed")
    return 1 if missed else 0


sys.exit(main(os.path.abspath(sys.argv[1]), sys.argv[2]))
