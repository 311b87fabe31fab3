"""The jello cube of our `jello` in other engines: prints one row as our own programs do.

usage: jello.py trilinear|quadratic|full|bullet|newton|pypbd|taichi CELLS [SECONDS]
"""

import importlib
import sys
import tempfile

from watch import DENSITY, DROP, FRICTION, GRAVITY, LAMBDA, MU, POISSON, SIDE, TAU, YOUNG, Watch, tetrahedra
import numpy as np


def mujoco_flex(dof, n, seconds, step=0.002):
    import mujoco

    s = SIDE / n
    cells = "" if dof == "full" else 'cellcount="1 1 1"'
    xml = f"""<mujoco>
<option timestep="{step}" integrator="discrete" solver="CG" tolerance="1e-6" gravity="0 0 -{GRAVITY}"/>
<size memory="4G"/><worldbody><geom type="plane" size="5 5 .1" friction="{FRICTION}" solref=".005 1"/>
<flexcomp name="j" type="grid" dim="3" dof="{dof}" {cells} count="{n + 1} {n + 1} {n + 1}" spacing="{s} {s} {s}"
 pos="0 0 {DROP + SIDE / 2}" radius="{0.1 * s}" mass="{DENSITY * SIDE**3}">
<elasticity young="{YOUNG}" poisson="{POISSON}" damping="{TAU}"/>
<contact selfcollide="none" friction="{FRICTION}" solref=".005 1"/></flexcomp></worldbody></mujoco>"""
    model = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(model)
    watch, frame = Watch(), round(1 / 60 / step)
    for _ in range(round(seconds / step / frame)):
        watch.step(lambda: mujoco.mj_step(model, data, frame))
        watch.look(data.flexvert_xpos)
    watch.row(f"MuJoCo flex {dof}", n, seconds)


def bullet(n, seconds, step=1 / 240):
    import pybullet as p

    x, t = tetrahedra(n)
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
        p.changeDynamics(ground, -1, lateralFriction=FRICTION)
        soft = p.loadSoftBody(
            f.name, basePosition=[0, 0, DROP], mass=DENSITY * SIDE**3, collisionMargin=0.02 * SIDE, useNeoHookean=1,
            NeoHookeanMu=MU, NeoHookeanLambda=LAMBDA, NeoHookeanDamping=TAU, useSelfCollision=0, frictionCoeff=FRICTION,
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
    elif which in ("newton", "pypbd", "taichi"):
        importlib.import_module(f"jello_{which}").run(cells, seconds)
    else:
        mujoco_flex(which, cells, seconds)


main()
