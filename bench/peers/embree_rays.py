"""Embree on the rays of one of our pictures: the same triangles, the same rays, one thread.

usage: embree_rays.py CORNERS.bin RAYS.bin [REPEAT]

CORNERS.bin: nine f32 per triangle. RAYS.bin: eight f32 per ray: origin, direction, longest distance, 1 if any hit is
enough. Prints one JSON object; `seconds` is processor time, the least of the repeats.
"""

import json
import sys
import time

import numpy as np
from embreex import rtcore_scene
from embreex.mesh_construction import TriangleMesh

BATCH = 1 << 16


def main():
    corners = np.fromfile(sys.argv[1], dtype="<f4").reshape(-1, 3, 3)
    rays = np.fromfile(sys.argv[2], dtype="<f4").reshape(-1, 8)
    repeat = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    scene = rtcore_scene.EmbreeScene()
    began = time.perf_counter()
    TriangleMesh(scene, corners)
    any_hit = rays[:, 7] > 0
    # The first query builds Embree's tree.
    scene.run(rays[:1, :3].copy(), rays[:1, 3:6].copy())
    build = time.perf_counter() - began
    jobs = []
    for wanted, query in ((False, "INTERSECT"), (True, "OCCLUDED")):
        chosen = rays[any_hit == wanted]
        for start in range(0, len(chosen), BATCH):
            part = chosen[start : start + BATCH]
            longest = np.minimum(part[:, 6], np.float32(1e30)).copy()
            jobs.append((part[:, :3].copy(), part[:, 3:6].copy(), longest, query))
    least, hits = float("inf"), 0
    for _ in range(repeat):
        spent, hits = 0.0, 0
        for origins, directions, longest, query in jobs:
            began = time.process_time()
            result = scene.run(origins, directions, dists=longest, query=query)
            spent += time.process_time() - began
            hits += int((result >= 0).sum() if query == "INTERSECT" else (result == 0).sum())
        least = min(least, spent)
    print(json.dumps({"rays": len(rays), "seconds": least, "build_seconds": build, "hits": hits}))


main()
