"""Imports an export into Blender and compares world positions with the OBJ sequence of the same run.

usage: blender_judge.py FILE.{glb,usda,abc,pc2} STEM [--fps 24] [--tolerance 1e-5]

STEM.0000.obj, STEM.0001.obj, ... is the reference. Compared are the first, the middle and the last frame, and half
a frame after the first, where motion must have gone on (a wrongly written cache stands still between frames).
Importers are used with their default settings. Prints one line of JSON; exit code 1 if anything is off.
"""
import argparse
import math
import os

import bpy
import numpy as np

from reference import Reference, identifier, report


def load(path, fps):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    ending = os.path.splitext(path)[1]
    # glTF times and Alembic times become frames by the scene's rate, which importers leave alone. The glTF importer
    # multiplies with fps_base where Blender itself divides, so for it the base stays 1.
    render = bpy.context.scene.render
    render.fps = max(1, round(fps))
    render.fps_base = 1.0 if ending == ".glb" else render.fps / fps
    if ending == ".glb":
        bpy.ops.import_scene.gltf(filepath=path)
    elif ending == ".usda":
        bpy.ops.wm.usd_import(filepath=path)
    elif ending == ".abc":
        bpy.ops.wm.alembic_import(filepath=path, as_background_job=False)
    elif ending == ".pc2":
        bpy.ops.wm.obj_import(filepath=path[:-4] + ".obj")
        cache = bpy.context.scene.objects[0].modifiers.new("cache", "MESH_CACHE")
        cache.cache_format, cache.filepath, cache.frame_start = "PC2", path, 0
    else:
        raise SystemExit(f"{path}: no importer for this ending")


def positions(frame):
    """{identifier: (world positions with Y up, triangles)} of all meshes."""
    scene = bpy.context.scene
    scene.frame_set(math.floor(frame), subframe=frame - math.floor(frame))
    graph = bpy.context.evaluated_depsgraph_get()
    found = {}
    for thing in scene.objects:
        if thing.type != "MESH":
            continue
        thing = thing.evaluated_get(graph)
        name, parent = thing.name, thing.parent
        # A surface that is another in every frame is one object per frame in glTF, all but one of size zero.
        if parent is not None and name.startswith(parent.name + "."):
            if max(abs(x) for x in thing.matrix_world.to_scale()) < 1e-6:
                continue
            name = parent.name
        mesh = thing.to_mesh()
        local = np.empty(3 * len(mesh.vertices), np.float32)
        mesh.vertices.foreach_get("co", local)
        corners = np.empty(len(mesh.loops), np.int32)
        mesh.loops.foreach_get("vertex_index", corners)
        thing.to_mesh_clear()
        matrix = np.array(thing.matrix_world, float)
        world = local.reshape(-1, 3).astype(float) @ matrix[:3, :3].T + matrix[:3, 3]
        # Blender is Z up.
        found[identifier(name)] = (world[:, [0, 2, 1]] * [1, 1, -1], corners.reshape(-1, 3))
    return found


def expected(reference, frame, one_mesh, stem):
    if one_mesh:
        return {identifier(os.path.basename(stem)): reference.whole(frame)}
    return {identifier(name): value for name, value in reference.frame(frame).items()}


def same_faces(a, b):
    """Whether the triangles agree up to the corner they start with."""
    turn = lambda t: np.array([np.roll(x, -int(np.argmin(x))) for x in t])
    return a.shape == b.shape and bool((turn(a) == turn(b)).all())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("stem")
    parser.add_argument("--fps", type=float, default=24.0)
    parser.add_argument("--tolerance", type=float, default=1e-5)
    options = parser.parse_args()
    path, reference, faults = os.path.abspath(options.file), Reference(options.stem), []
    load(path, options.fps)
    one_mesh = path.endswith(".pc2")
    # So a .glb at 23.976 is seen at 24, and its keys fall beside whole frames.
    stretch = max(1, round(options.fps)) / options.fps if path.endswith(".glb") else 1.0
    errors = {}
    for k in reference.chosen():
        found, wanted = positions(k * stretch), expected(reference, k, one_mesh, path[:-4])
        if set(found) != set(wanted):
            faults.append(f"frame {k}: objects {sorted(found)} instead of {sorted(wanted)}")
            continue
        worst = 0.0
        for name, (points, triangles) in wanted.items():
            if found[name][0].shape != points.shape:
                faults.append(f"frame {k}: {name} has {len(found[name][0])} points instead of {len(points)}")
            else:
                worst = max(worst, float(np.abs(found[name][0] - points).max(initial=0)))
            if not same_faces(found[name][1], triangles):
                faults.append(f"frame {k}: {name} has other triangles")
        errors[k] = worst
    halfway = None
    if len(reference) > 1 and not faults:
        first, half, second = positions(0), positions(0.5 * stretch), positions(stretch)
        # What gets another surface has nothing in common with the frame before.
        start, then = (expected(reference, k, one_mesh, path[:-4]) for k in (0, 1))
        lasting = [name for name in sorted(start) if same_faces(start[name][1], then[name][1])]
        stack = lambda frame: np.vstack([frame[name][0] for name in lasting] or [np.zeros((1, 3))])
        first, half, second = stack(first), stack(half), stack(second)
        step = float(np.abs(second - first).max())
        # Turning on an arc or on the chord both pass; standing still is off by half a step.
        halfway = float(np.abs(half - (first + second) / 2).max()) / max(step, 1e-9)
        if step > 1e-6 and halfway > 0.25:
            faults.append(f"half a frame on, motion is off by {halfway:.2f} of a step")
    worst = max(errors.values(), default=float("inf"))
    if not worst <= options.tolerance:
        faults.append(f"error {worst:.3g} m is more than {options.tolerance:g} m")
    report({
        "ok": not faults,
        "file": os.path.basename(path),
        "blender": bpy.app.version_string,
        "errors": errors,
        "max_error": worst,
        "halfway": halfway,
        "faults": faults,
    })


main()
