"""Elements that are set and removed one by one: changes wait until an operation reads the object."""

import pickle
import threading
from itertools import product

import graphblas as ss
import numpy as np
import pytest

import grblas_gpu as gb
from grblas_gpu.backends.interpreter import assignment, changes
from grblas_gpu.backends.reference import elements

pytestmark = pytest.mark.usefixtures("backend")

SHAPES = {"tiny": (3, 4), "sparse": (40, 30), "huge": (2**60, 2**60), "line": (1, 50)}
VALUES = {
    "FP64": [2.5, -1.0, 0.0],
    "INT8": [3, -7, 300, 2.9],
    "BOOL": [True, False, 5],
    "UINT64": [1, np.uint64(2**63)],
}
ROUNDS = 60


def entries(x):
    return tuple(np.asarray(part).tolist() for part in x.to_coo())


def both(kind: str, dtype: str, shape: tuple[int, ...], count: int, random):
    """The same object in both libraries."""
    index = [random.integers(0, min(n, 50), count) for n in shape]
    values = random.integers(0, 2, count)
    made = []
    for lib in (gb, ss):
        sizes = dict(zip(("nrows", "ncols") if len(shape) == 2 else ("size",), shape, strict=True))
        made.append(getattr(lib, kind).from_coo(*index, values, dtype, dup_op=lib.binary.second, **sizes))
    return made


def change(random, x, y, values, is_matrix: bool) -> None:
    """A change of one element, or a look at the objects: alike in both libraries."""
    place = tuple(int(random.integers(0, min(n, 50))) for n in x.shape)
    key, what, value = (place if is_matrix else place[0]), int(random.integers(0, 12)), random.choice(len(values))
    if what < 5:
        x[key] = y[key] = values[value]
    elif what < 8:
        del x[key]
        del y[key]
    elif what == 8:
        assert x.get(key) == y.get(key) if not is_matrix else x.get(*place) == y.get(*place)
    elif what == 9:
        assert x.nvals == y.nvals
    elif what == 10:
        old = x.dup(), y.dup()
        x[key] = y[key] = values[0]
        assert entries(old[0]) == entries(old[1])
    else:
        x(gb.binary.plus)[key] << 1
        y(ss.binary.plus)[key] << 1


@pytest.mark.parametrize(("dtype", "shape"), list(product(VALUES, SHAPES)))
def test_matrices_are_those_of_python_graphblas(dtype: str, shape: str) -> None:
    random = np.random.default_rng(len(dtype) + len(shape))
    for count in (0, 1, 20):
        x, y = both("Matrix", dtype, SHAPES[shape], count, random)
        for _ in range(ROUNDS):
            change(random, x, y, VALUES[dtype], True)
        assert entries(x) == entries(y)


@pytest.mark.parametrize(("dtype", "size"), list(product(VALUES, (1, 5, 200, 2**60))))
def test_vectors_are_those_of_python_graphblas(dtype: str, size: int) -> None:
    random = np.random.default_rng(len(dtype) + size % 7)
    for count in (0, 1, 20, 300):
        x, y = both("Vector", dtype, (size,), count, random)
        for _ in range(ROUNDS):
            change(random, x, y, VALUES[dtype], False)
        assert entries(x) == entries(y)


@pytest.mark.parametrize("form", ["csr", "hypercsr", "bitmapr", "fullr"])
def test_every_form(form: str) -> None:
    random = np.random.default_rng(4)
    dense = random.integers(1, 9, (20, 20))
    x, y = gb.Matrix.from_dense(dense), ss.Matrix.from_dense(dense)
    if form != "fullr":
        x, y = (each.select("<", 5).new() for each in (x, y))
    x = gb.Matrix.ss.import_any(**x.ss.export(form))
    for _ in range(ROUNDS):
        change(random, x, y, [7, 1, 2], True)
    assert entries(x) == entries(y)


def test_many_changes_are_merged_as_an_object(monkeypatch) -> None:
    """So many changes that none is put between the entries one by one."""
    monkeypatch.setattr(elements, "FEW", 0)
    random = np.random.default_rng(5)
    for kind, shape in (("Matrix", (40, 30)), ("Matrix", (2**60, 2**60)), ("Vector", (500,)), ("Vector", (30,))):
        x, y = both(kind, "INT64", shape, 25, random)
        for _ in range(5):
            for _ in range(30):
                place = tuple(int(random.integers(0, min(n, 50))) for n in shape)
                key = place if len(shape) == 2 else place[0]
                if random.random() < 0.4:
                    del x[key]
                    del y[key]
                else:
                    x[key] = y[key] = int(random.integers(9))
            assert entries(x) == entries(y)


