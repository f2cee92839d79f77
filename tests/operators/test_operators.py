"""Every operator against python-graphblas: types, names, relations and values; and its two forms against each other."""

import pydoc
import re
import warnings

import numpy as np
import pytest

import grblas_gpu
from grblas_gpu import agg, binary, dtypes, indexunary, monoid, op, select, semiring, unary
from grblas_gpu.dtypes import ALL_TYPES, BOOL, FC32, FC64, FP32, FP64, INT8, INT64, UINT64
from grblas_gpu.exceptions import UdfParseError
from grblas_gpu.operators import IndexUnaryOp, SelectOp, UnaryOp, registry
from grblas_gpu.operators.builtin import names, rows

KINDS = {
    "unary": unary,
    "binary": binary,
    "monoid": monoid,
    "semiring": semiring,
    "indexunary": indexunary,
    "select": select,
    "agg": agg,
}
NAMES = {t.name for t in ALL_TYPES}


@pytest.fixture(scope="module")
def gb():
    """python-graphblas; positional operators warn there that they live in ``ss``."""
    return pytest.importorskip("graphblas")


ALL_NUMPY = "all of numpy"


def pairs(gb, kind, part):
    """Our operator and theirs, for every name of a namespace.

    python-graphblas compiles those of "numpy" at their first use: the quick tests check some.
    """
    part, every = ("numpy", 1) if part == ALL_NUMPY else (part, 8 if part == "numpy" else 1)
    ours, theirs = KINDS[kind], getattr(gb, kind)
    if part:
        ours, theirs = getattr(ours, part), getattr(theirs, part)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in sorted(names(kind, part))[::every]:
            yield name, getattr(ours, name), getattr(theirs, name)


def plain(types):
    """Types by name, without those that we do not have."""
    return {
        key.name: getattr(value, "type", value).name
        for key, value in types.items()
        if not isinstance(key, tuple) and key.name in NAMES
    }


NAMESPACES = [
    *((kind, "") for kind in KINDS),
    *((kind, "ss") for kind in ("unary", "binary", "semiring", "agg")),
    *((kind, "numpy") for kind in ("unary", "binary", "monoid")),
]
EVERYTHING = [
    *NAMESPACES,
    *(pytest.param(kind, ALL_NUMPY, marks=pytest.mark.slow) for kind in ("unary", "binary", "monoid")),
]


@pytest.mark.parametrize(("kind", "part"), [*NAMESPACES, ("semiring", "numpy")])
def test_names(gb, kind, part):
    theirs = getattr(gb, kind)
    if part:
        theirs = getattr(theirs, part)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if kind == "semiring" and part == "numpy":
            expected = set(theirs.__all__)
        else:
            # Operators that are not made yet are skipped: looking them up would compile them.
            others = {name for name, value in vars(theirs).items() if not hasattr(value, "types")} | {"ss", "numpy"}
            expected = {name for name in dir(theirs) if name[0] != "_"} - others
            expected |= {"isclose"} if (kind, part) == ("binary", "") else set()
    assert names(kind, part) == expected - {"Aggregator"}


@pytest.mark.parametrize(("kind", "part"), EVERYTHING)
def test_types_and_relations(gb, kind, part):
    for name, ours, theirs in pairs(gb, kind, part):
        assert ours.name == theirs.name
        if name == "isclose":
            ours, theirs = ours(), theirs()
        assert plain(ours.types) == plain(theirs.types), name
        if kind == "agg":
            assert repr(ours) == repr(theirs)
            continue
        assert ours.is_positional == theirs.is_positional
        # python-graphblas records one coercion by accident in `any_ne` and the like.
        if not name.endswith("_ne"):
            assert plain(ours.coercions) == plain(theirs.coercions), name
        for dtype in plain(theirs.types):
            typed, other = ours[dtype], theirs[dtype]
            assert (typed.type.name, typed.return_type.name) == (other.type.name, other.return_type.name), name
            assert typed.opclass == other.opclass
        if kind in ("binary", "monoid", "semiring"):
            mine, other = ours.commutes_to, theirs.commutes_to
            if name != "isclose":
                assert getattr(mine, "name", None) == getattr(other, "name", None), name
            assert ours.is_commutative == theirs.is_commutative
        if kind == "binary":
            assert getattr(ours.monoid, "name", None) == getattr(theirs.monoid, "name", None)
        if kind == "monoid":
            assert ours.is_idempotent == theirs.is_idempotent
            identities = {t.name: v for t, v in theirs.identities.items() if t.name in NAMES}
            assert {t.name: v for t, v in ours.identities.items()} == identities
        if kind == "semiring":
            assert (ours.monoid.name, ours.binaryop.name) == (theirs.monoid.name, theirs.binaryop.name)


