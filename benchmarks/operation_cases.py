"""Operations on whole matrices, as a table: what we do, what cupyx does, the bytes that must move; and their graphs."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

import grblas_gpu as gb
from grblas_gpu import agg, binary, generators, monoid, select, semiring

TYPES = {"FP32": np.float32, "FP64": np.float64, "INT64": np.int64, "iso": np.float32}


class Structure(NamedTuple):
    """A pattern: where it comes from, and how a matrix of it is made; a small one instead."""

    make: Callable[[], gb.Matrix]
    small: Callable[[], gb.Matrix]


def one_full_row(n: int, degree: int) -> gb.Matrix:
    """A random graph and one row that has an entry in every column."""
    A = generators.uniform_random(n, degree, seed=2)
    row = gb.Matrix.from_coo(np.zeros(n, np.int64), np.arange(n), True, nrows=n, ncols=n)
    return binary.lor(A | row).new(bool)


GRAPHS = {
    "rmat20_16": Structure(lambda: generators.kronecker(20, 16), lambda: generators.kronecker(8, 16)),
    "uniform_1M_8": Structure(
        lambda: generators.uniform_random(1_000_000, 8, seed=1), lambda: generators.uniform_random(200, 8, seed=1)
    ),
    "rmat15_16": Structure(lambda: generators.kronecker(15, 16), lambda: generators.kronecker(7, 16)),
    "uniform_4M_16": Structure(
        lambda: generators.uniform_random(4_000_000, 16, seed=1), lambda: generators.uniform_random(300, 16, seed=1)
    ),
    "grid_2000": Structure(lambda: generators.grid_2d(2000), lambda: generators.grid_2d(20)),
    "one_full_row": Structure(lambda: one_full_row(4_000_000, 2), lambda: one_full_row(300, 2)),
}
MAIN = ["rmat20_16", "uniform_4M_16", "grid_2000", "one_full_row"]


class Case:
    """A matrix with values of a type, and what operations need beside it, for us and for cupyx."""

    def __init__(self, pattern: gb.Matrix, kind: str, backend: str) -> None:
        self.kind, self.backend = kind, backend
        self.dtype = np.dtype(TYPES[kind])
        arrays = pattern.device_arrays() if backend == "cuda" else None
        self.xp = _array_module(backend)
        indptr, indices = (arrays["indptr"], arrays["indices"]) if arrays else pattern.to_csr()[:2]
        values = self.random(len(indices))
        self.n, self.nvals = pattern.nrows, len(indices)
        self.iso = kind == "iso"
        self.A = gb.Matrix.from_csr(indptr, indices, 2.0 if self.iso else values, self.dtype, ncols=pattern.ncols)
        self.arrays = indptr, indices, values
        self.two = self.dtype.type(2)
        self.tiny = self.dtype.type(1 if self.dtype.kind == "i" else 1e-6)

    def random(self, count: int) -> Any:
        random = self.xp.random.default_rng(7)
        if self.dtype.kind == "i":
            return random.integers(1, 100, count).astype(self.dtype)
        return random.random(count, dtype=self.dtype)

    @cached_property
    def B(self) -> gb.Matrix:
        """A matrix of its own, and no known transpose of the other."""
        return self.A.T.new()

    @cached_property
    def x(self) -> gb.Vector:
        return gb.Vector.from_dense(self.dense)

    @cached_property
    def dense(self) -> Any:
        return self.random(self.n)

    @cached_property
    def index(self) -> Any:
        """A quarter of the rows, in random order, each once."""
        return self.xp.random.permutation(self.n)[: max(1, self.n // 4)].astype(np.int64)

    @cached_property
    def sparse(self) -> gb.Vector:
        """An entry in every tenth place."""
        some = self.xp.arange(0, self.n, 10)
        return gb.Vector.from_coo(some, self.random(len(some)), size=self.n)

    @cached_property
    def rows(self) -> gb.Matrix:
        """What is assigned to a quarter of the rows."""
        return self.B[self.index, :].new()

    @cached_property
    def pair(self) -> gb.Matrix:
        return gb.Matrix.from_coo([0, 1], [0, 1], self.two, nrows=2, ncols=2, dtype=self.dtype)

    @cached_property
    def their_pair(self) -> Any:
        return _sparse().identity(2, dtype=self.dtype, format="csr") * self.two

    @property
    def middle(self) -> slice:
        return slice(self.n // 4, self.n // 4 + self.n // 2)

    @property
    def block(self) -> slice:
        """So few rows that a full block of them is far smaller than the matrix."""
        return slice(self.n // 4, self.n // 4 + min(1000, self.n // 4))

    @cached_property
    def D(self) -> gb.Matrix:
        return self.x.diag()

    @cached_property
    def L(self) -> gb.Matrix:
        return select.tril(self.A, -1).new()

    @cached_property
    def to_higher_degrees(self) -> gb.Matrix:
        """Every edge once, to the end that has more of them; and its transpose, which counting triangles reads."""
        edges = self.A.pattern(undirected=True)
        once = select.tril(edges.by_degree().graph, -1).new()
        once._store.transposed()
        return once

    @cached_property
    def shuffled(self) -> tuple[Any, Any, Any]:
        indptr, indices, values = self.arrays
        rows = self.xp.searchsorted(indptr[1:], self.xp.arange(self.nvals), side="right")
        order = self.xp.random.permutation(self.nvals)
        some = self.xp.full(self.nvals, self.two) if self.iso else values[order]
        return rows[order].astype(np.int64), indices[order].astype(np.int64), some

    @cached_property
    def theirs(self) -> Any:
        """The same for cupyx, or None where it has no such type."""
        if self.backend != "cuda" or self.dtype.kind != "f":
            return None
        from cupyx.scipy import sparse

        indptr, indices, values = self.arrays
        if self.iso:
            values = self.xp.full(len(values), 2, self.dtype)
        return sparse.csr_matrix((values, indices, indptr.astype(np.int32)), shape=(self.n, self.n))

    @cached_property
    def theirs_transposed(self) -> Any:
        return None if self.theirs is None else self.theirs.T.tocsr()

    # bytes of arrays

    @property
    def value(self) -> int:
        return 0 if self.iso else self.dtype.itemsize

    @property
    def offsets(self) -> int:
        return 4 * (self.n + 1)

    def matrix(self, share: float = 1.0) -> float:
        """Offsets, and so many of the entries with column and value."""
        return self.offsets + share * self.nvals * (4 + self.value)

    def vector(self, share: float = 1.0) -> float:
        return share * self.n * self.dtype.itemsize


def _array_module(backend: str) -> Any:
    if backend != "cuda":
        return np
    import cupy

    return cupy


class Operation(NamedTuple):
    """A row: what we do, what cupyx does, and the bytes that must move."""

    name: str
    ours: Callable[[Case], Any]
    theirs: Callable[[Any, Case], Any] | None
    bytes: Callable[[Case], float]
    graphs: tuple[str, ...] = tuple(MAIN)


def _sparse() -> Any:
    from cupyx.scipy import sparse

    return sparse


def _assigned(c: Case) -> gb.Matrix:
    C = c.A.dup()
    C(c.A.S) << 1
    return C


def _accumulated(c: Case) -> gb.Matrix:
    C = c.A.dup()
    C(c.B.S, binary.plus) << c.A
    return C


def _replaced(c: Case) -> gb.Matrix:
    C = c.A.dup()
    C(~c.B.S, replace=True) << c.A
    return C


def _rows_assigned(c: Case) -> gb.Matrix:
    C = c.A.dup()
    C[c.index, :] << c.rows
    return C


def _block_assigned(c: Case) -> gb.Matrix:
    C = c.A.dup()
    C[c.block, c.block] << 1
    return C


def _entries_assigned(x: gb.Vector) -> gb.Vector:
    y = x.dup()
    y[[1, 3, 5, 7, 9, 11, 13, 15, 17, 19]] << 1
    return y


def _from_coo(c: Case) -> gb.Matrix:
    rows, cols, values = c.shuffled
    if c.iso:
        return gb.Matrix.from_coo(rows, cols, 2.0, nrows=c.n, ncols=c.n)
    return gb.Matrix.from_coo(rows, cols, values, nrows=c.n, ncols=c.n, dup_op=binary.plus)


def _their_diagonal(c: Case) -> Any:
    return _sparse().diags(c.dense, format="csr")


def _their_coo(A: Any, c: Case) -> Any:
    rows, cols, values = c.shuffled
    return _sparse().coo_matrix((values, (rows, cols)), shape=(c.n, c.n)).tocsr()


STEPS = 20


def _iterated(c: Case) -> gb.Vector:
    """So many steps x += A x / 10^6, as one loop."""
    x, y = c.x.dup(), gb.Vector(c.dtype, c.n)
    for _ in gb.loop(x, STEPS):
        y << semiring.plus_times(c.A @ x)
        x(binary.plus) << y.apply(binary.times, right=c.tiny)
    return x


def _their_iteration(A: Any, c: Case) -> Any:
    x = c.dense
    for _ in range(STEPS):
        x = x + c.tiny * (A @ x)
    return x


def _triangles(c: Case) -> gb.Matrix:
    return semiring.plus_pair["INT64"](c.L @ c.L.T).new(mask=c.L.S)


PRODUCTS = ("uniform_1M_8", "rmat15_16")
OPERATIONS = [
    Operation(
        "mxv plus_times",
        lambda c: semiring.plus_times(c.A @ c.x).new(),
        lambda A, c: A @ c.dense,
        lambda c: c.matrix() + 2 * c.vector(),
    ),
    Operation(
        f"{STEPS} steps of mxv plus_times in a loop",
        _iterated,
        _their_iteration,
        lambda c: STEPS * (c.matrix() + 4 * c.vector()),
    ),
    Operation(
        "mxv min_plus", lambda c: semiring.min_plus(c.A @ c.x).new(), None, lambda c: c.matrix() + 2 * c.vector()
    ),
    Operation(
        "reduce_rowwise plus",
        lambda c: c.A.reduce_rowwise(monoid.plus).new(),
        lambda A, c: A.sum(axis=1),
        lambda c: c.offsets + c.nvals * c.value + c.vector(),
    ),
    Operation(
        "reduce_columnwise plus",
        lambda c: c.A.reduce_columnwise(monoid.plus).new(),
        lambda A, c: A.sum(axis=0),
        lambda c: c.matrix() + c.vector(),
    ),
    Operation(
        "reduce_rowwise count",
        lambda c: c.A.reduce_rowwise(agg.count).new(),
        lambda A, c: c.xp.diff(A.indptr),
        lambda c: c.offsets + 8 * c.n,
    ),
    Operation(
        "reduce_scalar plus",
        lambda c: c.A.reduce_scalar(monoid.plus).new(),
        lambda A, c: A.data.sum(),
        lambda c: c.nvals * c.value,
    ),
    Operation("reduce_rowwise max", lambda c: c.A.reduce_rowwise(monoid.max).new(), None, lambda c: c.matrix()),
    Operation(
        "select tril",
        lambda c: select.tril(c.A).new(),
        lambda A, c: _sparse().tril(A, format="csr"),
        lambda c: c.matrix() + c.matrix(0.5),
    ),
    Operation(
        "select value > 0.5",
        lambda c: select.value((50 if c.dtype.kind == "i" else 0.5) < c.A).new(),
        None,
        lambda c: c.matrix() + c.matrix(0.5),
    ),
    Operation(
        "apply times 2",
        lambda c: c.A.apply(binary.times, right=c.two).new(),
        lambda A, c: A * c.two,
        lambda c: 2 * c.nvals * c.value,
    ),
    Operation(
        "transpose",
        lambda c: c.B.T.new(),
        lambda A, c: A.T.tocsr(),
        lambda c: 2 * c.matrix(),
    ),
    Operation(
        "A + A'",
        lambda c: c.A.ewise_add(c.B, binary.plus).new(),
        lambda A, c: A + c.theirs_transposed,
        lambda c: 4 * c.matrix(),
    ),
    Operation(
        "A .* A'",
        lambda c: c.A.ewise_mult(c.B, binary.times).new(),
        lambda A, c: A.multiply(c.theirs_transposed),
        lambda c: 3 * c.matrix(),
    ),
    Operation(
        "A + 2 A (equal patterns)",
        lambda c: c.A.ewise_add(c.A.apply(binary.times, right=c.two).new(), binary.plus).new(),
        None,
        lambda c: 5 * c.nvals * c.value,
    ),
    Operation("A(A.S) << 1", _assigned, None, lambda c: c.nvals * c.value),
    Operation("A(~B.S, replace) << A", _replaced, None, lambda c: 3 * c.matrix()),
    Operation("A(B.S, plus) << A", _accumulated, None, lambda c: 3 * c.matrix()),
    Operation("from_coo, shuffled", _from_coo, _their_coo, lambda c: c.matrix() + c.nvals * (16 + c.value)),
    Operation(
        "diag(v) * A",
        lambda c: semiring.plus_times(c.D @ c.A).new(),
        lambda A, c: _their_diagonal(c) @ A,
        lambda c: 2 * c.matrix() + c.vector(),
    ),
    Operation(
        "A * diag(v)",
        lambda c: semiring.plus_times(c.A @ c.D).new(),
        lambda A, c: A @ _their_diagonal(c),
        lambda c: 2 * c.matrix() + c.vector(),
    ),
    Operation("A[I, :]", lambda c: c.A[c.index, :].new(), lambda A, c: A[c.index, :], lambda c: 2 * c.matrix(0.25)),
    Operation(
        "A[I, I]",
        lambda c: c.A[c.index, c.index].new(),
        lambda A, c: A[c.index, :][:, c.index],
        lambda c: c.matrix(0.25) + c.matrix(0.0625),
    ),
    Operation("A[a:b, :]", lambda c: c.A[c.middle, :].new(), lambda A, c: A[c.middle, :], lambda c: 2 * c.matrix(0.5)),
    Operation(
        "v[I]",
        lambda c: c.x[c.index].new(),
        lambda A, c: c.dense[c.index],
        lambda c: 2 * c.vector(0.25) + 8 * len(c.index),
    ),
    Operation("A[I, :] << B", _rows_assigned, None, lambda c: 2 * c.matrix() + c.matrix(0.25)),
    Operation("A[a:b, a:b] << 1", _block_assigned, None, lambda c: 2 * c.matrix()),
    Operation("y[i] << 1, ten indices", lambda c: _entries_assigned(c.x), None, lambda c: 2 * c.vector()),
    Operation(
        "y[i] << 1, ten indices, sparse y",
        lambda c: _entries_assigned(c.sparse),
        None,
        lambda c: 2 * (c.vector(0.1) + 0.4 * c.n),
    ),
    Operation(
        "diagonal of A",
        lambda c: c.A.diag(),
        lambda A, c: A.diagonal(),
        lambda c: c.offsets + 4 * c.n + c.vector(2),
    ),
    Operation("diag(v)", lambda c: c.x.diag(), lambda A, c: _their_diagonal(c), lambda c: c.offsets + c.vector(2)),
    Operation(
        "A above A",
        lambda c: gb.ss.concat([[c.A], [c.A]]),
        lambda A, c: _sparse().vstack([A, A], format="csr"),
        lambda c: 4 * c.matrix(),
    ),
    Operation(
        "kronecker product with 2 x 2",
        lambda c: c.A.kronecker(c.pair, binary.times).new(),
        lambda A, c: _sparse().kron(A, c.their_pair, format="csr"),
        lambda c: 3 * c.matrix(),
    ),
    Operation(
        "A * A", lambda c: semiring.plus_times(c.A @ c.A).new(), lambda A, c: A @ A, lambda c: 2 * c.matrix(), PRODUCTS
    ),
    Operation("masked plus_pair L * L'", _triangles, None, lambda c: 2 * c.matrix(0.5)),
    Operation(
        "triangles of vertices",
        lambda c: c.to_higher_degrees.triangles_of_vertices(),
        None,
        lambda c: 2 * c.matrix(0.5),
    ),
    Operation(
        "triangles of edges", lambda c: c.to_higher_degrees.triangles_of_edges(), None, lambda c: 3 * c.matrix(0.5)
    ),
]
