"""CHOLMOD on the sheets of our `hybrid_solve`: an n x n grid with bending stiffness (13-point stencil), one thread.

usage: cholmod_solve.py [N...]

Prints CSV: analysis and factor together, and a solve with one right-hand side, least of several. cvxopt brings CHOLMOD
with it, built without METIS, so the ordering is minimum degree.
"""

import os
import sys
import time

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"

from cvxopt import cholmod, matrix, spmatrix
import numpy as np
import scipy.sparse as sparse


def sheet(n, stiffness=1000.0):
    """The identity plus a multiple of the squared Laplacian with free edges: its lower triangle."""
    line = sparse.diags([-np.ones(n - 1), np.r_[1, np.full(n - 2, 2), 1], -np.ones(n - 1)], [-1, 0, 1])
    laplacian = sparse.kronsum(line, line)
    return sparse.tril(sparse.eye(n * n) + stiffness * laplacian.T @ laplacian).tocoo()


def best(work, times):
    least = float("inf")
    for _ in range(times):
        began = time.perf_counter()
        result = work()
        least = min(least, time.perf_counter() - began)
    return 1e3 * least, result


def factor(a):
    f = cholmod.symbolic(a)
    cholmod.numeric(a, f)
    return f


def main():
    print("grid,factor_ms,solve_ms")
    for n in [int(a) for a in sys.argv[1:]] or [100, 300]:
        lower = sheet(n)
        a = spmatrix(lower.data.tolist(), lower.row.tolist(), lower.col.tolist(), lower.shape)
        start = np.sin(np.arange(n * n))
        factor_ms, f = best(lambda: factor(a), 3)
        solve_ms = float("inf")
        for _ in range(20):
            b = matrix(start)  # The solve overwrites it.
            solve_ms = min(solve_ms, best(lambda: cholmod.solve(f, b), 1)[0])
        x = np.array(b).ravel()
        full = lower + sparse.tril(lower, -1).T
        assert abs(full @ x - start).max() < 1e-8, "the answer is wrong"
        print(f"{n},{factor_ms:.1f},{solve_ms:.3f}", flush=True)


main()
