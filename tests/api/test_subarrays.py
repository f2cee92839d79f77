"""Values that are arrays (``"INT64[3]"``) next to python-graphblas, and functions of users on them."""

import pickle

import graphblas
import numpy as np
import pytest
from compared_lines import shown
from emulated_engine import backends  # noqa: F401 (a fixture)

import grblas_gpu as gb
from grblas_gpu import Matrix, Scalar, Vector, binary, dtypes, io, monoid, semiring, unary
from grblas_gpu.exceptions import UdfParseError

LIBRARIES = (gb, graphblas)


def world(library):
    rng = np.random.default_rng(5)
    u = library.Vector.from_coo([0, 2, 3, 5], rng.integers(0, 3, (4, 3)), size=6)
    v = library.Vector.from_coo([1, 2, 5], rng.integers(0, 3, (3, 3)), size=6)
    rows, cols = [0, 1, 2, 2, 5], [1, 1, 0, 5, 2]
    A = library.Matrix.from_coo(rows, cols, rng.integers(0, 3, (5, 3)), nrows=6, ncols=6)
    F = library.Matrix.from_dense(rng.integers(0, 3, (2, 3, 2, 2)))
    names = "Vector Matrix Scalar unary binary monoid semiring select indexunary agg".split()
    found = {name: getattr(library, name) for name in names}
    return found | {"u": u, "v": v, "A": A, "F": F, "np": np, "a": np.arange(18).reshape(6, 3)}


LINES = [  # python-graphblas's own operators on such values write past their ends: they are tested below
    "u",
    "F",
    "F.T",
    "u.dtype.name, F.dtype.name, Vector('FP32[2, 2]', 1).dtype.name",
    "u.to_dense(0).tolist(), u.to_dense([7, 8, 9]).tolist(), F.to_dense().tolist(), A.to_dense(1).tolist()",
    "u.to_dict(), A.to_dicts()",
    "Vector.from_dict(u.to_dict(), u.dtype, size=6)",
    "Vector.from_coo([0, 4], 5, dtype='INT8[2]')",
    "Vector.from_coo([0, 4], [[1, 2], [3, 4.5]])",
    "Vector.from_dense(a)",
    "Vector.from_scalar(7, dtype='FP64[2]', size=3)",
    "Vector.from_pairs([(1, [0, 1]), (3, [4, 5])])",
    "Matrix.from_csr(*A.to_csr(), ncols=6)",
    "Scalar.from_value([1, 2, 3], 'INT64[3]').value.tolist()",
    "u[2].new().value.tolist()",
    "u.reduce(agg.count)",
    "A[[2, 0, 2], :]",
    "A[:, 1]",
    "F[1, :]",
    "u[[5, 0, 1]]",
    "u[::-1]",
    "select.tril(A)",
    "indexunary.rowindex(A)",
    "A.diag()",
    "Vector.ss.import_any(**u.ss.export())",
    "Matrix.ss.import_any(**F.ss.export('fullr'))",
    "A.ss.flatten()",
]
STATEMENTS = [
    "u[1] = [1, 2, 3]",
    "u[1] = 4",
    "u[:] = 0",
    "u << (1, 2, 3)",
    "u(v.S) << v",
    "u(~v.S, replace=True) << v",
    "u[[0, 1]] = [[2, 3, 4], [5, 6, 7]]",
    "u[[0, 1]] = [2, 3, 4]",
    "u[:] = a",
    "A[2, :] << u",
    "A[[0, 1], [1]] = [[[2, 3, 4]], [[5, 6, 7]]]",
    "A[:, :] = (1, 2, 3)",
    "A << A.T",
    "del u[2]",
    "u.resize(3)",
    "u.clear()",
]
REFUSED = ["u(u.V) << 1", "u[0] = [1, 2]", "w << u"]


@pytest.mark.parametrize("line", LINES)
def test_expressions(backend: str, line: str) -> None:
    ours, theirs = (eval(line, world(library)) for library in LIBRARIES)
    assert shown(ours) == shown(theirs)


@pytest.mark.parametrize("line", STATEMENTS)
def test_statements(backend: str, line: str) -> None:
    worlds = [world(library) for library in LIBRARIES]
    for names in worlds:
        exec(line, names)
    ours, theirs = worlds
    for name in "uvA":
        assert shown(ours[name]) == shown(theirs[name])


@pytest.mark.parametrize("line", REFUSED)
def test_what_they_do_not_have(backend: str, line: str) -> None:
    """Errors here; python-graphblas has them too, or reads past the end of an array."""
    names = world(gb) | {"w": Vector(int, 6)}
    before = shown(names["u"])
    with pytest.raises((KeyError, TypeError, gb.exceptions.DomainMismatch)):
        exec(line, names)
    assert shown(names["u"]) == before and names["w"].nvals == 0


