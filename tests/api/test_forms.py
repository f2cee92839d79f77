"""Matrices in every form: what they take, and when they change. Results are compared in test_differential.py."""

import pickle
import tracemalloc

import numpy as np
import pytest
from random_objects import matrix_of

from grblas_gpu import Matrix, Vector, binary, dtypes, indexunary, io, monoid, select, semiring
from grblas_gpu.backends.machine import memory_limits
from grblas_gpu.backends.stores import matrix_storage
from grblas_gpu.exceptions import InvalidValue, OutOfMemory

FORMATS = {"sparse": "csr", "hypersparse": "hypercsr", "bitmap": "bitmapr", "full": "fullr"}
ROWS, COLS = 40, 30


def random_matrix(seed: int, fill: float = 0.4, shape: tuple[int, int] = (ROWS, COLS), iso: bool = False) -> Matrix:
    return matrix_of(seed, shape, fill, 3 if iso else (-3, 9))


def test_memory(backend: str) -> None:
    """Full takes a value for each position, bitmap a byte more, hypersparse what is in proportion to entries."""
    table = np.arange(ROWS * COLS, dtype=np.float32).reshape(ROWS, COLS)
    full = Matrix.from_dense(table)
    assert (full.ss.format, full.ss.nbytes) == ("fullr", 4 * ROWS * COLS)
    assert full.to(form="bitmap").ss.nbytes == 5 * ROWS * COLS
    one = Matrix.from_scalar(2.5, 1000, 10**6)
    assert (one.nvals, one.ss.format, one.ss.nbytes) == (10**9, "fullr", 8)
    tall = Matrix.from_coo([7, 2**50], [0, 3], [1.5, 2.5], nrows=2**55, ncols=4)
    assert (tall.ss.format, tall.ss.nbytes) == ("hypercsr", 2 * (8 + 4 + 8) + 3 * 8)


def test_forms_change_by_themselves(backend: str) -> None:
    a = random_matrix(1, 0.3, (500, 500))
    assert a.ss.format == "csr"
    a(binary.plus) << random_matrix(2, 0.6, (500, 500))
    assert a.ss.format == "bitmapr"
    a(binary.plus) << Matrix.from_scalar(1, 500, 500)
    assert a.ss.format == "fullr"
    a << a.select(select.rowle, 5)
    assert a.ss.format == "csr"
    a.clear()
    a.resize(2**40, 2**40)
    assert a.ss.format == "hypercsr"


def test_an_entry_less_leaves_a_bitmap(backend: str) -> None:
    table = np.arange(600.0).reshape(30, 20)
    a = Matrix.from_dense(table)
    del a[3, 4]
    del a[3, 4]  # which has none any more
    assert (a.nvals, a.get(3, 4), a[3, 5].new().value) == (599, None, 65.0)
    b = Matrix.from_scalar(2.0, 30, 20)
    del b[29, 19]
    assert (b.nvals, b.reduce_scalar().new().value) == (599, 1198.0)
    if backend == "cpu":
        assert a.ss.format == b.ss.format == "bitmapr"
    a[3, 4] = 64.0
    assert np.array_equal(a.to_dense(), table)


def test_forms_are_shown(backend: str) -> None:
    a = Matrix.from_dense([[1, 2], [3, 4]])
    for form, shown in FORMATS.items():
        there = a.to(form=form)
        assert repr(there).splitlines()[1].endswith(f" {shown}")
        assert repr(there.T).splitlines()[1].endswith(f" {shown[:-1]}c")
        assert there.isequal(a)
    assert a.to(form="full") is a
    assert f"storage: {'full'}" in repr(a) or "fullr" in a._repr_html_()


def test_bad_forms(backend: str) -> None:
    a = random_matrix(1)
    with pytest.raises(InvalidValue, match="one of sparse, hypersparse, bitmap, full"):
        a.to(form="dense")
    with pytest.raises(InvalidValue, match="one everywhere"):
        a.to(form="full")
    huge = Matrix.from_coo([0], [0], [1.5], nrows=2**21, ncols=2**21)
    for run in (lambda: huge.to(form="bitmap"), lambda: huge.to_dense(0.0), lambda: io.to_array(huge, 0.0)):
        with pytest.raises(OutOfMemory, match=r"2097152.*bytes.*sparse"):
            run()
    assert huge.nvals == 1


