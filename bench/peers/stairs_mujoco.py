"""The boxes on stairs of our `stairs` in MuJoCo: rigid, steps of 5 ms, one thread. Prints one row as our own programs do.

usage: stairs_mujoco.py COUNT [SECONDS]
"""

import json
import resource
import sys
import time

import mujoco

STEP = 0.005


def box(half, at, inside=""):
    place = " ".join(f"{c:.6f}" for c in at)
    size = " ".join(f"{h:.6f}" for h in half)
    if not inside:
        return f'<geom type="box" size="{size}" pos="{place}"/>'
    return f'<body pos="{place}">{inside}<geom type="box" size="{size}" density="1000"/></body>'


def scene(layers):
    """z is up."""
    parts = [box((0.25, 5, 0.5), (0.5 * i + 0.25, 0, -0.25 * i - 0.5)) for i in range(20)]
    parts += [box((30, 30, 0.5), (10, 0, -5.5)), box((0.5, 5, 10), (-0.5, 0, 0))]
    for i in range(10):
        for j in range(10):
            for k in range(layers):
                o = 0.008 * ((i * 7 + j * 3 + k * 5) % 5) - 0.016
                at = (0.3 + 0.25 * i + o, -1.125 + 0.25 * j - o, 0.5 + 0.25 * k)
                parts.append(box((0.1, 0.1, 0.1), at, "<freejoint/>"))
    return f"""<mujoco><option timestep="{STEP}" integrator="implicitfast" gravity="0 0 -9.81"/><size memory="2G"/>
<default><geom friction="0.5"/></default><worldbody>{"".join(parts)}</worldbody></mujoco>"""


def main():
    layers = int(sys.argv[1]) // 100
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 5.0
    model = mujoco.MjModel.from_xml_string(scene(layers))
    data = mujoco.MjData(model)
    cpu = wall = deepest = 0.0
    for _ in range(round(10 * seconds)):
        began = time.perf_counter(), time.process_time()
        mujoco.mj_step(model, data, round(0.1 / STEP))
        wall += time.perf_counter() - began[0]
        cpu += time.process_time() - began[1]
        if data.ncon:
            deepest = max(deepest, -data.contact.dist.min())
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    row = dict(engine="MuJoCo rigid", size=100 * layers, threads=1, cpu=cpu / seconds, wall=wall / seconds)
    print(json.dumps(dict(row, memory=memory, answer=dict(deepest_mm=1e3 * float(deepest)))))


main()