# Values


def samples(dtype):
    """Zero, one, minus one, the limits, and what is special about floats."""
    np_type = dtype.np_type
    if dtype is BOOL:
        return np.array([False, True])
    if np_type.kind == "c":
        parts = np.array([0, 1, -1, 2, -0.5, 2.5, -3.7], np_type)
        return np.concatenate([(parts[:, None] + 1j * parts).ravel(), [3.25 - 8j]]).astype(np_type)
    if np_type.kind == "f":
        info = np.finfo(np_type)
        special = [info.max, info.min, info.tiny, np.inf, -np.inf, np.nan, 0.0, -0.0]
        return np.array([*special, 1, -1, 2, -2, 0.5, -0.5, 1.5, 2.5, -2.5, 3.7, -3.7, 10, 100.25], np_type)
    limits = np.iinfo(np_type)
    rng = np.random.default_rng(7)
    values = [0, 1, 2, 3, 5, 7, 8, 9, 15, 16, 31, 33, 63, 65, limits.max, limits.max - 1, *rng.integers(0, 99, 3)]
    values += [-1, -2, -3, -7, -8, -9, -33, limits.min, limits.min + 1] if limits.min else []
    return np.array([v for v in values if limits.min <= v <= limits.max], np_type)


def arguments(dtype, arity):
    values = samples(dtype)
    return [values] if arity == 1 else [x.ravel() for x in np.meshgrid(values, values, indexing="ij")]


def assert_same(actual, expected, message):
    assert actual.dtype == expected.dtype, message
    if actual.dtype.kind in "fc":
        single = np.finfo(actual.dtype).bits == 32
        tolerance = 2e-6 if single else 1e-13
        smallest = np.finfo(actual.dtype).tiny  # below it, precision is lost
        if actual.dtype.kind == "c":  # one part may be lost beside the other
            tolerance, smallest = (2e-5, 1e-5) if single else (1e-12, 1e-14)
        with np.errstate(all="ignore"):
            np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=smallest, err_msg=message)
    else:
        np.testing.assert_array_equal(actual, expected, err_msg=message)


def defined(name, args):
    """Leave out where python-graphblas leaves the result to chance: Numba there traps, raises or shifts too far."""
    keep = np.ones(len(args[0]), bool)
    kind = args[0].dtype.kind
    if kind == "c" and name != "cmplx":  # at zero, infinite, or not a number, in one part or in both
        keep = args[0] != 0 if len(args) == 1 else (args[0] != 0) & (args[1] != 0)
    elif name in ("floordiv", "rfloordiv"):
        y = args[1] if name == "floordiv" else args[0]
        keep = (y != 0) & ~((kind == "i") & (y == -1))
    elif name == "rpow" and kind in "iu":
        keep = ~((args[1] == 0) & (args[0] < 0)) & (args[0] <= 65536) & (args[0] > -65536)
    elif name in ("numpy.mod", "numpy.remainder", "numpy.floor_divide"):
        x, y = args
        keep = ~((kind == "i") & (y == -1)) & (y != 0)
        if kind == "f":
            keep &= (np.abs(x) < 1000) & (np.abs(y) < 1000) & (np.abs(x) != np.finfo(x.dtype).tiny)
    elif name in ("numpy.left_shift", "numpy.right_shift") and kind in "iu":
        keep = (args[1] >= 0) & (args[1] < args[0].dtype.itemsize * 8)
    elif name == "numpy.lcm" and kind in "iu":
        keep = (np.abs(args[0]) < 12) & (args[0] > -12) & (np.abs(args[1]) < 10) & (args[1] > -12)
    elif name == "numpy.fmod" and kind == "i":
        keep = (args[0] >= 0) & (args[1] > 0)
    elif name == "numpy.reciprocal":
        keep = args[0] != 0
    elif name == "numpy.sign" and kind == "u":
        keep = args[0] < 100
    elif name == "numpy.spacing":
        keep = ~((args[0] == 0) & np.signbit(args[0]))
    return [x[keep] for x in args]


