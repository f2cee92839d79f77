"""The same random object in grblas_gpu and in python-graphblas, and a comparison of results."""

import graphblas
import numpy as np
from hypothesis import strategies as st

import grblas_gpu
from grblas_gpu.backends.stores.matrix_forms import with_form as change_form
from grblas_gpu.backends.stores.storage import MatrixStore, VectorStore

graphblas.init("suitesparse", blocking=True)

DTYPES = ("BOOL", "INT8", "INT16", "INT32", "INT64", "UINT8", "UINT16", "UINT32", "UINT64", "FP32", "FP64")
MASK_KINDS = (None, "S", "V", "~S", "~V")
ACCUMS = (None, "plus", "min", "first", "second", "minus")
FORMS = ("natural", "sparse", "hypersparse", "bitmap", "full")  # of matrices
STORAGES = ("sparse", "unordered", "bitmap", "natural")


as_programs = False  # whether updates are recorded as the body of a loop with one step


def condition():
    """A condition that holds."""
    return grblas_gpu.Vector.from_coo([0], [True], size=1)


class Pair:
    """One object in both libraries."""

    def __init__(self, ours, theirs) -> None:
        self.ours = ours
        self.theirs = theirs

    def __repr__(self) -> str:  # ours only: python-graphblas prints through pandas, which fails for some objects
        return repr(self.ours)

    def mask(self, kind: str | None):
        if kind is None:
            return None, None
        ours, theirs = getattr(self.ours, kind[-1]), getattr(self.theirs, kind[-1])
        return (~ours, ~theirs) if kind[0] == "~" else (ours, theirs)


def numbers(dtype: str) -> st.SearchStrategy:
    """Small values: exact in every type, so that the order of additions does not matter."""
    if dtype == "BOOL":
        return st.booleans()
    low = 0 if dtype.startswith("U") else -4
    if dtype.startswith("FP"):
        return st.integers(low, 6).map(lambda x: x / 2)
    return st.integers(low, 6)


@st.composite
def entries(draw: st.DrawFn, everywhere: list, dtype: str):
    """Some of the positions, and a value for each or one for all."""
    fill = draw(st.sampled_from(["empty", "some", "some", "full", "iso"]))
    chosen = {"empty": 0, "full": 2 ** len(everywhere) - 1}.get(fill)
    if chosen is None:
        chosen = draw(st.integers(0, 2 ** len(everywhere) - 1))
    places = [place for bit, place in enumerate(everywhere) if chosen >> bit & 1]
    if fill == "iso":
        return places, draw(numbers(dtype))
    return places, draw(st.lists(numbers(dtype), min_size=len(places), max_size=len(places)))


@st.composite
def vectors(draw: st.DrawFn, size: int, dtype: str | None = None) -> Pair:
    dtype = draw(st.sampled_from(DTYPES)) if dtype is None else dtype
    positions, values = draw(entries(list(range(size)), dtype))
    theirs = graphblas.Vector.from_coo(positions, values, dtype, size=size)
    ours = grblas_gpu.Vector.from_coo(positions, values, dtype, size=size)
    return Pair(with_storage(ours, draw(st.sampled_from(STORAGES))), theirs)


def with_storage(v, storage: str):
    """The same Vector in another storage format."""
    engine, store = v._engine, v._store
    if storage == "bitmap" and store.size:
        v._store = engine.with_kind(store, "bitmap")
    elif storage in ("sparse", "unordered"):
        store = engine.with_kind(store, "sparse")
        if storage == "unordered" and store.nvals > 1:
            values = store.values if store.iso else store.values[::-1].copy()
            store = VectorStore(store.size, values, indices=store.indices[::-1].copy(), ordered=False)
        v._store = store
    return v


@st.composite
def matrices(draw: st.DrawFn, nrows: int, ncols: int, dtype: str | None = None) -> Pair:
    dtype = draw(st.sampled_from(DTYPES)) if dtype is None else dtype
    places, values = draw(entries([(i, j) for i in range(nrows) for j in range(ncols)], dtype))
    rows, cols = [i for i, _ in places], [j for _, j in places]
    made = [
        library.Matrix.from_coo(rows, cols, values, dtype, nrows=nrows, ncols=ncols)
        for library in (grblas_gpu, graphblas)
    ]
    return Pair(with_form(made[0], draw(st.sampled_from(FORMS))), made[1])