def test_operators(backend: str) -> None:
    names = world(gb)
    u, v, A = names["u"], names["v"], names["A"]
    x, y = u.to_dict(), v.to_dict()
    both = sorted(x.keys() & y.keys())
    assert u.apply(unary.identity).new().to_dict() == x
    assert u.apply(unary.one).new().to_dict() == dict.fromkeys(x, 1)
    assert binary.first(u & v).new().to_dict() == {i: x[i] for i in both}
    assert binary.first(u | v).new().to_dict() == y | x
    assert binary.second(u | v).new().to_dict() == x | y
    assert binary.second(u, [1, 2, 3]).new().to_dict() == {i: [1, 2, 3] for i in x}
    assert binary.eq(u & u.dup()).new().to_dict() == dict.fromkeys(x, True)
    assert binary.ne(u & v).new().to_dict() == {i: x[i] != y[i] for i in both}
    assert binary.eq(u, 1).new().to_dict() == {i: value == [1, 1, 1] for i, value in x.items()}
    assert monoid.any(u & u).new().isequal(u) and binary.pair(u & v).new().to_dict() == dict.fromkeys(both, 1)
    assert u.reduce(gb.agg.ss.first).new() == x[0] and u.reduce(monoid.any).new().value.tolist() in x.values()
    rows = A.to_dicts()
    last = {i: row[max(row)] for i, row in rows.items()}
    assert A.reduce_rowwise(gb.agg.ss.last).new().to_dict() == last
    assert semiring.any_pair(A @ u).new().to_dict() == {i: 1 for i, row in rows.items() if row.keys() & x.keys()}
    squares = semiring.any_first(A @ A.T).new().to_dicts()
    assert all(value in rows[i].values() for i, row in squares.items() for value in row.values())
    u(binary.first) << v
    assert u.to_dict() == y | x


def test_functions_of_two_arrays() -> None:
    u, v = Vector.from_dense(np.ones((1, 3))), Vector.from_dense(np.full((1, 2), 5))
    assert binary.any(u & v).new().isequal(v)
    kept = unary.register_anonymous(_part, is_udt=True, ret_dtype="FP64[2]")
    assert pickle.loads(pickle.dumps(kept))(u).new().to_dense().tolist() == [[1, 1]]
    added = binary.register_anonymous(lambda x, y: x + 1, is_udt=True)
    assert added(u & u).new().to_dense().tolist() == [[2, 2, 2]]
    with pytest.raises(UdfParseError, match="matches more than one input array UDT"):
        added(u & v)
    with pytest.raises(UdfParseError, match="matches no input array UDT"):
        binary.register_anonymous(lambda x, y: x.reshape(3, 1), is_udt=True)(u & u)


def _part(x: np.ndarray) -> np.ndarray:
    return x[:2]


