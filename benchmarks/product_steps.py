"""What products in steps gain: a full vector times a graph, with and without, in turn.

    mpiexec -n 4 python -m benchmarks product_steps --scale 18

In steps a block computes on the part of its operand that is there while the next arrives.
"""

from __future__ import annotations

import time

import numpy as np

from grblas_gpu import Vector, semiring, using
from grblas_gpu.distributed import DistMatrix

from .common import parser

TOGETHER = 4  # products between two readings of the clock


def measured(engine, x, A, overlap: bool) -> list[float]:
    """Milliseconds of a product: of the slowest rank, of the processors of all ranks, of this rank's waits."""
    engine.overlap = overlap
    everyone = engine.grid.everyone
    everyone.add_up([0])
    waited = engine.grid.traffic.seconds
    begun = np.array([time.perf_counter(), time.process_time()])
    for _ in range(TOGETHER):
        semiring.plus_first(x @ A).new()
    taken = everyone.gather_small(np.array([time.perf_counter(), time.process_time()]) - begun)
    waited = engine.grid.traffic.seconds - waited
    return [1e3 * float(value) / TOGETHER for value in (taken[:, 0].max(), taken[:, 1].sum(), waited)]


def main(arguments: list[str] | None = None) -> int:
    options = parser("product_steps", __doc__, scale=18, rounds=30).parse_args(arguments)
    both = [DistMatrix.kronecker(options.scale) for _ in range(2)]  # each caches its own steps
    engine, rounds = both[0]._engine, range(options.rounds + 2)
    with using("mpi"):
        x = Vector.from_dense(np.random.default_rng(1).random(both[0].nrows))
        x.nvals  # known to be full
        times = [[measured(engine, x, A, bool(overlap)) for overlap, A in enumerate(both)] for _ in rounds]
    found = np.array(times[2:])  # axes: round, without or with steps, quantity
    ratio = float(np.median(found[:, 1, 0] / found[:, 0, 0]))
    if engine.grid.rank == 0:
        print(f"scale {options.scale}, {engine.grid}: in steps {ratio:.3f} of the time (median of {options.rounds})")
        for name, which in (("whole", 0), ("in steps", 1)):
            median, least = np.median(found[:, which], axis=0), found[:, which].min(axis=0)
            print(f"{name}: median {median[0]:.2f} ms, least {least[0]:.2f}; on processors {median[1]:.2f},", end=" ")
            print(f"least {least[1]:.2f}; rank 0 waited {median[2]:.2f}")
    return 0
