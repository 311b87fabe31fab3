"""The surface of many skeletons beside splashsurf: time and triangles about the same places with cubes of the same size.

usage: splashsurf_surface.py BINARY [COUNT...]

BINARY is our `clay_surface`. Ours and theirs in turn, one thread, least of several.
"""

import json
import os
import subprocess
import sys
import tempfile
import time

os.environ["RAYON_NUM_THREADS"] = "1"
import numpy as np
import pysplashsurf


def theirs(folder, edge, repeat):
    x = np.fromfile(f"{folder}/x.bin").reshape(-1, 3).astype(np.float32)
    best, made = float("inf"), None
    for _ in range(repeat):
        began = time.perf_counter()
        made = pysplashsurf.reconstruct_surface(
            x,
            particle_radius=0.5,
            rest_density=1000.0,
            smoothing_length=2.0,
            cube_size=edge / 0.5,
            iso_surface_threshold=0.6,
            multi_threading=False,
            subdomain_grid=True,
        )
        best = min(best, time.perf_counter() - began)
    return best, len(made.mesh.triangles)


def main():
    binary, counts = sys.argv[1], [int(c) for c in sys.argv[2:]] or [10000, 100000]
    print("| skeletons | edge of cubes | ours, ms | triangles | splashsurf, ms | triangles | ours is faster by |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for count in counts:
            for edge in (0.5, 0.25):
                repeat = 3 if count > 50000 else 7
                words = [binary, folder, str(count), str(edge), "1", str(repeat)]
                mine = json.loads(subprocess.check_output(words))
                peer, triangles = theirs(folder, edge, repeat)
                print(
                    f"| {count} | {edge} | {mine['seconds'] * 1e3:.1f} | {mine['triangles']} | {peer * 1e3:.1f} |"
                    f" {triangles} | {peer / mine['seconds']:.2f} |"
                )


main()