@pytest.mark.slow  # Numba compiles each of them for arrays
@pytest.mark.parametrize("shapes", [((3,), (2, 3)), ((3, 1), (1, 2)), ((2, 1, 2), (3, 1))])
def test_arrays_of_two_shapes(backend: str, shapes: tuple) -> None:
    rng = np.random.default_rng(7)
    x, y = (rng.integers(1, 4, (3, *shape)).astype(kind) for shape, kind in zip(shapes, ("f4", "i8"), strict=True))
    u, v, A = Vector.from_dense(x), Vector.from_dense(y), Matrix.from_coo([0, 1, 2], [0, 1, 2], x)
    pairs = list(zip(x.astype(float), y, strict=True))
    for result, expected in (
        (gb.binary.minus(u & v), [a - b for a, b in pairs]),
        (gb.binary.floordiv(v & u), [b // a for a, b in pairs]),
        (gb.semiring.plus_times(A @ v), [a * b for a, b in pairs]),
    ):
        assert np.array_equal(result.new().to_dense(), expected)
        assert result.new().dtype == np.dtype((float, np.shape(expected)[1:]))
    assert gb.binary.eq(u & v).new().to_dense().tolist() == [bool((a == b).all()) for a, b in pairs]
    with pytest.raises(KeyError, match="shape"):
        gb.binary.plus[{"a": "FP64[1]"}, {"a": "FP64[3]"}]


def test_literals_beside_arrays(backend: str) -> None:
    """Python numbers are of the type of the array if it can hold them; arrays keep their own."""
    u = Vector("INT8[3]", 1)
    u[0] = [1, 2, 3]
    for result, kind, expected in (
        (u + (1, 2, 3), "i1", [2, 4, 6]),
        (u * [True, 2.5, 0], "f8", [1, 5, 0]),
        (u.apply(gb.monoid.plus, left=(0.5,)), "f8", [1.5, 2.5, 3.5]),
        (u - np.array([1], "i2"), "i2", [0, 1, 2]),
        (u + np.ones((1, 3)), "f8", [[2, 3, 4]]),
        (u == [1, 2, 3.5], "?", False),
        (u != (1, 2, 300), "?", True),
    ):
        assert result.new().to_dense().tolist() == [expected] and np.dtype(kind) == result.new().to_dense().dtype
    with pytest.raises(OverflowError):
        u + (1, 2, 300)
    with pytest.raises(TypeError):
        u + [[1], [2, 3]]


def test_functions(backend: str) -> None:
    """python-graphblas hands functions a pointer, with which next to nothing can be done; here it is an array."""
    rng = np.random.default_rng(2)
    x, y = rng.integers(0, 9, (2, 4, 3))
    u, v = Vector.from_dense(x), Vector.from_dense(y)
    total = unary.register_anonymous(lambda x: x.sum(), is_udt=True)
    plus = binary.register_anonymous(lambda x, y: x + y, is_udt=True)
    half = unary.register_anonymous(lambda x: x / 2, is_udt=True)
    inner = binary.register_anonymous(lambda x, y: (x * y).sum(), is_udt=True)
    smaller = binary.register_anonymous(lambda x, y: x if x[0] <= y[0] else y, is_udt=True)
    assert total(u).new().to_dense().tolist() == x.sum(axis=1).tolist()
    assert plus(u & v).new().to_dense().tolist() == (x + y).tolist()
    assert half(u).new().dtype == "FP64[3]" and half(u).new().to_dense().tolist() == (x / 2).tolist()
    assert inner(u & v).new().to_dense().tolist() == (x * y).sum(axis=1).tolist()
    assert plus(u, [1, 2, 3]).new().to_dense().tolist() == (x + [1, 2, 3]).tolist()
    expected = np.where((x[:, 0] <= y[:, 0])[:, None], x, y)
    assert smaller(u | v).new().to_dense().tolist() == expected.tolist()
    add = monoid.register_anonymous(plus, 0)
    assert u.reduce(add).new().value.tolist() == x.sum(axis=0).tolist()
    A = Matrix.from_dense(rng.integers(0, 9, (2, 4, 3)))
    assert A.reduce_rowwise(add).new().to_dense().tolist() == A.to_dense().sum(axis=1).tolist()
    dots = semiring.register_anonymous(monoid.plus, inner)
    expected = np.einsum("ikd,kd->i", A.to_dense(), x)
    assert dots(A @ u).new().to_dense().tolist() == expected.tolist()
    sums = semiring.register_anonymous(add, plus)
    expected = (A.to_dense()[:, :, None] + A.to_dense().swapaxes(0, 1)[None]).sum(axis=1)
    assert sums(A @ A.T).new().to_dense().tolist() == expected.tolist()
    longer = unary.register_anonymous(lambda x: np.append(x, x), is_udt=True)
    with pytest.raises((ValueError, UdfParseError)):
        longer(u).new()


def test_tiles_of_two_engines() -> None:
    A = world(gb)["A"]
    expected = gb.ss.concat([[A, A.T], [A.T, A]])
    B = A.to("numpy")
    assert gb.ss.concat([[A, B.T], [B.T, A]]).isequal(expected, check_dtype=True)
    x, y = A.to_dense(0), A.T.to_dense(0)
    tiles = np.concatenate([np.concatenate([x, y], axis=1), np.concatenate([y, x], axis=1)])
    assert expected.to_dense(0).tolist() == tiles.tolist()


def test_types() -> None:
    three = dtypes.lookup_dtype("INT64[3]")
    assert three is dtypes.lookup_dtype(np.dtype((np.int64, 3))) is dtypes.register_anonymous("INT64[3]")
    assert three is pickle.loads(pickle.dumps(three)) and three == "INT64[3]"
    assert dtypes.lookup_dtype({"a": "INT64[3]", "b": bool}).np_type.fields["a"][0].shape == (3,)
    assert dtypes._string_to_dtype(dtypes._dtype_to_string(three)) is three
    nested = dtypes.register_anonymous(np.dtype((np.dtype((float, 5)), 6)))
    assert (
        nested is dtypes.lookup_dtype("FP64[6, 5]") is dtypes.lookup_dtype((dtypes.lookup_dtype("FP64[5]").np_type, 6))
    )
    assert Scalar.from_value(np.eye(6, 5), nested).value.tolist() == np.eye(6, 5).tolist()
    for bad in ("INT64[3", "INT64[x]", "NONE[3]", "INT64[-1]"):
        with pytest.raises((ValueError, TypeError)):
            dtypes.lookup_dtype(bad)
    for values in ([[1, 2]], [1, 2, 3], np.zeros((2, 4))):
        with pytest.raises(ValueError):
            Vector.from_coo([0, 1], values, dtype="INT64[2]")


def test_copies(backend: str, tmp_path) -> None:
    names = world(gb)
    s = Scalar.from_value([1, 2, 3], "INT64[3]")
    assert pickle.loads(pickle.dumps(s)) == s == [1, 2, 3] and s != [1, 2, 4] and s != 1
    with pytest.raises(TypeError, match="isclose is not defined"):
        s.isclose([1, 2, 3])
    assert s.value.tolist() == [1, 2, 3] and np.asarray(s).tolist() == [1, 2, 3] and "[1 2 3]" in repr(s)
    for x in (names["u"], names["A"], names["F"]):
        assert pickle.loads(pickle.dumps(x)).isequal(x, check_dtype=True)
        assert type(x).ss.deserialize(x.ss.serialize()).isequal(x, check_dtype=True)
        assert "[" in repr(x)
    with pytest.raises(TypeError, match="use pickle"):
        io.save(tmp_path / "x.grb", names["u"])
