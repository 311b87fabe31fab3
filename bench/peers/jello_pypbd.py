"""The jello cube in pyPBD: tetrahedra of XPBD."""

import tempfile

from watch import DENSITY, DROP, FRICTION, POISSON, SIDE, YOUNG, Watch, tetrahedra, volumes
import numpy as np
import pypbd as pbd

XPBD_ELEMENTS = 3  # The number of this method in addSolidConstraints.


def floor(model):
    """A box whose top is at height 0; y is up in pyPBD."""
    with tempfile.NamedTemporaryFile("w", suffix=".obj") as f:
        for c in range(8):
            f.write(f"v {(c >> 2) * 2 - 1} {(c >> 1 & 1) * 2 - 1} {(c & 1) * 2 - 1}\n")
        for a, b, c, d in [(1, 2, 4, 3), (5, 7, 8, 6), (1, 5, 6, 2), (3, 4, 8, 7), (1, 3, 7, 5), (2, 6, 8, 4)]:
            f.write(f"f {a} {b} {c}\nf {a} {c} {d}\n")
        f.flush()
        vertices, mesh = pbd.OBJLoader.loadObjToMesh(f.name, [1, 1, 1])
    body = model.addRigidBody(
        1.0, vertices, mesh, [0, -0.5, 0], np.identity(3), [2, 0.5, 2], testMesh=False, generateCollisionObject=False,
        resolution=[5, 5, 5],
    )
    body.setMass(0.0)
    body.setFrictionCoeff(FRICTION)
    return body.getGeometry().getVertexDataLocal()


def run(n, seconds):
    """Fewer substeps rest too low, more rebound too high (nothing damps), more iterations than one explode."""
    substeps = 5 * n // 4
    pbd.Logger.addConsoleSink(pbd.LogLevel.ERR)
    simulation = pbd.Simulation.getCurrent()
    simulation.initDefault()
    model, stepper = simulation.getModel(), simulation.getTimeStep()
    ground = floor(model)
    x, t = tetrahedra(n)
    start = (x + [0, 0, DROP])[:, [1, 2, 0]]
    cube = model.addTetModel(
        start, t.ravel().tolist(), testMesh=True, generateCollisionObject=False, resolution=[5, 5, 5]
    )
    cube.setFrictionCoeff(FRICTION)
    particles = model.getParticles()
    mass = np.bincount(t.ravel(), np.repeat(DENSITY * volumes(x, t) / 4, 4))
    for i, m in enumerate(mass):
        particles.setMass(i, m)
    model.addSolidConstraints(cube, XPBD_ELEMENTS, YOUNG, POISSON, YOUNG, False, False)
    collisions = stepper.getCollisionDetection()
    box = pbd.CollisionObject.RigidBodyCollisionObjectType
    collisions.addCollisionBox(0, box, ground, 0, ground.size(), [4, 1, 4], False, False)
    collisions.setTolerance(0.01 * SIDE)
    stepper.setValueUInt(pbd.TimeStepController.NUM_SUB_STEPS, substeps)
    stepper.setValueUInt(pbd.TimeStepController.MAX_ITERATIONS, 1)
    pbd.TimeManager.getCurrent().setTimeStepSize(1 / 240)
    watch = Watch()
    for _ in range(round(seconds * 60)):
        watch.step(lambda: [stepper.step(model) for _ in range(4)])
        points = np.array([particles.getPosition(i) for i in range(len(x))])
        watch.look(points[:, [2, 0, 1]])
    watch.row(f"pyPBD XPBD elements {240 * substeps} Hz", n, seconds)
