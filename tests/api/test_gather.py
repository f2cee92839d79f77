"""Gather and scatter: ``v[index]``, ``w(accum)[index] << v``, ``A[index, :]`` by a Vector or an array."""

import numpy as np
import pytest
from exchanged import Exchanged
from hypothesis import assume, given, strategies as st
from pairs import Pair, assert_same, matrices, numbers, outputs, run_both, some_size, update_both, vectors

import grblas_gpu as gb
from grblas_gpu import Matrix, Vector, binary
from grblas_gpu.exceptions import IndexOutOfBound, InvalidObject, InvalidValue

INDEX_TYPES = ("INT8", "INT32", "INT64", "UINT16", "UINT64")
ACCUMS = {"plus": np.add, "min": np.minimum, "max": np.maximum, "times": np.multiply}


@st.composite
def indices(draw: st.DrawFn, size: int, unique: bool = False) -> tuple[Vector, list[int], list[int]]:
    """An index Vector, perhaps with gaps, in any storage; where it has entries, and which."""
    values = draw(st.lists(st.integers(0, size - 1), unique=unique, max_size=size + 2))
    there = [draw(st.integers(0, 3)) > 0 for _ in values] if draw(st.booleans()) else [True] * len(values)
    where = [p for p, is_there in enumerate(there) if is_there]
    values = [value for value, is_there in zip(values, there, strict=True) if is_there]
    dtype = draw(st.sampled_from(INDEX_TYPES))
    return Vector.from_coo(where, values, dtype, size=len(there)), where, values


@given(data=st.data())
def test_gather(backend: str, data: st.DataObject) -> None:
    """Where the index has an entry, what python-graphblas gets by a list; nothing elsewhere."""
    x = data.draw(vectors(data.draw(some_size)))
    index, where, values = data.draw(indices(x.ours.size))
    taken = x.theirs[np.array(values, np.int64)].new()
    there, found = taken.to_coo()
    expected = type(taken).from_coo(np.array(where, int)[there], found, taken.dtype, size=index.size)
    assert_same(x.ours[index].new(), expected)
    out, our_parameters, their_parameters = data.draw(outputs((index.size,)))
    update_both(out, our_parameters, their_parameters, lambda: x.ours[index], lambda: expected)
    assert_same(out.ours, out.theirs)


@given(data=st.data())
def test_submatrices(backend: str, data: st.DataObject) -> None:
    nrows, ncols, transpose = data.draw(some_size), data.draw(some_size), data.draw(st.booleans())
    a = data.draw(matrices(nrows, ncols))
    a = Pair(a.ours.T, a.theirs.T) if transpose else a
    rows, row_places, row_values = data.draw(indices(a.ours.nrows))
    cols, col_places, col_values = data.draw(indices(a.ours.ncols))
    assume(row_values and col_values)  # python-graphblas does not like to take nothing
    i, j, x = a.theirs[np.array(row_values, int), np.array(col_values, int)].new().to_coo()
    expected = {(row_places[p], col_places[q]): value for p, q, value in zip(i, j, x.tolist(), strict=True)}
    found = a.ours[rows, cols].new()
    assert found.shape == (rows.size, cols.size)
    assert {(p, q): value for p, row in found.to_dicts().items() for q, value in row.items()} == expected
    line = data.draw(st.integers(0, a.ours.nrows - 1))
    i, x = a.theirs[line, np.array(col_values, int)].new().to_coo()
    assert a.ours[line, cols].new().to_dict() == dict(
        zip(np.array(col_places, int)[i].tolist(), x.tolist(), strict=True)
    )
    assert a.ours[rows, :].new().isequal(a.ours[rows, range(a.ours.ncols)].new())


@given(data=st.data())
def test_scatter(backend: str, data: st.DataObject) -> None:
    """Positions that differ: what python-graphblas assigns by a list of those that are there."""
    out, our_parameters, their_parameters = data.draw(outputs((data.draw(some_size),)))
    index, where, values = data.draw(indices(out.ours.size, unique=True))
    chosen = np.array(values, np.int64)
    if data.draw(st.booleans()):
        scalar = data.draw(numbers("INT64"))
        mine, yours = scalar, scalar
    else:
        value = data.draw(vectors(index.size))
        mine, yours = value.ours, value.theirs[np.array(where, np.int64)].new()
    settings = [dict(our_parameters), dict(their_parameters)]
    for library, given_ in zip((gb, pytest.importorskip("graphblas")), settings, strict=True):
        given_["accum"] = None if given_["accum"] is None else getattr(library.binary, given_["accum"])

    def scatter(obj, options: dict, key, what) -> None:
        obj(**options)[key] << what

    run_both(
        lambda: scatter(out.ours, settings[0], index, mine), lambda: scatter(out.theirs, settings[1], chosen, yours)
    )
    assert_same(out.ours, out.theirs)