def test_rows_wait_as_changes(monkeypatch) -> None:
    """Rows that are assigned among changes of elements, more often than changes are looked through."""
    monkeypatch.setattr(changes, "LONG", 0)
    random = np.random.default_rng(6)
    for transposed in (False, True):
        x, y = both("Matrix", "INT64", (12, 300), 100, random)
        for round_ in range(150):
            if transposed and round_ % 40 == 0:
                x.T.new()
            i, cols = int(random.integers(12)), random.permutation(50)[: random.integers(9)]
            if round_ > 70:
                change(random, x, y, [1, 2], True)
            values = random.integers(9, size=len(cols))
            line, other = (each.Vector.from_coo(cols, values, size=300, dtype="FP64") for each in (gb, ss))
            x[i, :] = line
            y[i, :] = other
            line[:] = 7
        assert entries(x) == entries(y)
        assert entries(x.T.new()) == entries(y.T.new())
    x[3, :] << gb.Vector.from_coo([7], [5], size=300)
    assert (hasattr(x._stored, "merging") or x.backend == "cuda") and x[3, :].new().to_dict() == {7: 5}


def test_records() -> None:
    point = np.dtype([("x", np.int32), ("y", np.float64)])
    v = gb.Vector(point, 9)
    v[3], v[5], v[4] = (1, 2.5), (2, 3.5), (7, 8.0)
    del v[5]
    v[4] = (0, 1.0)
    assert v.to_coo()[0].tolist() == [3, 4] and v.to_coo()[1].tolist() == [(1, 2.5), (0, 1.0)]


def test_bad_changes_raise_at_once_and_change_nothing() -> None:
    A, v = gb.Matrix.from_coo([0], [1], [5], nrows=2, ncols=2), gb.Vector(int, 3)
    A[0, 0] = 7
    for key in ((2, 0), (0, -3)):
        with pytest.raises(IndexError):
            A[key] = 1
        with pytest.raises(IndexError):
            del A[key]
    with pytest.raises(TypeError):
        A[0, 1] = "x"
    with pytest.raises(TypeError):
        v[1] = gb.Vector(int, 3)
    with pytest.raises(TypeError):
        A.T[0, 0] = 1
    assert A.to_dicts() == {0: {0: 7, 1: 5}} and v.nvals == 0


READS = {
    "transpose": lambda A, lib: A.T.new(),
    "element of the transpose": lambda A, lib: A.T[2, 1].new(),
    "product": lambda A, lib: lib.semiring.plus_times(A @ A).new(),
    "sum": lambda A, lib: A.reduce_scalar().new(),
    "column": lambda A, lib: A[:, 2].new(),
    "dup": lambda A, lib: A.dup(),
    "pickle": lambda A, lib: pickle.loads(pickle.dumps(A)),
    "mask": lambda A, lib: lib.Matrix.from_dense(np.ones((4, 4))).dup(mask=A.S),
    "complement": lambda A, lib: lib.Matrix.from_dense(np.ones((4, 4))).dup(mask=~A.V),
    "diagonal": lambda A, lib: A.diag(),
    "resize": lambda A, lib: A.resize(3, 9) or A,
    "cleared": lambda A, lib: A.clear() or A,
    "overwritten": lambda A, lib: (A << A.T) or A,
    "copied": lambda A, lib: (A << lib.Matrix.from_coo([0], [1], [9], nrows=4, ncols=4)) or A,
    "region": lambda A, lib: A.__setitem__((slice(0, 2), slice(0, 2)), 3) or A,
}


@pytest.mark.parametrize("read", READS)
def test_the_first_reader_sees_all_changes(read: str) -> None:
    found = []
    for lib in (gb, ss):
        A = lib.Matrix.from_coo([0, 1, 3], [2, 2, 0], [1, 0, 6], nrows=4, ncols=4)
        A[1, 2], A[2, 3] = 5, 8
        del A[0, 2]
        result = READS[read](A, lib)
        A[0, 1] = 4  # after the read: the result stays as it is
        again = result.value if isinstance(result, (gb.Scalar, ss.Scalar)) else entries(result)
        found.append((again, entries(A)))
    assert found[0] == found[1]


