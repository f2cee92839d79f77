"""User-defined operators on every engine: Python functions, simple or not; new ones for ever, which are let go."""

import gc
import importlib.util
import math
import sys
import weakref
from collections.abc import Callable

import numba
import numpy as np
import pytest

import grblas_gpu as gb
from grblas_gpu import Vector, unary
from grblas_gpu.backends.cpu import tier
from grblas_gpu.operators import BinaryOp, IndexUnaryOp, Monoid, SelectOp, Semiring, UnaryOp


def greatest_divisor(x, y):
    """A loop, which has no translation to C++."""
    while y != 0:
        x, y = y, x % y
    return x


def simple(x, y):
    if x > y:
        return x - y
    return y - x


def steps_down(x, y):
    """How often y can be taken away from x."""
    count = 0
    while x > y > 0:
        x -= y
        count += 1
    return count


@numba.njit
def twice(x):
    return x + x


TABLE = (3, 1, 4)


def looked_up(x):
    """Calls another function and indexes a tuple."""
    total = x
    for k in range(3):
        total += twice(TABLE[k])
    return total


def distance(x, i, j, y):
    steps = y
    while i != j:
        i = i + 1 if i < j else i - 1
        steps += 1
    return x + steps


def needs_linking(backend: str) -> None:
    if backend == "cuda" and importlib.util.find_spec("numba_cuda") is None:
        pytest.skip("functions with loops need numba-cuda on the GPU")


def two_vectors(dtype="INT64", size=60):
    x = gb.Vector.from_coo(range(0, size, 2), [k * 7 % 30 + 1 for k in range(0, size, 2)], size=size, dtype=dtype)
    y = gb.Vector.from_coo(range(0, size, 3), [k * 5 % 20 + 1 for k in range(0, size, 3)], size=size, dtype=dtype)
    return x, y


def as_dict(vector):
    indices, values = vector.to_coo()
    return dict(zip(indices.tolist(), values.tolist(), strict=True))


@pytest.mark.parametrize("function", [simple, greatest_divisor], ids=["simple", "loop"])
def test_element_wise(backend, function):
    if function is greatest_divisor:
        needs_linking(backend)
    op = BinaryOp.register_anonymous(function)
    x, y = two_vectors()
    left, right = as_dict(x), as_dict(y)
    both = {k: function(left[k], right[k]) for k in left.keys() & right.keys()}
    assert as_dict(op(x & y).new()) == both
    assert as_dict(op(x | y).new()) == left | right | both
    x(op) << y
    assert as_dict(x) == left | right | both


@pytest.mark.parametrize("dtype", ["INT8", "UINT64", "FP32"])
def test_apply_in_every_kind_of_type(backend, dtype):
    x, _ = two_vectors(dtype)
    squares = x.apply(UnaryOp.register_anonymous(lambda x: x * x % 100 + 1)).new()
    assert squares.dtype == dtype
    wrapped = {k: int(v) * int(v) for k, v in as_dict(x).items()}
    wanted = {k: v % 100 + 1 for k, v in wrapped.items()}
    assert as_dict(squares) == {k: np.int64(v).astype(np.int8) if dtype == "INT8" else v for k, v in wanted.items()}


def test_float_functions(backend):
    x, y = two_vectors("FP64")
    got = BinaryOp.register_anonymous(lambda x, y: math.sqrt(x) + y**1.5 / max(x, 2))(x & y).new()
    left, right = as_dict(x), as_dict(y)
    for k, value in as_dict(got).items():
        assert value == pytest.approx(math.sqrt(left[k]) + right[k] ** 1.5 / max(left[k], 2), rel=1e-14)


def test_select(backend):
    """Positions are signed: a difference may be negative."""
    rows, columns = np.divmod(np.arange(0, 64, 3), 8)
    a = gb.Matrix.from_coo(rows, columns, rows + columns, nrows=8, ncols=8)
    got = SelectOp.register_anonymous(lambda x, i, j, y: i - j < y and x > 2)(a, -1).new()
    wanted = [(r, c) for r, c in zip(rows.tolist(), columns.tolist(), strict=True) if r - c < -1 and r + c > 2]
    assert list(zip(*(each.tolist() for each in got.to_coo()[:2]), strict=True)) == wanted
    v = gb.Vector.from_coo(range(10), range(10))
    keep = SelectOp.register_anonymous(lambda x, i, j, y: i - 5 < y)
    assert keep(v, -2).new().to_coo()[0].tolist() == [0, 1, 2]


