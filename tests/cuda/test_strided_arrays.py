"""Arrays on a device whose elements do not follow each other: kernels get addresses, and know nothing of strides.

Whatever is given to the public API as an index or as values may be a part of another array, backwards, or one element
seen many times. On a GPU, or emulated: there the address of such an array is an error (``emulated_cupy.Pointer``).
"""

import itertools

import emulated_engine
import numpy as np
import pytest
from random_objects import same_objects as same

import grblas_gpu as gb
from grblas_gpu import Matrix, Vector, binary, monoid, select

N = 12


@pytest.fixture(params=emulated_engine.ENGINES)
def cupy(request, monkeypatch):
    kind = "cuda" if request.param == "gpu" else request.param
    with emulated_engine.backend(kind, monkeypatch) as name, gb.using(name):
        import cupy

        yield cupy


def _spaced(cupy, wanted: np.ndarray):
    wide = cupy.asarray(np.repeat(wanted, 2))
    wide[1::2] = 1
    return wide[::2]


def _backwards(cupy, wanted: np.ndarray):
    return cupy.asarray(wanted[::-1].copy())[::-1]


def _column(cupy, wanted: np.ndarray):
    return cupy.asarray(np.stack([wanted, wanted * 0 + 1], 1))[:, 0]


def _repeated(cupy, wanted: np.ndarray):
    return np.broadcast_to(cupy.asarray(wanted[:1]), wanted.shape)


def _behind_another(cupy, wanted: np.ndarray):
    """These follow each other, but do not begin where an array of its own would."""
    return cupy.asarray(np.concatenate([wanted[:1], wanted]))[1:]


#: How an array lies in memory; the last one has the first value everywhere.
LAYOUTS = {
    "behind another": _behind_another,
    "spaced": _spaced,
    "backwards": _backwards,
    "column": _column,
    "repeated": _repeated,
}


def laid_out(cupy, layout: str, wanted):
    """An array on the device, and the same on the host."""
    wanted = np.asarray(wanted)
    found = LAYOUTS[layout](cupy, wanted)
    assert found.flags.c_contiguous == (layout == "behind another")
    return found, np.full_like(wanted, wanted[0]) if layout == "repeated" else wanted


def vector(dtype=np.int64) -> Vector:
    return Vector.from_dense(np.arange(10, 10 + N, dtype=dtype))


def some() -> Vector:
    """Entries at a few places."""
    return Vector.from_coo([1, 3, 4, 11], [5, 6, 7, 8], size=N)


def matrix() -> Matrix:
    rows, columns = np.nonzero((np.arange(N)[:, None] * 7 + np.arange(N) * 5) % 4 == 0)
    return Matrix.from_coo(rows, columns, np.arange(len(rows)) + 1, nrows=N, ncols=N)


def written(target, write):
    write(target)
    return target


def _assign(target, index, value, accum=None):
    (target if accum is None else target(accum))[index] << value
    return target


PLACES = np.array([3, 1, 11, 4])
VALUES = np.array([2, 9, 5, 7])

#: What takes an array of positions, all different unless they are all the same.
INDEXED = {
    "v[I]": lambda index: vector()[index].new(),
    "sparse v[I]": lambda index: some()[index].new(),
    "iso v[I]": lambda index: Vector.from_scalar(3, N)[index].new(),
    "v[I] = s": lambda index: _assign(vector(), index, 1),
    "v[I] += s": lambda index: _assign(some(), index, 1, binary.plus),
    "v[I] += u": lambda index: _assign(vector(), index, Vector.from_dense(VALUES), binary.plus),
    "v[I] += iso": lambda index: _assign(vector(), index, Vector.from_scalar(3, len(VALUES)), binary.plus),
    "A[I, :]": lambda index: matrix()[index, :].new(),
    "A[:, I]": lambda index: matrix()[:, index].new(),
    "A[I, I]": lambda index: matrix()[index, index].new(),
    "A[i, I]": lambda index: matrix()[2, index].new(),
    "A[I, j]": lambda index: matrix()[index, 2].new(),
    "A[I, :] = s": lambda index: _assign(matrix(), (index, slice(None)), 1),
    "A[:, I] = s": lambda index: _assign(matrix(), (slice(None), index), 1),
    "A[I, I] = s": lambda index: _assign(matrix(), (index, index), 1),
    "A[I, I] += s": lambda index: _assign(matrix(), (index, index), 1, binary.plus),
}
#: What takes positions that are all different.
INDEXED_ONCE = {
    "v[I] = u": lambda index: _assign(vector(), index, Vector.from_dense(VALUES)),
    "sparse v[I] = u": lambda index: _assign(some(), index, Vector.from_coo([0, 2], [1, 2], size=4)),
    "v[I] = iso": lambda index: _assign(some(), index, Vector.from_scalar(3, len(VALUES))),
    "A[I, I] = B": lambda index: _assign(matrix(), (index, index), matrix()[:4, :4].new()),
    "A[I, :] = B": lambda index: _assign(matrix(), (index, slice(None)), matrix()[:4, :].new()),
    "Vector.from_coo": lambda index: Vector.from_coo(index, VALUES, size=N),
    "Vector.from_coo iso": lambda index: Vector.from_coo(index, 5, size=N),
    "from_coo rows": lambda index: Matrix.from_coo(index, [0, 1, 2, 3], VALUES, nrows=N, ncols=N),
    "from_coo columns": lambda index: Matrix.from_coo([0, 1, 2, 3], index, VALUES, nrows=N, ncols=N),
    "from_coo iso": lambda index: Matrix.from_coo(index, index, True, nrows=N, ncols=N),
}


