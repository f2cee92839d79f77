"""Operations on whole matrices, as a table: what we do, what cupyx does, the bytes that must move; and their graphs."""

from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

import grblas_gpu as gb
from grblas_gpu import agg, binary, generators, monoid, select, semiring

from .common import CASES

TYPES = {"FP32": np.float32, "FP64": np.float64, "INT64": np.int64, "iso": np.float32}
TEN = [1, 3, 5, 7, 9, 11, 13, 15, 17, 19]
STEPS = 20


def one_full_row(n: int, degree: int) -> gb.Matrix:
    """A random graph and one row that has an entry in every column."""
    A = generators.uniform_random(n, degree, seed=2)
    row = gb.Matrix.from_coo(np.zeros(n, np.int64), np.arange(n), True, nrows=n, ncols=n)
    return binary.lor(A | row).new(bool)


def uniform(n: int, degree: int) -> gb.Matrix:
    return generators.uniform_random(n, degree, seed=1)


STRUCTURES: dict[str, dict[str, Any]] = CASES["structures"]
MAIN = ("rmat20_16", "uniform_4M_16", "grid_2000", "one_full_row")
PRODUCTS = ("uniform_1M_8", "rmat15_16")


def pattern(name: str, small: bool) -> gb.Matrix:
    recipe = STRUCTURES[name]
    make = globals().get(recipe["make"]) or getattr(generators, recipe["make"])
    return make(*recipe["small" if small else "size"])


