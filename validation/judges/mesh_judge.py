"""Reads `.pvd` with VTK or a `.ply` sequence with trimesh and compares all frames with the OBJ sequence.

usage: mesh_judge.py FILE.pvd STEM    or    mesh_judge.py FILE.0000.ply STEM

Prints one line of JSON; exit code 1 if anything is off.
"""
import os
import re
import sys

import numpy as np

from reference import Reference, report

TOLERANCE = 1e-5


def vtk_frames(path):
    import pyvista

    reader = pyvista.get_reader(path)
    for time in reader.time_values:
        reader.set_active_time_value(time)
        mesh = reader.read()[0]
        names = [str(n) for n in mesh.field_data["object_names"]]
        yield mesh.points, mesh.regular_faces, len(set(mesh.cell_data["object"])) == len(names)


def ply_frames(path):
    import trimesh

    folder, name = os.path.split(path)
    start, ending = re.fullmatch(r"(.*\.)\d+(\.ply)", name).groups()
    files = sorted(n for n in os.listdir(folder or ".") if re.fullmatch(re.escape(start) + r"\d+" + ending, n))
    for name in files:
        mesh = trimesh.load(os.path.join(folder, name), process=False)
        yield mesh.vertices, mesh.faces, True


def main(path, stem):
    reference, faults, worst, k = Reference(stem), [], 0.0, -1
    for k, (points, faces, named) in enumerate((vtk_frames if path.endswith(".pvd") else ply_frames)(path)):
        if k >= len(reference):
            continue
        wanted, triangles = reference.whole(k)
        if np.shape(points) != wanted.shape or not np.array_equal(faces, triangles):
            faults.append(f"frame {k}: other points or triangles")
        else:
            worst = max(worst, float(np.abs(points - wanted).max()))
        if not named:
            faults.append(f"frame {k}: objects and names do not fit")
    if k + 1 != len(reference):
        faults.append(f"{k + 1} frames instead of {len(reference)}")
    if worst > TOLERANCE:
        faults.append(f"error {worst:.3g} m is more than {TOLERANCE:g} m")
    report({
        "ok": not faults,
        "file": os.path.basename(path),
        "frames": k + 1,
        "max_error": worst,
        "faults": faults[:20],
    })


main(os.path.abspath(sys.argv[1]), sys.argv[2])