@given(data=st.data())
def test_repeated_positions_are_accumulated(backend: str, data: st.DataObject) -> None:
    """One after another, as NumPy's ``ufunc.at`` does it."""
    out = data.draw(vectors(data.draw(some_size), "INT64")).ours
    index, where, positions = data.draw(indices(out.size))
    by_list = len(where) == index.size and data.draw(st.booleans())
    key = positions if by_list and positions else index
    value = data.draw(vectors(index.size, "INT64")).ours
    name = data.draw(st.sampled_from(list(ACCUMS)))
    expected, given_ = out.to_dict(), value.to_dict()
    is_scalar = data.draw(st.booleans())
    for p, i in zip(where, positions, strict=True):
        if is_scalar or p in given_:
            new = 3 if is_scalar else given_[p]
            expected[i] = int(ACCUMS[name](expected[i], new)) if i in expected else new
    out(getattr(binary, name))[key] << (3 if is_scalar else value)
    assert out.to_dict() == expected


@given(data=st.data())
def test_repeated_positions_behind_a_submask(backend: str, data: st.DataObject) -> None:
    """``w[index](mask)``: the mask is about what is given, also where several are given to one position."""
    out = data.draw(vectors(data.draw(some_size), "INT64")).ours
    index, where, positions = data.draw(indices(out.size))
    value, mask = (data.draw(vectors(index.size, "INT64")).ours for _ in range(2))
    complement = data.draw(st.booleans())
    expected, given_, masked = out.to_dict(), value.to_dict(), mask.to_dict()
    for p, i in zip(where, positions, strict=True):
        if p in given_ and (p in masked) != complement:
            expected[i] = expected[i] + given_[p] if i in expected else given_[p]
    out[index](~mask.S if complement else mask.S, binary.plus) << value
    assert out.to_dict() == expected


def test_repeated_positions_without_an_order_are_an_error(backend: str) -> None:
    w, v, index = Vector.from_dense([1, 2, 3]), Vector.from_dense([7, 8, 9]), Vector.from_dense([2, 0, 2])
    for accum in (None, binary.minus, binary.second):
        for key in (index, [2, 0, 2], np.array([2, 0, 2])):
            with pytest.raises(InvalidValue, match="position 2 is assigned to more than once"):
                w(accum=accum)[key] << v
    assert w.to_dense().tolist() == [1, 2, 3]
    w[index] << 5  # the same for all of them
    assert w.to_dense().tolist() == [5, 2, 5]


def test_positions_out_of_range(backend: str) -> None:
    v, A = Vector.from_dense([1, 2, 3]), Matrix.from_dense([[1, 2, 3]])
    for wrong in ([0, 3], [-1, 0]):
        index = Vector.from_dense(wrong)
        with pytest.raises(IndexOutOfBound):
            v[index].new()
        with pytest.raises(IndexOutOfBound):
            v(binary.plus)[index] << 1
        with pytest.raises(IndexOutOfBound):
            A[:, index].new()
        with pytest.raises(IndexOutOfBound):
            A[0, index] << 1
    assert v.to_dense().tolist() == [1, 2, 3]


def test_what_is_no_index(backend: str) -> None:
    v = Vector.from_dense([1, 2, 3])
    for wrong in (Vector.from_dense([True, False, True]), Vector.from_dense([0.0, 1.0])):
        with pytest.raises(TypeError, match="Invalid type for index"):
            v[wrong]
    index = Vector.from_dense([0, 0, 1])
    with gb.config.set(autocompute=False), pytest.raises(TypeError):
        v[index[index]]  # an expression: v[index[index].new()]
    with gb.config.set(autocompute=True):
        assert v[index[index]].new().to_dense().tolist() == [1, 1, 1]
    other = "numpy" if backend != "numpy" else "cpu"
    with pytest.raises(InvalidObject, match="different backends"):
        v[Vector.from_dense([0, 1]).to(other)]


def test_arrays_are_indices(backend: str) -> None:
    v, A = Vector.from_dense([5, 6, 7]), Matrix.from_dense([[1, 2], [3, 4]])
    index = np.array([2, 0, -1])
    for key in (index, index.astype(np.int8), Exchanged(index)):
        assert v[key].new().to_dense().tolist() == [7, 5, 7]
    assert A[Exchanged(np.array([1])), Exchanged(np.array([1, 0]))].new().to_dense().tolist() == [[4, 3]]
    v[Exchanged(np.array([1]))] << 9
    assert v.to_dense().tolist() == [5, 9, 7]


def test_an_index_may_be_what_it_indexes(backend: str) -> None:
    parents = Vector.from_dense([0, 0, 1, 2, 3])
    parents << parents[parents]
    assert parents.to_dense().tolist() == [0, 0, 0, 1, 2]
    parents(binary.min)[parents] << parents
    assert parents.to_dense().tolist() == [0, 0, 0, 1, 2]