def on_host(make, *given):
    with gb.using("numpy"):
        return make(*given)


def test_indices(cupy) -> None:
    for layout in LAYOUTS:
        index, expected = laid_out(cupy, layout, PLACES)
        for name, make in (INDEXED if layout == "repeated" else INDEXED | INDEXED_ONCE).items():
            same(make(index), on_host(make, expected), name)


#: What takes an array of values.
VALUED = {
    "Vector.from_dense": Vector.from_dense,
    "Vector.from_dense, cast": lambda values: Vector.from_dense(values, dtype=np.int8),
    "Vector.from_dense, missing": lambda values: Vector.from_dense(values, missing_value=9),
    "sum": lambda values: Vector.from_dense(Vector.from_dense(values).reduce().new().value + np.zeros(1)),
    "apply": lambda values: Vector.from_dense(values).apply(binary.minus, right=1).new(),
    "select": lambda values: Vector.from_dense(values).select(select.valuegt, 4).new(),
    "Vector.from_coo": lambda values: Vector.from_coo(PLACES, values, size=N),
    "Vector.build": lambda values: written(Vector(int, N), lambda v: v.build(PLACES, values)),
    "v[I] = values": lambda values: _assign(vector(), PLACES, Vector.from_dense(values)),
    "v[I] += values": lambda values: _assign(some(), PLACES, Vector.from_dense(values), binary.plus),
    "as a mask": lambda values: Vector.from_scalar(1, 4).dup(mask=Vector.from_dense(values).V),
    "from_coo": lambda values: Matrix.from_coo(PLACES, [3, 2, 1, 0], values, nrows=N, ncols=N),
    "from_coo in order": lambda values: Matrix.from_coo([0, 1, 2, 3], [3, 2, 1, 0], values, nrows=N, ncols=N),
    "from_coo, repeated": lambda values: Matrix.from_coo([0, 0, 1, 0], [1, 1, 2, 1], values, dup_op=binary.plus),
    "from_csr": lambda values: Matrix.from_csr([0, 2, 2, 4], [0, 3, 1, 2], values),
    "from_csr, not in order": lambda values: Matrix.from_csr([0, 2, 2, 4], [3, 0, 2, 1], values),
    "from_csc": lambda values: Matrix.from_csc([0, 2, 2, 4], [0, 3, 1, 2], values),
    "product": lambda values: matrix()[:, :4].new().mxv(Vector.from_dense(values)).new(),
    "sums of rows": lambda values: (
        Matrix.from_csr([0, 2, 2, 4], [0, 3, 1, 2], values).reduce_rowwise(monoid.plus).new()
    ),
    "product of matrices": lambda values: _squared(Matrix.from_csr([0, 2, 2, 3, 4], [0, 3, 1, 2], values)),
    "diag": lambda values: Vector.from_dense(values).diag(),
}


def _squared(A: Matrix) -> Matrix:
    return A.mxm(A).new()


def test_values(cupy) -> None:
    for layout in LAYOUTS:
        values, expected = laid_out(cupy, layout, VALUES)
        for name, make in VALUED.items():
            same(make(values), on_host(make, expected), name)


def test_structure(cupy) -> None:
    """Offsets, columns and rows of a matrix."""
    arrays = np.array([0, 2, 2, 4]), np.array([0, 3, 1, 2], np.int32)
    for layout in ("behind another", "spaced", "backwards", "column"):
        found = Matrix.from_csr(*(laid_out(cupy, layout, each)[0] for each in arrays), VALUES)
        same(
            found.mxv(Vector.from_scalar(1, 4)).new(),
            on_host(lambda: Matrix.from_csr(*arrays, VALUES).mxv(Vector.from_scalar(1, 4)).new()),
        )
        given = [laid_out(cupy, layout, each)[0] for each in (np.array([1, 7, 9]), *arrays)]
        same(
            Matrix.from_dcsr(*given, VALUES, nrows=N, ncols=4),
            on_host(lambda: Matrix.from_dcsr([1, 7, 9], *arrays, VALUES, nrows=N, ncols=4)),
        )


def test_dense_matrices(cupy) -> None:
    square = np.arange(16).reshape(4, 4) % 5
    wide = cupy.asarray(np.repeat(square, 2, axis=1))
    given = {
        "transposed": cupy.asarray(square.T.copy()).T,
        "backwards": cupy.asarray(square[::-1].copy())[::-1],
        "spaced": wide[:, ::2],
        "one value": np.broadcast_to(cupy.asarray(np.array([[3]])), (4, 4)),
        "one row": np.broadcast_to(cupy.asarray(square[:1]), (4, 4)),
        "one column": np.broadcast_to(cupy.asarray(square[:, :1].copy()), (4, 4)),
    }
    for name, array in given.items():
        assert not array.flags.c_contiguous, name
        expected = array.get()
        for missing in (None, 3):
            found = Matrix.from_dense(array, missing)
            same(found, on_host(Matrix.from_dense, expected, missing))
            same(_squared(found), on_host(lambda x, m: _squared(Matrix.from_dense(x, m)), expected, missing))