def test_reads_of_attributes_are_not_slow() -> None:
    """A class with a method for missing attributes has slow reads of all others, some 20 % of a small call."""
    assert not any(hasattr(kind, "__getattr__") for kind in (gb.Matrix, gb.Vector))


def test_changes_cost_one_operation_of_the_engine(monkeypatch) -> None:
    calls = []
    A = gb.Matrix.from_coo(np.arange(50), np.arange(50), 1.5)
    monkeypatch.setattr(
        changes, "_merge", lambda *arguments, merge=changes._merge: calls.append(1) or merge(*arguments)
    )
    for i in range(49):
        A[i, i + 1] = i
    del A[3, 3]
    assert A.get(4, 5) == 4 and A.get(3, 3) is None and A.get(0, 0) == 1.5 and not calls
    assert A.nvals == 98 and A.reduce_scalar().new() == sum(range(49)) + 49 * 1.5 and len(calls) == 1


def test_values_of_other_objects_stay() -> None:
    """A change in place of values that no other object has; all others are copied."""
    A = gb.Matrix.from_coo([0, 1, 2], [0, 1, 2], [1.0, 2.0, 3.0])
    before, B, values = A.to_csr(), A.dup(), np.array([1.0, 2.0])
    C = gb.Matrix.from_csr([0, 1, 2], [0, 1], values, ncols=2)
    A[1, 1] = 9.0
    C[0, 0] = 9.0
    assert A.get(1, 1) == C.get(0, 0) == 9.0
    A.wait()
    C.wait()
    assert before[2].tolist() == [1.0, 2.0, 3.0] and B.get(1, 1) == 2.0 and values.tolist() == [1.0, 2.0]


def test_threads_change_and_read_one_object() -> None:
    A = gb.Matrix(int, 64, 64)
    errors = []

    def work(own: int) -> None:
        try:
            for i in range(64):
                A[i, own] = own
                if i % 9 == own:
                    assert A.nvals <= 64 * 4
                if i % 2:
                    del A[i, own]
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(own,)) for own in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not errors and entries(A) == tuple(
        map(list, zip(*[(i, k, k) for i in range(0, 64, 2) for k in range(4)], strict=True))
    )


# --- many elements at once -------------------------------------------------------------------------------------------


def some(random, shape: tuple[int, ...], count: int) -> list[np.ndarray]:
    return [random.integers(0, min(n, 50), count) for n in shape]


@pytest.mark.parametrize("kept", ["nothing", "transpose", "symmetry"])
@pytest.mark.parametrize(("dtype", "shape"), [("FP64", "sparse"), ("BOOL", "tiny"), ("INT8", "huge"), ("FP64", "line")])
def test_updates_are_those_of_python_graphblas(dtype: str, shape: str, kept: str) -> None:
    """Mixed with changes of single elements, which come in their order."""
    if kept != "nothing" and shape == "huge":
        pytest.skip("a transpose of hypersparse matrices is made again")
    random = np.random.default_rng(len(dtype) + len(kept))
    for count in (0, 3, 60):
        x, y = both("Matrix", dtype, SHAPES[shape], 20, random)
        if kept == "symmetry" and x.nrows == x.ncols:
            x << gb.binary.any(x | x.T)
            y << ss.binary.any(y | y.T)
        for number in range(8):
            if kept != "nothing":
                x._store.transposed()
            rows, cols = some(random, SHAPES[shape], count)
            if number % 3:
                values = random.integers(0, 100, count).astype(y.dtype.np_type)
                x.update(rows, cols, values, dup_op="plus" if dtype != "BOOL" else "lor")
                add = ss.binary.plus if dtype != "BOOL" else ss.binary.lor
                D = ss.Matrix.from_coo(rows, cols, values, dtype, dup_op=add, nrows=y.nrows, ncols=y.ncols)
                y(D.S) << D
            else:
                x.delete(rows, cols)
                for place in zip(rows.tolist(), cols.tolist(), strict=True):
                    del y[place]
            if number % 2:
                place = tuple(int(axis[-1]) for axis in some(random, SHAPES[shape], 1))
                x[place] = y[place] = 1
                assert x.get(*place) == y.get(*place)
            else:
                assert x.nvals == y.nvals
            assert entries(x) == entries(y)
            if kept != "nothing":
                assert entries(x.T.new()) == entries(y.T.new())
                assert x.is_symmetric() == y.isequal(y.T.new())


