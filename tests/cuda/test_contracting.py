"""Square matrices by groups of positions by CUDA kernels: against the definition, on a GPU or emulated."""

import numpy as np
import pytest
from emulated_engine import ENGINES, backend, loaded
from random_objects import rows_of

import grblas_gpu as gb
from grblas_gpu import binary, monoid
from grblas_gpu.backends.reference import contracting as defined, graphs
from grblas_gpu.backends.registry import get_engine
from grblas_gpu.backends.stores.storage import MatrixStore, VectorStore
from grblas_gpu.exceptions import IndexOutOfBound

LENGTHS = [0, 1, 9, 32, 33, 129, 300, 2, 0, 513, 3, 40]


@pytest.fixture(params=ENGINES)
def engine(request, monkeypatch):
    with loaded(request.param, monkeypatch, "eager.contracting", "eager.selecting") as found:
        yield found


@pytest.mark.parametrize("kind", ["counted", "added up", "symmetric", "integers", "few"])
def test_against_the_definition(engine, kind: str) -> None:
    """Of more entries than one block sorts, and of fewer; values are whole numbers, whose sums are exact."""
    rng, n = np.random.default_rng(3), 40 if kind == "few" else 120
    lengths = [20] * n if kind == "few" else np.tile(LENGTHS, n // len(LENGTHS) + 1)[:n].tolist()
    a = rows_of([min(length, n) for length in lengths], n)
    a.values = np.full(1, 2.0) if kind == "counted" else rng.integers(-2, 4, a.nvals).astype(float)
    if kind == "integers":
        a.values = a.values.astype(np.int32)
    if kind == "symmetric":
        a = defined.mirrored(_with_other_side(a))
    there = MatrixStore(n, n, *map(engine.to_device, (a.indptr, a.indices, a.values)))
    typed = monoid.plus["INT32" if kind == "integers" else "FP64"]
    for count in (1, 20, n):
        groups = rng.integers(0, count, n)
        given = there, engine.to_device(groups), typed, kind == "symmetric"
        found, parts = engine.contracting.contracted(*given)
        with gb.using("cpu"):
            expected, same = defined.contracted(
                get_engine("numpy"), a, VectorStore(n, groups), typed, kind == "symmetric"
            )
        assert engine.to_host(parts.values).tolist() == same.values.tolist()
        assert found.shape == expected.shape and found.dtype == expected.dtype
        rows = np.arange(found.nrows).repeat(np.diff(engine.to_host(found.indptr)))
        assert [rows.tolist(), engine.to_host(found.indices).tolist()] == [x.tolist() for x in _positions(expected)]
        values = np.broadcast_to(engine.to_host(found.values), len(rows))
        assert values.tolist() == np.broadcast_to(expected.values, len(rows)).tolist()
        assert (found._transpose is found) is (kind == "symmetric")
    for number in (n, -1):
        groups[n // 2] = number
        with pytest.raises(IndexOutOfBound, match=f"{n} columns"):
            engine.contracting.contracted(there, engine.to_device(groups), typed, False)


@pytest.mark.parametrize("kind", ["one value", "values"])
@pytest.mark.parametrize("op", ["first", "plus"])
@pytest.mark.parametrize("some", [0.5, 1])
def test_entries_that_match(engine, kind: str, op: str, some: float) -> None:
    rng, n = np.random.default_rng(3), 120
    a = rows_of([min(length, n) for length in LENGTHS * 10], n)
    a.values = np.full(1, 2.0) if kind == "one value" else rng.integers(-2, 4, a.nvals).astype(float)
    there = MatrixStore(n, n, *map(engine.to_device, (a.indptr, a.indices, a.values)))
    typed = binary.first["INT64"] if op == "first" else binary.plus["FP64"]
    for count in (1, 5, n):
        ends = [VectorStore(n, rng.integers(0, count, n).astype(typed.type.np_type)) for _ in range(2)]
        if some < 1:
            ends = [VectorStore(n, end.values, present=rng.random(n) < some) for end in ends]
        left, right = (
            VectorStore(n, engine.to_device(end.values), present=None if some == 1 else engine.to_device(end.present))
            for end in ends
        )
        found = engine.selecting.matching(there, left, typed, right)
        expected = graphs.matching(get_engine("numpy"), a, ends[0], typed, ends[1])
        for name in ("indptr", "indices", "values"):
            assert engine.to_host(getattr(found, name)).tolist() == getattr(expected, name).tolist()


@pytest.mark.emulated
def test_records_and_functions(monkeypatch) -> None:
    """Records are moved, and need no operator; functions of a user are translated."""
    with backend("emulated", monkeypatch) as engine, gb.using(engine):
        records = np.array([(1, 2.0), (3, 4.0), (5, 6.0)], "i8, f8")
        A = gb.Matrix.from_coo([0, 1, 1], [1, 0, 1], records, nrows=2, ncols=2)
        for groups, kept in (([3, 3], 3), ([3, 1], 1)):
            assert A.within(gb.Vector.from_dense(groups)).nvals == kept
        B, own = gb.Matrix.from_dense([[1, 2], [3, 4]]), binary.register_anonymous(lambda x, y: x * x + y)
        found = B.matching(gb.Vector.from_dense([1, 2]), own, gb.Vector.from_dense([2, 8]))
        assert found.to_dicts() == {0: {0: 1}, 1: {1: 4}}


def _positions(a: MatrixStore) -> tuple[np.ndarray, np.ndarray]:
    return a.row_ids, a.indices


def _with_other_side(a: MatrixStore) -> MatrixStore:
    rows, columns = np.append(a.row_ids, a.indices), np.append(a.indices, a.row_ids)
    return get_engine("numpy").build_matrix(*a.shape, rows, columns, np.append(a.values, a.values), monoid.plus["FP64"])
