"""Kronecker products by the kernels of the CUDA engine against the definitions: on a GPU, or emulated."""

import numpy as np
import pytest
from emulated_engine import SLOW_ENGINES, engine_fixture
from random_objects import definitions, one_value, same, valued_matrix, with_degrees

from grblas_gpu import binary
from grblas_gpu.backends.stores.storage import INDEX, MatrixStore

engine = engine_fixture("eager.kronecker")
every_engine = engine_fixture("eager.kronecker", params=SLOW_ENGINES)


def check(engine, a: MatrixStore, b: MatrixStore, op) -> MatrixStore:
    found: MatrixStore = engine.run(engine.kronecker.kronecker_product, a, b, op)
    same(found, definitions.kronecker(a, b, op))
    return found


def test_products(engine) -> None:
    rng = np.random.default_rng(1)
    a, pair = valued_matrix(rng, 40, 30, np.float32, 0.3), with_degrees([1, 1], np.float32)
    check(engine, a, pair, binary.minus["FP32"])
    check(engine, pair, a, binary.minus["FP32"])
    check(engine, a, valued_matrix(rng, 5, 7, np.float32, 0.5), binary.minus["FP32"])


@pytest.mark.parametrize("name", ["times", "first", "pair", "gt", "firsti", "firstj", "secondi", "secondj1"])
def test_operators(every_engine, name: str) -> None:
    rng = np.random.default_rng(2)
    op = getattr(binary.ss if hasattr(binary.ss, name) else binary, name)["INT64"]
    a, b = valued_matrix(rng, 20, 30, np.int8, 0.3), valued_matrix(rng, 3, 4, np.float64, 0.6)
    check(every_engine, a, b, op)
    check(every_engine, one_value(a), b, op)
    check(every_engine, a, one_value(b), op)
    found = check(every_engine, one_value(a), one_value(b), op)
    assert op.positional is not None or len(found.values) == 1


@pytest.mark.parametrize("offsets", [np.int32, INDEX])
def test_rows_of_any_length(every_engine, offsets, monkeypatch) -> None:
    if offsets is INDEX:  # as if 32 bits were not enough
        monkeypatch.setattr(every_engine.kronecker, "INT32_LIMIT", 100)
    a, b = with_degrees([0, 900, 0, 3, 1, 0]), with_degrees([0, 5, 0, 2, 0])
    for each in (a, b):
        each.indptr = each.indptr.astype(offsets)
    b.indices = b.indices.astype(np.int64)
    check(every_engine, a, b, binary.plus["FP64"])
    check(every_engine, b, a, binary.plus["FP64"])
    check(every_engine, a, with_degrees([1]), binary.plus["FP64"])
