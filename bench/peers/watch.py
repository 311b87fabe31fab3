"""What the jello cubes of all peers share: the parameters, the mesh, and the clock that prints the row."""

import json
import os
import resource
import time

os.environ["OMP_NUM_THREADS"] = "1"  # Before any peer starts threads: rows say one.

import numpy as np

SIDE, DROP, YOUNG, POISSON, TAU, DENSITY, GRAVITY = 0.2, 0.1, 5e4, 0.3, 1e-3, 1000.0, 9.81
MU, LAMBDA = YOUNG / (2 * (1 + POISSON)), YOUNG * POISSON / ((1 + POISSON) * (1 - 2 * POISSON))
FRICTION = 0.5


class Watch:
    """CPU and wall time of steps, and what the cube does at 60 frames per second."""

    def __init__(self):
        self.cpu = self.wall = 0.0
        self.centres, self.heights = [], []

    def step(self, work):
        wall, cpu = time.perf_counter(), time.process_time()
        work()
        self.wall += time.perf_counter() - wall
        self.cpu += time.process_time() - cpu

    def look(self, points):
        """`points` lie on a grid of as many nodes a side, the last axis up."""
        m = round(len(points) ** (1 / 3))
        z = points[:, 2].reshape(m, m, m)
        self.centres.append(points[:, 2].mean())
        self.heights.append(z[:, :, -1].mean() - z[:, :, 0].mean())

    def row(self, engine, cells, seconds):
        lowest = int(np.argmin(self.centres))
        answer = dict(
            height=float(self.heights[-1]),
            lowest=float(min(self.heights)),
            rebound=float(max(self.centres[lowest:])),
        )
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        row = dict(engine=engine, size=cells, threads=1, cpu=self.cpu / seconds, wall=self.wall / seconds)
        print(json.dumps(dict(row, memory=memory, answer=answer)))


def tetrahedra(n):
    """Nodes of a cube that stands on z = 0, the last axis fastest, and five tetrahedra a cell."""
    g = np.linspace(0, SIDE, n + 1)
    x = np.stack(np.meshgrid(g - SIDE / 2, g - SIDE / 2, g, indexing="ij"), -1).reshape(-1, 3)
    i, j, k = (a.ravel() for a in np.meshgrid(*[np.arange(n)] * 3, indexing="ij"))
    corner = lambda c: ((i + (c & 1)) * (n + 1) + j + (c >> 1 & 1)) * (n + 1) + k + (c >> 2)
    v = np.stack([corner(c) for c in range(8)], 1)
    even = [[0, 3, 5, 6], [1, 0, 3, 5], [2, 0, 3, 6], [4, 0, 5, 6], [7, 3, 5, 6]]
    odd = [[1, 2, 4, 7], [0, 1, 2, 4], [3, 1, 2, 7], [5, 1, 4, 7], [6, 2, 4, 7]]
    t = np.where(((i + j + k) % 2 == 0)[:, None, None], v[:, even], v[:, odd]).reshape(-1, 4)
    flip = volumes(x, t) < 0
    t[flip] = t[flip][:, [0, 2, 1, 3]]
    return x, t


def volumes(x, t):
    a, b, c, d = (x[t[:, q]] for q in range(4))
    return np.einsum("ij,ij->i", np.cross(b - a, c - a), d - a) / 6
