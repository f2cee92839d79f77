"""Reductions of the CUDA engine against the definitions: on a GPU where there is one, otherwise in an emulation."""

import emulated_cupy
import numpy as np
import pytest
from emulated_engine import engine_fixture
from random_objects import definitions, with_degrees

from grblas_gpu import binary, monoid
from grblas_gpu.backends.stores.storage import MatrixStore

engine = engine_fixture("engine", "eager.operating", "runtime.launch", "runtime.workspace")


def check(engine, op, values: np.ndarray, starts) -> np.ndarray:
    starts = np.asarray(starts, np.int64)
    found = engine.operating.reduce_runs(op, engine.to_device(values), engine.to_device(starts)).get()
    wanted = op.reduceat(values, starts)
    assert found.dtype == wanted.dtype
    np.testing.assert_allclose(found, wanted, rtol=1e-12)
    return found


def cuts(rng: np.random.Generator, count: int, runs: int) -> np.ndarray:
    return np.concatenate([[0], np.sort(rng.choice(np.arange(1, count), runs - 1, replace=False))])


@pytest.mark.parametrize("count", [1, 31, 33, 1024, 1025, 5000, 20_000])
def test_runs_of_any_length(engine, count):
    """Long and short runs, that end within a row of values, within a chunk, and chunks later."""
    rng = np.random.default_rng(count)
    values = rng.integers(-100, 100, count)
    for runs in {1, min(2, count), min(7, count), -(-count // 40), -(-count // 2), count}:
        check(engine, monoid.plus["INT64"], values, cuts(rng, count, runs))


@pytest.mark.parametrize("op, dtype", [("min", "INT8"), ("plus", "FP32"), ("lxor", "BOOL"), ("max", "UINT16")])
def test_types(engine, op, dtype):
    rng = np.random.default_rng(2)
    typed = getattr(monoid, op)[dtype]
    values = rng.integers(0, 2 if dtype == "BOOL" else 100, 3000).astype(typed.type.np_type)
    check(engine, typed, values, cuts(rng, 3000, 50))
    found = engine.operating.reduce_all(typed, engine.to_device(values))
    assert found.dtype == typed.return_type.np_type
    assert found == typed.reduce(values)


def test_operators_that_are_not_associative_go_from_left_to_right(engine):
    rng = np.random.default_rng(3)
    values = rng.integers(-50, 50, 4000)
    for runs in (1, 3, 900):
        check(engine, binary.minus["INT64"], values, cuts(rng, 4000, runs))


@pytest.mark.parametrize("count", [1, 10, 1000, 30_000, 600_001])
def test_everything(engine, count):
    """Less than 16 bytes, a chunk, one step for each chunk, and several."""
    values = np.random.default_rng(count).random(count)
    found = engine.operating.reduce_all(monoid.plus["FP64"], engine.to_device(values))
    assert isinstance(found, np.float64)
    assert found == pytest.approx(values.sum(), rel=1e-12)


@pytest.mark.parametrize("dtype", ["BOOL", "INT8", "UINT16", "INT32", "FP32", "UINT64", "FP64"])
def test_every_value_counts_once_wherever_it_lies(engine, dtype):
    """Sums of small numbers, which floats add exactly, of values that begin and end anywhere in 16 bytes."""
    typed = monoid.lxor["BOOL"] if dtype == "BOOL" else monoid.plus[dtype]
    kind = typed.type.np_type
    values = np.random.default_rng(5).integers(0, 2, 9000).astype(kind)
    on_device = engine.to_device(values)
    for start, stop in [(0, 1), (0, 31), (1, 18), (3, 40), (5, 4099), (0, 9000), (7, 8999)]:
        found = engine.operating.reduce_all(typed, on_device[start:stop])
        assert found == typed.reduce(values[start:stop]), (start, stop)


def test_one_value_for_all(engine):
    values = np.broadcast_to(engine.to_device(np.array([3])), (5000,))
    assert engine.operating.reduce_all(monoid.plus["INT64"], values) == 15_000
    assert engine.operating.reduce_all(monoid.times["INT64"], values[:13]) == 3**13
    assert engine.operating.reduce_all(monoid.min["INT64"], values) == 3
    found = engine.operating.reduce_runs(monoid.plus["INT64"], values, engine.to_device(np.array([0, 10])))
    assert found.get().tolist() == [30, 14_970]
    starts = np.arange(0, 5000, 37)
    found = engine.operating.reduce_runs(binary.minus["INT64"], values, engine.to_device(starts)).get()
    assert found.tolist() == [3 - 3 * 36] * 135 + [3 - 3 * 4]


@pytest.mark.parametrize("blocks", [1, 3])
def test_sums_do_not_depend_on_the_number_of_threads(engine, monkeypatch, blocks):
    """Bit by bit: the order in which floats are added is given by their number."""
    rng = np.random.default_rng(4)
    values, starts = rng.random(40_000), cuts(rng, 40_000, 30)
    first = check(engine, monoid.plus["FP64"], values, starts)
    whole = engine.operating.reduce_all(monoid.plus["FP64"], engine.to_device(values))
    monkeypatch.setattr(emulated_cupy, "BLOCKS", blocks)
    monkeypatch.setattr(emulated_cupy, "THREADS", 32 * blocks)
    monkeypatch.setattr(engine.launch, "most_blocks", lambda device: blocks)
    monkeypatch.setattr(engine.workspace.current(), "_most_blocks", blocks)
    assert np.array_equal(check(engine, monoid.plus["FP64"], values, starts), first)
    assert engine.operating.reduce_all(monoid.plus["FP64"], engine.to_device(values)) == whole


def test_matrices(engine) -> None:
    """In the operator's type, in another one, with one value for all, and without entries."""
    cuda = engine.engine.CudaBackend()
    for degrees in ([2, 0, 300], [1], [0, 0]):
        for dtype in ("FP32", "INT8"):
            host = with_degrees(degrees, np.dtype(dtype.replace("FP", "float").lower()))
            host.values = np.arange(1, len(host.values) + 1).astype(host.values.dtype)
            one = MatrixStore(host.nrows, host.ncols, host.indptr, host.indices, host.values[:1] * 3)
            for a in (host, one):
                for typed in (monoid.plus[dtype], monoid.plus["FP64"], monoid.max["INT64"]):
                    found = cuda.reduce_scalar(engine.there(a), typed)
                    assert found == definitions.reduce_scalar(a, typed)
                    assert found is None or found.dtype == typed.return_type.np_type
