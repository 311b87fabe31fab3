"""The jello cube of our `jello` in MuJoCo and in Bullet: prints one row as our own programs do.

usage: jello.py trilinear|quadratic|full|bullet CELLS [SECONDS]
"""

import json
import resource
import sys
import tempfile
import time

import numpy as np

SIDE, DROP, YOUNG, POISSON, TAU, DENSITY, GRAVITY = 0.2, 0.1, 5e4, 0.3, 1e-3, 1000.0, 9.81


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
        """`points` lie on a grid of cells + 1 nodes a side, the last axis up."""
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


def mujoco_flex(dof, n, seconds, step=0.002):
    import mujoco

    s = SIDE / n
    cells = "" if dof == "full" else 'cellcount="1 1 1"'
    xml = f"""<mujoco><option timestep="{step}" integrator="discrete" solver="CG" tolerance="1e-6" gravity="0 0 -{GRAVITY}"/>
<size memory="4G"/><worldbody><geom type="plane" size="5 5 .1" friction="0.5" solref=".005 1"/>
<flexcomp name="j" type="grid" dim="3" dof="{dof}" {cells} count="{n + 1} {n + 1} {n + 1}" spacing="{s} {s} {s}"
 pos="0 0 {DROP + SIDE / 2}" radius="{0.1 * s}" mass="{DENSITY * SIDE**3}">
<elasticity young="{YOUNG}" poisson="{POISSON}" damping="{TAU}"/>
<contact selfcollide="none" friction="0.5" solref=".005 1"/></flexcomp></worldbody></mujoco>"""
    model = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(model)
    watch, frame = Watch(), round(1 / 60 / step)
    for _ in range(round(seconds / step / frame)):
        watch.step(lambda: mujoco.mj_step(model, data, frame))
        watch.look(data.flexvert_xpos)
    watch.row(f"MuJoCo flex {dof}", n, seconds)


def bullet(n, seconds, step=1 / 240):
    import pybullet as p

    g = np.linspace(0, SIDE, n + 1)
    x = np.stack(np.meshgrid(g - SIDE / 2, g - SIDE / 2, g, indexing="ij"), -1).reshape(-1, 3)
    i, j, k = (a.ravel() for a in np.meshgrid(*[np.arange(n)] * 3, indexing="ij"))
    corner = lambda c: ((i + (c & 1)) * (n + 1) + j + (c >> 1 & 1)) * (n + 1) + k + (c >> 2)
    v = np.stack([corner(c) for c in range(8)], 1)
    even = [[0, 3, 5, 6], [1, 0, 3, 5], [2, 0, 3, 6], [4, 0, 5, 6], [7, 3, 5, 6]]
    odd = [[1, 2, 4, 7], [0, 1, 2, 4], [3, 1, 2, 7], [5, 1, 4, 7], [6, 2, 4, 7]]
    t = np.where(((i + j + k) % 2 == 0)[:, None, None], v[:, even], v[:, odd]).reshape(-1, 4)
    a, b, c, d = (x[t[:, q]] for q in range(4))
    flip = np.einsum("ij,ij->i", np.cross(b - a, c - a), d - a) < 0
    t[flip] = t[flip][:, [0, 2, 1, 3]]
    with tempfile.NamedTemporaryFile("w", suffix=".vtk") as f:
        f.write(f"# vtk DataFile Version 2.0\ncube\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS {len(x)} double\n")
        np.savetxt(f, x, fmt="%.9g")
        f.write(f"\nCELLS {len(t)} {5 * len(t)}\n")
        np.savetxt(f, np.c_[np.full(len(t), 4), t], fmt="%d")
        f.write(f"\nCELL_TYPES {len(t)}\n" + "10\n" * len(t))
        f.flush()
        p.connect(p.DIRECT)
        p.resetSimulation(p.RESET_USE_DEFORMABLE_WORLD)
        p.setGravity(0, 0, -GRAVITY)
        p.setTimeStep(step)
        box = p.createCollisionShape(p.GEOM_BOX, halfExtents=[2, 2, 0.5])
        ground = p.createMultiBody(0, box, basePosition=[0, 0, -0.5])
        p.changeDynamics(ground, -1, lateralFriction=0.5)
        mu, lam = YOUNG / (2 * (1 + POISSON)), YOUNG * POISSON / ((1 + POISSON) * (1 - 2 * POISSON))
        soft = p.loadSoftBody(
            f.name, basePosition=[0, 0, DROP], mass=DENSITY * SIDE**3, collisionMargin=0.02 * SIDE, useNeoHookean=1,
            NeoHookeanMu=mu, NeoHookeanLambda=lam, NeoHookeanDamping=TAU, useSelfCollision=0, frictionCoeff=0.5,
            useFaceContact=1, repulsionStiffness=800,
        )
    watch = Watch()
    for _ in range(round(seconds * 60)):
        watch.step(lambda: [p.stepSimulation() for _ in range(4)])
        watch.look(np.array(p.getMeshData(soft, -1, flags=p.MESH_DATA_SIMULATION_MESH)[1]))
    watch.row("Bullet neo-Hookean 240 Hz", n, seconds)


def main():
    which, cells = sys.argv[1], int(sys.argv[2])
    seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 2.0
    if which == "bullet":
        bullet(cells, seconds)
    else:
        mujoco_flex(which, cells, seconds)


main()
