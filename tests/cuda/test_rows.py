"""Reductions of rows by the CUDA engine against the definitions: on a GPU where there is one, or in an emulation."""

import numpy as np
import pytest
from emulated_engine import engine_fixture
from random_objects import definitions, same, with_degrees

from grblas_gpu import binary, monoid
from grblas_gpu.backends.stores.entries import cast, entries
from grblas_gpu.backends.stores.storage import INDEX, MatrixStore, VectorStore
from grblas_gpu.dtypes import BOOL, INT64
from grblas_gpu.operators import get_typed_op

engine = engine_fixture("eager.rows", "eager.operating", "engine")


def check(engine, a: MatrixStore, op, offsets=INDEX) -> None:
    a.indptr = a.indptr.astype(offsets)
    result = engine.run(engine.rows.reduce_rows, a, op)
    expected = definitions.reduce_rowwise(a, op)
    for found, wanted in zip(entries(result), entries(expected), strict=True):
        assert found.dtype == wanted.dtype
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize(
    "degrees",
    [
        [3],
        [0, 0, 2, 0],
        [5000],
        [1] * 3000,
        [0] * 600 + [1] + [0] * 600,
        [7, 0, 2500, 1, 1, 0, 40, 1023, 0, 0],
        [1024, 1024, 1, 255, 256, 257],
        [8] * 500,
        [1023, 1, 1024, 0, 3000, 2, 2, 0],
    ],
    ids=lambda degrees: f"{len(degrees)} rows, {sum(degrees)} entries",
)
def test_rows_of_any_length(engine, degrees) -> None:
    check(engine, with_degrees(degrees), monoid.plus["FP64"])
    check(engine, with_degrees(degrees), monoid.plus["FP64"], np.int32)


@pytest.mark.parametrize("op, dtype", [("min", "INT8"), ("plus", "FP32"), ("lxor", "BOOL"), ("max", "UINT16")])
def test_types(engine, op, dtype) -> None:
    typed = getattr(monoid, op)[dtype]
    for stored in (typed.type.np_type, np.int16):
        check(engine, with_degrees([3, 0, 1500, 20], stored), typed)


def test_one_value_for_all(engine) -> None:
    a = with_degrees([3, 0, 1500, 20])
    a.values = np.array([3.0])
    for op in (monoid.plus["INT64"], monoid.min["FP64"], monoid.lxor["BOOL"]):
        check(engine, a, op)


def test_casts_are_those_of_the_definitions(engine) -> None:
    kinds = [np.dtype(kind) for kind in (bool, np.int8, np.uint16, np.int64, np.uint64, np.float32, np.float64)]
    for one in kinds:
        values = np.array([0, 1, 2, 100, 127])
        if one.kind in "if":
            values = np.append(values, [-1, -128])
        values = values.astype(one)
        if one.kind == "f":
            values = np.append(values, np.array([0.5, -2.5, np.nan, np.inf, -np.inf, 1e30, -1e30], one))
        for other in kinds[:: 1 if engine.name == "gpu" else 3]:
            found = engine.to_host(engine.operating.cast_values(engine.to_device(values), other))
            assert found.dtype == other
            np.testing.assert_array_equal(found, cast(values, other))


def test_counts_read_no_entries(engine) -> None:
    backend = engine.engine.CudaBackend()
    a = engine.there(with_degrees([3, 0, 1500, 20]))
    pair = get_typed_op(binary.pair, INT64, BOOL)
    ones = backend.apply_bind(a, pair, False, "right")
    assert ones.iso and ones.indices is a.indices
    same(
        engine.here(backend.reduce_rowwise(ones, monoid.plus["INT64"])),
        VectorStore(4, np.array([3, 1500, 20]), indices=np.array([0, 2, 3])),
    )


@pytest.mark.parametrize("offsets", [np.int32, INDEX])
def test_lengths_of_rows(engine, offsets) -> None:
    for degrees in ([3], [0, 0, 2, 0], [5000, 1], [0, 0], np.random.default_rng(3).integers(0, 3, 700)):
        a = with_degrees(degrees)
        a.indptr = a.indptr.astype(offsets)
        result = engine.run(engine.rows.count_rows, a)
        (filled,) = np.nonzero(degrees)
        found, counts = entries(result)
        np.testing.assert_array_equal(found, filled)
        np.testing.assert_array_equal(counts, np.asarray(degrees)[filled])
        assert result.nvals == len(filled) and counts.dtype == np.int64
