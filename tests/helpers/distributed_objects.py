"""Helpers of the cases of distributed_program.py: the ranks, some objects, and comparisons of results."""

import os
from collections.abc import Iterator

import numpy as np
from mpi4py import MPI

import grblas_gpu as gb
from grblas_gpu import Matrix, Vector, binary, generators

WORLD = MPI.COMM_WORLD
RANK, RANKS = WORLD.Get_rank(), WORLD.Get_size()
LOCAL = "numpy"
EVERY = int(os.environ.get("DISTRIBUTED_EVERY", "1"))  # run one of this many algorithms: saves cores
GRIDS = list(dict.fromkeys(["mpi", f"mpi:{RANKS}x1", f"mpi:1x{RANKS}"]))


def graphs() -> Iterator[tuple[str, Matrix, int]]:
    """Name, graph and a source."""
    random = np.random.default_rng(3)
    with gb.using(LOCAL):
        yield "kronecker", generators.kronecker(8, 8, seed=2), 5
        yield "grid", generators.grid_2d(4, 7), 5
        ends = random.integers(0, 61, (2, 250))
        yield "directed", Matrix.from_coo(*ends, random.random(250), nrows=61, ncols=61, dup_op=binary.plus), 11
        yield "disconnected", Matrix.from_coo([0, 1, 5, 6, 20], [1, 0, 6, 5, 21], True, nrows=30, ncols=30), 5
        yield "path of five", generators.path(5), 2
        yield "two vertices", Matrix.from_coo([0], [1], True, nrows=2, ncols=2), 0
        yield "one vertex", Matrix(bool, 1, 1), 0


def check(found, wanted) -> None:
    """Equal entries and types; floats may be rounded differently.

    ``wanted`` may be a function: then rank 0 computes it for all, which saves cores.
    """
    assert found.backend.startswith("mpi"), found.backend
    count = found.nvals
    *places, values = found.to_coo()
    if callable(wanted) and not hasattr(wanted, "nvals"):
        if RANK != 0:
            return
        wanted = wanted()
    assert found.shape == wanted.shape
    assert found.dtype == wanted.dtype, (found.dtype, wanted.dtype)
    assert count == wanted.nvals, (count, wanted.nvals)
    *expected, others = wanted.to_coo()
    for mine, other in zip(places, expected, strict=True):
        assert mine.tolist() == other.tolist()
    if values.dtype.kind == "f":
        np.testing.assert_allclose(values, others, rtol=1e-10)
    else:
        assert values.tolist() == others.tolist()


def expect(kind: type[BaseException], work, text: str) -> None:
    """Check that every rank gets this error."""
    try:
        work()
    except kind as error:
        assert text in str(error), error
    else:
        raise AssertionError(f"no {kind.__name__}")


def pair_of(x):
    return x, x.to("mpi")


def run(work, x, *others):
    """``work(x, ...)`` where new objects belong to the backend of ``x``, as in a graph algorithm."""
    with gb.using(x.backend):
        return work(x, *others)


def some_vectors() -> list[Vector]:
    random = np.random.default_rng(1)
    with gb.using(LOCAL):
        places = [np.flatnonzero(random.random(23) < fill) for fill in (0.0, 0.2, 0.5, 1.0)]
        empty, one_value = (Vector.from_coo(some, 2, dtype=int, size=23) for some in places[:2])
        return [
            empty,
            one_value,
            *(Vector.from_coo(some, random.integers(-5, 9, len(some)), size=23) for some in places[2:]),
        ]


def some_matrices() -> list[Matrix]:
    random = np.random.default_rng(2)
    with gb.using(LOCAL):
        ends = random.integers(0, 23, (2, 90))
        A = Matrix.from_coo(*ends, random.integers(-3, 7, 90), nrows=23, ncols=23, dup_op=binary.plus)
        ends = random.integers(0, 23, (2, 30))
        return [A, Matrix.from_coo(*ends, 2, dtype=int, nrows=23, ncols=23), Matrix(int, 23, 23)]


def changed(x, change):
    """A copy in the same form, after a change."""
    copy = x.dup()
    change(copy)
    return copy