def an_index(iso: bool, full: bool) -> Vector:
    """A Vector of positions, which are all the same if one value stands for all."""
    if full:
        return Vector.from_scalar(3, 4) if iso else Vector.from_dense(PLACES)
    return Vector.from_coo([0, 2, 3], 3 if iso else [3, 11, 4], size=4)


#: What takes a Vector of positions.
BY_VECTOR = {
    "v[I]": lambda index: vector()[index].new(),
    "sparse v[I]": lambda index: some()[index].new(),
    "iso v[I]": lambda index: Vector.from_scalar(3, N)[index].new(),
    "v[I] of one byte": lambda index: vector(np.int8)[index].new(),
    "v[I] += u": lambda index: _assign(vector(), index, Vector.from_dense(VALUES), binary.plus),
    "sparse v[I] += u": lambda index: _assign(some(), index, Vector.from_dense(VALUES), binary.min),
    "v[I] += iso": lambda index: _assign(vector(), index, Vector.from_scalar(3, 4), binary.plus),
    "v[I] += sparse": lambda index: _assign(vector(), index, Vector.from_coo([0, 3], [1, 2], size=4), binary.plus),
    "v[I] += s": lambda index: _assign(some(), index, 1, binary.plus),
    "v[I] = s": lambda index: _assign(some(), index, 1),
    "with a mask": lambda index: vector()[index].new(mask=Vector.from_coo([0, 1], True, size=4).S),
    "into another": lambda index: written(Vector.from_dense([1, 2, 3, 4]), lambda v: v(binary.plus) << vector()[index]),
}


def test_vectors_of_positions(cupy) -> None:
    for name, make in BY_VECTOR.items():
        for kind in itertools.product((True, False), repeat=2):
            same(make(an_index(*kind)), on_host(lambda of, take: take(an_index(*of)), kind, make), name)


def _looped(iso: bool, values) -> Vector:
    """Values go to their places, and what is there comes back."""
    v, index, given = vector(), an_index(iso, True), Vector.from_dense(values)
    for _ in gb.loop(Vector.from_coo([0], [True], size=1), 3):
        v(binary.plus)[index] << given
        given << v[index]
    return v


def test_gathers_and_scatters_of_a_loop(cupy) -> None:
    for iso in (True, False):
        for layout in LAYOUTS:
            values, expected = laid_out(cupy, layout, VALUES)
            same(_looped(iso, values), on_host(_looped, iso, expected))


def test_loops_read_what_is_given(cupy) -> None:
    def walked(values) -> Vector:
        given, v, A = Vector.from_dense(values), Vector.from_dense([1, 2, 3, 4]), matrix()[:4, :4].new()
        for _ in gb.loop(Vector.from_coo([0], [True], size=1), 2):
            v << v.ewise_mult(given, binary.plus)
            v(binary.plus) << A.mxv(v)
        return v

    for layout in LAYOUTS:
        values, expected = laid_out(cupy, layout, VALUES)
        same(walked(values), on_host(walked, expected))


@pytest.mark.parametrize("dtype", [bool, np.int8, np.int16, np.float32], ids=str)
def test_small_values_that_begin_anywhere(cupy, dtype) -> None:
    """Kernels read several at a time, where these begin at a multiple of that."""

    def results(values):
        v, A = Vector.from_dense(values), matrix()
        weighted = Matrix.from_csr(*A.to_csr()[:2], values[: A.nvals], ncols=N)
        total = Vector.from_coo([0], [v.reduce(monoid.max).new().value], size=1)
        looped = v.dup()
        for _ in gb.loop(Vector.from_coo([0], [True], size=1), 2):
            looped << looped.ewise_mult(v, binary.max)
        return [total, weighted.reduce_rowwise(monoid.max).new(), weighted.T.new(), looped, v[3:40].new()]

    given = (np.arange(60) * 7 % 5).astype(dtype)
    values, expected = laid_out(cupy, "behind another", given)
    for mine, theirs in zip(results(values), on_host(results, expected), strict=True):
        same(mine, theirs, str(dtype))


@pytest.mark.emulated  # CuPy gives every address
def test_an_address_is_for_elements_that_follow_each_other(cupy) -> None:
    whole = cupy.asarray(np.arange(6))
    for fine in (
        whole,
        whole[2:],
        whole[:1],
        whole[::6],
        whole[:0],
        np.broadcast_to(whole[:1], (1,)),
        whole.reshape(2, 3),
    ):
        assert fine.data.ptr
    for not_contiguous in (whole[::2], whole[::-1], np.broadcast_to(whole[:1], (6,)), whole.reshape(2, 3).T):
        with pytest.raises(AssertionError, match="strides"):
            assert not_contiguous.data.ptr
