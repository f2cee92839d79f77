"""Pulls that the CPU engine adds to a dense output without a product of their own: as python-graphblas does."""

from types import SimpleNamespace

import graphblas as ss
import numpy as np
import pytest
from pairs import MASK_KINDS

import grblas_gpu as gb
from grblas_gpu.backends.cpu import mxv
from grblas_gpu.foundation import atomic_updates

CASES = [
    ("plus_times", "FP64", "plus", "FP64"),
    ("min_plus", "INT64", "minus", "INT8"),
    ("plus_secondi", "INT64", "second", "FP64"),
    ("lor_land", "BOOL", "min", "UINT8"),
    ("plus_minus", "FP32", "first", "BOOL"),
]


def vector(lib, random: np.random.Generator, n: int, fill: float, dtype: str):
    at = np.flatnonzero(random.random(n) < fill)
    return lib.Vector.from_coo(at, random.integers(0, 5, len(at)), dtype, size=n)


@pytest.mark.parametrize(("name", "dtype", "accum", "out_type"), CASES)
def test_products_with_accumulators(monkeypatch, set_tier, name: str, dtype: str, accum: str, out_type: str) -> None:
    set_tier("numba")
    monkeypatch.setattr(atomic_updates, "multithreaded", False)  # other tests have threads
    added = []
    monkeypatch.setattr(mxv, "_accumulate", lambda *given, add=mxv._accumulate: added.append(1) or add(*given))
    for seed in range(60):
        monkeypatch.setattr(mxv, "PARALLEL_WORK", 10_000 * (seed % 2))
        found = []
        for lib in (gb, ss):
            random = np.random.default_rng(seed)
            n, m, kind = 40, 30, MASK_KINDS[random.integers(5)]
            keys = np.flatnonzero(random.random(n * m) < random.choice([0.02, 0.2]))
            given = random.integers(0, 5, len(keys))
            replace, alias = bool(kind and random.random() < 0.2), kind is not None and random.random() < 0.3
            with gb.using("cpu"):
                A = lib.Matrix.from_coo(keys // m, keys % m, given, dtype, nrows=n, ncols=m)
                u = vector(lib, random, m, random.choice([0.5, 1]), dtype)
                out, other = (vector(lib, random, n, random.choice([0.6, 1]), out_type) for _ in range(2))
                masks = SimpleNamespace(S=(out if alias else other).S, V=(out if alias else other).V)
                mask = None if kind is None else getattr(masks, kind[-1])
                mask = ~mask if kind and kind[0] == "~" else mask
                semiring = getattr(lib.semiring.ss if name.endswith("i") else lib.semiring, name)
                for _ in range(2):
                    out(mask=mask, accum=getattr(lib.binary, accum), replace=replace) << A.mxv(u, semiring)
                found.append([part.tolist() for part in out.to_coo()] + [out.nvals])
        assert found[0] == found[1], seed
    assert len(added) > 30


def test_a_product_of_the_output_itself(set_tier) -> None:
    set_tier("numba")
    found = []
    for lib in (gb, ss):
        with gb.using("cpu"):
            A = lib.Matrix.from_coo([0, 1, 2], [1, 2, 0], [1, 2, 3], nrows=3, ncols=3)
            x = lib.Vector.from_dense(np.array([1, 2, 3]))
            x(lib.binary.plus) << A.mxv(x)
            found.append(x.to_dense().tolist())
    assert found[0] == found[1]