def test_index_unary(backend):
    a = gb.Matrix.from_coo([0, 1, 2], [2, 1, 0], [10, 20, 30], nrows=3, ncols=3)
    got = a.apply(IndexUnaryOp.register_anonymous(lambda x, i, j, y: x + (i - j) * y), 100).new()
    assert got.to_coo()[2].tolist() == [-190, 20, 230]


def test_monoids_and_semirings(backend):
    larger = Monoid.register_anonymous(BinaryOp.register_anonymous(lambda x, y: x if x > y else y), 0)
    weighted = Semiring.register_anonymous(larger, BinaryOp.register_anonymous(lambda x, y: x * y + 1))
    generator = np.random.default_rng(1)
    rows, columns = np.divmod(generator.choice(900, 200, replace=False), 30)
    values = generator.integers(1, 10, 200)
    a = gb.Matrix.from_coo(rows, columns, values, nrows=30, ncols=30)
    v = gb.Vector.from_coo(range(30), generator.integers(1, 10, 30))
    dense = np.zeros((30, 30), int)
    dense[rows, columns] = values
    products = np.where(dense > 0, dense * v.to_dense() + 1, 0)
    np.testing.assert_array_equal(weighted(a @ v).new().to_dense(0), products.max(axis=1))
    np.testing.assert_array_equal(a.reduce_rowwise(larger).new().to_dense(0), dense.max(axis=1))
    assert a.reduce_scalar(larger).new().value == values.max()
    paths = np.where((dense[:, :, None] > 0) & (dense[None] > 0), dense[:, :, None] * dense[None] + 1, 0).max(axis=1)
    np.testing.assert_array_equal(weighted(a @ a).new().to_dense(0), paths)


# Functions with loops and calls: the CUDA engine links what numba-cuda makes of them.


@pytest.mark.parametrize("dtype", ["BOOL", "INT8", "UINT32", "INT64", "FP32", "FP64"])
def test_loops_in_every_kind_of_type(backend, dtype):
    needs_linking(backend)
    most = 2 if dtype == "BOOL" else 90
    x = gb.Vector.from_coo(range(100), [k % most for k in range(100)], dtype=dtype)
    y = gb.Vector.from_coo(range(100), [k % 7 % most for k in range(100)], dtype=dtype)
    got = BinaryOp.register_anonymous(steps_down)(x & y).new()
    pairs = zip(x.to_coo()[1].tolist(), y.to_coo()[1].tolist(), strict=True)
    assert got.to_coo()[1].tolist() == [steps_down(int(a), int(b)) for a, b in pairs]


def test_functions_that_call_others(backend):
    needs_linking(backend)
    x = gb.Vector.from_coo(range(1000), range(1000))
    got = x.apply(UnaryOp.register_anonymous(looked_up)).new()
    np.testing.assert_array_equal(got.to_coo()[1], np.arange(1000) + 16)


def test_loops_over_positions(backend):
    needs_linking(backend)
    a = gb.Matrix.from_coo([0, 3, 5], [4, 3, 1], [1, 1, 1], nrows=6, ncols=6)
    got = a.apply(IndexUnaryOp.register_anonymous(distance), 10).new()
    assert got.to_coo()[2].tolist() == [15, 11, 15]


def test_products_with_loops(backend):
    """Both operators of a semiring, in the kernels of several files."""
    needs_linking(backend)

    def larger(x, y):
        best = x
        for k in range(2):
            if k == 1 and y > best:
                best = y
        return best

    ring = Semiring.register_anonymous(
        Monoid.register_anonymous(BinaryOp.register_anonymous(larger), 0), BinaryOp.register_anonymous(steps_down)
    )
    generator = np.random.default_rng(3)
    rows, columns = np.divmod(generator.choice(400, 90, replace=False), 20)
    dense = np.zeros((20, 20), int)
    dense[rows, columns] = generator.integers(1, 50, 90)
    a = gb.Matrix.from_coo(rows, columns, dense[rows, columns], nrows=20, ncols=20)
    v = gb.Vector.from_coo(range(20), [k % 9 + 1 for k in range(20)])
    steps = np.vectorize(steps_down)
    by_vector = np.where(dense > 0, steps(dense, v.to_dense()), -1).max(axis=1)
    assert as_dict(ring(a @ v).new()) == {i: value for i, value in enumerate(by_vector.tolist()) if value >= 0}
    by_matrix = np.where((dense[:, :, None] > 0) & (dense[None] > 0), steps(dense[:, :, None], dense[None]), -1).max(
        axis=1
    )
    rows, columns, values = ring(a @ a).new().to_coo()
    assert len(rows) == (by_matrix >= 0).sum()
    np.testing.assert_array_equal(values, by_matrix[rows, columns])


