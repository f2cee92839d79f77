"""Vectors next to matrices on the CPU engine: where each entry has a value beside it, the structure is shared."""

import numpy as np
import pytest

import grblas_gpu as gb
from grblas_gpu import Matrix, Vector, binary


@pytest.mark.usefixtures("numba_tier")
@pytest.mark.parametrize("absent", ["none", "empty lines", "one with entries"])
@pytest.mark.parametrize("down", [True, False])
def test_values_next_to_entries(absent: str, down: bool) -> None:
    numbers = np.random.default_rng(4)
    n, lines = 3000, np.arange(0, 3000, 2)
    rows, cols = lines[numbers.integers(0, len(lines), (2, 60_000))]
    with gb.using("cpu"):
        A = Matrix.from_coo(rows, cols, numbers.random(60_000), nrows=n, ncols=n, dup_op=binary.plus)
        places = {"none": np.arange(n), "empty lines": lines, "one with entries": lines[1:]}[absent]
        v = Vector.from_coo(places, numbers.random(len(places)), size=n)
        v(binary.plus) << Vector.from_scalar(0.0, n).dup(mask=v.S)  # a bitmap
        found = binary.minus(v & A).new() if down else binary.minus(A & v).new()
        beside = dict(zip(*(x.tolist() for x in v.to_coo()), strict=True))
        i, j, x = (part.tolist() for part in A.to_coo())
        expected = {
            (r, c): (beside[r] - a if down else a - beside[c])
            for r, c, a in zip(i, j, x, strict=True)
            if (r if down else c) in beside
        }
        assert {(r, c): a for r, c, a in zip(*(part.tolist() for part in found.to_coo()), strict=True)} == expected
        assert (found._store.indices is A._store.indices) is (absent != "one with entries")
