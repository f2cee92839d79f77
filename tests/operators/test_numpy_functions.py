"""``config.set(mapnumpy=False)``: names under ``.numpy`` are NumPy's functions, as in python-graphblas."""

import pickle
from collections.abc import Iterator

import numpy as np
import pytest

import grblas_gpu as gb
from grblas_gpu import Matrix, Vector, binary, config, monoid, op, semiring, unary
from grblas_gpu.operators.numpy_tables import BINARY_ALIASES, MONOID_ALIASES, UNARY_ALIASES

FUNCTIONS = [("unary", name) for name in UNARY_ALIASES] + [("binary", name) for name in BINARY_ALIASES]
QUICK = [("unary", "sqrt"), ("unary", "negative"), ("binary", "add"), ("binary", "logical_xor"), ("binary", "divide")]
CASES = [case if case in QUICK else pytest.param(*case, marks=pytest.mark.slow) for case in FUNCTIONS]
TYPES = ("BOOL", "INT8", "UINT8", "INT64", "FP32", "FP64")


@pytest.fixture(autouse=True)
def not_mapped() -> Iterator[None]:
    with config.set(mapnumpy=False):
        yield


def test_an_operator_of_its_own() -> None:
    own = binary.numpy.add
    assert own.name == "numpy.add" and own is not binary.plus
    assert own is binary.numpy.add is op.numpy.add is binary.from_string("numpy.add") is monoid.numpy.add.binaryop
    assert own.monoid is monoid.numpy.add and own.is_commutative
    assert binary.numpy.greater.commutes_to is binary.numpy.less and binary.numpy.subtract.commutes_to is None
    assert semiring.numpy.add_multiply.monoid is monoid.numpy.add
    assert semiring.numpy.add_multiply.name == "numpy.add_multiply"
    assert pickle.loads(pickle.dumps(own)) is own


def test_the_setting_counts_where_the_name_is_read() -> None:
    own, ring = binary.numpy.add, semiring.numpy.add_multiply
    with config.set(mapnumpy=True):
        assert binary.numpy.add is op.numpy.add is binary.plus and semiring.numpy.add_multiply is semiring.plus_times
        assert own.monoid.name == "numpy.add"
    assert binary.numpy.add is own and semiring.numpy.add_multiply is ring


def test_what_graphblas_has_no_operator_for_is_the_same() -> None:
    functions = unary.numpy.deg2rad, binary.numpy.mod, monoid.numpy.maximum
    with config.set(mapnumpy=True):
        assert functions == (unary.numpy.deg2rad, binary.numpy.mod, monoid.numpy.maximum)


def test_booleans_stay_booleans() -> None:
    v = Vector.from_coo([0, 1, 2, 3], [True, False, True, False])
    w = Vector.from_coo([0, 1, 2, 3], [True, True, False, False])
    total = v.ewise_mult(w, monoid.numpy.add).new()
    assert total.dtype == "BOOL" and total.to_coo()[1].tolist() == [True, True, True, False]
    A = Matrix.from_coo([0, 0, 1], [1, 2, 0], [1, 2, 3], nrows=3, ncols=3)
    u = Vector.from_coo([0, 1, 2], [4, 5, 6], size=3)
    assert (A @ u).new().isequal(semiring.numpy.add_multiply(A @ u).new())
    with config.set(mapnumpy=True), pytest.raises(KeyError, match="plus does not work with BOOL"):
        v.ewise_mult(w, monoid.numpy.add).new()


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_it_computes_what_numpy_computes(backend: str, kind: str, name: str) -> None:
    operator = getattr(getattr(gb, kind).numpy, name)
    function = getattr(np, name)
    for dtype in TYPES:
        if dtype not in operator:
            continue
        typed, result = operator[dtype], operator[dtype].return_type
        x = np.array([0, 1, 1, 0, 1], typed.type.np_type) if "arc" in name else np.arange(5).astype(typed.type.np_type)
        y = np.array([1, 2, 0, 3, 1], typed.type.np_type)
        with np.errstate(all="ignore"):
            given = [x, y] if result == "BOOL" else [x.astype(result.np_type), y.astype(result.np_type)]
            given[1] = given[1].astype(np.int32) if name == "ldexp" else given[1]
            expected = function(*given[: 1 + (kind == "binary")])
        u, v = (Vector.from_coo(range(5), values) for values in (x, y))
        got = (operator(u) if kind == "unary" else operator(u & v)).new()
        assert got.dtype == result
        np.testing.assert_allclose(got.to_coo()[1], expected.astype(result.np_type), rtol=1e-6, err_msg=dtype)


@pytest.mark.parametrize(
    ("kind", "name"), [QUICK[0], *(pytest.param(*case, marks=pytest.mark.slow) for case in QUICK[1:])]
)
def test_the_types_are_python_graphblas_s(kind: str, name: str) -> None:
    """There each is a user-defined function, compiled for every type."""
    graphblas = pytest.importorskip("graphblas")
    function = getattr(np, name)
    calls = {"unary": lambda x: function(x), "binary": lambda x, y: function(x, y)}
    theirs = getattr(graphblas, kind).register_anonymous(calls[kind])
    ours = getattr(getattr(gb, kind).numpy, name)
    assert {t.name: r.name for t, r in ours.types.items()} == {t.name: r.name for t, r in theirs.types.items()}


@pytest.mark.parametrize(
    "name", [name if name == "bitwise_and" else pytest.param(name, marks=pytest.mark.slow) for name in MONOID_ALIASES]
)
def test_identities(name: str) -> None:
    own = getattr(monoid.numpy, name)
    for dtype, identity in own.identities.items():
        values = np.arange(3).astype(dtype.np_type)
        u, v = (Vector.from_coo(range(3), of) for of in (values, np.full(3, identity, dtype.np_type)))
        assert own(u & v).new().isequal(u, check_dtype=True), dtype
