"""Every operation against python-graphblas, on random operands, masks, accumulators, types and storages."""

import math
import operator
from collections.abc import Iterator

import graphblas
import pairs
import pytest
from hypothesis import given, strategies as st
from pairs import (
    DTYPES,
    Pair,
    assert_same,
    check_update,
    matrices,
    numbers,
    outputs,
    run_both,
    sizes,
    some_size,
    update_both,
    vectors,
)

import grblas_gpu
from grblas_gpu.ir.descriptor import MXM_STRATEGIES, PULL_STRATEGIES, PUSH_STRATEGIES

#: Programs run on the definitions, and on a GPU.
PROGRAM = pytest.param("program", marks=pytest.mark.backends("numpy", "cuda"))


@pytest.fixture(autouse=True, params=["call", PROGRAM])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Every update as a call, and as the body of a loop: recorded on every engine, fused where that can be done."""
    program = request.param == "program"
    monkeypatch.setattr(pairs, "as_programs", program)
    with grblas_gpu.config.set(loops="recorded" if program else "auto"):
        yield


SEMIRINGS = (
    "plus_times min_plus max_plus lor_land any_pair plus_pair min_first max_second plus_first min_max times_plus "
    "land_lor lxor_land min_second plus_min any_first any_second plus_minus ss.min_secondi ss.min_firstj "
    "ss.max_secondj ss.plus_firsti1 ss.any_secondi"
).split()
BINARY = "plus minus times min max first second pair eq lt land lor truediv rminus any lxor bor".split()
UNARY = "identity ainv abs lnot one minv signum bnot sqrt floor".split()


def find(library, family: str, name: str):
    found = getattr(library, family)
    for part in name.split("."):
        found = getattr(found, part)
    return found


def both(family: str, name: str):
    return find(grblas_gpu, family, name), find(graphblas, family, name)


def flipped(pair: Pair, transpose: bool) -> Pair:
    return Pair(pair.ours.T, pair.theirs.T) if transpose else pair


def stored(a):
    """The store of a Matrix, or of one that is transposed."""
    return (a._matrix if a._is_transposed else a)._store


vector_strategies = [None, *PUSH_STRATEGIES, *PULL_STRATEGIES]


@given(st.data())
def test_mxv(backend: str, data: st.DataObject) -> None:
    # The inner dimension is at least 1: SuiteSparse finds entries in a product over nothing.
    nrows, ncols, transpose = data.draw(sizes), data.draw(some_size), data.draw(st.booleans())
    a = flipped(data.draw(matrices(*((ncols, nrows) if transpose else (nrows, ncols)))), transpose)
    u = data.draw(vectors(ncols))
    check_product(data, a, u, (nrows,))


@given(st.data())
def test_vxm(backend: str, data: st.DataObject) -> None:
    nrows, ncols, transpose = data.draw(some_size), data.draw(sizes), data.draw(st.booleans())
    a = flipped(data.draw(matrices(*((ncols, nrows) if transpose else (nrows, ncols)))), transpose)
    u = data.draw(vectors(nrows))
    check_product(data, u, a, (ncols,))


def check_product(data: st.DataObject, x: Pair, y: Pair, shape: tuple[int, ...]) -> None:
    name = data.draw(st.sampled_from(SEMIRINGS))
    ours, theirs = both("semiring", name)
    out, our_parameters, their_parameters = data.draw(outputs(shape))
    only_typed_accumulation(x, y, out, our_parameters, their_parameters)
    possible = vector_strategies if len(shape) == 1 else matrix_strategies(name, x, y, our_parameters["mask"])
    strategy = data.draw(st.sampled_from(possible))
    options = {} if strategy is None else {"strategy": strategy}
    if len(shape) == 1 and data.draw(st.booleans()):
        options["early_exit"] = False
    update_both(
        out,
        our_parameters,
        their_parameters,
        lambda: ours(x.ours @ y.ours),
        lambda: theirs(x.theirs @ y.theirs),
        **options,
    )
    assert_same(out.ours, out.theirs, structure_only="any_" in name and "pair" not in name)


def only_typed_accumulation(x: Pair, y: Pair, out: Pair, *parameters: dict) -> None:
    """SuiteSparse loses products when it accumulates into a full output and has to cast an operand."""
    if x.ours.dtype != y.ours.dtype and out.ours.nvals == math.prod(out.ours.shape):
        for parameter in parameters:
            parameter["accum"] = None


@given(st.data())
def test_mxm(backend: str, data: st.DataObject) -> None:
    n, k, m = data.draw(sizes), data.draw(some_size), data.draw(sizes)
    at, bt = data.draw(st.booleans()), data.draw(st.booleans())
    a = flipped(data.draw(matrices(*((k, n) if at else (n, k)))), at)
    b = flipped(data.draw(matrices(*((m, k) if bt else (k, m)))), bt)
    check_product(data, a, b, (n, m))


def matrix_strategies(name: str, a: Pair, b: Pair, mask) -> list[str | None]:
    """Those that such a product has."""
    usable = mask is not None and not mask.complement
    by_bits = name == "any_pair" and all(stored(x.ours).form != "hypersparse" for x in (a, b))
    possible = [None, None, "mxm.gustavson", "mxm.spmm", *["mxm.masked_dot"] * usable, *["mxm.bits"] * by_bits]
    assert {*possible} <= {None, *MXM_STRATEGIES}
    return possible


@st.composite
def operands(draw: st.DrawFn, count: int = 1, dtype: str | None = None) -> tuple[tuple[int, ...], list[Pair]]:
    """Vectors or matrices (some transposed) of one shape."""
    if draw(st.booleans()):
        size = draw(sizes)
        return (size,), [draw(vectors(size, dtype)) for _ in range(count)]
    nrows, ncols = draw(sizes), draw(sizes)
    flips = [draw(st.booleans()) for _ in range(count)]
    return (nrows, ncols), [
        flipped(draw(matrices(*((ncols, nrows) if flip else (nrows, ncols)), dtype)), flip) for flip in flips
    ]


@pytest.mark.parametrize("method", ["ewise_add", "ewise_mult"])
@given(data=st.data())
def test_ewise(backend: str, method: str, data: st.DataObject) -> None:
    shape, (x, y) = data.draw(operands(2))
    name = data.draw(st.sampled_from(BINARY))
    ours, theirs = both("binary", name)
    check_update(
        data.draw(outputs(shape)),
        lambda: getattr(x.ours, method)(y.ours, ours),
        lambda: getattr(x.theirs, method)(y.theirs, theirs),
        structure_only=name == "any",
    )


@given(data=st.data())
def test_ewise_union(backend: str, data: st.DataObject) -> None:
    shape, (x, y) = data.draw(operands(2))
    name = data.draw(st.sampled_from(["plus", "minus", "times", "min", "first", "second", "lt"]))
    ours, theirs = both("binary", name)
    left, right = data.draw(numbers("INT8")), data.draw(numbers("FP64"))
    check_update(
        data.draw(outputs(shape)),
        lambda: x.ours.ewise_union(y.ours, ours, left, right),
        lambda: x.theirs.ewise_union(y.theirs, theirs, left, right),
    )


@pytest.mark.parametrize("method", ["ewise_add", "ewise_mult"])
@given(data=st.data())
def test_vector_meets_matrix(backend: str, method: str, data: st.DataObject) -> None:
    nrows, ncols = data.draw(some_size), data.draw(some_size)
    numeric = st.sampled_from(DTYPES[1:])  # theirs goes through the semiring any_plus, which has no BOOL
    matrix = data.draw(matrices(nrows, ncols, data.draw(numeric)))
    vector_first = data.draw(st.booleans())
    vector = data.draw(vectors(nrows if vector_first else ncols, data.draw(numeric)))
    x, y = (vector, matrix) if vector_first else (matrix, vector)
    ours, theirs = both("binary", data.draw(st.sampled_from(["plus", "minus", "times", "second"])))
    mine, yours = run_both(
        lambda: getattr(x.ours, method)(y.ours, ours).new(), lambda: getattr(x.theirs, method)(y.theirs, theirs).new()
    )
    if yours is not None:
        assert_same(mine, yours)


@given(data=st.data())
def test_apply(backend: str, data: st.DataObject) -> None:
    shape, (x,) = data.draw(operands())
    ours, theirs = both("unary", data.draw(st.sampled_from(UNARY)))
    check_update(data.draw(outputs(shape)), lambda: x.ours.apply(ours), lambda: x.theirs.apply(theirs))


@given(data=st.data())
def test_apply_bound(backend: str, data: st.DataObject) -> None:
    shape, (x,) = data.draw(operands())
    ours, theirs = both("binary", data.draw(st.sampled_from([name for name in BINARY if name != "any"])))
    bound = {
        data.draw(st.sampled_from(["left", "right"])): data.draw(
            numbers(data.draw(st.sampled_from(["BOOL", "INT64", "FP64"])))
        )
    }
    check_update(
        data.draw(outputs(shape)), lambda: x.ours.apply(ours, **bound), lambda: x.theirs.apply(theirs, **bound)
    )


# Where python-graphblas picks an operator of another type than the values (FP64 for FP32 and UINT64), SuiteSparse
# compares without casting them, and it wraps a negative thunk around for unsigned values. Ours compares the numbers:
# test_values_are_compared_as_numbers shows it without asking SuiteSparse.
comparable = st.sampled_from([dtype for dtype in DTYPES if dtype not in ("UINT64", "FP32")])


@pytest.mark.parametrize("dtype", DTYPES[1:])
@pytest.mark.parametrize("thunk", [-1, 1, 1.0, 0.5])
def test_values_are_compared_as_numbers(backend: str, dtype: str, thunk: float) -> None:
    values = [0, 1, 2, 100]
    v = grblas_gpu.Vector.from_coo(range(4), values, dtype)
    for name in ("eq", "ne", "lt", "le", "gt", "ge"):
        expected = {i: x for i, x in enumerate(values) if getattr(operator, name)(x, thunk)}
        assert find(grblas_gpu, "select", f"value{name}")(v, thunk).new().to_dict() == expected
        flags = find(grblas_gpu, "indexunary", f"value{name}")(v, thunk).new().to_dict()
        assert {i for i, flag in flags.items() if flag} == set(expected)


@given(data=st.data())
def test_apply_index(backend: str, data: st.DataObject) -> None:
    shape, (x,) = data.draw(operands(dtype=data.draw(comparable)))
    names = "rowindex diagindex tril triu valueeq valuegt rowle rowgt" + (" colindex colle" if len(shape) == 2 else "")
    ours, theirs = both("indexunary", data.draw(st.sampled_from(names.split())))
    thunk = data.draw(st.integers(0 if x.ours.dtype.name.startswith("U") else -2, 3))
    check_update(data.draw(outputs(shape)), lambda: ours(x.ours, thunk), lambda: theirs(x.theirs, thunk))


@given(data=st.data())
def test_select(backend: str, data: st.DataObject) -> None:
    shape, (x,) = data.draw(operands(dtype=data.draw(comparable)))
    names = "valueeq valuene valuegt valuele rowle rowgt tril triu diag offdiag"
    names += " colle colgt" if len(shape) == 2 else " indexle indexgt"
    ours, theirs = both("select", data.draw(st.sampled_from(names.split())))
    thunk = data.draw(st.integers(0 if x.ours.dtype.name.startswith("U") else -2, 3))
    check_update(data.draw(outputs(shape)), lambda: ours(x.ours, thunk), lambda: theirs(x.theirs, thunk))


@given(data=st.data())
def test_select_by_mask(backend: str, data: st.DataObject) -> None:
    shape, (x,) = data.draw(operands())
    mask = data.draw((vectors if len(shape) == 1 else matrices)(*shape))
    ours, theirs = mask.mask(data.draw(st.sampled_from(["S", "V", "~S", "~V"])))
    assert_same(x.ours.select(ours).new(), x.theirs.select(theirs).new())


MONOIDS = "plus times min max lor land lxor any band".split()


@given(data=st.data())
def test_reduce_to_scalar(backend: str, data: st.DataObject) -> None:
    shape, (x,) = data.draw(operands())
    name = data.draw(st.sampled_from(MONOIDS))
    ours, theirs = both("monoid", name)
    method = "reduce" if len(shape) == 1 else "reduce_scalar"
    empty = data.draw(st.booleans())
    mine, yours = run_both(
        lambda: getattr(x.ours, method)(ours, allow_empty=empty).new(),
        lambda: getattr(x.theirs, method)(theirs, allow_empty=empty).new(),
    )
    if yours is not None:
        assert_same(mine, yours, structure_only=name == "any")


@pytest.mark.parametrize("method", ["reduce_rowwise", "reduce_columnwise"])
@given(data=st.data())
def test_reduce_lines(backend: str, method: str, data: st.DataObject) -> None:
    # At least one row and column: SuiteSparse finds entries in the reduction of a 1 x 0 matrix.
    nrows, ncols, transpose = data.draw(some_size), data.draw(some_size), data.draw(st.booleans())
    x = flipped(data.draw(matrices(nrows, ncols)), transpose)
    name = data.draw(st.sampled_from(MONOIDS))
    ours, theirs = both("monoid", name)
    size = x.ours.nrows if method == "reduce_rowwise" else x.ours.ncols
    check_update(
        data.draw(outputs((size,))),
        lambda: getattr(x.ours, method)(ours),
        lambda: getattr(x.theirs, method)(theirs),
        structure_only=name == "any",
    )


@given(data=st.data())
def test_aggregators(backend: str, data: st.DataObject) -> None:
    name = data.draw(
        st.sampled_from(
            "sum prod all any min max count mean varp stdp argmin first last_index L0norm hypot logaddexp".split()
        )
    )
    dtype = data.draw(st.sampled_from(DTYPES[1:]))
    x = data.draw(matrices(data.draw(some_size), data.draw(some_size), dtype))
    ours, theirs = both("agg", name)
    method = data.draw(st.sampled_from(["reduce_rowwise", "reduce_columnwise"]))
    mine, yours = run_both(lambda: getattr(x.ours, method)(ours).new(), lambda: getattr(x.theirs, method)(theirs).new())
    assert mine.dtype.name == yours.dtype.name
    assert mine.isclose(grblas_gpu.Vector.from_coo(*yours.to_coo(), yours.dtype.name, size=yours.size), rel_tol=1e-5)


# ---- structure ----------------------------------------------------------------------------------------------


@given(data=st.data())
def test_transpose(backend: str, data: st.DataObject) -> None:
    nrows, ncols = data.draw(sizes), data.draw(sizes)
    a = data.draw(matrices(nrows, ncols))
    check_update(data.draw(outputs((ncols, nrows))), lambda: a.ours.T, lambda: a.theirs.T)


@given(data=st.data())
def test_kronecker_inner_outer(backend: str, data: st.DataObject) -> None:
    ours, theirs = both("binary", data.draw(st.sampled_from(["plus", "times", "first", "minus"])))
    a, b = data.draw(matrices(2, 3)), data.draw(matrices(3, 2))
    mine, yours = run_both(
        lambda: a.ours.kronecker(b.ours, ours).new(), lambda: a.theirs.kronecker(b.theirs, theirs).new()
    )
    if yours is not None:
        assert_same(mine, yours)
    u, v, w = data.draw(vectors(3)), data.draw(vectors(4)), data.draw(vectors(3))
    mine, yours = run_both(lambda: u.ours.outer(v.ours, ours).new(), lambda: u.theirs.outer(v.theirs, theirs).new())
    if yours is not None:
        assert_same(mine, yours)
    our_semiring, their_semiring = both("semiring", data.draw(st.sampled_from(["plus_times", "min_plus", "lor_land"])))
    mine, yours = run_both(
        lambda: our_semiring(u.ours @ w.ours).new(), lambda: their_semiring(u.theirs @ w.theirs).new()
    )
    if yours is not None:
        assert_same(mine, yours)


@st.composite
def indices(draw: st.DrawFn, size: int, unique: bool = False):
    kind = draw(st.sampled_from(["int", "slice", "list", "all"]))
    if kind == "int":
        return draw(st.integers(-size, size - 1))
    if kind == "slice":
        bound = st.one_of(st.none(), st.integers(-size - 1, size + 1))
        return slice(draw(bound), draw(bound), draw(st.sampled_from([None, 1, 2, -1, -2])))
    if kind == "list":
        # Never empty: python-graphblas takes [] for floats and refuses it.
        return draw(st.lists(st.integers(0, size - 1), unique=unique, min_size=1, max_size=size + 1))
    return slice(None)


@given(data=st.data())
def test_extract(backend: str, data: st.DataObject) -> None:
    if data.draw(st.booleans()):
        size = data.draw(some_size)
        x = data.draw(vectors(size))
        key = data.draw(indices(size))
    else:
        nrows, ncols, transpose = data.draw(some_size), data.draw(some_size), data.draw(st.booleans())
        x = flipped(data.draw(matrices(nrows, ncols)), transpose)
        key = (data.draw(indices(x.ours.nrows)), data.draw(indices(x.ours.ncols)))
    mine, yours = run_both(lambda: x.ours[key].new(), lambda: x.theirs[key].new())
    assert_same(mine, yours)
    if mine.ndim:
        check_update(data.draw(outputs(mine.shape)), lambda: x.ours[key], lambda: x.theirs[key])


def region_shape(key, shape: tuple[int, ...]) -> tuple[int, ...]:
    keys = key if isinstance(key, tuple) else (key,)
    parts = []
    for part, size in zip(keys, shape, strict=True):
        if isinstance(part, slice):
            parts.append(len(range(*part.indices(size))))
        elif isinstance(part, list):
            parts.append(len(part))
    return tuple(parts)


@given(data=st.data())
def test_assign(backend: str, data: st.DataObject) -> None:
    """``out(mask)[index] << value`` and ``out[index](mask) << value``, for objects and scalars."""
    is_vector = data.draw(st.booleans())
    shape = (data.draw(some_size),) if is_vector else (data.draw(some_size), data.draw(some_size))
    key = tuple(data.draw(indices(n, unique=True)) for n in shape)
    key = key[0] if is_vector else key
    region = region_shape(key, shape)
    submask = bool(region) and data.draw(st.booleans())
    out = data.draw((vectors if is_vector else matrices)(*shape))
    if data.draw(st.booleans()) or not region:
        scalar = data.draw(numbers(data.draw(st.sampled_from(["BOOL", "INT64", "FP64"]))))
        value = Pair(scalar, scalar)
    else:
        value = data.draw((vectors if len(region) == 1 else matrices)(*region))
    kind = data.draw(st.sampled_from([None, "S", "V", "~S", "~V"]))
    accum = data.draw(st.sampled_from([None, "second", "min"]))
    parameters: list[dict] = [
        {"accum": None if accum is None else find(lib, "binary", accum)} for lib in (grblas_gpu, graphblas)
    ]
    if kind is not None and (submask or region):
        if submask:
            mask_shape = region
        elif len(region) == 1 and not is_vector and data.draw(st.booleans()):
            mask_shape = (shape[1],) if isinstance(key[0], int) else (shape[0],)
        else:
            mask_shape = shape
        mask = data.draw((vectors if len(mask_shape) == 1 else matrices)(*mask_shape))
        for parameter, view in zip(parameters, mask.mask(kind), strict=True):
            parameter["mask"] = view
        replace = data.draw(st.booleans())
        for parameter in parameters:
            parameter["replace"] = replace
    else:
        submask = False

    def assign(obj, given: dict, what) -> None:
        if submask:
            obj[key](**given) << what
        else:
            obj(**given)[key] << what

    run_both(
        lambda: assign(out.ours, parameters[0], value.ours), lambda: assign(out.theirs, parameters[1], value.theirs)
    )
    assert_same(out.ours, out.theirs)


@given(data=st.data())
def test_assign_whole(backend: str, data: st.DataObject) -> None:
    """``out(mask, accum, replace) << object or scalar``."""
    shape, (x,) = data.draw(operands())
    out, our_parameters, their_parameters = data.draw(outputs(shape))
    if data.draw(st.booleans()):
        scalar = data.draw(numbers(data.draw(st.sampled_from(["BOOL", "INT64", "FP64"]))))
        x = Pair(scalar, scalar)
    update_both(out, our_parameters, their_parameters, lambda: x.ours, lambda: x.theirs)
    assert_same(out.ours, out.theirs)


@given(data=st.data())
def test_delete_and_elements(backend: str, data: st.DataObject) -> None:
    shape = (data.draw(some_size),) if data.draw(st.booleans()) else (data.draw(some_size), data.draw(some_size))
    x = data.draw((vectors if len(shape) == 1 else matrices)(*shape))
    for _ in range(data.draw(st.integers(1, 4))):
        key = tuple(data.draw(indices(n, unique=True)) for n in shape)
        key = key[0] if len(shape) == 1 else key
        if data.draw(st.booleans()):
            del x.ours[key]
            del x.theirs[key]
        else:
            value = data.draw(numbers("FP64"))
            x.ours[key] = value
            x.theirs[key] = value
        assert_same(x.ours, x.theirs)


@given(data=st.data())
def test_build_with_duplicates(backend: str, data: st.DataObject) -> None:
    dtype = data.draw(st.sampled_from(DTYPES[1:]))
    places = data.draw(st.lists(st.integers(0, 3), min_size=1, max_size=8))
    values = [data.draw(numbers(dtype)) for _ in places]
    name = data.draw(st.sampled_from([None, "plus", "first", "second", "max", "minus"]))
    made = [
        lambda lib=lib: lib.Vector.from_coo(
            places, values, dtype, size=4, dup_op=None if name is None else getattr(lib.binary, name)
        )
        for lib in (grblas_gpu, graphblas)
    ]
    mine, yours = run_both(*made)
    if yours is not None:
        assert_same(mine, yours)


@given(data=st.data())
def test_reshape_and_diagonals(backend: str, data: st.DataObject) -> None:
    nrows, ncols = data.draw(some_size), data.draw(some_size)
    a = data.draw(matrices(nrows, ncols))
    k = data.draw(st.integers(-3, 3))
    assert_same(a.ours.diag(k), a.theirs.diag(k))
    v = data.draw(vectors(nrows))
    assert_same(v.ours.diag(k), v.theirs.diag(k))
    offset = data.draw(st.integers(-3, 3))
    assert_same(v.ours.reposition(offset).new(), v.theirs.reposition(offset).new())
    assert_same(a.ours.reposition(offset, k).new(), a.theirs.reposition(offset, k).new())
    new_rows, new_cols = data.draw(sizes), data.draw(sizes)
    for matrix in (a.ours, a.theirs):
        matrix.resize(new_rows, new_cols)
    assert_same(a.ours, a.theirs)
    for vector in (v.ours, v.theirs):
        vector.resize(new_cols)
    assert_same(v.ours, v.theirs)


@given(data=st.data())
def test_aliased_operands(backend: str, data: st.DataObject) -> None:
    """The output is an input and the mask as well."""
    n = data.draw(some_size)
    a, w = data.draw(matrices(n, n)), data.draw(vectors(n))
    kind = data.draw(st.sampled_from(["S", "V", "~S", "~V"]))
    replace = data.draw(st.booleans())
    ours, theirs = both("semiring", data.draw(st.sampled_from(["plus_times", "min_plus", "any_pair", "max_second"])))
    our_mask, their_mask = w.mask(kind)

    def on(vector, matrix, mask, semiring) -> None:
        vector(mask, replace=replace) << semiring(matrix @ vector)

    run_both(lambda: on(w.ours, a.ours, our_mask, ours), lambda: on(w.theirs, a.theirs, their_mask, theirs))
    assert_same(w.ours, w.theirs)
    our_mask, their_mask = a.mask(kind)
    run_both(lambda: on(a.ours, a.ours, our_mask, ours), lambda: on(a.theirs, a.theirs, their_mask, theirs))
    assert_same(a.ours, a.theirs)
