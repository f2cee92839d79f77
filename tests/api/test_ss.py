"""``v.ss``, ``A.ss`` and ``gb.ss`` against python-graphblas, on random objects; tiles in every form."""

import itertools
import threading

import graphblas
import numpy as np
import pytest
from emulated_engine import backends  # noqa: F401 (a fixture)
from hypothesis import given, settings, strategies as st
from pairs import DTYPES, assert_same as assert_equal, matrices, sizes, some_size, vectors
from random_objects import matrix_of

import grblas_gpu as gb
from grblas_gpu import Matrix, Vector, binary, monoid
from grblas_gpu.backends.cpu import pool
from grblas_gpu.backends.stores import tiles
from grblas_gpu.exceptions import DimensionMismatch, DomainMismatch, InvalidObject, InvalidValue

VECTOR_FORMATS = ("sparse", "bitmap", "full")
MATRIX_FORMATS = ("csr", "csc", "hypercsr", "hypercsc", "bitmapr", "bitmapc", "fullr", "fullc", "coo", "coor", "cooc")
ORDERS = ("rowwise", "columnwise")
CHOICES = ("first", "last", "smallest", "largest")


def pair_of(ndim: int, size: st.SearchStrategy = sizes, dtypes: tuple[str, ...] = DTYPES) -> st.SearchStrategy:
    drawn = st.tuples(*[size] * ndim, st.sampled_from(dtypes))
    return drawn.flatmap(lambda each: vectors(*each) if ndim == 1 else matrices(*each))


def formats(x) -> tuple[str, ...]:
    names = VECTOR_FORMATS if x.ndim == 1 else MATRIX_FORMATS
    full = x.nvals == np.prod(x.shape)
    return tuple(name for name in names if full or not name.startswith("full"))


def assert_same(ours, theirs) -> None:
    """Theirs may be stored by columns."""
    if theirs.ndim == 2:
        rows, cols, values = theirs.to_coo()
        theirs = graphblas.Matrix.from_coo(rows, cols, values, theirs.dtype, nrows=theirs.nrows, ncols=theirs.ncols)
    assert_equal(ours, theirs)


def comparable(parts):
    """What both libraries must say: not what is undefined, and not whether a value is stored once."""
    parts = dict(parts)
    bitmap, values = parts.get("bitmap"), parts.pop("values")
    iso = parts.pop("is_iso")
    if bitmap is not None and not iso:
        values = np.where(bitmap, values, values.dtype.type(0))
    for name in ("sorted_rows", "sorted_cols", "sorted_index"):
        parts.pop(name, None)
    if parts.get("ncols") == 1 and parts.get("format") == "cooc":  # in either order
        parts["format"] = "coor"
    shown = {name: part.tolist() if isinstance(part, np.ndarray) else part for name, part in parts.items()}
    return shown | {"values": set(values.reshape(-1).tolist()) if iso else values.tolist()}


@pytest.mark.parametrize("ndim", [1, 2])
@settings(max_examples=12)  # each of them is many calls
@given(data=st.data())
def test_export_and_import(backend: str, ndim: int, data: st.DataObject) -> None:
    pair = data.draw(pair_of(ndim))
    cls = Vector if ndim == 1 else Matrix
    for name, raw in itertools.product(formats(pair.ours), (False, True)):
        ours = pair.ours.ss.export(name, sort=True, raw=raw)
        theirs = pair.theirs.ss.export(name, sort=True, raw=raw)
        if ours["is_iso"] == theirs["is_iso"]:  # SuiteSparse takes some that have no entries for iso
            assert ours.keys() - {"size"} == theirs.keys() - {"size"}
            assert raw or comparable(ours) == comparable(theirs)
        for parts in (ours, theirs):
            assert_same(cls.ss.import_any(**parts, dtype=pair.ours.dtype), pair.theirs)
            given = {key: part for key, part in parts.items() if not (name == "coo" and key == "format")}
            assert_same(getattr(cls.ss, f"import_{name}")(**given, dtype=pair.ours.dtype), pair.theirs)
        again = pair.ours.dup()
        parts = again.ss.unpack(name)
        assert again.nvals == 0
        again.ss.pack_any(**parts)
        assert_same(again, pair.theirs)
        assert_same(cls.ss.deserialize(pair.ours.ss.serialize()), pair.theirs)


