"""Runs all judges on a folder of exports.

usage: run.py DIR [--stem NAME]

Exports of one run share a stem: NAME.glb, NAME.usda, NAME.abc, NAME.pc2 (with NAME.obj), NAME.pvd, NAME.0000.ply and
the reference NAME.0000.obj, ... (`pliant run scene.toml -o DIR/NAME.glb -o DIR/NAME.####.obj ...`). Judges run with
the Python that runs this script (requirements.txt) and with `node` (`npm ci --prefix validation/judges`).

Prints a table, then one line of JSON with all verdicts, then `N passed, N failed`; exit code 1 if any failed.
"""
import argparse
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
os.environ["PYTHONDONTWRITEBYTECODE"] = "1"


def stems(folder):
    pattern = r"(.+)\.(glb|usda|abc|pc2|pvd)|(.+)\.\d+\.(obj|ply)"
    found = (re.fullmatch(pattern, name) for name in os.listdir(folder))
    return sorted({m.group(1) or m.group(3) for m in found if m})


def frame_rate(stem):
    """The rate of a run, from whichever of its files states it in text."""
    if os.path.exists(stem + ".usda"):
        with open(stem + ".usda", encoding="utf-8") as lines:
            for line in lines:
                if "timeCodesPerSecond" in line:
                    return line.split("=")[1].strip()
    return "24"


def judges(stem):
    """(judge, file, command) for every file there is."""
    python, here = sys.executable, lambda name: os.path.join(HERE, name)
    fps = frame_rate(stem)
    for ending in (".glb", ".usda", ".abc", ".pc2"):
        if os.path.exists(stem + ending):
            yield "blender", stem + ending, [python, here("blender_judge.py"), stem + ending, stem, "--fps", fps]
    if os.path.exists(stem + ".glb"):
        yield "gltf", stem + ".glb", ["node", here("gltf_judge.mjs"), stem + ".glb"]
    if os.path.exists(stem + ".usda"):
        yield "usd", stem + ".usda", [python, here("usd_judge.py"), stem + ".usda"]
        yield "ipc", stem + ".usda", [python, here("ipc_judge.py"), stem + ".usda"]
    for ending in (".pvd", ".0000.ply"):
        if os.path.exists(stem + ending):
            yield "mesh", stem + ending, [python, here("mesh_judge.py"), stem + ending, stem]


def ask(command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=1800)
    except (OSError, subprocess.TimeoutExpired) as error:
        return {"ok": False, "faults": [str(error)]}
    for line in reversed(done.stdout.splitlines()):
        if line.startswith("{"):
            verdict = json.loads(line)
            # A judge that says yes and then fails has not said yes.
            verdict["ok"] = bool(verdict["ok"]) and done.returncode == 0
            return verdict
    last = (done.stderr.strip() or done.stdout.strip() or "no output").splitlines()[-1]
    return {"ok": False, "faults": [f"exit code {done.returncode}: {last}"]}


def figure(verdict):
    """The one number worth a column."""
    for key, text in (("max_error", "error {:.2g} m"), ("intersecting", "{} intersecting"), ("errors", "{} errors")):
        if isinstance(verdict.get(key), (int, float)):
            return text.format(verdict[key])
    return f"{len(verdict.get('faults', []))} faults"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--stem", help="only this run")
    options = parser.parse_args()
    verdicts = []
    print(f"{'judge':8} {'file':32} {'verdict':8} {'figure':18} faults")
    for name in [options.stem] if options.stem else stems(options.folder):
        for judge, file, command in judges(os.path.join(options.folder, name)):
            verdict = {"judge": judge, "file": os.path.basename(file), **ask(command)}
            verdicts.append(verdict)
            word, faults = ("passed" if verdict["ok"] else "FAILED"), "; ".join(verdict.get("faults", [])[:3])
            print(f"{judge:8} {verdict['file']:32} {word:8} {figure(verdict):18} {faults}", flush=True)
    failed = sum(not v["ok"] for v in verdicts)
    if not verdicts:
        print(f"nothing to judge in {options.folder}")
    print(json.dumps(verdicts))
    print(f"{len(verdicts) - failed} passed, {failed} failed")
    return 1 if failed or not verdicts else 0


sys.exit(main())
