"""Every allocation of an operation fails in turn: its objects are as they were, or as they should be."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

from grblas_gpu import Matrix, Vector, binary, semiring, unary
from grblas_gpu.exceptions import OutOfMemory

N = 3000
FILLS = (0, 20, 400, 2900, N)  # a list, flags, and an entry everywhere
ALLOCATING = "arange argsort array asarray bincount concatenate empty flatnonzero full ones repeat unique zeros".split()


class Failing:
    """NumPy, as the modules of the package see it, of which one allocation fails."""

    def __init__(self, left: int) -> None:
        self.left = left

    def __getattr__(self, name: str) -> Any:
        found = getattr(np, name)
        return self._counted(found) if name in ALLOCATING else found

    def _counted(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            self.left -= 1
            if self.left == -1:
                raise MemoryError("as asked for")
            return function(*args, **kwargs)

        return call


@contextmanager
def failing(after: int) -> Iterator[Failing]:
    """Let the allocation after so many others fail."""
    numpy = Failing(after)
    modules = [module for name, module in sys.modules.items() if name.startswith("grblas_gpu.")]
    with pytest.MonkeyPatch.context() as patch:
        for module in modules:
            if getattr(module, "np", None) is np:
                patch.setattr(module, "np", numpy)
        yield numpy


def vector(seed: int, fill: int) -> Vector:
    random = np.random.default_rng(seed)
    return Vector.from_coo(np.sort(random.permutation(N)[:fill]), random.integers(1, 9, fill).astype(float), size=N)


def matrix() -> Matrix:
    random = np.random.default_rng(4)
    rows, cols = random.integers(0, N, (2, 3 * N))
    return Matrix.from_coo(rows, cols, random.random(3 * N), nrows=N, ncols=N, dup_op=binary.plus)


VECTORS: dict[str, Callable[[Vector, Vector, Vector], Any]] = {
    "replace": lambda w, u, m: w(m.S, replace=True) << u.apply(unary.ainv),
    "replace outside": lambda w, u, m: w(~m.S, replace=True) << u.apply(unary.ainv),
    "write": lambda w, u, m: w(m.V) << u.apply(unary.ainv),
    "accumulate": lambda w, u, m: w(binary.plus) << u.apply(unary.ainv),
    "accumulate masked": lambda w, u, m: w(m.S, binary.plus) << u.apply(unary.ainv),
    "accumulate and replace": lambda w, u, m: w(m.S, binary.plus, replace=True) << u.apply(unary.ainv),
    "copy": lambda w, u, m: w(m.S) << u,
    "union": lambda w, u, m: w << u.ewise_add(m, binary.plus),
    "intersection": lambda w, u, m: w << u.ewise_mult(m, binary.plus),
    "select": lambda w, u, m: w(m.S) << u.select("<", 5),
    "extract": lambda w, u, m: w << u[::-1],
    "assign": lambda w, u, m: w(m.S) << 5,
    "assign outside": lambda w, u, m: w(~m.S) << 5,
    "assign a region": lambda w, u, m: w[[3, 5, 700]](binary.plus) << 5,
    "set an element": lambda w, u, m: w.__setitem__(17, 4),
    "delete an element": lambda w, u, m: w.__delitem__(17),
    "resize": lambda w, u, m: w.resize(2000),
}

MATRICES: dict[str, Callable[[Matrix, Vector, Vector], Any]] = {
    "product": lambda A, w, u: w(u.S, binary.plus) << semiring.plus_times(A @ u),
    "reduce": lambda A, w, u: w(u.S, replace=True) << A.reduce_rowwise("plus"),
    "assign a row": lambda A, w, u: A[7, :] << u,
    "accumulate in a column": lambda A, w, u: A[:, 7](u.S, binary.plus) << 2,
    "set an element": lambda A, w, u: A.__setitem__((7, 8), 3),
    "select": lambda A, w, u: A << A.select("<", 0.5),
}


def check(run: Callable[..., Any], *given: Any) -> None:
    expected = [x.dup() for x in given]
    run(*expected)
    after = 0
    while True:
        objects = [x.dup() for x in given]
        with failing(after) as numpy:
            try:
                run(*objects)
                wanted = expected
            except (MemoryError, OutOfMemory):
                wanted = list(given)
        for found, right in zip(objects, wanted, strict=True):
            assert found.nvals == right.nvals, after
            assert found.isequal(right), after
        if numpy.left >= 0:  # none failed
            return
        after += 1


@pytest.mark.parametrize("name", VECTORS)
def test_vectors(numba_tier: None, name: str) -> None:
    for w in FILLS:
        for u in (20, 2900):
            for m in (20, 2900):
                check(VECTORS[name], vector(1, w), vector(2, u), vector(3, m))


@pytest.mark.parametrize("name", MATRICES)
def test_matrices(numba_tier: None, name: str) -> None:
    for w in (20, 2900):
        check(MATRICES[name], matrix(), vector(1, w), vector(2, 400))