@pytest.mark.backends("numpy", "cpu", "compiled")  # tests/cuda/test_interop.py has those of a device
def test_arrays_are_shared(backend: str) -> None:
    table = np.arange(6.0).reshape(2, 3)
    a = Matrix.from_dense(table, copy=False)
    assert np.shares_memory(a.device_arrays()["values"], table)
    for there in (a.to_dense(copy=False), io.to_array(a, copy=False), io.to_array(a.T, copy=False)):
        assert np.shares_memory(there, table)
    for other in (a.to_dense(), io.to_array(a), Matrix.from_dense(table).to_dense(copy=False), a.to_dense(dtype=int)):
        assert not np.shares_memory(other, table)
    assert np.shares_memory(np.from_dlpack(io.to_array(a, copy=False)), table)
    turned = np.asfortranarray(table)
    assert Matrix.from_dense(turned, copy=False).isequal(a)
    table.flags.writeable = False
    assert not np.shares_memory(Matrix.from_dense(table, copy=False).device_arrays()["values"], table)
    strided = np.arange(10.0)[::2]
    assert Vector.from_dense(strided, copy=False).to_dense().tolist() == strided.tolist()


@pytest.mark.parametrize("name", ["min", "max", "plus"])
def test_rows_of_nothing_but_nan(backend: str, name: str) -> None:
    """The least of NaN and the identity would be the identity."""
    rows, cols, values = [0, 0, 1, 3, 3], [0, 1, 0, 1, 2], [np.nan, 1, np.nan, np.nan, np.nan]
    a = Matrix.from_coo(rows, cols, values, nrows=4, ncols=3)
    for form in ("sparse", "hypersparse", "bitmap"):
        found = a.to(form=form).reduce_rowwise(getattr(monoid, name)).new().to_coo()
        assert found[0].tolist() == [0, 1, 3]
        np.testing.assert_array_equal(found[1], [np.nan if name == "plus" else 1, np.nan, np.nan])


ONE, SIDE = 7, 10**6  # one value for 10**12 entries
EASY = {
    "sum": lambda a, s: a.reduce_scalar(monoid.plus).new().value == ONE * SIDE**2,
    "sums of rows": lambda a, s: a.reduce_rowwise(monoid.plus).new()[3].value == ONE * SIDE,
    "sums of columns": lambda a, s: a.reduce_columnwise(monoid.max).new()[3].value == ONE,
    "add": lambda a, s: a.ewise_add(a, binary.plus).new()[5, 5].value == 2 * ONE,
    "multiply": lambda a, s: a.ewise_mult(s, binary.plus).new().to_dicts() == {5: {7: ONE + 1}, 6: {8: ONE + 2}},
    "apply": lambda a, s: a.apply(binary.plus, 2).new()[5, 5].value == ONE + 2,
    "select": lambda a, s: a.select(">", ONE).new().nvals == 0 and a.select(">", 1).new().nvals == SIDE**2,
    "value": lambda a, s: indexunary.valueeq(a, ONE).new()[5, 5].value,
    "transpose": lambda a, s: a.T.new().nvals == SIDE**2,
    "extract": lambda a, s: a[[1, 2], [3, 4]].new().nvals == 4,
    "mask": lambda a, s: s.dup(mask=a.S).nvals == 2 and s.dup(mask=~a.V).nvals == 0,
    "masked": lambda a, s: a.dup(mask=s.S).to_dicts() == {5: {7: ONE}, 6: {8: ONE}},
    "selected": lambda a, s: a.select(s.S).new().nvals == 2,
    "equal": lambda a, s: a.isequal(a.dup()) and not a.isequal(s) and a.isclose(a.dup()),
    "pickle": lambda a, s: pickle.loads(pickle.dumps(a)).isequal(a),
    "export": lambda a, s: Matrix.ss.import_any(**a.ss.export()).isequal(a),
    "serialize": lambda a, s: Matrix.ss.deserialize(a.ss.serialize()).isequal(a),
}
TOO_MUCH = {
    "set an element": lambda a, s: (a.__setitem__((1, 1), 5), a.wait()),
    "delete an element": lambda a, s: (a.__delitem__((1, 1)), a.wait()),
    "assign a row": lambda a, s: a[5, :].update(3),
    "replace a row": lambda a, s: a[5, :].update(Vector.from_scalar(2, SIDE)),
    "accumulate": lambda a, s: a(binary.plus).update(s),
    "through a mask": lambda a, s: a(s.S).update(3),
    "add": lambda a, s: s.ewise_add(a, binary.plus).new(),
    "union": lambda a, s: s.ewise_union(a, binary.plus, 1, 2).new(),
    "accumulate it": lambda a, s: s(binary.plus).update(a),
    "outside": lambda a, s: s(~s.S).update(1),
    "outside of it": lambda a, s: a.dup(mask=~s.S),
    "everywhere": lambda a, s: s(binary.plus)[:, :].update(1),
    "a slice": lambda a, s: s[5:, :].update(1),
    "places": lambda a, s: indexunary.rowindex(a).new(),
    "triangle": lambda a, s: a.select("tril").new(),
    "product": lambda a, s: semiring.plus_times(a @ a).new(),
    "kronecker": lambda a, s: a.kronecker(a, binary.times).new(),
    "beside a vector": lambda a, s: s.ewise_add(Vector.from_dense(np.arange(SIDE))).new(),
    "bitmap": lambda a, s: a.to(form="bitmap"),
    "export": lambda a, s: a.ss.export("bitmapr"),
    "csr": lambda a, s: a.to_csr(),
    "coo": lambda a, s: a.to_coo(),
    "dense": lambda a, s: a.to_dense(),
}