@pytest.mark.parametrize("ndim", [1, 2])
@settings(max_examples=12)  # each of them is many calls
@given(data=st.data())
def test_iteration(backend: str, ndim: int, data: st.DataObject) -> None:
    pair = data.draw(pair_of(ndim))
    ours = pair.ours.ss
    everything = list(zip(*(part.tolist() for part in pair.theirs.to_coo()), strict=True))
    if ours.format.startswith(("bitmap", "full")):  # positions are counted, as python-graphblas does
        places = {entry[:-1]: entry for entry in everything}
        counted = [places.get(place) for place in np.ndindex(pair.ours.shape)]
    else:
        counted = everything
    for seek in (0, 1, 3, -1, -100, 100):
        expected = counted[seek:] if seek >= 0 else counted[max(0, len(counted) + seek) :]
        expected = [entry for entry in expected if entry is not None]
        assert list(ours.iteritems(seek)) == expected
        keys = [entry[0] if ndim == 1 else entry[:-1] for entry in expected]
        assert list(ours.iterkeys(seek)) == keys
        assert list(ours.itervalues(seek)) == [entry[-1] for entry in expected]
    assert [part.tolist() for part in ours.head(2)] == [part[:2].tolist() for part in pair.theirs.to_coo()]
    assert ours.nbytes >= pair.ours.nvals * bool(not ours.is_iso)
    if ours.is_iso:
        assert {ours.iso_value.value} == {entry[-1] for entry in everything}
    else:
        with pytest.raises(ValueError, match="not iso-valued"):
            ours.iso_value
    assert ndim == 2 or ours.format in VECTOR_FORMATS


@pytest.mark.parametrize("ndim", [1, 2])
@settings(max_examples=12)  # each of them is many calls
@given(data=st.data())
def test_scan_and_sort(backend: str, ndim: int, data: st.DataObject) -> None:
    pair = data.draw(pair_of(ndim))
    order = data.draw(st.sampled_from(ORDERS))
    where = () if ndim == 1 else (order,)
    names = ["min", "max", "plus", "times"] if pair.ours.dtype.name != "BOOL" else ["lor", "land"]
    name = data.draw(st.sampled_from(names))
    if pair.ours.dtype.name in ("INT8", "UINT8", "BOOL", "INT64", "FP64") and not pair.theirs.ss.is_iso:
        ours, theirs = getattr(monoid, name), getattr(graphblas.monoid, name)
        assert_same(pair.ours.ss.scan(ours, *where), pair.theirs.ss.scan(theirs, *where))
    for name in ("lt", "gt"):
        ours = pair.ours.ss.sort(getattr(binary, name), *where)
        theirs = pair.theirs.ss.sort(getattr(graphblas.binary, name), *where)
        for mine, other in zip(ours, theirs, strict=True):
            assert_same(mine, other)
    assert pair.ours.ss.sort(binary.lt, *where, values=False, permutation=False) == (None, None)


def test_sort_by_an_operator_of_ones_own(backend: str) -> None:
    last_digit = binary.register_anonymous(lambda x, y: x % 10 < y % 10)
    values, places = Vector.from_coo([1, 2, 4, 6, 7], [31, 12, 22, 50, 41]).ss.sort(last_digit)
    assert values.to_coo()[1].tolist() == [50, 31, 41, 12, 22]
    assert places.to_coo()[1].tolist() == [6, 1, 7, 2, 4]


