"""The jello cube in Newton: vertex block descent on the processor, by Warp."""

from watch import DENSITY, DROP, FRICTION, GRAVITY, LAMBDA, MU, SIDE, TAU, Watch
import newton
import numpy as np
import warp as wp


def run(n, seconds, substeps=20, iterations=5):
    """Fewer substeps rebound less, fewer iterations rest lower."""
    wp.config.log_level = wp.LOG_ERROR
    wp.set_device("cpu")
    cell = SIDE / n
    builder = newton.ModelBuilder(up_axis=newton.Axis.Z, gravity=(0.0, 0.0, -GRAVITY))
    builder.add_ground_plane()
    # Damping is a viscosity here; the mesh is that of the others, five tetrahedra a cell.
    builder.add_soft_grid(
        pos=wp.vec3(-SIDE / 2, -SIDE / 2, DROP), rot=wp.quat_identity(), vel=wp.vec3(0.0, 0.0, 0.0), dim_x=n, dim_y=n,
        dim_z=n, cell_x=cell, cell_y=cell, cell_z=cell, density=DENSITY, k_mu=MU, k_lambda=LAMBDA, k_damp=TAU * MU,
        add_surface_mesh_edges=False, particle_radius=0.1 * cell,
    )
    builder.color()
    model = builder.finalize()
    # A contact stands for a patch of the floor, so it stiffens with the area of a cell; kf regularises friction.
    model.soft_contact_ke = 1e5 * (cell / 0.0125) ** 2
    model.soft_contact_kd, model.soft_contact_kf, model.soft_contact_mu = 0.0, 1e3, FRICTION
    solver = newton.solvers.SolverVBD(
        model, iterations=iterations, particle_enable_tile_solve=False, rigid_compliant_alm=True
    )
    pipeline, control = newton.CollisionPipeline(model), model.control()
    contacts = pipeline.contacts()

    def frame(states):
        for _ in range(substeps):
            states[0].clear_forces()
            pipeline.collide(states[0], contacts)
            solver.step(*states, control, contacts, 1 / 60 / substeps)
            states.reverse()

    frame([model.state(), model.state()])  # Compiles the kernels.
    states, watch = [model.state(), model.state()], Watch()
    for _ in range(round(seconds * 60)):
        watch.step(lambda: frame(states))
        points = states[0].particle_q.numpy().reshape(n + 1, n + 1, n + 1, 3)
        watch.look(np.transpose(points, (2, 1, 0, 3)).reshape(-1, 3))  # Newton's first axis is z.
    watch.row(f"Newton VBD {60 * substeps} Hz", n, seconds)
