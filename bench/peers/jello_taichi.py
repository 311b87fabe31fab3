"""The jello cube as material points in Taichi: MLS-MPM, neo-Hookean, eight points a cell, on the processor."""

import os

os.environ.setdefault("ENABLE_TAICHI_HEADER_PRINT", "0")

from watch import DENSITY, DROP, FRICTION, GRAVITY, LAMBDA, MU, SIDE, TAU, Watch
import numpy as np
import taichi as ti

BELOW, MARGIN = 3, 0.2  # Grid nodes under the floor, and room around the cube [m].


def run(n, seconds, substeps=32):
    """Half as many substeps rest lower and rebound higher with 8 cells; twice as many change little with 16."""
    ti.init(arch=ti.cpu, cpu_max_num_threads=1, default_fp=ti.f32, log_level=ti.ERROR)
    dt, dx = 1 / 60 / substeps, SIDE / n
    count, wide = (2 * n) ** 3, round((SIDE + 2 * MARGIN) / dx)
    grid = (wide, wide, round((DROP + SIDE + 0.1) / dx) + BELOW)
    volume = SIDE**3 / count
    mass = DENSITY * volume
    vector, matrix = ti.types.vector(3, ti.f32), ti.types.matrix(3, 3, ti.f32)
    x, v = vector.field(shape=count), vector.field(shape=count)
    gradient, stretch = matrix.field(shape=count), matrix.field(shape=count)  # Of velocity, and of deformation.
    momentum, weight = vector.field(shape=grid), ti.field(ti.f32, grid)

    @ti.func
    def shares(place):
        """The first of three nodes along each axis, how far from it, and the share of each."""
        first = ti.floor(place - 0.5, ti.i32)
        f = place - first
        return first, f, ti.Matrix.rows([0.5 * (1.5 - f) ** 2, 0.75 - (f - 1) ** 2, 0.5 * (f - 0.5) ** 2])

    @ti.kernel
    def step():
        one = ti.Matrix.identity(ti.f32, 3)
        for q in ti.grouped(weight):
            momentum[q] = 0
            weight[q] = 0
        for p in x:
            first, f, w = shares(x[p] / dx)
            c = gradient[p]
            stretch[p] += dt * c @ stretch[p]
            b = stretch[p] @ stretch[p].transpose()
            stress = MU * (b - one) + LAMBDA * ti.log(stretch[p].determinant()) * one
            stress += TAU * (MU * (c + c.transpose()) + LAMBDA * c.trace() * one)
            affine = mass * c - dt * volume * 4 / dx**2 * stress
            for i, j, k in ti.static(ti.ndrange(3, 3, 3)):
                share = w[i, 0] * w[j, 1] * w[k, 2]
                node = ti.Vector([i, j, k])
                momentum[first + node] += share * (mass * v[p] + affine @ ((node - f) * dx))
                weight[first + node] += share * mass
        for q in ti.grouped(weight):
            if weight[q] > 0:
                u = momentum[q] / weight[q] - ti.Vector([0.0, 0.0, dt * GRAVITY])
                # Points feel a node from a cell away: a floor one node lower lets them rest at height 0.
                if q[2] < BELOW and u[2] < 0:
                    slide = ti.Vector([u[0], u[1], 0.0])
                    u = slide * ti.max(0.0, 1 + FRICTION * u[2] / (slide.norm() + 1e-9))
                momentum[q] = u
        for p in x:
            first, f, w = shares(x[p] / dx)
            u, c = ti.Vector.zero(ti.f32, 3), ti.Matrix.zero(ti.f32, 3, 3)
            for i, j, k in ti.static(ti.ndrange(3, 3, 3)):
                node = ti.Vector([i, j, k])
                part = w[i, 0] * w[j, 1] * w[k, 2] * momentum[first + node]
                u += part
                c += 4 / dx * part.outer_product(node - f)
            v[p], gradient[p] = u, c
            x[p] += dt * u

    g = (np.arange(2 * n) + 0.5) * dx / 2
    start = np.stack(np.meshgrid(g + MARGIN, g + MARGIN, g + DROP + BELOW * dx, indexing="ij"), -1).reshape(-1, 3)

    def reset():
        x.from_numpy(start.astype(np.float32))
        v.fill(0)
        gradient.fill(0)
        stretch.from_numpy(np.tile(np.eye(3, dtype=np.float32), (count, 1, 1)))

    reset()
    step()  # Compiles it.
    reset()
    watch = Watch()
    for _ in range(round(seconds * 60)):
        watch.step(lambda: [step() for _ in range(substeps)])
        watch.look(x.to_numpy() - [0, 0, BELOW * dx])
    # Points lie half a spacing inside the cube.
    watch.heights = [h * 2 * n / (2 * n - 1) for h in watch.heights]
    watch.row(f"Taichi MPM {60 * substeps} Hz", n, seconds)