class Case:
    """A matrix with values of a type, and further operands, for us and for cupyx."""

    def __init__(self, structure: gb.Matrix, kind: str, backend: str) -> None:
        self.kind, self.backend, self.iso = kind, backend, kind == "iso"
        self.dtype = np.dtype(TYPES[kind])
        self.xp: Any = np
        if backend == "cuda":
            import cupy
            from cupyx.scipy import sparse

            self.xp, self.sparse_library = cupy, sparse
        arrays = structure.device_arrays() if backend == "cuda" else None
        indptr, indices = (arrays["indptr"], arrays["indices"]) if arrays else structure.to_csr()[:2]
        values = self.random(len(indices))
        self.n, self.nvals = structure.nrows, len(indices)
        self.A = gb.Matrix.from_csr(indptr, indices, 2.0 if self.iso else values, self.dtype, ncols=structure.ncols)
        self.arrays = indptr, indices, values
        self.two = self.dtype.type(2)
        self.tiny = self.dtype.type(1 if self.dtype.kind == "i" else 1e-6)
        self.half = 50 if self.dtype.kind == "i" else 0.5
        self.middle = slice(self.n // 4, self.n // 4 + self.n // 2)
        self.block = slice(self.n // 4, self.n // 4 + min(1000, self.n // 4))  # far smaller than a full matrix
        # bytes of arrays
        self.value = 0 if self.iso else self.dtype.itemsize
        self.offsets = 4 * (self.n + 1)

    def matrix(self, share: float = 1.0) -> float:
        """Bytes of offsets, and of this share of the entries with column and value."""
        return self.offsets + share * self.nvals * (4 + self.value)

    def vector(self, share: float = 1.0) -> float:
        return share * self.n * self.dtype.itemsize

    def random(self, count: int) -> Any:
        random = self.xp.random.default_rng(7)
        if self.dtype.kind == "i":
            return random.integers(1, 100, count).astype(self.dtype)
        return random.random(count, dtype=self.dtype)

    @cached_property
    def B(self) -> gb.Matrix:
        """A separate matrix, not known as the transpose of the other."""
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
        """An entry at every tenth position."""
        some = self.xp.arange(0, self.n, 10)
        return gb.Vector.from_coo(some, self.random(len(some)), size=self.n)

    @cached_property
    def rows(self) -> gb.Matrix:
        """The value assigned to a quarter of the rows."""
        return self.B[self.index, :].new()

    @cached_property
    def pair(self) -> gb.Matrix:
        return gb.Matrix.from_coo([0, 1], [0, 1], self.two, nrows=2, ncols=2, dtype=self.dtype)

    @cached_property
    def their_pair(self) -> Any:
        return self.sparse_library.identity(2, dtype=self.dtype, format="csr") * self.two

    @property
    def their_diagonal(self) -> Any:
        return self.sparse_library.diags(self.dense, format="csr")

    @cached_property
    def D(self) -> gb.Matrix:
        return self.x.diag()

    @cached_property
    def L(self) -> gb.Matrix:
        return select.tril(self.A, -1).new()

    @cached_property
    def to_higher_degrees(self) -> gb.Matrix:
        """Every edge once, towards the higher degree; with its transpose, which triangle counting reads."""
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
        """The same for cupyx, or None if it lacks the type."""
        if self.backend != "cuda" or self.dtype.kind != "f":
            return None
        indptr, indices, values = self.arrays
        if self.iso:
            values = self.xp.full(len(values), 2, self.dtype)
        return self.sparse_library.csr_matrix((values, indices, indptr.astype(np.int32)), shape=(self.n, self.n))

    @cached_property
    def transposed(self) -> Any:
        return None if self.theirs is None else self.theirs.T.tocsr()


class Operation(NamedTuple):
    """A row: our call, the call of cupyx, and the bytes that must move."""

    name: str
    ours: Callable[[Case], Any]
    theirs: Callable[[Any, Case], Any] | None
    bytes: Callable[[Case], float]
    graphs: tuple[str, ...] = MAIN


def assigned(x: Any, where: Any, value: Any) -> Any:
    """A copy with a value assigned to positions, or through a mask."""
    y = x.dup()
    if isinstance(where, dict):
        y(**where) << value
    else:
        y[where] << value
    return y


def from_coo(c: Case) -> gb.Matrix:
    rows, cols, values = c.shuffled
    if c.iso:
        return gb.Matrix.from_coo(rows, cols, 2.0, nrows=c.n, ncols=c.n)
    return gb.Matrix.from_coo(rows, cols, values, nrows=c.n, ncols=c.n, dup_op=binary.plus)


def their_coo(A: Any, c: Case) -> Any:
    rows, cols, values = c.shuffled
    return c.sparse_library.coo_matrix((values, (rows, cols)), shape=(c.n, c.n)).tocsr()


def iterated(c: Case) -> gb.Vector:
    """Several steps x += A x / 10^6, as one loop."""
    x, y = c.x.dup(), gb.Vector(c.dtype, c.n)
    for _ in gb.loop(x, STEPS):
        y << semiring.plus_times(c.A @ x)
        x(binary.plus) << y.apply(binary.times, right=c.tiny)
    return x


def their_iteration(A: Any, c: Case) -> Any:
    x = c.dense
    for _ in range(STEPS):
        x = x + c.tiny * (A @ x)
    return x


def triangles(c: Case) -> gb.Matrix:
    return semiring.plus_pair["INT64"](c.L @ c.L.T).new(mask=c.L.S)


def full_product(c: Case) -> float:
    return c.matrix() + 2 * c.vector()


def values(times: int) -> Callable[[Case], float]:
    return lambda c: times * c.nvals * c.value


def matrices(*shares: float) -> Callable[[Case], float]:
    """Bytes of matrices with these shares of the entries: 2 means two whole matrices."""
    return lambda c: sum(max(1, share) * c.matrix(min(1, share)) for share in shares)


# fmt: off
OPERATIONS = [Operation(*row) for row in (
    ("mxv plus_times", lambda c: semiring.plus_times(c.A @ c.x).new(), lambda A, c: A @ c.dense, full_product),
    (f"{STEPS} steps of mxv plus_times in a loop", iterated, their_iteration,
     lambda c: STEPS * (c.matrix() + 4 * c.vector())),
    ("mxv min_plus", lambda c: semiring.min_plus(c.A @ c.x).new(), None, full_product),
    ("reduce_rowwise plus", lambda c: c.A.reduce_rowwise(monoid.plus).new(), lambda A, c: A.sum(axis=1),
     lambda c: c.offsets + c.nvals * c.value + c.vector()),
    ("reduce_columnwise plus", lambda c: c.A.reduce_columnwise(monoid.plus).new(), lambda A, c: A.sum(axis=0),
     lambda c: c.matrix() + c.vector()),
    ("reduce_rowwise count", lambda c: c.A.reduce_rowwise(agg.count).new(), lambda A, c: c.xp.diff(A.indptr),
     lambda c: c.offsets + 8 * c.n),
    ("reduce_scalar plus", lambda c: c.A.reduce_scalar(monoid.plus).new(), lambda A, c: A.data.sum(), values(1)),
    ("reduce_rowwise max", lambda c: c.A.reduce_rowwise(monoid.max).new(), None, matrices(1)),
    ("select tril", lambda c: select.tril(c.A).new(), lambda A, c: c.sparse_library.tril(A, format="csr"),
     matrices(1, 0.5)),
    ("select value > 0.5", lambda c: select.value(c.half < c.A).new(), None, matrices(1, 0.5)),
    ("apply times 2", lambda c: c.A.apply(binary.times, right=c.two).new(), lambda A, c: A * c.two, values(2)),
    ("transpose", lambda c: c.B.T.new(), lambda A, c: A.T.tocsr(), matrices(2)),
    ("A + A'", lambda c: c.A.ewise_add(c.B, binary.plus).new(), lambda A, c: A + c.transposed, matrices(4)),
    ("A .* A'", lambda c: c.A.ewise_mult(c.B, binary.times).new(), lambda A, c: A.multiply(c.transposed), matrices(3)),
    ("A + 2 A (equal patterns)",
     lambda c: c.A.ewise_add(c.A.apply(binary.times, right=c.two).new(), binary.plus).new(), None, values(5)),
    ("A(A.S) << 1", lambda c: assigned(c.A, {"mask": c.A.S}, 1), None, values(1)),
    ("A(~B.S, replace) << A", lambda c: assigned(c.A, {"mask": ~c.B.S, "replace": True}, c.A), None, matrices(3)),
    ("A(B.S, plus) << A", lambda c: assigned(c.A, {"mask": c.B.S, "accum": binary.plus}, c.A), None, matrices(3)),
    ("from_coo, shuffled", from_coo, their_coo, lambda c: c.matrix() + c.nvals * (16 + c.value)),
    ("diag(v) * A", lambda c: semiring.plus_times(c.D @ c.A).new(), lambda A, c: c.their_diagonal @ A,
     lambda c: 2 * c.matrix() + c.vector()),
    ("A * diag(v)", lambda c: semiring.plus_times(c.A @ c.D).new(), lambda A, c: A @ c.their_diagonal,
     lambda c: 2 * c.matrix() + c.vector()),
    ("A[I, :]", lambda c: c.A[c.index, :].new(), lambda A, c: A[c.index, :], matrices(0.25, 0.25)),
    ("A[I, I]", lambda c: c.A[c.index, c.index].new(), lambda A, c: A[c.index, :][:, c.index], matrices(0.25, 0.0625)),
    ("A[a:b, :]", lambda c: c.A[c.middle, :].new(), lambda A, c: A[c.middle, :], matrices(0.5, 0.5)),
    ("v[I]", lambda c: c.x[c.index].new(), lambda A, c: c.dense[c.index],
     lambda c: 2 * c.vector(0.25) + 8 * len(c.index)),
    ("A[I, :] << B", lambda c: assigned(c.A, (c.index, slice(None)), c.rows), None, matrices(2, 0.25)),
    ("A[a:b, a:b] << 1", lambda c: assigned(c.A, (c.block, c.block), 1), None, matrices(2)),
    ("y[i] << 1, ten indices", lambda c: assigned(c.x, TEN, 1), None, lambda c: 2 * c.vector()),
    ("y[i] << 1, ten indices, sparse y", lambda c: assigned(c.sparse, TEN, 1), None,
     lambda c: 2 * (c.vector(0.1) + 0.4 * c.n)),
    ("diagonal of A", lambda c: c.A.diag(), lambda A, c: A.diagonal(), lambda c: c.offsets + 4 * c.n + c.vector(2)),
    ("diag(v)", lambda c: c.x.diag(), lambda A, c: c.their_diagonal, lambda c: c.offsets + c.vector(2)),
    ("A above A", lambda c: gb.ss.concat([[c.A], [c.A]]), lambda A, c: c.sparse_library.vstack([A, A], format="csr"),
     matrices(4)),
    ("kronecker product with 2 x 2", lambda c: c.A.kronecker(c.pair, binary.times).new(),
     lambda A, c: c.sparse_library.kron(A, c.their_pair, format="csr"), matrices(3)),
    ("A * A", lambda c: semiring.plus_times(c.A @ c.A).new(), lambda A, c: A @ A, matrices(2), PRODUCTS),
    ("masked plus_pair L * L'", triangles, None, matrices(0.5, 0.5)),
    ("triangles of vertices", lambda c: c.to_higher_degrees.triangles_of_vertices(), None, matrices(0.5, 0.5)),
    ("triangles of edges", lambda c: c.to_higher_degrees.triangles_of_edges(), None, matrices(0.5, 0.5, 0.5)),
)]
# fmt: on