# python-graphblas compiles kernels for every type, for matrices twelve seconds long: fuzzed lines have some of those
@pytest.mark.parametrize("dtypes", [("INT16",), pytest.param(DTYPES, marks=pytest.mark.slow)], ids=["one", "all"])
@pytest.mark.parametrize("ndim", [1, pytest.param(2, marks=pytest.mark.slow)])
@settings(max_examples=12)  # each of them is many calls
@given(data=st.data())
def test_choosing(backend: str, ndim: int, dtypes: tuple[str, ...], data: st.DataObject) -> None:
    pair = data.draw(pair_of(ndim, some_size, dtypes))
    order, k = data.draw(st.sampled_from(ORDERS)), data.draw(st.integers(1, 4))
    where = {} if ndim == 1 else {"order": order}
    if not pair.ours.nvals:  # an error in python-graphblas, of a Matrix
        assert pair.ours.ss.selectk("first", k, **where).nvals == pair.ours.ss.compactify(**where).nvals == 0
        return
    for how in ("first", "last"):
        assert_same(pair.ours.ss.selectk(how, k, **where), pair.theirs.ss.selectk(how, k, **where))
    some = pair.ours.ss.selectk("random", k, **where)
    assert some.nvals == pair.ours.ss.selectk("first", k, **where).nvals
    assert pair.ours.dup(mask=some.S).isequal(some, check_dtype=True)
    distinct = len(set(pair.theirs.to_coo()[-1].tolist())) == pair.ours.nvals
    for how, reverse, asindex in itertools.product(CHOICES, (False, True), (False, True)):
        if asindex and how in ("smallest", "largest") and not distinct:
            continue  # any of them
        options = {"reverse": reverse, "asindex": asindex, **where}
        ours = pair.ours.ss.compactify(how, **options)
        theirs = pair.theirs.ss.compactify(how, **options)
        assert_same(ours, theirs)
    if ndim == 1 and distinct and pair.ours.nvals > k:
        for how in ("smallest", "largest"):
            assert_same(pair.ours.ss.selectk(how, k), pair.theirs.ss.selectk(how, k))


@settings(max_examples=12)  # each of them is many calls
@given(data=st.data())
def test_tiles_and_shapes(backend: str, data: st.DataObject) -> None:
    nrows, ncols = data.draw(some_size), data.draw(some_size)
    A = data.draw(matrices(nrows, ncols))
    v = data.draw(vectors(nrows, A.ours.dtype.name))
    rows, cols = data.draw(st.integers(1, nrows)), data.draw(st.integers(1, ncols))
    ours, theirs = A.ours.ss.split((rows, cols)), A.theirs.ss.split((rows, cols))
    for mine, other in zip(itertools.chain(*ours), itertools.chain(*theirs), strict=True):
        assert_same(mine, other)
    assert_same(gb.ss.concat(ours), A.theirs)
    assert_same(gb.ss.concat([[A.ours, v.ours]], dtype=float), graphblas.ss.concat([[A.theirs, v.theirs]], dtype=float))
    assert_same(gb.ss.concat([v.ours, v.ours]), graphblas.ss.concat([v.theirs, v.theirs]))
    assert_same(gb.ss.concat(v.ours.ss.split(rows)), v.theirs)
    for k in (-nrows, -1, 0, 1, ncols):
        assert_same(gb.ss.diag(A.ours, k), graphblas.ss.diag(A.theirs, k))
        assert_same(gb.ss.diag(A.ours.T, k), graphblas.ss.diag(A.theirs.T, k))
        assert_same(gb.ss.diag(v.ours, k), graphblas.ss.diag(v.theirs, k))
    for order in ORDERS:
        assert_same(A.ours.ss.flatten(order), A.theirs.ss.flatten(order))
        assert_same(A.ours.ss.reshape(ncols, nrows, order), A.theirs.ss.reshape(ncols, nrows, order))
        assert_same(v.ours.ss.reshape(1, -1, order), v.theirs.ss.reshape(1, -1, order))
    inplace = A.ours.dup()
    inplace.ss.reshape(-1, 1, inplace=True)
    assert_same(inplace, A.theirs.ss.reshape(-1, 1))


