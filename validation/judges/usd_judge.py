"""Asks usd-core whether a USD file is sound.

usage: usd_judge.py FILE.usda

Runs all of its validators, and for every time code checks what they do not look at: topology, finite points, extents
that hold the points, unit normals, as many colours as there should be. Prints one line of JSON; exit code 1 if anything is off.
"""
import os
import sys

import numpy as np
from pxr import Usd, UsdGeom, UsdValidation

from reference import report


def main(path):
    stage = Usd.Stage.Open(path)
    registry = UsdValidation.ValidationRegistry()
    validators = registry.GetOrLoadAllValidators()
    faults = [e.GetMessage() for e in UsdValidation.ValidationContext(validators).Validate(stage)]
    meshes = [UsdGeom.Mesh(p) for p in stage.Traverse() if p.IsA(UsdGeom.Mesh)]
    codes = np.arange(stage.GetStartTimeCode(), stage.GetEndTimeCode() + 1)
    if not meshes:
        faults.append("no mesh")
    for mesh in meshes:
        where = mesh.GetPath()
        for t in codes:
            points = np.asarray(mesh.GetPointsAttr().Get(t), float)
            counts, indices = mesh.GetFaceVertexCountsAttr().Get(t), mesh.GetFaceVertexIndicesAttr().Get(t)
            fine, why = UsdGeom.Mesh.ValidateTopology(indices, counts, len(points))
            if not fine:
                faults.append(f"{where} at {t}: {why}")
            if not np.isfinite(points).all():
                faults.append(f"{where} at {t}: a point is not finite")
            extent = np.asarray(mesh.GetExtentAttr().Get(t), float)
            if len(points) and not np.allclose(extent, [points.min(0), points.max(0)], atol=1e-7):
                faults.append(f"{where} at {t}: extent does not fit the points")
            normals = mesh.GetNormalsAttr().Get(t)
            if normals is not None:
                kind = mesh.GetNormalsInterpolation()
                if len(normals) != {"vertex": len(points), "uniform": len(counts)}[kind]:
                    faults.append(f"{where} at {t}: {len(normals)} normals, interpolation {kind}")
                if not np.allclose(np.linalg.norm(np.asarray(normals, float), axis=1), 1, atol=1e-5):
                    faults.append(f"{where} at {t}: a normal is not of length one")
            colours = UsdGeom.PrimvarsAPI(mesh).GetPrimvar("displayColor")
            wanted = {"constant": 1, "vertex": len(points)}[colours.GetInterpolation()]
            if len(colours.Get(t)) != wanted:
                faults.append(f"{where} at {t}: {len(colours.Get(t))} colours instead of {wanted}")
    report({
        "ok": not faults,
        "file": os.path.basename(path),
        "usd": ".".join(map(str, Usd.GetVersion())),
        "validators": len(validators),
        "meshes": len(meshes),
        "frames": len(codes),
        "faults": faults[:20],
    })


main(sys.argv[1])