def with_form(a, form: str):
    """The same Matrix in another storage format, if possible."""
    store = a._store
    if form != "natural" and isinstance(store, MatrixStore) and (form != "full" or store.nvals == a.nrows * a.ncols):
        a._store = change_form(store, form)
    return a


class Parameters(dict):
    """Keyword arguments of an update; printed without python-graphblas's objects."""

    def __repr__(self) -> str:
        mask = self["mask"]
        return f"accum={self['accum']}, replace={self['replace']}, mask={mask if mask is None else mask.name}"


sizes = st.integers(0, 5)
some_size = st.integers(1, 5)


@st.composite
def outputs(draw: st.DrawFn, shape: tuple[int, ...]) -> tuple[Pair, dict, dict]:
    """An output with entries, and the parameters of an update: mask, accumulator, replace."""
    make = vectors if len(shape) == 1 else matrices
    out = draw(make(*shape))
    mask = draw(make(*shape)) if draw(st.integers(0, 5)) else out  # sometimes the mask is the output itself
    kind = draw(st.sampled_from(MASK_KINDS))
    accum = draw(st.sampled_from(ACCUMS))
    replace = kind is not None and draw(st.booleans())
    ours, theirs = mask.mask(kind)
    both = {"accum": accum, "replace": replace}
    if out.ours.dtype.name == "BOOL" and accum in ("plus", "minus"):
        both["accum"] = "second"
    return out, Parameters(both, mask=ours), Parameters(both, mask=theirs)


def accumulator(library, name: str | None):
    return None if name is None else getattr(library.binary, name)


def run_both(ours, theirs):
    """Run two thunks: both succeed, or both fail with an exception of the same name."""
    results, errors = [], []
    for thunk in (theirs, ours):
        try:
            results.append(thunk())
            errors.append(None)
        except Exception as error:
            results.append(None)
            errors.append(error)
    kinds = [None if e is None else type(e).__name__ for e in errors]
    if kinds[0] != kinds[1]:
        raise AssertionError(f"python-graphblas: {errors[0]!r}; ours: {errors[1]!r}") from (errors[1] or errors[0])
    return results[1], results[0]


def update_both(pair: Pair, ours: dict, theirs: dict, ours_expr, theirs_expr, **options) -> None:
    """``out(mask, accum, replace) << expression`` in both libraries; expressions are thunks."""

    def update_ours() -> None:
        settings = {**ours, "accum": accumulator(grblas_gpu, ours["accum"])}
        for _ in grblas_gpu.loop(condition(), 1, fallback=True) if as_programs else range(1):
            pair.ours(**settings, **options) << ours_expr()

    def update_theirs() -> None:
        settings = {**theirs, "accum": accumulator(graphblas, theirs["accum"])}
        pair.theirs(**settings) << theirs_expr()

    run_both(update_ours, update_theirs)


def check_update(output: tuple[Pair, dict, dict], ours, theirs, structure_only: bool = False, **options) -> None:
    """The same for a result of :func:`outputs`; then both must have the same entries."""
    update_both(*output, ours, theirs, **options)
    assert_same(output[0].ours, output[0].theirs, structure_only=structure_only)


def assert_same(ours, theirs, *, structure_only: bool = False) -> None:
    """The same type, shape, positions and values."""
    assert ours.dtype.name == theirs.dtype.name
    assert ours.shape == theirs.shape
    if ours.ndim == 0:
        if structure_only:
            assert (ours.value is None) == (theirs.value is None)
        else:
            assert (ours.value is None) == (theirs.value is None)
            np.testing.assert_array_equal([ours.value or 0], [theirs.value or 0])  # -0.0 equals 0.0
        return
    *our_places, our_values = ours.to_coo()
    *their_places, their_values = theirs.to_coo()
    for mine, yours in zip(our_places, their_places, strict=True):
        np.testing.assert_array_equal(mine, yours)
    assert ours.nvals == len(our_values)
    if not structure_only:
        np.testing.assert_array_equal(our_values, their_values)
