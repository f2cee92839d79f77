"""The program of the ranks in tests/mpi on the emulated CUDA engine: cases of ``distributed_program``, or ``waits``,
which counts the waits of the host for the device in a product.
"""

from __future__ import annotations

import sys

import device_arrays
import emulated_cupy
import numpy as np
import pytest
from emulated_engine import loaded

from grblas_gpu.backends import registry

LOOKING = (np.count_nonzero, np.flatnonzero, np.nonzero, np.array_equal)
MOST_WAITS = 2  # of a product: in expand and in fold


def count_waits(block) -> list[str]:
    """Note all waits of the host from now on: for new numbers, for arrays, and in functions that read them."""
    waits: list[str] = []
    array = device_arrays.DeviceArray
    number_at, call = block.number_at, array.__array_function__

    def counted_number(self, place: int) -> int:
        if self.seen <= place:
            waits.append("number")
        return number_at(self, place)

    def counted_call(self, function, *given):
        if function in LOOKING:
            waits.append(function.__name__)
        return call(self, function, *given)

    def counted(name: str):
        method = getattr(array, name)

        def noting(self, *given):
            waits.append(name)
            return method(self, *given)

        return noting

    block.number_at, array.__array_function__ = counted_number, counted_call
    for name in ("get", "__int__", "__bool__", "__float__"):
        setattr(array, name, counted(name))
    return waits


def waits(block) -> None:
    import grblas_gpu as gb
    from grblas_gpu import Vector, generators, semiring

    with gb.using("cpu"):
        D = generators.kronecker(7, seed=3).to("mpi")
    random = np.random.default_rng(5)
    with gb.using("mpi"):
        some, full = np.flatnonzero(random.random(128) < 0.3), np.arange(128)
        frontier = Vector.from_coo(some, random.random(len(some)), size=128)
        ranks = Vector.from_coo(full, random.random(128), size=128)
        seen = Vector.from_coo(some[::2], True, size=128)
        lines = {
            "push": lambda: semiring.min_plus(frontier @ D).new(direction="push"),
            "pull": lambda: semiring.min_plus(frontier @ D).new(direction="pull"),
            "pull, masked": lambda: semiring.any_pair(frontier @ D).new(mask=~seen.S, direction="pull"),
            "push, masked": lambda: semiring.any_pair(frontier @ D).new(mask=~seen.S, direction="push"),
            "full": lambda: semiring.plus_times(ranks @ D).new(direction="pull"),
        }
        for line in lines.values():  # fills the caches
            line().nvals
        noted = count_waits(block)
        for name, line in lines.items():
            frontier.nvals, ranks.nvals, seen.nvals
            noted.clear()
            found = line()
            assert 0 < len(noted) <= MOST_WAITS, (name, noted)
            assert found.nvals > 0


emulated_cupy.module = lambda runs=True: device_arrays.module()
with pytest.MonkeyPatch.context() as patch, loaded("emulated", patch, "engine", "runtime.counters") as emulated:
    registry._engines["cuda"] = emulated.engine.CudaBackend()
    if sys.argv[1:] == ["waits"]:
        waits(emulated.counters.Block)
    else:
        import distributed_program

        distributed_program.main()