@pytest.mark.parametrize("part", ["", "ss", "numpy"])
@pytest.mark.parametrize("kind", ["unary", "binary"])
def test_values_are_python_graphblas(gb, kind, part):
    arity = 1 if kind == "unary" else 2
    for name, ours, theirs in pairs(gb, kind, part):
        if name == "isclose":
            ours, theirs = ours(0.25, 0.1), theirs(0.25, 0.1)
        if ours.is_positional or (part == "numpy" and not ours.name.startswith("numpy.")):
            continue
        for dtype in ours.types.keys() - ours.coercions.keys():
            if name == "isclose" and dtype.np_type.kind in "iu":
                continue  # there the difference of integers wraps around
            args = defined(ours.name, arguments(dtype, arity))
            vectors = [gb.Vector.from_dense(x) for x in args]
            typed = theirs[dtype.name]
            expected = typed(vectors[0]) if arity == 1 else typed(vectors[0] & vectors[1])
            assert_same(ours[dtype].numpy(*args), expected.new().to_coo()[1], f"{ours[dtype]} {name}")


@pytest.mark.parametrize(
    "dtype",
    [
        FP64,
        *(
            pytest.param(dtype, marks=pytest.mark.slow)
            for dtype in (INT64, BOOL, INT8, dtypes.UINT8, UINT64, FP32, FC32, FC64)
        ),
    ],
    ids=str,
)
@pytest.mark.parametrize("kind", ["unary", "binary", "indexunary"])
def test_source_is_numpy(kind, dtype):
    """All operators of a type in one kernel: compiling them one by one would take minutes."""
    import numba

    from grblas_gpu.operators import prelude

    ops = []
    for name in rows(kind):
        untyped = registry.builtin(kind, name)
        untyped = untyped(0.25, 0.1) if name == "isclose" else untyped
        computes_with = {used for used, _ in untyped._signature().values()}
        if dtype in computes_with and untyped._row.positional is None:
            source = next(t for t, (used, _) in untyped._signature().items() if used is dtype)
            ops.append(untyped[source])
    parameters = {"unary": "x", "binary": "xy", "indexunary": "xijy"}[kind]
    if kind == "indexunary":
        x, y = arguments(dtype, 2)
        i = np.arange(len(x)) % 5
        columns = {"x": x, "i": i, "j": i[::-1].copy(), "y": y}
        ops = [typed for typed in ops if typed.type2 is dtype]
    else:
        columns = dict(zip(parameters, arguments(dtype, len(parameters)), strict=True))
    if dtype.np_type.kind == "c":  # what is special about zero is left to chance
        keep = np.logical_and.reduce([columns[name] != 0 for name in parameters])
        columns = {name: column[keep] for name, column in columns.items()}
    if not ops:
        return
    lines = [f"def one(k, {', '.join(f'all_{c}' for c in columns)}, {', '.join(f'out{k}' for k in range(len(ops)))}):"]
    lines += [f"    {c} = all_{c}[k]" for c in columns]
    for k, typed in enumerate(ops):
        result = typed.return_type
        cast = "bool" if result is BOOL else f"np.{result.np_type.name}"
        lines.append(f"    out{k}[k] = {cast}({typed.source})")
    namespace = dict(vars(prelude))
    exec("\n".join(lines), namespace)
    one = numba.njit(namespace["one"])
    outputs = [np.zeros(len(columns["x"]), typed.return_type.np_type) for typed in ops]
    for k in range(len(columns["x"])):  # a loop that is compiled around it would be optimised as long as all of it
        one(k, *columns.values(), *outputs)
    for typed, output in zip(ops, outputs, strict=True):
        assert_same(output, typed.numpy(*columns.values()), f"{typed}: {typed.source}")


def test_names_of_the_specification():
    assert binary.oneb is binary.pair and semiring.plus_oneb is semiring.plus_pair


# Monoids


def all_typed_monoids():
    found = {name: {registry.builtin("monoid", name)[t] for t in MONOID_TYPES[name]} for name in rows("monoid")}
    return [typed for name in found for typed in sorted(found[name], key=repr)]


MONOID_TYPES = {name: list(registry.builtin("monoid", name).types) for name in rows("monoid")}


@pytest.mark.parametrize("typed", all_typed_monoids(), ids=repr)
def test_monoid_laws(typed):
    assert typed.type is typed.type2 is typed.return_type
    values = samples(typed.type)
    if typed.name == "numpy.hypot":
        values = np.abs(values)  # that of one negative number is not itself
    if typed.name == "numpy.gcd":
        values = np.abs(values[values > -100])
    if not typed.name.startswith("numpy."):
        values = values[values == values]  # min and max ignore NaN
    identity = typed.type.np_type.type(typed.identity)
    if not typed.any_value:
        assert_same(typed.numpy(values, np.full_like(values, identity)), values, repr(typed))
    if typed.terminal is not None:
        terminal = np.full_like(values, typed.terminal)
        assert_same(typed.numpy(terminal, values), terminal, repr(typed))
    if typed.is_idempotent and typed.name != "numpy.gcd":  # gcd(-2, -2) is 2
        assert_same(typed.numpy(values, values), values, repr(typed))