MISTAKES = [
    (ValueError, "Invalid format", lambda A, v: A.ss.export("triangular")),
    (ValueError, "Invalid format", lambda A, v: v.ss.export("csr")),
    (InvalidValue, "not full", lambda A, v: A.ss.export("fullr")),
    (TypeError, "needs", lambda A, v: Matrix.ss.import_csr(indptr=[0], values=[1])),
    (TypeError, "no bitmap", lambda A, v: Matrix.ss.import_csr(indptr=[0], col_indices=[], values=[], bitmap=[1])),
    (ValueError, "unknown descriptor option", lambda A, v: Vector.ss.import_full(values=[1], valuse=[2])),
    (InvalidValue, "values", lambda A, v: Vector.ss.import_sparse(indices=[0, 1], values=[1], size=2)),
    (TypeError, "both", lambda A, v: Matrix.ss.import_any(indptr=[0], bitmap=[1], values=[1])),
    (ValueError, "how", lambda A, v: A.ss.selectk("largest", 1)),
    (ValueError, "how", lambda A, v: v.ss.compactify("middle")),
    (ValueError, "negative", lambda A, v: v.ss.selectk("first", -1)),
    (ValueError, "order", lambda A, v: A.ss.scan(order="diagonal")),
    (TypeError, "Monoid", lambda A, v: v.ss.scan(binary.minus)),
    (DimensionMismatch, "chunks", lambda A, v: A.ss.split([[5, 5], 3])),
    (DimensionMismatch, "tile", lambda A, v: gb.ss.concat([[A, A], [A, v]])),
    (TypeError, "tiles", lambda A, v: gb.ss.concat([A, A])),
    (TypeError, "tiles", lambda A, v: gb.ss.concat([[A, 1]])),
    (ValueError, "reshape", lambda A, v: A.ss.reshape(5, 5)),
    (DimensionMismatch, "shape", lambda A, v: v.ss.concat([v, v])),
    (InvalidObject, "bytes", lambda A, v: Vector.ss.deserialize(b"what?")),
    (InvalidObject, "Matrix", lambda A, v: Matrix.ss.deserialize(v.ss.serialize())),
    (DomainMismatch, "INT64", lambda A, v: Vector.ss.deserialize(v.ss.serialize(), dtype=float)),
    (ValueError, "set_backend", lambda A, v: gb.ss.config.update(gpu_id=0)),
    (ValueError, "default value", lambda A, v: gb.ss.config.update(jit_c_control=None)),
    (KeyError, "by_row", lambda A, v: gb.ss.config.update(format="by_diagonal")),
    (KeyError, "typo", lambda A, v: gb.ss.config["typo"]),
    (TypeError, "deleted", lambda A, v: gb.ss.config.pop("format")),
    (InvalidValue, "not engaged", lambda A, v: gb.ss.Context(engage=False).disengage()),
    (NotImplementedError, "dtypes.register_new", lambda A, v: gb.dtypes.ss.register_new("P", "typedef struct {} P;")),
]


@pytest.mark.parametrize("case", range(len(MISTAKES)))
def test_mistakes(backend: str, case: int) -> None:
    expected, words, mistake = MISTAKES[case]
    A = Matrix.from_coo([0, 1], [1, 2], [3, 4], nrows=2, ncols=3)
    v = Vector.from_coo([0, 1], [3, 4], size=3)
    before = A.to_coo(), v.to_coo()
    with pytest.raises(expected, match=words):
        mistake(A, v)
    for part, old in zip([*A.to_coo(), *v.to_coo()], [*before[0], *before[1]], strict=True):
        assert part.tolist() == old.tolist()


def test_contexts() -> None:
    """They are remembered and stacked; a result does not depend on them."""
    v = Vector.from_dense([1, 2])
    everywhere, elsewhere = pool.threads(), []
    with gb.ss.Context(nthreads=1):
        thread = threading.Thread(target=lambda: elsewhere.append(pool.threads()))
        thread.start()
        thread.join()
        assert (pool.threads(), elsewhere) == (1, [everywhere])
    with gb.ss.Context(nthreads=4) as outer, gb.ss.Context(chunk=7.0) as inner:
        assert (inner["nthreads"], inner["chunk"], outer["chunk"]) == (4, 7.0, 0.0)
        assert gb.ss.Context(engage=False) == inner == inner.dup(engage=False)
        assert gb.ss.Context(engage=False, stack=False)["nthreads"] == 0
        assert (v + v).new().to_dense().tolist() == [2, 4]
    assert gb.ss.Context(engage=False)["nthreads"] == 0


def test_settings_and_facts(capsys: pytest.CaptureFixture[str]) -> None:
    assert gb.ss.about["library_name"] == "grblas_gpu"
    assert dict(gb.ss.config) == gb.ss.config
    for name, value in (("format", "by_col"), ("nthreads", 3), ("burble", True)):
        before = gb.ss.config[name]
        gb.ss.config[name] = value
        assert gb.ss.config[name] == value
        gb.ss.config[name] = None
        assert gb.ss.config[name] == before
    for name, value, default in (("nthreads", 1, None), ("burble", True, False)):
        gb.ss.config[name] = value
        assert name != "nthreads" or pool.threads() == 1
        Vector.from_dense([1, 2]).apply(gb.unary.abs).new()
        gb.ss.config[name] = default
    assert "apply" in capsys.readouterr().out
    with gb.ss.burble:
        Vector.from_dense([1, 2]).reduce().new()
    assert "reduce" in capsys.readouterr().out


