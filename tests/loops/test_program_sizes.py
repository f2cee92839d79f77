"""Recordings that serve calls with arguments of other shapes: the function's results, or a recording for each shape."""

import copy
import math
import operator
from collections.abc import Callable

import numpy as np
import pytest
from emulated_engine import backends  # noqa: F401

import grblas_gpu as gb
from grblas_gpu import Matrix, Scalar, Vector, algorithms, binary, indexunary, monoid, select, semiring, unary
from grblas_gpu.exceptions import DimensionMismatch


def graph(nrows: int, ncols: int) -> Matrix:
    rows, columns = np.nonzero((np.arange(nrows)[:, None] * 7 + np.arange(ncols) * 5) % 4 == 0)
    return Matrix.from_coo(rows, columns, rows % 5 + 1, nrows=nrows, ncols=ncols)


def every_kind(A: Matrix, x: Vector, y: Vector, factor: Scalar) -> tuple[Vector, Matrix, Vector, Scalar, Vector]:
    """Objects with the size of rows and of columns, products in both directions, masks, gathers, and inner loops."""
    wide, tall = Vector.from_scalar(0, A.ncols), Vector(int, x.size)
    numbers = indexunary.index(Vector.from_scalar(0, A.nrows)).new()
    turned = A.T.new()
    B = Matrix(int, A.ncols, A.nrows)
    B(turned.S) << 3
    B(binary.plus) << A.T
    rounds = y.dup()
    for step in gb.loop(rounds, 3):
        wide(binary.plus) << semiring.plus_times(x @ A)
        tall(y.S, replace=True) << semiring.plus_plus(A @ wide)
        tall(binary.second) << numbers[numbers]
        for _ in gb.loop(tall, 2):
            x(binary.plus)[numbers] << tall
            tall << select.valuegt(tall, 2)
        rounds << binary.minus(rounds, step)
    total = wide.reduce(monoid.plus).new()
    for _ in gb.when(total > 0):
        wide << binary.times(wide, factor)
    return wide, B, x, total, unary.one(tall).new(float)


def given(nrows: int, ncols: int) -> tuple[Matrix, Vector, Vector, Scalar]:
    x, y = Vector.from_dense(np.arange(nrows)), Vector.from_coo(np.arange(0, nrows, 2), 1, size=nrows)
    return graph(nrows, ncols), x, y, Scalar.from_value(2)


SHAPES = [(6, 9), (9, 6), (5, 5), (6, 9), (40, 3), (7, 7), (1, 6), (1, 1), (300, 300), (2, 1), (5, 5), (600, 30)]


def test_one_recording_for_all_shapes(backend: str) -> None:
    recorded = gb.program(every_kind)
    for shape in SHAPES if backend != "cuda" else SHAPES[:6]:
        found, expected = recorded(*given(*shape)), every_kind(*given(*shape))
        for one, other in zip(found, expected, strict=True):
            assert one.isequal(other, check_dtype=True), shape
    sides = {tuple("equal" if m == n else "other" if n > 1 else n for n in (m, n)) for m, n in SHAPES}
    assert recorded.recordings <= len(sides) + 2  # equal ones, different ones, and those with a size of 1


def test_objects_get_the_shapes_of_their_call(backend: str) -> None:
    @gb.program
    def made(v: Vector, w: Vector) -> tuple[Vector, Matrix, Vector]:
        return Vector(int, w.size), Matrix(float, v.size, w.size), v

    for m, n in ((3, 4), (5, 8), (3, 4), (8, 5)):
        first, second, third = made(Vector(int, m), Vector(int, n))
        assert (first.shape, second.shape, third.shape) == ((n,), (m, n), (m,))
        assert second.nvals == 0 and second.T.new().shape == (n, m)
    assert made.recordings == 1


def test_what_rounds_make_has_no_contents_of_other_shapes(backend: str) -> None:
    """Communities of a grid: their vertices move in graphs of several sizes, and in the largest one again."""
    with gb.using("cpu"):
        A = gb.generators.grid_2d(15, 15)
        expected = algorithms.louvain(A, directed=False)
    found = algorithms.louvain(A.to(backend), directed=False)
    assert found.labels.to("cpu").isequal(expected.labels) and found.modularity == pytest.approx(expected.modularity)


def test_sizes_that_are_equal_by_chance() -> None:
    @gb.program
    def added(v: Vector, w: Vector) -> Vector:
        return binary.plus(v | w, left_default=0, right_default=0).new()

    assert added(Vector.from_scalar(1, 4), Vector.from_scalar(2, 4)).to_dense().tolist() == [3] * 4
    assert added(Vector.from_scalar(1, 7), Vector.from_scalar(2, 7)).to_dense().tolist() == [3] * 7
    with pytest.raises(DimensionMismatch):
        added(Vector.from_scalar(1, 4), Vector.from_scalar(2, 7))
    assert added.recordings == 1


