"""User-defined types next to python-graphblas: records in vectors, matrices and scalars, and operators on them."""

import dataclasses
import pickle

import graphblas
import numpy as np
import pytest
from compared_lines import shown
from emulated_engine import backends  # noqa: F401 (a fixture)
from pairs import with_storage

import grblas_gpu as gb
from grblas_gpu import dtypes, io
from grblas_gpu.exceptions import DomainMismatch, UdfParseError

POINT = np.dtype([("x", np.int32), ("y", np.float64), ("near", np.int16, (2,))], align=True)
LIBRARIES = (gb, graphblas)
FORMS = ("sparse", "hypersparse", "bitmap")


def points(count: int, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    found = np.zeros(count, POINT)
    found["x"], found["y"], found["near"] = rng.integers(0, 9, count), rng.integers(0, 9, count), 7
    return found


_functions = {}  # made once, so that they are compiled once


def world(library):
    udt = library.dtypes.register_anonymous(POINT, "RecordOfTests")
    u = library.Vector.from_coo([0, 2, 3, 5], points(4), udt, size=6)
    v = library.Vector.from_coo([1, 2, 5], points(3, 2), udt, size=6)
    A = library.Matrix.from_coo([0, 1, 2, 2, 5], [1, 1, 0, 5, 2], points(5, 3), udt, nrows=6, ncols=6)
    names = "Vector Matrix Scalar unary binary monoid semiring select indexunary agg".split()
    if library.__name__ not in _functions:
        _functions[library.__name__] = functions(library)
    found = {name: getattr(library, name) for name in names} | _functions[library.__name__]
    return found | {"u": u, "v": v, "A": A, "udt": udt, "np": np}


def in_form(names, form: str):
    names["A"], names["u"] = names["A"].to(form=form), with_storage(names["u"], form)
    return names


def functions(library):
    made = {
        "height": library.unary.register_anonymous(lambda p: p["y"] + 1, is_udt=True),
        "lower": library.binary.register_anonymous(lambda p, q: p if p["y"] <= q["y"] else q, is_udt=True),
        "apart": library.binary.register_anonymous(lambda p, q: p["x"] - q["x"], is_udt=True),
    }
    made["lowest"] = library.monoid.register_anonymous(made["lower"], (2**30, 1e300, 0))
    made["lowest_left"] = library.semiring.register_anonymous(made["lowest"], made["lower"])
    return made


#: What ``RecordLines`` of the fuzzer does not draw.
LINES = [
    "u",
    "height(A)",
    "apart(u & v)",
    "binary.second(u, (1, 2, (3, 4)))",
    "binary.eq(u & v)",
    "binary.pair(u & v)",
    "binary.first(u & Vector.from_coo([0, 2], [1, 2], size=6))",
    "binary.second(u & Vector.from_coo([0, 2], [1, 2], size=6))",
    "A.reduce_scalar(monoid.any).nvals",
    "A.T",
    "A[[2, 0, 2], :]",
    "A[:, 1]",
    "A[2, 5]",
    "u[[5, 0, 1]]",
    "indexunary.rowindex(A)",
    "A.diag()",
    "u.diag()",
    "u.dup(clear=True)",
    "height(lower(A & A.T))",
]
STATEMENTS = [
    "u[1] = (1, 2, (3, 4))",
    "u[:] = 0",
    "u[[0, 1]] = [(2, 3, (0, 1)), (4, 5, (1, 1))]",
    "A[2, :] << u",
    "A(lower)[:, 1] << u",
    "del u[2]",
    "u.resize(3)",
]


@pytest.mark.parametrize("line", LINES)
def test_expressions(backend: str, line: str) -> None:
    expected = shown(eval(line, world(graphblas)))
    for form in FORMS:
        assert shown(eval(line, in_form(world(gb), form))) == expected, form


@pytest.mark.parametrize("line", STATEMENTS)
def test_statements(backend: str, line: str) -> None:
    theirs = world(graphblas)
    exec(line, theirs)
    for form in FORMS:
        ours = in_form(world(gb), form)
        exec(line, ours)
        for name in "uvA":
            assert shown(ours[name]) == shown(theirs[name]), form


@pytest.mark.parametrize("line", ["u & v", "u.reduce(monoid.lor)", "binary.pow(u & v)"])
def test_what_records_do_not_have(backend: str, line: str) -> None:
    for library in LIBRARIES:
        with pytest.raises((KeyError, TypeError)):
            eval(line, world(library)).new()


def test_there_is_no_cast(backend: str) -> None:
    names = world(gb)
    for line in ("w << u", "w(u.V) << 1", "u << w"):
        names["w"] = gb.Vector.from_coo([0], [1], size=6)
        before = shown(names["u"])
        with pytest.raises(DomainMismatch):
            exec(line, names)
        assert names["w"].to_dict() == {0: 1} and shown(names["u"]) == before
    with pytest.raises(TypeError, match="Bad type"):
        names["u"][0] = (1, 2, 3, 4)


def test_types() -> None:
    udt = dtypes.register_new("TypeOfTests", {"a": int, "b": {"c": float}})
    assert dtypes.TypeOfTests is udt is dtypes.lookup_dtype("TypeOfTests") is dtypes.lookup_dtype(udt.np_type)
    assert not udt._is_anonymous and pickle.loads(pickle.dumps(udt)) is udt
    assert dtypes.lookup_dtype({"a": "INT8", "b": bool}).name == "{'a': INT8, 'b': BOOL}"
    value = gb.Scalar.from_value({"a": 1, "b": {"c": 2.5}}, udt)
    assert value.value.item() == (1, (2.5,)) and value == (1, (2.5,)) and value != (1, (2.0,))
    for bad, message in ((np.dtype("S5"), "array of numbers"), (np.dtype([("o", object)]), "Python objects")):
        with pytest.raises(ValueError, match=message):
            dtypes.register_anonymous(bad)
    for name in ("INT8", "no name", "TypeOfTests"):
        with pytest.raises(ValueError, match="name"):
            dtypes.register_new(name, {"z": int})


def test_scalars_with_arrays_inside() -> None:
    one, same, other = (gb.Scalar.from_value((1, 2.0, near), POINT) for near in ((3, 4), (3, 4), (3, 5)))
    assert one == same and one != other and one.isequal((1, 2.0, (3, 4)), check_dtype=True)


def test_copies(backend: str, tmp_path) -> None:
    names = world(gb)
    for x in (names["u"], names["A"]):
        assert pickle.loads(pickle.dumps(x)).isequal(x, check_dtype=True)
        assert type(x).ss.deserialize(x.ss.serialize()).isequal(x)
        assert type(x).from_coo(*x.to_coo(), **({"size": 6} if x.ndim == 1 else {"nrows": 6, "ncols": 6})).isequal(x)
    with pytest.raises(TypeError, match="use pickle"):
        io.save(tmp_path / "x.grb", names["u"])
    with pytest.raises(TypeError, match="use pickle"):
        io.save_npz(tmp_path / "x.npz", names["A"])
    assert not list(tmp_path.iterdir())
    with gb.trace() as trace:
        names["u"].apply(gb.unary.identity).new()
    assert backend != "cpu" or any("records" in record.reason for record in trace.records)


NESTED = np.dtype(
    [("a", np.int8), ("in", [("x", np.float64), ("near", np.uint16, (2,))]), ("z", np.float32)], align=True
)
OTHER = np.dtype([("a", np.int64), ("in", [("x", np.float32), ("near", np.int8, (2,))]), ("z", np.float64)], align=True)
LIFTED = [
    "binary.plus(u & v)",
    "binary.minus(u & v)",
    "binary.times(u | v)",
    "binary.truediv(u & v)",
    "binary.floordiv(u & v)",
    "binary.min(u & v)",
    "binary.max(u & v)",
    "unary.ainv(u)",
    "unary.abs(u)",
    "u.reduce(monoid.plus)",
    "agg.min(u)",
    "u.reduce(monoid.max)",
    "semiring.plus_times(A @ u)",
    # with records of other numbers, and with numbers
    "binary.times(u & w)",
    "binary.truediv(w & u)",
    "monoid.min(u & w)",
    "binary.floordiv(u & n)",
    "binary.minus(n & u)",
    "w.apply(binary.minus, left=np.int16(3))",
    "u + w",
    "w - u",
    "semiring.max_plus(A @ w)",
    "semiring.plus_times(A @ n)",
    "semiring.min_minus(n @ A)",
    "binary.times(A & n)",
    "semiring.max_minus(A.to(form='hypersparse') @ C.to(form='bitmap'))",
    "C.to(form='bitmap') - A",
]


def numbers(records: np.ndarray) -> list:
    """The columns of numbers of nested records."""
    if records.dtype.names is None:
        return list(records.reshape(len(records), -1).T)
    return [column for name in records.dtype.names for column in numbers(records[name])]


@pytest.mark.parametrize("line", LIFTED)
def test_built_in_operators_number_by_number(backend, line):
    rng = np.random.default_rng(5)
    values = np.zeros(8, NESTED)
    values["a"], values["z"] = rng.integers(-9, 9, 8), rng.integers(1, 9, 8)
    values["in"]["x"], values["in"]["near"] = rng.integers(1, 9, 8), rng.integers(1, 9, (8, 2))
    values["a"][values["a"] == 0] = 3
    others = values[::-1].astype(OTHER)
    places, half = np.arange(8), slice(4, 8)
    found, permuted = [], rng.permutation(places) + 1
    for given, other in [(values, others), *zip(numbers(values), numbers(others), strict=True)]:
        dtype = given.dtype
        u = gb.Vector.from_coo(places, given, dtype)
        w = gb.Vector.from_coo(places, other, other.dtype)
        n = gb.Vector.from_coo(places, permuted, "INT16")
        v = gb.Vector.from_coo(places[half], given[::-1][half], dtype, size=8)
        A = gb.Matrix.from_coo(places, places[::-1], given, dtype, nrows=8, ncols=8)
        names = {name: getattr(gb, name) for name in ("unary", "binary", "monoid", "semiring", "agg")}
        C = gb.Matrix.from_coo(places, places ^ 3, other, other.dtype, nrows=8, ncols=8)
        result = eval(line, names | {"u": u, "v": v, "A": A, "C": C, "w": w, "n": n, "np": np}).new()
        found.append(
            np.array([result.value], result.dtype.np_type) if isinstance(result, gb.Scalar) else result.to_coo()[-1]
        )
    records, *columns = found
    for one, column in zip(numbers(records), columns, strict=True):
        assert one.dtype == column.dtype and np.array_equal(one, column)


def test_comparisons_of_records_with_others(backend):
    values, others = np.zeros(4, NESTED), np.zeros(4, OTHER)
    for column in numbers(values):
        column[:] = [3, 3, 2, 3]
    values["z"][1] = 2
    others["a"], others["in"]["near"], others["in"]["x"], others["z"] = 3, 3, [3, 3, 3, np.nan], 3
    u, w = (gb.Vector.from_coo(range(4), each) for each in (values, others))
    three = gb.Vector.from_coo(range(4), 3, "INT16")
    for equal, unequal, expected in (
        (gb.binary.eq(u & w), gb.binary.ne(w & u), [True, False, False, False]),
        (gb.binary.eq(three & u), gb.binary.ne(u & three), [True, False, False, True]),
        (u == 3.0, u != 3, [True, False, False, True]),
        (u == 3.5, u != 3.5, [False] * 4),
    ):
        assert equal.new().to_dense().tolist() == expected
        assert unequal.new().to_dense().tolist() == [not each for each in expected]
    assert not u.isequal(w) and u.isequal(u.dup())
    arrays = gb.Vector("FP64[2]", 4)
    for other, message in ((gb.Vector({"a": "FC64"}, 4), "share field names"), (arrays, "cannot mix record and array")):
        with pytest.raises(KeyError, match=message):
            gb.binary.eq(u & other)
    with pytest.raises(KeyError, match="shape"):
        gb.binary.plus(arrays & gb.Vector("INT8[3]", 4))
    with pytest.raises(KeyError, match="not defined on complex fields"):
        gb.binary.min[{"a": "FC64"}]


LITERALS = {
    "u + 1": ("INT8", [4, -1], "FP32", [1.5, 2.5]),
    "u * 2.5": ("FP64", [7.5, -5], "FP32", [1.25, 3.75]),
    "1.5 - u": ("FP64", [-1.5, 3.5], "FP32", [1, 0]),
    "u * 2j": ("FC64", [6j, -4j], "FC64", [1j, 3j]),
    "u + True": ("INT8", [4, -1], "FP32", [1.5, 2.5]),
    "u + np.int32(1)": ("INT32", [4, -1], "FP64", [1.5, 2.5]),
    "u.apply(monoid.plus, 1)": ("INT8", [4, -1], "FP32", [1.5, 2.5]),
    "binary.plus[u.dtype, 'INT32'](u, 1)": ("INT32", [4, -1], "FP64", [1.5, 2.5]),
    "u + (1, 0.25)": ("INT8", [4, -1], "FP32", [0.75, 1.75]),
}


@pytest.mark.parametrize("line", LITERALS)
def test_literals_beside_records(backend, line):
    """A Python number is of the type of a field that can hold it."""
    u = gb.Vector({"a": "INT8", "b": "FP32"}, 2)
    u[0], u[1] = (3, 0.5), (-2, 1.5)
    result = eval(line, {"u": u, "np": np, "binary": gb.binary, "monoid": gb.monoid}).new()
    first, values, second, others = LITERALS[line]
    assert result.dtype == {"a": first, "b": second}
    for column, expected in zip(numbers(result.to_coo()[1]), (values, others), strict=True):
        assert column.tolist() == expected
    with pytest.raises(OverflowError):
        u + 300


@pytest.mark.parametrize("value", [(0.5, 1), {"b": (1, 2), "a": 2.5}, np.array((1.5, 2), "f8, f8")[()]])
def test_literals_lose_nothing_beside_records(backend, value):
    u = gb.Vector({"a": "INT8", "b": "UINT8[2]"}, 2)
    u[1] = (1, (2, 3))
    with pytest.raises(ValueError, match="does not fit"):
        u + value
    with pytest.raises(ValueError, match="does not fit"):
        gb.binary.second(u, (1, (2, 2.5)))
    limit = gb.indexunary.register_anonymous(lambda x, i, j, t: t["b"][1], is_udt=True)
    assert u.apply(limit, (0.5, 7)).new()[1].new() == 7
    assert (u + {"b": (1, 2.0), "a": 2.0}).new()[1].new() == (3, (3, 5))
    assert u.apply(gb.monoid.plus, 0.5).new()[1].new() == (1.5, (2.5, 3.5))


def test_literals_in_programs(backend):
    @gb.program
    def twice(u):
        u << u * 2
        u << u + (1, 0.5)

    u = gb.Vector({"a": "INT8", "b": "FP32"}, 2)
    u[1] = (1, 2.5)
    twice(u)
    twice(u)
    assert u[1].new() == (7, 11.5)


@pytest.mark.parametrize("engine", ["cpu", "numpy"])
def test_scalars_of_other_types(engine):
    """Their values are cast, and compared as they are."""
    with gb.using(engine):
        u = gb.Vector({"a": "FP64", "b": "FP64[2]"}, 2)
        u[0], u[1] = (1.7, [-300.2, 2.5]), (1, 1)
        small = dtypes.register_anonymous({"a": "INT8", "b": "INT16[2]"})
        s = u[0].new(dtype=small)
        assert s.dtype is small and s == (1, (-300, 2)) == u[0].new().dup(small)
        s << u.reduce(gb.agg.sum)
        assert s == (2, (-299, 3))
        s << u.reduce(gb.agg.ss.first)
        assert s == (1, (-300, 2)) and s != (1.5, (-300, 2)) and s != (1, (-300, 2.5)) and s != (300, (0, 0))
        with pytest.raises(DomainMismatch):
            s.dup({"a": "INT8"})
        three, one = (gb.Vector.from_dense(np.ones((2, n))) for n in (3, 1))
        assert not three.isequal(one) and not three.isequal(gb.Vector.from_dense(np.ones(2)))
        assert three.isequal(three.dup("INT8[3]")) and not three.isequal(u)
        assert gb.binary.eq(three & one).new().to_dense().all()
        first = gb.binary.register_anonymous(lambda x, y: x + y, "first")
        with pytest.raises(KeyError):
            first(u & three)


@pytest.mark.parametrize("engine", ["cpu", "numpy"])
def test_defaults_are_records(engine):
    with gb.using(engine):
        u, w = (gb.Vector({"a": kind, "b": "FP32"}, 3) for kind in ("INT8", "INT16"))
        u[0], w[0], w[1] = (1, 0.5), (300, 1), (400, 2)
        result = u.ewise_union(w, gb.binary.minus, np.int64(3), (500, 0.25)).new()
        assert result.dtype is w.dtype and result[0].new() == (-299, -0.5) and result[1].new() == (-397, 1)
        with pytest.raises(ValueError, match="does not fit"):
            u.ewise_union(w, gb.binary.plus, 0.5, 0)


def test_results_are_cast_number_by_number(backend):
    u, w = (gb.Vector({"a": kind, "b": {"c": "FP32"}}, 3) for kind in ("INT8", "FP64"))
    u[0], u[2] = (3, (0.5,)), (-2, (1.5,))
    w << u * 2.5
    u << w
    assert [column.tolist() for column in numbers(u.to_coo()[1])] == [[7, -5], [1.25, 3.75]]
    u *= 100.5  # integers saturate
    assert [column.tolist() for column in numbers(u.to_coo()[1])] == [[127, -128], [125.625, 376.875]]
    assert (w / 2).new(dtype=u.dtype)[2].new() == (-2, (1.875,))
    w(w.S, gb.binary.plus) << u
    assert w[0].new() == (134.5, (126.875,))
    for other in (gb.Vector({"a": "FP64", "b": {"other": "FP32"}}, 3), gb.Vector("FP64[2]", 3), gb.Vector(float, 3)):
        with pytest.raises(DomainMismatch):
            other << u
    with pytest.raises(DomainMismatch):
        gb.Vector("FP64[3]", 2) << gb.Vector.from_dense(np.ones((2, 2)))


def test_tuples_of_functions(backend):
    udt = dtypes.register_anonymous(NESTED)
    values = np.zeros(2, NESTED)
    values["a"], values["in"]["x"] = [4, 6], [1.5, 2.5]
    u = gb.Vector.from_coo([0, 1], values, udt)
    moved = gb.unary.register_anonymous(
        lambda p: (p["a"] + 1, p["in"]["x"] * 2, 7, p["a"], 0.5) if p["a"] > 4 else (1, 2, 3, 4, 5), is_udt=True
    )
    assert [column.tolist() for column in numbers(moved(u).new().to_coo()[1])] == [
        [1, 7],
        [2.0, 5.0],
        [3, 7],
        [4, 6],
        [5.0, 0.5],
    ]
    short = gb.unary.register_anonymous(lambda p: (1, 2), is_udt=True)
    with pytest.raises(UdfParseError, match=r"tuple of length 2, .*; expected 5"):
        short[udt]
    assert udt not in short
    with pytest.raises(UdfParseError, match=r"length 5, .* none"):
        gb.unary.register_anonymous(lambda p: (1, 2, 3, 4, None), is_udt=True)[udt]
    with pytest.raises(UdfParseError, match=r"shape \(2,\) are returned as a numpy array"):
        gb.unary.register_anonymous(lambda a: (1, 2, 3), is_udt=True)["UINT16[2]"]


@pytest.mark.parametrize("engine", ["cpu", "numpy"])
def test_tuples_in_tuples(engine):
    udt = dtypes.register_anonymous(NESTED)
    with gb.using(engine):
        u = gb.Vector.from_coo([0], np.array([(4, (1.5, [5, 6]), 2.5)], NESTED))
        for function in (
            lambda p: (p["a"] + 1, (p["in"]["x"], p["in"]["near"] * 2), 0),
            lambda p: (p["a"] + 1, p["in"]["x"], p["in"]["near"] * 2, 0),
            lambda p: (p["a"] + 1, p["in"]["x"], (10, 12), 0),
        ):
            moved = u.apply(gb.unary.register_anonymous(function, is_udt=True)).new()
            assert moved.dtype is udt and moved[0].new() == (5, (1.5, [10, 12]), 0)


@pytest.mark.parametrize("engine", ["cpu", "numpy"])
def test_values_that_fill_an_array(engine):
    udt = dtypes.register_anonymous(NESTED)
    with gb.using(engine):
        u = gb.Vector.from_coo([0], np.array([(4, (1.5, [5, 6]), 2.5)], NESTED))
        for function, near in (
            (lambda p: (p["a"], p["in"]["x"], 7, 0), [7, 7]),
            (lambda p: (p["a"], (p["in"]["x"], p["in"]["near"][:1]), 0), [5, 5]),
            (lambda p: (p["a"], p["in"]["x"], [p["a"], 3], 0), [4, 3]),
        ):
            filled = u.apply(gb.unary.register_anonymous(function, is_udt=True)).new()
            assert filled.dtype is udt and filled[0].new() == (4, (1.5, near), 0)


def test_given_types_of_results(backend):
    x, y = gb.Vector.from_coo([0, 1], [3.0, 1.0]), gb.Vector.from_coo([0, 1], [2.0, 4.0])
    bounds = dtypes.lookup_dtype({"low": float, "high": float})
    ordered = gb.binary.register_anonymous(lambda a, b: (min(a, b), max(a, b)), is_udt=True, ret_dtype=bounds)
    found = ordered(x & y).new()
    assert found.dtype is bounds and found.to_coo()[1].tolist() == [(2, 3), (1, 4)]
    whole = gb.binary.register_anonymous(lambda a, b: a / b, is_udt=True, ret_dtype=int)
    assert whole(x & y).new().isequal(gb.Vector.from_coo([0, 1], [1, 0]), check_dtype=True)
    with pytest.raises(UdfParseError, match="cannot be written as ret_dtype"):
        gb.binary.register_anonymous(lambda a, b: (a, b, a), is_udt=True, ret_dtype=bounds)[float]


def test_errors_about_given_types():
    for options, message in (
        ({"is_udt": True, "ret_dtype": "no type"}, "not a recognized dtype"),
        ({"ret_dtype": float}, "requires is_udt=True"),
        ({"is_udt": True, "parameterized": True, "ret_dtype": float}, "parameterized=True"),
    ):
        with pytest.raises(ValueError, match=message):
            gb.unary.register_anonymous(lambda a: a, **options)


@dataclasses.dataclass
class Place:
    x: float
    near: "UINT16[2]"  # noqa: F821


@dataclasses.dataclass
class Edge:
    weight: int
    at: Place


def test_dataclasses():
    udt = dtypes.register_anonymous(Edge, "EdgeOfTests")
    v = gb.Vector(udt, 1)
    v[0] = (3, (1.5, [1, 2]))
    assert udt.np_type["at"]["near"].shape == (2,)
    assert [column[0] for column in numbers(gb.binary.plus(v & v).new().to_coo()[1])] == [6, 3.0, 2, 4]
    for named in (dataclasses.make_dataclass("OneNumber", [("n", "INT8")]), Place(0.5, 1)):
        kind = named if isinstance(named, type) else type(named)
        assert dtypes.register_anonymous(named).name == kind.__name__
    named = dataclasses.make_dataclass("NamedByItsClass", [("n", "INT16")])
    assert dtypes.register_new(named) is dtypes.NamedByItsClass is dtypes.register_anonymous(named(3))
    with pytest.raises(TypeError, match="both a name and a dtype"):
        dtypes.register_new(POINT)
    with pytest.raises(ValueError, match="at least one field"):
        dtypes.register_anonymous(dataclasses.make_dataclass("Empty", []))


def _lower(p, q):
    return p if p["x"] < q["x"] else q


def test_pickles_keep_what_operators_are():
    op = pickle.loads(pickle.dumps(gb.binary.register_anonymous(_lower, is_udt=True)))
    assert op._is_udt
    plain = gb.binary.register_anonymous(_least)
    assert pickle.loads(pickle.dumps(gb.monoid.register_anonymous(plain, 0, is_idempotent=True))).is_idempotent
    assert not pickle.loads(pickle.dumps(gb.monoid.register_anonymous(plain, 0))).is_idempotent
    made = gb.unary.register_anonymous(_maker, parameterized=True, is_udt=True)
    assert pickle.loads(pickle.dumps(made))._is_udt and pickle.loads(pickle.dumps(made(2)))._is_udt


def _least(x, y):
    return x if x < y else y


def _maker(k):
    return lambda p: p["x"] * k