def test_a_monoid_needs_an_identity():
    with pytest.raises(TypeError, match="needs an identity"):
        Monoid.register_anonymous(BinaryOp.register_anonymous(lambda x, y: x + y), None)


@pytest.mark.parametrize("engine", ["cpu", "numpy"])
@pytest.mark.filterwarnings("error")
def test_division_by_zero(engine):
    """As in NumPy, and without its warnings: a GraphBLAS operation has no place for them."""
    with gb.using(engine):
        u = gb.Vector.from_coo([0, 1], [10, 20])
        v = gb.Vector.from_coo([0, 1], [2, 0])
        whole = gb.binary.register_anonymous(lambda x, y: x // y)
        assert whole(u & v).new().to_dict() == {0: 5, 1: 0}
        assert gb.semiring.register_anonymous(gb.monoid.plus, whole)(u @ v).new() == 5
        assert gb.binary.register_anonymous(lambda x, y: x / y)(u & v).new().to_dict() == {0: 5, 1: math.inf}
        p, q = (gb.Vector({"a": int, "b": int}, 1) for _ in range(2))
        p[0], q[0] = (10, 5), (0, 1)
        parts = gb.binary.register_anonymous(lambda x, y: (x["a"] // y["a"], x["b"]), is_udt=True)
        assert parts(p & q).new()[0].new() == (0, 5)


@pytest.mark.parametrize("name", ["numpy", "numba"])
def test_few_are_kept(monkeypatch: pytest.MonkeyPatch, set_tier: Callable[[str], None], name: str) -> None:
    monkeypatch.setattr(tier, "MOST_USER_KERNELS", 1)
    v = Vector.from_dense([1.0, 2.0])
    functions, modules = [], set(sys.modules)
    set_tier(name)
    for k in range(4):
        function = eval(f"lambda x: x * {k} + 1")
        assert v.apply(unary.register_anonymous(function)).new().to_dict() == {0: k + 1, 1: 2 * k + 1}
        functions.append(weakref.ref(function))
        del function
    gc.collect()
    assert sum(function() is not None for function in functions) <= 1
    assert sum(name.startswith("grblas_gpu_kernel") for name in set(sys.modules) - modules) <= 1


def test_types_are_found_without_compiling() -> None:
    """The result of an operator is looked up in many types, most of which are never used."""
    op = unary.register_anonymous(lambda x: x + 1)
    assert [op[each].return_type.name for each in ("BOOL", "INT8", "FP32")] == ["INT8", "INT8", "FP32"]
    assert not op._numba_func.overloads


def test_equal_functions_share_machine_code() -> None:
    """LLVM frees no machine code: operators that a loop makes again must not compile again."""
    v, cache = gb.Vector.from_dense([1.0, 2.0]), "user-defined functions on arrays"

    def applied(k: float) -> list[float]:
        return v.apply(gb.unary.register_anonymous(lambda x: x * 3 + k)).new().to_dense().tolist()

    assert applied(0.5) == [3.5, 6.5]
    before = gb.config.caches()[cache].entries
    for _ in range(20):
        assert applied(0.5) == [3.5, 6.5]
    assert gb.config.caches()[cache].entries == before
    assert applied(1.5) == [4.5, 7.5]
    assert applied(1) == [4.0, 7.0]
    assert all(size.entries <= size.most for size in gb.config.caches().values())


def test_anonymous_operators_are_freed() -> None:
    operator = gb.unary.register_anonymous(lambda x: x * 5 + 1)
    known = weakref.ref(operator)
    gb.Vector.from_dense([1.0]).apply(operator).new()
    del operator
    gc.collect()
    assert known() is None