LOOKS: dict[str, Callable[[int], object]] = {
    "arithmetic": lambda n: n * 2 + 1,
    "the other side": lambda n: 100 - n,
    "a branch": lambda n: 1 if n > 20 else 2,
    "a literal": lambda n: 1 if n == 40 else 2,
    "not equal": lambda n: 1 if n != 40 else 2,
    "in a tuple": lambda n: int(n in (7, 40)),
    "a dictionary": lambda n: {40: 1}.get(n, 2),
    "a shape": lambda n: int((n,) == (40,)),
    "a range": lambda n: len(range(n)),
    "an array": lambda n: len(np.arange(n)),
    "of NumPy": lambda n: int(np.int64(3) * n),
    "an array of it": lambda n: int(np.asarray([n, 1]).sum()),
    "a logarithm": lambda n: math.log2(n),
    "a root": lambda n: math.isqrt(n),
    "bits": lambda n: n.bit_length(),
    "a type": lambda n: 1 if isinstance(n, int) else 2,
    "a float": lambda n: float(n) / 2,
    "an integer": lambda n: int(n),
    "an index": lambda n: operator.index(n),
    "text": lambda n: len(f"{n}" + str(n) + repr(n)),
    "a copy": lambda n: copy.copy(n) + copy.deepcopy(n),
    "division": lambda n: divmod(n, 7)[1],
    "the largest": lambda n: max(n, 20),
    "sorted": lambda n: sorted([20, n])[0],
    "a sum": lambda n: sum([n, 1]),
    "negative": lambda n: -n,
    "a shift": lambda n: n >> 1,
    "rounded": lambda n: round(n, -1),
}


@pytest.mark.parametrize("name", LOOKS)
def test_a_function_that_looks_at_a_size_is_recorded_for_each(name: str) -> None:
    recorded = gb.program(lambda v: binary.plus(v, LOOKS[name](v.size)).new())
    for size in (7, 40, 8, 40, 130, 7):
        expected = 1 + LOOKS[name](size)
        assert recorded(Vector.from_scalar(1, size)).to_dense().tolist() == [expected] * size
    assert recorded.recordings == 4


def kind_of(n: int) -> int:
    return 1 if type(n) is int else 2


@pytest.mark.parametrize("asked", [lambda n: 1 if type(n) is int else 2, kind_of, lambda n: int(n.__class__ is int)])
def test_a_function_that_asks_for_the_type_of_a_size(asked: Callable[[int], int]) -> None:
    """Itself or in another function."""
    recorded = gb.program(lambda v: Vector.from_scalar(asked(v.size), v.size))
    for n in (3, 5):
        assert recorded(Vector(int, n)).to_dense().tolist() == [1] * n
    assert recorded.recordings == 2


def test_a_function_that_creates_other_objects_by_the_type_of_a_size() -> None:
    recorded = gb.program(lambda v: v.dup() if kind_of(v.size) == 1 else binary.plus(v, v).new())
    for n in (3, 5):
        assert recorded(Vector.from_scalar(1, n)).to_dense().tolist() == [1] * n


def test_other_uses_of_a_size() -> None:
    """As limits of loops, as positions, in the shape of an object with entries, beside an object of the program."""
    outer = Vector.from_scalar(1, 40)

    @gb.program
    def steps(v: Vector) -> Vector:
        w = v.dup()
        for _ in gb.loop(w, v.size):
            w << binary.plus(w, 1)
        return w

    @gb.program
    def part(v: Vector) -> Vector:
        return v[: v.size - 1].new()

    @gb.program
    def first(v: Vector) -> Vector:
        return binary.plus(v & Vector.from_coo([0], [5], size=v.size)).new()

    @gb.program
    def beside(v: Vector) -> Vector:
        return binary.plus(v | outer).new() if v.size == outer.size else binary.plus(v, 3).new()

    for size in (7, 40, 8, 40, 7):
        v = Vector.from_scalar(1, size)
        assert steps(v).to_dense().tolist() == [1 + size] * size
        assert part(v).to_dense().tolist() == [1] * (size - 1)
        assert first(v).to_dict() == {0: 6} and first(v).size == size
        assert beside(v).to_dense().tolist() == [2 if size == 40 else 4] * size


def test_errors_of_the_function_are_its_own() -> None:
    @gb.program
    def wrong(v: Vector, A: Matrix) -> Vector:
        if v.size > 5:
            raise ValueError(f"too large: {v.size}")
        return semiring.plus_times(A @ v).new()

    assert wrong(Vector.from_scalar(2, 3), Matrix.from_dense([[1, 2, 3]])).to_dict() == {0: 12}
    with pytest.raises(ValueError, match="too large: 7"):
        wrong(Vector(int, 7), Matrix(int, 7, 7))
    with pytest.raises(DimensionMismatch, match="3"):
        wrong(Vector(int, 3), Matrix(int, 4, 4))
