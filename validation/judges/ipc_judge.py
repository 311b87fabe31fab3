"""Looks for bodies that pass through each other, with IPC Toolkit.

usage: ipc_judge.py FILE.usda

For every frame: all surfaces in the world, any edge through any triangle (of the same body as well), and any body
wholly inside another, which has no crossing edge. Prints one line of JSON; exit code 1 if any frame is bad.
"""
import os
import sys

import ipctk
import numpy as np
import trimesh
from pxr import Usd, UsdGeom

from reference import report


def world(mesh, cache, t):
    points = np.asarray(mesh.GetPointsAttr().Get(t), float).reshape(-1, 3)
    matrix = np.array(cache.GetLocalToWorldTransform(mesh.GetPrim()))
    # USD multiplies row vectors from the left.
    return points @ matrix[:3, :3] + matrix[3, :3]


def triangles(mesh, t):
    counts = np.asarray(mesh.GetFaceVertexCountsAttr().Get(t))
    if (counts != 3).any():
        raise SystemExit(f"{mesh.GetPath()}: only triangles are understood")
    return np.asarray(mesh.GetFaceVertexIndicesAttr().Get(t), np.int32).reshape(-1, 3)


def nested(bodies):
    """Pairs (inner, outer) of closed surfaces, one wholly inside the other."""
    pairs = []
    for outer, (points, faces) in bodies.items():
        low, high = points.min(0), points.max(0)
        inside = [
            name
            for name, (other, _) in bodies.items()
            if name != outer and (other.min(0) >= low).all() and (other.max(0) <= high).all()
        ]
        if not inside:
            continue
        solid = trimesh.Trimesh(points, faces, process=False)
        # A room seen from inside has negative volume, and holds bodies rightly.
        if not solid.is_watertight or solid.volume <= 0:
            continue
        for name in inside:
            if solid.contains(bodies[name][0][:1])[0]:
                pairs.append([name, outer])
    return pairs


def main(path):
    stage = Usd.Stage.Open(path)
    meshes = [UsdGeom.Mesh(p) for p in stage.Traverse() if p.IsA(UsdGeom.Mesh)]
    codes = np.arange(stage.GetStartTimeCode(), stage.GetEndTimeCode() + 1)
    crossing, containing = [], []
    for t in codes:
        cache = UsdGeom.XformCache(t)
        bodies = {str(m.GetPath()): (world(m, cache, t), triangles(m, t)) for m in meshes}
        bodies = {name: value for name, value in bodies.items() if len(value[1])}
        points = np.vstack([p for p, _ in bodies.values()])
        starts = np.cumsum([0] + [len(p) for p, _ in bodies.values()])
        faces = np.vstack([f + s for (_, f), s in zip(bodies.values(), starts)]).astype(np.int32)
        mesh = ipctk.CollisionMesh(points, ipctk.edges(faces), faces)
        if ipctk.has_intersections(mesh, points):
            crossing.append(float(t))
        for pair in nested(bodies):
            containing.append([float(t), *pair])
    report({
        "ok": not crossing and not containing and len(codes) > 0,
        "file": os.path.basename(path),
        "frames": len(codes),
        "intersecting": len(crossing),
        "intersecting_frames": crossing,
        "contained": len(containing),
        "contained_frames": sorted({c[0] for c in containing}),
        "first_contained": containing[:5],
        "faults": [f"{len(crossing)} frames intersect"] * bool(crossing)
        + [f"{len(containing)} times a body is inside another"] * bool(containing),
    })


main(sys.argv[1])
