"""Regions, lines and column reductions on the CPU engine: those of python-graphblas, by kernels and by definitions."""

import graphblas as ss
import numpy as np
import pytest

import grblas_gpu as gb
from grblas_gpu.backends.cpu import tier
from grblas_gpu.backends.reference import Definitions
from grblas_gpu.plan import rules


@pytest.fixture(autouse=True, params=["numba", "numpy"])
def compiled(request, set_tier):
    set_tier(request.param)
    with gb.using("cpu"):
        yield


def some(random, high: int) -> np.ndarray:
    return np.unique(random.integers(0, high, random.integers(1, high + 1)))


@pytest.mark.parametrize("dtype", ["FP64", "INT16"])
@pytest.mark.parametrize("iso", [True, False])
def test_changes_and_columns(dtype: str, iso: bool) -> None:
    random = np.random.default_rng(6)
    for trial in range(20):
        n, m = (int(random.integers(1, 30)) for _ in range(2))
        keys = some(random, n * m)
        rows, cols = some(random, n), (slice(None) if trial % 5 == 0 else some(random, m))
        width = m if trial % 5 == 0 else len(cols)
        given = some(random, len(rows) * width)
        values, others = (1 if iso else random.integers(0, 9, len(part)) for part in (keys, given))
        found = []
        lines, places = random.permutation(n)[: n // 2 + 1], random.permutation(m)[:3]
        for lib in (gb, ss):
            A = lib.Matrix.from_coo(keys // m, keys % m, values, dtype, nrows=n, ncols=m)
            Q = lib.Matrix.from_coo(given // width, given % width, others, nrows=len(rows), ncols=width)
            A[rows, cols] << Q
            B = A.dup()
            B[0, :] << lib.Vector.from_coo(np.arange(0, m, 2), 3, size=m)
            B[:, 0] << lib.Vector.from_coo(np.arange(0, n, 3), 4, size=n)
            B[:, m - 1] << lib.Vector.from_dense(
                np.arange(n)[:: 1 if trial % 2 else -1] if trial % 3 else np.full(n, 5)
            )
            B[lines, slice(None) if trial % 4 == 0 else places] << 6
            v, w = (x[0, :].new() for x in (A, B))
            v[some(np.random.default_rng(trial), m)] << 5
            results = [A, B, v, A.T.reduce_rowwise(lib.monoid.max).new()]
            results += [A.reduce_columnwise(op).new() for op in (lib.monoid.min, lib.monoid.plus, lib.agg.count)]
            found.append([part.tolist() for x in results for part in x.to_coo()] + [v.inner(w).new().value])
        assert found[0] == found[1]


@pytest.mark.parametrize("dtypes", [("INT64", "INT64"), ("INT32", "FP64")])
def test_regions_with_masks_and_accumulators(dtypes: tuple[str, str]) -> None:
    random = np.random.default_rng(8)
    for trial in range(150):
        n, m = (int(random.integers(2, 20)) for _ in range(2))
        rows, cols = some(random, n), some(random, m)
        if trial % 4 == 0:
            random.shuffle(cols)
        keys, masked, small = some(random, n * m), some(random, n * m), some(random, len(rows) * len(cols))
        given = np.zeros(0, np.int64) if trial % 7 == 0 else some(random, len(rows) * len(cols))
        values, flags = random.integers(0, 9, len(given)), random.integers(0, 2, n * m).astype(bool)
        kind, complement, replace, inner, scalar, accumulated = random.integers(0, 2, 6).astype(bool)
        found = []
        for lib in (gb, ss):
            C = lib.Matrix.from_coo(keys // m, keys % m, keys % 9, dtypes[0], nrows=n, ncols=m)
            shape = {"nrows": len(rows), "ncols": len(cols)}
            Q = lib.Matrix.from_coo(given // len(cols), given % len(cols), values, dtypes[1], **shape)
            places, width = (small, len(cols)) if inner else (masked, m)
            shape = shape if inner else {"nrows": n, "ncols": m}
            M = lib.Matrix.from_coo(places // width, places % width, flags[: len(places)], **shape)
            mask = M.S if kind else M.V
            mask = ~mask if complement else mask
            options = {"accum": lib.binary.plus} if accumulated else {}
            if trial % 5 == 0:
                C(**options)[rows, cols] << (7 if scalar else Q)
            elif inner:
                C[rows, cols](mask, replace=bool(replace), **options) << (7 if scalar else Q)
            else:
                C(mask, replace=bool(replace), **options)[rows, cols] << (7 if scalar else Q)
            found.append([part.tolist() for part in C.to_coo()])
        assert found[0] == found[1]


@pytest.mark.parametrize("fill", [0.3, 0.7, 1])
def test_one_value_at_positions_that_a_mask_leaves_open(monkeypatch, fill: float) -> None:
    if tier.get_tier() == "numba":
        monkeypatch.setattr(Definitions, "assign", None)  # a kernel does it
    random = np.random.default_rng(9)
    for _ in range(60):
        index, seed, n = random.permutation(30)[: random.integers(1, 30)], random.integers(1 << 30), 30
        structural, complement, inner = random.integers(0, 2, 3).astype(bool)
        found = []
        for lib in (gb, ss):
            same = np.random.default_rng(seed)
            c, m = (np.flatnonzero(same.random(size) < share) for size, share in ((n, fill), (30, 0.5)))
            w = lib.Vector.from_coo(c, same.integers(0, 5, len(c)), "FP32", size=n)
            m = m[m < len(index)] if inner else m
            flags = same.integers(0, 2, len(m)).astype(bool)
            M = lib.Vector.from_coo(m, flags, bool, size=len(index) if inner else n)
            mask = M.S if structural else M.V
            mask = ~mask if complement else mask
            if inner:
                w[index](mask) << 7
            else:
                w(mask)[index] << 7
                w(mask, lib.binary.plus, replace=bool(complement)) << 3
            found.append([part.tolist() for part in w.to_coo()])
        assert found[0] == found[1]


def test_no_transpose_is_made_for_a_few_products() -> None:
    """It is made once pushes have cost as much; the definition computes with it."""
    if tier.get_tier() == "numpy":
        return
    random = np.random.default_rng(7)
    A = gb.Matrix.from_coo(*random.integers(0, 500, (2, 9000)), random.random(9000), dup_op=gb.binary.plus)
    x, dense = gb.Vector.from_dense(random.random(A.nrows)), A.to_dense(0.0)
    enough = int(rules.CPU_COSTS.transpose / rules.CPU_COSTS.push_edge) + 1
    made = []
    for _ in range(enough + 1):
        np.testing.assert_allclose(x.vxm(A).new().to_dense(0.0), x.to_dense() @ dense)
        A.reduce_columnwise().new()
        made.append(A._store._transpose is not None)
    assert not any(made[: enough - 1]) and made[-1]