def tile(nrows: int, ncols: int, fill: float, form: str, value=None, seed: int = 0) -> Matrix:
    return matrix_of([nrows, ncols, seed], (nrows, ncols), fill, (1, 99) if value is None else value).to(form=form)


def check(rows, dtype=None) -> Matrix:
    whole = gb.ss.concat(rows, dtype)
    expected = np.block([[each.to_dense(fill_value=0) for each in row] for row in rows])
    assert whole.shape == expected.shape and whole.nvals == sum(each.nvals for row in rows for each in row)
    np.testing.assert_array_equal(whole.to_dense(fill_value=0), expected)
    indptr, indices, _ = whole.to_csr()
    for start, stop in zip(indptr[:-1], indptr[1:], strict=True):
        assert (np.diff(indices[start:stop].astype(int)) > 0).all()
    assert whole.dtype == (rows[0][0].dtype if dtype is None else dtype)
    return whole


@pytest.mark.parametrize("form", ["sparse", "hypersparse", "bitmap"])
def test_tiles(backend, form: str) -> None:
    A, B = tile(20, 30, 0.1, form), tile(7, 30, 0.2, "sparse")
    check([[A], [B]])
    check([[A], [A], [A]], "FP64")
    check([[A, tile(20, 5, 0.3, "sparse"), tile(20, 9, 0.0, "sparse")]])
    check([[A, tile(20, 4, 0.3, form)], [B, tile(7, 4, 0.3, "sparse")]])
    check([[A.T], [tile(3, 20, 0.2, form)]])
    check([[tile(0, 30, 0.0, "sparse")], [tile(3, 30, 0.0, "sparse")]])


def test_what_lies_above_each_other_is_copied(monkeypatch) -> None:
    """Copies of whole arrays: on a device ``concatenate`` moves element by element."""

    def refused(*given) -> None:
        raise AssertionError("concatenate")

    A, B = tile(20, 30, 0.1, "sparse"), tile(7, 30, 0.2, "sparse")
    monkeypatch.setattr(np, "concatenate", refused)
    found = tiles.joined([[A._store], [B._store]], np.dtype(int))
    monkeypatch.undo()
    assert found.nvals == A.nvals + B.nvals and found.nrows == 27


def test_one_value(backend) -> None:
    twos, more, threes = (tile(20, 30, 0.1, "sparse", value, value) for value in (2, 2, 3))
    nothing = tile(20, 30, 0.0, "sparse")
    for rows in ([[twos], [more]], [[twos, more]], [[nothing], [twos]], [[twos, nothing], [more, twos]]):
        assert check(rows)._store.iso
    for rows in ([[twos], [threes]], [[twos, threes]]):
        assert not check(rows)._store.iso


def test_vectors(backend) -> None:
    v, w = Vector.from_coo([1, 5], [1, 2], size=9), Vector.from_dense([4, 5, 6])
    found = gb.ss.concat([v, w, v])
    assert found.to_dict() == {1: 1, 5: 2, 9: 4, 10: 5, 11: 6, 13: 1, 17: 2} and found.size == 21


def test_what_does_not_fit(backend) -> None:
    A, B = tile(4, 3, 0.5, "sparse"), tile(5, 3, 0.5, "sparse")
    with pytest.raises(gb.exceptions.DimensionMismatch, match="a tile has shape"):
        gb.ss.concat([[A, B]])


@pytest.mark.parametrize("dtype", ["INT8", "UINT64", "FP64"])
@pytest.mark.parametrize("rows", [700, 3])
def test_sorting_many_entries(dtype: str, rows: int) -> None:
    """Short lines are sorted by insertion, long ones by their ranks; equal values stay in order."""
    random = np.random.default_rng(3)
    keys = np.sort(random.choice(rows * 7000, 4000, replace=False))
    given = keys // 7000, keys % 7000, random.integers(0, 50, 4000).astype(lookup(dtype))
    ours, theirs = (library.Matrix.from_coo(*given, nrows=rows, ncols=7000) for library in (gb, graphblas))
    for op in ("lt", "gt"):
        for mine, other in zip(ours.ss.sort(op), theirs.ss.sort(op), strict=True):
            assert all(np.array_equal(a, b) for a, b in zip(mine.to_coo(), other.to_coo(), strict=True))


def lookup(dtype: str) -> np.dtype:
    return gb.dtypes.lookup_dtype(dtype).np_type
