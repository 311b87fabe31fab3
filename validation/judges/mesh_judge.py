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
        fits = len(set(mesh.cell_data["object"])) == len(names)
        if "Normals" in mesh.point_data:
            fits &= bool(np.allclose(np.linalg.norm(mesh.point_data["Normals"], axis=1), 1, atol=1e-5))
        if "piece" in mesh.point_data:
            fits &= pieces_are_connected(mesh)
        yield mesh.points, mesh.regular_faces, fits


def pieces_are_connected(mesh):
    """Whether two points of one object have the same label just when triangles join them."""
    own = np.zeros(mesh.n_points, int)
    own[mesh.regular_faces] = np.asarray(mesh.cell_data["object"])[:, None]
    labels = list(zip(own, mesh.point_data["piece"]))
    regions = mesh.connectivity("all").point_data["RegionId"]
    return len(set(labels)) == len(set(regions)) == len(set(zip(labels, regions)))


def ply_frames(path):
    import trimesh

    folder, name = os.path.split(path)
    start, ending = re.fullmatch(r"(.*\.)\d+(\.ply)", name).groups()
    files = sorted(n for n in os.listdir(folder or ".") if re.fullmatch(re.escape(start) + r"\d+" + ending, n))
    for name in files:
        mesh = trimesh.load(os.path.join(folder, name), process=False)
        # Made by us for all points or for none; without, trimesh computes them from the triangles.
        fits = bool(np.allclose(np.linalg.norm(mesh.vertex_normals, axis=1), 1, atol=1e-5))
        yield mesh.vertices, mesh.faces, fits


def main(path, stem):
    reference, faults, worst, k = Reference(stem), [], 0.0, -1
    for k, (points, faces, fits) in enumerate((vtk_frames if path.endswith(".pvd") else ply_frames)(path)):
        if k >= len(reference):
            continue
        wanted, triangles = reference.whole(k)
        if np.shape(points) != wanted.shape or not np.array_equal(faces, triangles):
            faults.append(f"frame {k}: other points or triangles")
        else:
            worst = max(worst, float(np.abs(points - wanted).max()))
        if not fits:
            faults.append(f"frame {k}: objects and their names, or normals, or pieces do not fit")
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