def one_for_all() -> tuple[Matrix, Matrix]:
    return Matrix.from_scalar(ONE, SIDE, SIDE), Matrix.from_coo([5, 6], [7, 8], [1, 2], nrows=SIDE, ncols=SIDE)


@pytest.mark.parametrize("run", EASY)
def test_one_value_for_all(backend: str, run: str) -> None:
    """An iso value may stand for any number of entries."""
    assert EASY[run](*one_for_all())


@pytest.mark.backends("numpy", "cpu", "compiled")  # it asks for more memory than a device has
@pytest.mark.parametrize("run", TOO_MUCH)
def test_what_does_not_fit(backend: str, run: str) -> None:
    """Known before it is allocated: the operation changes nothing."""
    full, sparse = one_for_all()
    tracemalloc.start()
    try:
        with pytest.raises(OutOfMemory, match=r"bytes"):
            TOO_MUCH[run](full, sparse)
        assert tracemalloc.get_traced_memory()[1] < 2**28
    finally:
        tracemalloc.stop()
    assert full.nvals == SIDE**2 and sparse.to_dicts() == {5: {7: 1}, 6: {8: 2}}


@pytest.mark.backends("cpu", "compiled")
@pytest.mark.parametrize("name", ["plus_times", "min_plus", "any_pair"])
def test_thin_factors_of_what_does_not_fit(backend: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A system gives memory that it does not have: a product asks before, whichever kernel would make it."""
    monkeypatch.setattr(memory_limits, "free_bytes", lambda like=None: 2**27)
    monkeypatch.setattr(memory_limits, "ALWAYS", 2**27)
    n, product = 12_000, getattr(semiring, name)
    wide = Matrix.from_dense(np.random.default_rng(1).random((2, n)))
    sparse = Matrix.from_coo(range(n), np.arange(n) % 2, np.arange(n) + 0.5, nrows=n, ncols=2)
    for tall in (wide.T.new(), sparse):
        tracemalloc.start()
        try:
            with pytest.raises(OutOfMemory, match=r"bytes, and 134,217,728 are free; "):
                product(tall @ wide).new()
            assert tracemalloc.get_traced_memory()[1] < 2**26
        finally:
            tracemalloc.stop()


@pytest.mark.parametrize("entries", [300, matrix_storage.FEW_ENTRIES + 9])
@pytest.mark.parametrize("values", [2.5, "FP32", [("a", "i4"), ("b", "f8")]], ids=str)
def test_transposes_by_both_methods(entries: int, values) -> None:
    """Of one value, of numbers and of records."""
    rng = np.random.default_rng(1)
    rows, columns = np.divmod(np.sort(rng.choice(400 * 300, entries, replace=False)), 300)
    if not isinstance(values, float):
        values = np.arange(entries).astype(dtypes.lookup_dtype(values).np_type)
    A = Matrix.from_coo(rows, columns, values, nrows=400, ncols=300)
    assert A.T.new().isequal(Matrix.from_coo(columns, rows, values, nrows=300, ncols=400), check_dtype=True)