@pytest.mark.parametrize("typed", all_typed_monoids(), ids=repr)
def test_monoid_reductions(typed):
    rng = np.random.default_rng(3)
    values = rng.integers(0, 2 if typed.type is BOOL else 5, 23).astype(typed.type.np_type)
    starts = np.array([0, 1, 4, 9, 22])
    result = typed.reduceat(values, starts)
    for start, stop, reduced in zip(starts, [*starts[1:], 23], result, strict=True):
        expected = values[start : start + 1]
        for k in range(start + 1, stop):
            expected = typed.numpy(expected, values[k : k + 1])
        if typed.any_value:
            assert reduced in values[start:stop]
        else:
            assert_same(np.array([reduced]), expected, repr(typed))
            assert_same(np.array([typed.reduce(values[start:stop])]), expected, repr(typed))
    assert result.dtype == typed.type.np_type
    assert typed.reduceat(values, starts[:0]).dtype == typed.type.np_type
    assert typed.reduce(values[:0]) == typed.identity


# Looking operators up


# User-defined operators


def _plus_one(x):
    return x + 1


def test_unary_udf():
    made = UnaryOp.register_new("my_plus_one", _plus_one)
    assert made[int].function is _plus_one and made[int].source is None and not made[int].cacheable
    assert made.types == {t: INT8 if t is BOOL else t for t in ALL_TYPES}
    assert made[INT8].numpy(np.array([1, 127], np.int8)).tolist() == [2, -128]
    assert made[BOOL].numpy(np.array([True, False])).tolist() == [2, 1]
    for name in ("my_plus_one", "identity.new"):
        with pytest.raises(AttributeError, match="already defined"):
            UnaryOp.register_new(name, _plus_one)
    with pytest.raises(UdfParseError, match=r"it returns nothing: is there a `return`\?"):
        UnaryOp.register_new("bad", lambda x: None)
    with pytest.raises(UdfParseError, match="it returns text"):
        UnaryOp.register_new("bad", lambda x: "a")
    assert not hasattr(unary, "bad")


@pytest.mark.parametrize("kind", "unary binary monoid semiring indexunary select agg".split())
def test_every_operator_has_a_docstring(kind: str) -> None:
    module = getattr(grblas_gpu, kind)
    names = sorted(module._namespace.builtin_names() - {"numpy", "ss"})
    docs = {name: getattr(module, name).__doc__ for name in names}
    for name, doc in docs.items():
        first = doc.splitlines()[0]
        assert first.startswith(f"{getattr(module, name)!r}: ") and "user-defined" not in first
        assert not re.search(r"[a-z]_[a-z]+\(", first), first  # no function of our own
    own = {doc for name, doc in docs.items() if not repr(getattr(module, name)).startswith(f"{kind}.ss.")}
    assert len(own) > 5
    assert type(getattr(module, names[0])).__doc__ not in own
    listed = pydoc.plain(pydoc.render_doc(module))
    for name, doc in docs.items():
        meaning = doc.splitlines()[0].partition(": ")[2].removesuffix(".")
        assert re.search(rf"^ *{name} +{re.escape(meaning)}$", listed, re.MULTILINE), name


def test_docstrings_of_typed_and_user_defined_operators() -> None:
    assert "operator for INT64, which returns INT64" in grblas_gpu.semiring.min_plus[int].__doc__
    assert "operator for INT8, which returns BOOL" in grblas_gpu.binary.lt["INT8"].__doc__

    def halved(x):
        """Half of x."""
        return x / 2

    assert grblas_gpu.unary.register_anonymous(halved).__doc__.startswith("unary.halved: Half of x.")
    assert pydoc.plain(pydoc.render_doc(grblas_gpu.binary.plus)).count("x + y")


def test_index_udf():
    made = IndexUnaryOp.register_new("my_late", lambda x, i, j, y: i >= y)
    assert select.my_late.orig_func is made.orig_func
    zeros = np.zeros(3, int)
    assert select.my_late[int].numpy(np.arange(3), np.arange(3), zeros, np.int64(1)).tolist() == [False, True, True]
    SelectOp.register_new("my_early", lambda x, i, j, y: i < y)
    assert indexunary.my_early.name == "my_early" and not hasattr(op, "my_early")
    with pytest.raises(ValueError, match="BOOL"):
        SelectOp.register_new("my_value", lambda x, i, j, y: x)
    assert not hasattr(indexunary, "my_value")
