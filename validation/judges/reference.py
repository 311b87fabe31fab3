"""The reference of the judges: the OBJ sequence of the same run.

OBJ files hold plain world positions, computed from the frames without transforms, caches or targets, and are read
here by a few lines of our own. Every other format has to give the same positions.
"""
import glob
import json
import os
import re
import sys

import numpy as np


class Reference:
    """Frames `STEM.0000.obj`, `STEM.0001.obj`, ..."""

    def __init__(self, stem):
        names = glob.glob(glob.escape(stem) + ".*.obj")
        self.files = sorted(n for n in names if re.fullmatch(r"\.\d+\.obj", n[len(stem):]))
        if not self.files:
            raise SystemExit(f"no reference: {stem}.0000.obj is missing")

    def __len__(self):
        return len(self.files)

    def chosen(self):
        """First, middle and last frame."""
        return sorted({0, len(self) // 2, len(self) - 1})

    def frame(self, k):
        """{name: (positions [n, 3], triangles [m, 3])} of frame k, in file order."""
        objects, first, vertices, faces, name = {}, 0, [], [], None

        def close():
            if name is not None:
                objects[name] = (np.array(vertices).reshape(-1, 3), np.array(faces, int).reshape(-1, 3) - first - 1)

        with open(self.files[k], encoding="utf-8") as lines:
            for line in lines:
                word, _, rest = line.strip().partition(" ")
                if word == "o":
                    close()
                    first += len(vertices)
                    vertices, faces, name = [], [], rest
                elif word == "v":
                    # Colours may follow the position.
                    vertices.append([float(x) for x in rest.split()[:3]])
                elif word == "f":
                    # Of position/texture/normal, the position.
                    faces.append([int(x.split("/")[0]) for x in rest.split()])
        close()
        return objects

    def whole(self, k):
        """Positions of all objects, one after the other, and triangles with numbers to match."""
        points, triangles, base = [], [], 0
        for p, t in self.frame(k).values():
            points.append(p)
            triangles.append(t + base)
            base += len(p)
        return np.vstack(points), np.vstack(triangles)


def identifier(name):
    """The name as our exporters write it where only letters, digits and `_` are allowed."""
    text = re.sub(r"[^A-Za-z0-9]", "_", name)
    return text if re.match(r"[A-Za-z_]", text) else "_" + text


def report(verdict):
    """Prints the verdict as the last line, in JSON, and ends the judge with 0 or 1."""
    sys.stdout.flush()
    print(json.dumps(verdict))
    sys.stdout.flush()
    # Blender's module may crash while Python tears it down; the verdict is out, so leave at once.
    os._exit(0 if verdict["ok"] else 1)