@pytest.mark.parametrize("size", [5, 2000, 2**60])
def test_updates_of_vectors(size: int) -> None:
    random = np.random.default_rng(size % 97)
    x, y = both("Vector", "INT64", (size,), 30, random)
    for number in range(10):
        (index,) = some(random, (size,), 12)
        if number % 3:
            x.update(index, number, dup_op=gb.binary.first)
            y[np.unique(index).tolist()] = number
        else:
            x.delete(index)
            for place in index.tolist():
                del y[place]
        assert x.nvals == y.nvals and entries(x) == entries(y)


def test_the_transpose_is_changed_with_the_matrix() -> None:
    A = gb.Matrix.from_coo([0, 1, 2, 2], [1, 2, 0, 1], [1, 2, 3, 4], nrows=3, ncols=3)
    A._store.transposed()
    A.update([0, 2], [2, 1], [5, 6])
    A.delete([1], [2])
    A.wait()
    assert A._store._transpose is not None, "it was made again"
    assert entries(A.T.new()) == ([0, 1, 1, 2], [2, 0, 2, 0], [3, 1, 6, 5])
    A << gb.Matrix.from_coo([0, 1], [1, 0], [1, 1], nrows=3, ncols=3)
    assert A.is_symmetric()
    A.update([1, 2], [2, 1], [7, 7])
    assert A.nvals == 4 and A._store._transpose is A._store
    A[0, 2] = 4
    assert not A.is_symmetric() and entries(A.T.new()) == ([0, 1, 1, 2, 2], [1, 0, 2, 0, 1], [1, 1, 7, 4, 7])


BAD_UPDATES = {
    "row": (gb.exceptions.IndexOutOfBound, lambda A: A.update([2], [0], [1])),
    "column": (gb.exceptions.IndexOutOfBound, lambda A: A.delete([1], [9])),
    "negative": (OverflowError, lambda A: A.update([-1], [0], [1])),
    "duplicates": (ValueError, lambda A: A.update([0, 0], [1, 1], [1, 2])),
    "lengths": (ValueError, lambda A: A.update([0, 0], [1], [1, 2])),
    "values": (ValueError, lambda A: A.update([0, 1], [1, 1], [1, 2, 3])),
    "text": (ValueError, lambda A: A.update([0], [1], ["x"])),
    "operator": (TypeError, lambda A: A.update([0, 0], [1, 1], [1, 2], dup_op=gb.semiring.plus_times)),
}


@pytest.mark.parametrize("name", BAD_UPDATES)
def test_bad_updates_change_nothing(name: str) -> None:
    error, change = BAD_UPDATES[name]
    A = gb.Matrix.from_coo([0], [1], [5], nrows=2, ncols=2)
    A[0, 0] = 7
    with pytest.raises(error):
        change(A)
    assert A.to_dicts() == {0: {0: 7, 1: 5}}


@pytest.mark.parametrize("dtype", ["FP64", "INT8", "BOOL"])
def test_changes_at_the_entries_of_a_mask(dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """``C[I, J](M) << Q`` and ``C(M)[I, J] << Q`` note changes where the mask of a large matrix is small."""
    monkeypatch.setattr(assignment, "LONG", 0)
    monkeypatch.setattr(assignment, "MANY_PER_CHANGE", 0)
    noted = []
    note = assignment.change_many
    monkeypatch.setattr(assignment, "change_many", lambda *given: (noted.append(1), note(*given)))
    random = np.random.default_rng(3)
    for case in range(40):
        (C, c), (M, m) = (both("Matrix", each, (20, 30), 150, random) for each in (dtype, "BOOL"))
        I, J = (np.sort(random.choice(n, 8, replace=False)) for n in (20, 30))
        index = [(I, J), (slice(None), J), (I, slice(2, 25, 3)), (I[::-1].copy(), J), (slice(3, 9), slice(None))][
            case % 5
        ]
        R = C[index].new()
        (Q, q), (S, s) = (both("Matrix", each, R.shape, 30, random) for each in ("INT64", "BOOL"))
        for new, other, mask, part in ((C, Q, M, S), (c, q, m, s)):
            value = 3 if case % 3 == 0 else other
            if case % 2:
                new[index](part.S if case % 4 == 1 else part.V) << value
            else:
                new(mask.S if case % 4 == 0 else mask.V)[index] << value
        assert entries(C) == entries(c), (case, index)
    assert noted or C.backend != "cpu"
