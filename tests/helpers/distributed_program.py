"""What the ranks of a job run for tests/mpi/test_distributed.py: every function named ``case_...``, on this many ranks.

Rank 0 prints the name of each case that went well. Whatever is compared is compared on every rank.
"""

from __future__ import annotations

import itertools
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from library_algorithms import ALGORITHMS as LIBRARY
from mpi4py import MPI

import grblas_gpu as gb
from grblas_gpu import Matrix, Vector, algorithms, binary, generators, indexunary, monoid, select, semiring, unary
from grblas_gpu.distributed import (
    DistMatrix,
    DistVector,
    Grid,
    RanksDiffer,
    graph500,
    hybrid_bfs,
    spread,
    validate_tree,
)
from grblas_gpu.exceptions import DimensionMismatch, IndexOutOfBound, InvalidValue, OutOfMemory
from grblas_gpu.io.binary_files import MAGIC

WORLD = MPI.COMM_WORLD
RANK, RANKS = WORLD.Get_rank(), WORLD.Get_size()
LOCAL = "numpy"
GRIDS = list(dict.fromkeys(["mpi", f"mpi:{RANKS}x1", f"mpi:1x{RANKS}"]))


def graphs() -> Iterator[tuple[str, Matrix, int]]:
    """Name, graph and a source."""
    random = np.random.default_rng(3)
    with gb.using(LOCAL):
        yield "kronecker", generators.kronecker(8, 8, seed=2), 5
        yield "grid", generators.grid_2d(4, 7), 5
        ends = random.integers(0, 61, (2, 250))
        yield "directed", Matrix.from_coo(*ends, random.random(250), nrows=61, ncols=61, dup_op=binary.plus), 11
        yield "disconnected", Matrix.from_coo([0, 1, 5, 6, 20], [1, 0, 6, 5, 21], True, nrows=30, ncols=30), 5
        yield "path of five", generators.path(5), 2
        yield "two vertices", Matrix.from_coo([0], [1], True, nrows=2, ncols=2), 0
        yield "one vertex", Matrix(bool, 1, 1), 0


def check(found: Any, wanted: Any) -> None:
    """Equal entries and types; floats may be rounded differently.

    What is ``wanted`` may be a function that computes it: then rank 0 does, for all (cores are few).
    """
    assert found.backend.startswith("mpi"), found.backend
    count = found.nvals
    *places, values = found.to_coo()
    if callable(wanted) and not hasattr(wanted, "nvals"):
        if RANK != 0:
            return
        wanted = wanted()
    assert found.shape == wanted.shape
    assert found.dtype == wanted.dtype, (found.dtype, wanted.dtype)
    assert count == wanted.nvals, (count, wanted.nvals)
    *expected, others = wanted.to_coo()
    for mine, other in zip(places, expected, strict=True):
        assert mine.tolist() == other.tolist()
    if values.dtype.kind == "f":
        np.testing.assert_allclose(values, others, rtol=1e-10)
    else:
        assert values.tolist() == others.tolist()


def expect(kind: type[BaseException], work: Any, text: str) -> None:
    """Every rank gets this error."""
    try:
        work()
    except kind as error:
        assert text in str(error), error
    else:
        raise AssertionError(f"no {kind.__name__}")


# --- algorithms ------------------------------------------------------------------------------------------------------

ALGORITHMS = {
    "bfs": lambda A, s: algorithms.bfs(A, s),
    "bfs, two steps": lambda A, s: algorithms.bfs(A, s, max_depth=2),
    "bfs_parents": lambda A, s: algorithms.bfs_parents(A, s, reproducible=True),
    "dobfs": lambda A, s: algorithms.dobfs(A, s),
    "dobfs, push": lambda A, s: algorithms.dobfs(A, s, direction="push"),
    "dobfs, pull": lambda A, s: algorithms.dobfs(A, s, direction="pull"),
    "dobfs, values": lambda A, s: algorithms.dobfs(A, s, structure_only=False, operand_reuse=False),
    "betweenness of one": lambda A, s: algorithms.betweenness_centrality(A, s),
    "betweenness of some": lambda A, s: algorithms.betweenness_centrality(A, range(min(5, A.nrows)), endpoints=True),
    "pagerank": lambda A, s: algorithms.pagerank(A, tol=1e-3),
    "connected_components": lambda A, s: algorithms.connected_components(A),
    "hybrid_bfs": lambda A, s: algorithms.hybrid_bfs(A, s),
    "bfs_multi": lambda A, s: algorithms.bfs_multi(A, [0, s]),
}


def case_algorithms() -> None:
    for name, A, source in graphs():
        D = A.to("mpi")
        for what, algorithm in ALGORITHMS.items():
            try:
                check(algorithm(D, source), partial(algorithm, A, source))
            except Exception as error:
                error.add_note(f"{what} on the graph {name}")
                raise


def case_one_dimension() -> None:
    for backend in GRIDS[1:]:
        for name, A, source in graphs():
            if name not in ("kronecker", "directed", "one vertex")[RANKS > 4 :]:
                continue
            D = A.to(backend)
            for what in ("bfs", "dobfs, pull", "bfs_parents", "betweenness of some", "connected_components"):
                check(ALGORITHMS[what](D, source), partial(ALGORITHMS[what], A, source))


MANY_STEPS = ("edge_betweenness_centrality", "leiden", "louvain")  # half a minute each on four ranks of two cores
PAPERS = {name: partial(getattr(algorithms, name), source=5) for name in ("turbobfs", "xbfs")}


def case_the_rest_of_the_library() -> None:
    if RANKS not in (1, 4):
        return
    with gb.using(LOCAL):
        A = generators.kronecker(5, 4, seed=2).dup(float)
    D = A.to("mpi")
    for name, algorithm in (LIBRARY | PAPERS).items():
        if name in MANY_STEPS and RANKS > 1:
            continue
        try:
            with gb.trace() as t:
                found = algorithm(D)
            assert not [record.op for record in t.records if record.strategy == "gathered"]
            wanted = algorithm(A)
            for mine, other in zip(*([x] if not isinstance(x, tuple) else x for x in (found, wanted)), strict=True):
                if hasattr(mine, "nvals"):
                    check(mine, other)
                else:
                    assert np.isclose(mine, other).all()
        except Exception as error:
            error.add_note(name)
            raise


def case_exact_betweenness() -> None:
    with gb.using(LOCAL):
        A = generators.grid_2d(3, 4)
    for batch in (1, 5):
        check(
            algorithms.betweenness_centrality(A.to("mpi"), batch=batch, normalized=False),
            algorithms.betweenness_centrality(A, normalized=False),
        )


def case_tree_of_graph500() -> None:
    for _, A, source in graphs():
        if not A.pattern().is_symmetric():
            continue
        D = A.to("mpi")
        parents = hybrid_bfs(D, source)
        result = validate_tree(D, source, parents)
        assert result.ok, result
        levels = algorithms.bfs(A, source)
        assert result.vertices == levels.nvals
        assert result.depth == levels.reduce(monoid.max).new().value + 1


def case_wrong_trees_are_found() -> None:
    with gb.using(LOCAL):
        A = generators.path(6)
    D = A.to("mpi")
    right = [0, 0, 1, 2, 3, 4]
    wrong = [  # the checks that must fail, and a tree with such a mistake
        ([], right),
        ([0], [0, 0, 3, 2, 3, 4]),  # a cycle of 2 and 3
        ([0], [1, 0, 1, 2, 3, 4]),  # the source has another parent
        ([3, 4], [0, 0, 1, 1, 3, -1]),  # 3 hangs on 1; 5 is missing
        ([3], [0, 0, 1, 2, 3, -1]),
        ([2, 4], [0, 0, 1, 2, 0, 4]),  # 4 hangs on 0, and is two levels above 3
    ]
    for failing, parents in wrong:
        places = [v for v, parent in enumerate(parents) if parent >= 0]
        tree = Vector.from_coo(places, [parents[v] for v in places], size=6).to("mpi")
        found = validate_tree(D, 0, tree).failed
        assert all(found[k] for k in failing), (failing, found)
        assert bool(failing) == any(found), (failing, found)


def case_graph500() -> None:
    result = graph500(7, roots=5, seed=4)
    assert result.validated
    assert len(result.teps) == len(set(result.roots)) == 5
    assert min(result.teps) <= result.harmonic_mean_teps <= max(result.teps)
    assert result.ranks == RANKS
    sent = sum(level.bytes_all for level in result.levels)
    assert (sent > 0) == (RANKS > 1)


def case_searches() -> None:
    """Trees of searches by levels, directed graphs too; and what the trace tells of them."""
    for _, A, source in graphs():
        D = A.to("mpi")
        levels = algorithms.bfs(A, source)
        for _ in range(2):  # the second one finds what the first has left
            parents = hybrid_bfs(D, source).to("cpu")
            assert parents.dtype == gb.dtypes.INT64
            known, found = levels.to_dict(), parents.to_dict()
            assert known.keys() == found.keys()
            edges = A.to_dicts()
            for v, parent in found.items():
                assert v == parent == source or (known[v] == known[parent] + 1 and v in edges[parent])
    with gb.using(LOCAL):
        A = generators.kronecker(9, seed=2)
    D = A.to("mpi")
    with gb.trace() as t:
        hybrid_bfs(D, 3)
    assert {record.direction for record in t.steps()} == {"push", "pull"}
    assert sum(record.output_nvals for record in t.steps()) + 1 == algorithms.bfs(A, 3).nvals
    carried = {record.transport for record in t.steps()}
    assert len(carried) == 1, carried
    print(f"[carried by {carried.pop()}]", file=sys.stderr, flush=True)
    for record in t.steps():
        assert (record.bytes_sent > 0) == (RANKS > 1)


# --- operations ------------------------------------------------------------------------------------------------------


def pair_of(x: Any) -> tuple[Any, Any]:
    return x, x.to("mpi")


def run(work: Any, x: Any, *others: Any) -> Any:
    """``work(x, ...)`` where new objects belong to the backend of ``x``, as in a graph algorithm."""
    with gb.using(x.backend):
        return work(x, *others)


def some_vectors() -> list[Vector]:
    random = np.random.default_rng(1)
    with gb.using(LOCAL):
        places = [np.flatnonzero(random.random(23) < fill) for fill in (0.0, 0.2, 0.5, 1.0)]
        empty, one_value = (Vector.from_coo(some, 2, dtype=int, size=23) for some in places[:2])
        return [
            empty,
            one_value,
            *(Vector.from_coo(some, random.integers(-5, 9, len(some)), size=23) for some in places[2:]),
        ]


def some_matrices() -> list[Matrix]:
    random = np.random.default_rng(2)
    with gb.using(LOCAL):
        ends = random.integers(0, 23, (2, 90))
        A = Matrix.from_coo(*ends, random.integers(-3, 7, 90), nrows=23, ncols=23, dup_op=binary.plus)
        ends = random.integers(0, 23, (2, 30))
        return [A, Matrix.from_coo(*ends, 2, dtype=int, nrows=23, ncols=23), Matrix(int, 23, 23)]


MASKS = [
    (lambda m: m.S, {}),
    (lambda m: ~m.S, {"replace": True}),
    (lambda m: m.V, {"accum": binary.plus}),
    (lambda m: ~m.V, {"direction": "pull"}),
]
SEMIRINGS = [semiring.plus_times, semiring.min_first, semiring.any_pair, semiring.max_secondi, semiring.plus_secondi]


def case_masked_updates() -> None:
    vectors, matrices = some_vectors(), some_matrices()[:2]
    combinations = itertools.product(vectors, vectors[1:3], matrices, SEMIRINGS, MASKS)
    # A third of them on every number of ranks, all of them on 1, 2 and 3; fewer where ranks wait for cores.
    some = itertools.islice(combinations, RANKS % 3, None, 3 if RANKS <= 3 else 6)
    for u, mask, A, op, (view, options) in some:

        def updated(x: Vector, y: Matrix, m: Vector, out: Vector, op=op, view=view, options=options) -> Vector:
            out(view(m), **options) << op(x @ y)
            out(view(m)) << op(y @ x)
            out(view(m)) << op(y.T @ x)
            return out

        given = (u, A, mask, vectors[2])
        check(updated(*(x.to("mpi") for x in given)), partial(updated, *given[:3], given[3].dup()))


def case_products_in_steps() -> None:
    """Of full operands, a block computes on one part while the next arrives: the same results, bytes and messages."""
    random = np.random.default_rng(4)
    n = 301
    with gb.using(LOCAL):
        vectors = [Vector.from_dense(random.integers(1, 9, n).astype(kind)) for kind in (float, "float32", int)]
        vectors.append(Vector.from_dense(np.full(n, 3)))
        ends = np.unique(random.integers(0, n, (2, 900)), axis=1)
        sparse = [Matrix.from_coo(*ends, what, nrows=n, ncols=n) for what in (random.random(ends.shape[1]), 2)]
        bitmap = Matrix.from_coo(*np.nonzero(random.random((n, n)) < 0.6), 1.5, nrows=n, ncols=n)
        mask = Vector.from_coo(np.arange(0, n, 3), True, size=n)
    operators = itertools.cycle([semiring.plus_times, semiring.max_minus, semiring.min_plus])
    for grid, (x, A) in itertools.product(GRIDS, zip(vectors, [*sparse, bitmap, sparse[0]], strict=True)):
        op = next(operators)
        D, u, m = A.to(grid), x.to(grid), mask.to(grid)
        engine, sent = D._engine, []
        steps = min(engine.grid.shape[1], 4) if A is not bitmap else 1
        for overlap in (False, True, True):  # the block is cut for the first one
            engine.overlap, out = overlap, u.dup()
            u.nvals  # known to be full
            with gb.trace() as t:
                out(~m.S, direction="pull") << op(u @ D)
                out(m.V, binary.plus, direction="pull") << op(D.T @ u)
            check(out, partial(_updated_twice, op, x, A, mask))
            names = {record.transport for record in t.steps()}
            assert names == {f"mpi, in {steps} steps" if overlap and steps > 1 else "mpi"}, names
            sent.append([(record.bytes_sent, record.messages) for record in t.steps()])
        assert sent[0] == sent[2]
        engine.overlap = None


def _updated_twice(op: Any, x: Vector, A: Matrix, mask: Vector) -> Vector:
    out = x.dup()
    out(~mask.S) << op(x @ A)
    out(mask.V, binary.plus) << op(A.T @ x)
    return out


def case_vector_operations() -> None:
    u, v = some_vectors()[1:3]
    full = some_vectors()[3]
    for x, y in ((u, v), (v, u), (v, full), (full, u)):
        (a, b), (c, d) = pair_of(x), pair_of(y)
        for work in (
            lambda p, q: binary.plus(p | q).new(),
            lambda p, q: binary.minus(p & q).new(),
            lambda p, q: binary.minus(p | q, left_default=1, right_default=2).new(),
            lambda p, q: unary.abs(p).new(),
            lambda p, q: binary.times(p, 3).new(),
            lambda p, q: p.apply(binary.minus, left=4).new(),
            lambda p, q: select.valuegt(p, 1).new(),
            lambda p, q: select.rowle(p, 9).new(),
            lambda p, q: indexunary.rowindex(p, 2).new(),
            lambda p, q: unary.positioni(p).new(),
            lambda p, q: p.dup(float, mask=~q.S),
            lambda p, q: p[[3, 1, 22]].new(),
            lambda p, q: p.reposition(2).new(),
            lambda p, q: p.diag(1).reduce_rowwise(monoid.plus).new(),
        ):
            check(run(work, b, d), run(work, a, c))
        for number in (
            lambda p, q: p.reduce(monoid.plus).new().value,
            lambda p, q: p.reduce(monoid.max).new().value,
            lambda p, q: semiring.plus_times(p @ q).new().value,
            lambda p, q: p.get(3),
            lambda p, q: p.isequal(q),
            lambda p, q: p.isequal(p.dup()),
            lambda p, q: 7 in p,
            lambda p, q: gb.agg.count(p).new().value,
        ):
            assert run(number, b, d) == run(number, a, c)


def case_assignment() -> None:
    for x in some_vectors():
        a, b = x.dup(), x.to("mpi")

        def change(w: Vector) -> None:
            w[4] = 9
            w[[1, 8, 22]] << 5
            w[2:6] << w[6:10].new()
            w(binary.plus)[[0, 8]] << 2
            w[[5, 6]] = [7, 8]
            del w[1]
            w(w.S) << 3

        run(change, a)
        run(change, b)
        check(b, a)
        for w in (a, b):
            w.resize(9)
        check(b, a)
        for w in (a, b):
            w.clear()
        check(b, a)


def case_indirect() -> None:
    """u[index] and c[index] += value, for index Vectors."""
    random = np.random.default_rng(5)
    with gb.using(LOCAL):
        for fill in (0.0, 0.4, 1.0):
            places = np.flatnonzero(random.random(31) < fill)
            index = Vector.from_coo(places, random.integers(0, 23, len(places)), size=31)
            value = Vector.from_coo(np.arange(0, 31, 2), random.integers(0, 50, 16), size=31)
            for u in some_vectors():
                for accum in (binary.plus, binary.min, binary.max):
                    c, d = u.dup(), u.to("mpi")
                    c(accum)[index] << value
                    d(accum)[index.to("mpi")] << value.to("mpi")
                    check(d, c)
                    c(accum)[index] << 3
                    d(accum)[index.to("mpi")] << 3
                    check(d, c)
                check(u.to("mpi")[index.to("mpi")].new(), u[index].new())
                c, d = u.dup(), u.to("mpi")
                c[index] << 4
                d[index.to("mpi")] << 4
                check(d, c)
                mask = Vector.from_coo(range(0, 23, 3), True, size=23)
                c, d = u.dup(), u.to("mpi")
                c(mask.S, binary.plus)[index] << value
                d(mask.to("mpi").S, binary.plus)[index.to("mpi")] << value.to("mpi")
                check(d, c)
        wrong = Vector.from_coo([0, 7], [1, 99], size=31).to("mpi")
        target = some_vectors()[2].to("mpi")
    expect(IndexOutOfBound, lambda: target[wrong].new(), "index=99, size=23")


def case_complex_numbers_and_values_of_users() -> None:
    """Complex numbers, records (with gaps between their fields) and arrays as values, next to one machine."""
    if RANKS != 2:  # every rank compiles the functions of users, which takes seconds
        return
    record = np.dtype([("x", np.int8), ("y", np.float64), ("near", np.int16, (2,))], align=True)
    lower = binary.register_anonymous(lambda p, q: p if p["y"] <= q["y"] else q, is_udt=True)
    height = unary.register_anonymous(lambda p: p["y"] + 1, is_udt=True)
    plus = binary.register_anonymous(lambda p, q: p + q, is_udt=True)
    least = monoid.register_anonymous(lower, (127, 1e300, 0))
    total = monoid.register_anonymous(plus, 0)
    records = lower, least, semiring.register_anonymous(least, lower), (1, 2.5, (3, 4)), height
    arrays = plus, total, semiring.register_anonymous(total, plus), [1, 2, 3], unary.one
    numbers = binary.minus, monoid.plus, semiring.plus_times, 2 - 1j, unary.conj

    def values(kind: str, count: int, seed: int) -> np.ndarray:
        random = np.random.default_rng(seed)
        if kind == "arrays":
            return random.integers(0, 9, (count, 3))
        if kind == "numbers":
            return random.integers(0, 9, count) + 1j * random.integers(0, 9, count)
        found = np.zeros(count, record)
        found["x"], found["near"], found["y"] = random.integers(0, 9, count), [[1, 2]], random.random(count)
        return found

    def compute(kind: str, op: Any, add: Any, ring: Any, value: Any, single: Any) -> Iterator[Any]:
        u = Vector.from_coo([0, 2, 3, 5, 8], values(kind, 5, 1), size=9)
        v = Vector.from_coo([1, 2, 5], values(kind, 3, 2), size=9)
        A = Matrix.from_coo([0, 1, 2, 2, 5, 8], [1, 1, 0, 5, 2, 0], values(kind, 6, 3), nrows=9, ncols=9)
        yield from (op(u & v).new(), op(A, value).new(), binary.first(u | v).new(), single(A).new())
        yield from (ring(A @ u).new(), ring(u @ A).new(), ring(A @ A.T).new(), A.reduce_rowwise(add).new())
        yield from (A.T.new(), A[[2, 0, 2], :].new(), u[::-1].new(), select.tril(A).new(), A.diag())
        yield from (A.ss.selectk("last", 1), A.ss.reshape(27, 3, "columnwise"), gb.ss.concat([[A, A.T]]))
        yield from (u.ss.compactify(), A.ss.compactify("last", order="columnwise"))
        w = u.dup()
        w(~v.S, replace=True) << op(u | v)
        w[1] = value
        w[[4, 6]] << v[[1, 2]]
        w(op) << v
        yield w
        A(op)[:, 1] << u
        yield A
        yield u.reduce(add).new().value
        yield w[1].new().value

    for kind, given in {"numbers": numbers, "records": records, "arrays": arrays}.items():
        with gb.using("mpi"):
            found = list(compute(kind, *given))
        with gb.using(LOCAL):
            wanted = list(compute(kind, *given))
        for mine, other in zip(found, wanted, strict=True):
            if not hasattr(mine, "to_coo"):
                assert str(mine) == str(other), (kind, mine, other)
                continue
            assert mine.dtype == other.dtype and mine.shape == other.shape
            for part, wanted_part in zip(mine.to_coo(), other.to_coo(), strict=True):
                np.testing.assert_array_equal(part, wanted_part)


def case_order_by_degree() -> None:
    for _, A, _ in graphs():
        wanted, found = A.by_degree(), A.to("mpi").by_degree()
        for mine, other in zip(found, wanted, strict=True):
            check(mine, other)


def case_hubs_are_spread() -> None:
    """Every vertex has a number, edges are the same ones, and no rank has much more of them than the others."""
    for _, A, _ in graphs():
        graph, P = spread(A.to("mpi"))
        assert graph.shape == P.shape == A.shape
        old = P.to_coo()[1]
        assert sorted(old) == list(range(A.nrows))
        rows, cols, _ = graph.to_coo()
        assert sorted(zip(old[rows], old[cols], strict=True)) == sorted(zip(*A.to_coo()[:2], strict=True))
    with gb.using(LOCAL):
        A, wide = generators.kronecker(9, seed=4), Matrix(bool, 2, 3)
    before, after = (
        max(WORLD.allgather(M._store.part.nvals)) * RANKS / A.nvals for M in (A.to("mpi"), spread(A.to("mpi")).graph)
    )
    assert after == 1 if RANKS == 1 else after < min(before, 1.5), (before, after)
    expect(InvalidValue, lambda: spread(A), "A.to")
    expect(DimensionMismatch, lambda: spread(wide.to("mpi")), "square")


def case_what_gathers() -> None:
    """The trace names what is brought together; graph algorithms have none of it."""
    with gb.using(LOCAL):
        A = Matrix.from_coo([0, 1, 1, 2, 5, 6, 7], [1, 0, 2, 0, 6, 7, 5], True, nrows=30, ncols=30)
    D, W = A.to("mpi"), A.dup(float).to("mpi")
    algorithm = [
        lambda: algorithms.bfs(D, 0),
        lambda: algorithms.bfs_multi(D, [0, 5]),
        lambda: algorithms.hybrid_bfs(D, 0),
        lambda: algorithms.pagerank(D),
        lambda: algorithms.connected_components(D),
        lambda: algorithms.sssp(W, 0),
        lambda: algorithms.triangles(D),
        lambda: algorithms.triangle_count(D),
        lambda: algorithms.betweenness_centrality(D),
    ]
    for work in [*algorithm, lambda: W.kronecker(W[:2, :2].new()).new()]:
        with gb.trace() as t:
            work()
        gathered = [record.op for record in t.records if record.strategy == "gathered"]
        assert bool(gathered) == (work not in algorithm), gathered
        assert ("warning: brought together on every rank" in str(t)) == bool(gathered)


def case_copies_side_by_side() -> None:
    for grid in GRIDS:
        for _, A, _ in graphs():
            check(A.to(grid).side_by_side(3), A.side_by_side(3))


def case_matrix_operations() -> None:
    for x in some_matrices():
        for y in some_matrices():
            (a, b), (c, d) = pair_of(x), pair_of(y)
            for work in (
                lambda p, q: p.T.new(),
                lambda p, q: binary.plus(p | q.T).new(),
                lambda p, q: binary.times(p & q).new(int),
                lambda p, q: semiring.plus_times(p @ q).new(),
                lambda p, q: semiring.min_plus(p @ q.T).new(mask=p.S),
                lambda p, q: semiring.plus_secondi(p @ q).new(),
                lambda p, q: select.tril(p, -1).new(),
                lambda p, q: select.offdiag(p).new(),
                lambda p, q: p[[3, 1], :5].new(),
                lambda p, q: p.reduce_rowwise(monoid.plus).new(),
                lambda p, q: p.reduce_columnwise(monoid.max).new(),
                lambda p, q: p[2, :].new(),
                lambda p, q: p.pattern(),
                lambda p, q: p.diag(),
            ):
                check(run(work, b, d), run(work, a, c))
            assert b.reduce_scalar(monoid.plus).new().value == a.reduce_scalar(monoid.plus).new().value
            assert b.is_symmetric() == a.is_symmetric()
            np.testing.assert_allclose(b.degree_statistics(), a.degree_statistics())
            assert b.value_range() == a.value_range()
            for mine, other in zip(b.to_csr(), a.to_csr(), strict=True):
                assert mine.tolist() == other.tolist()
            check(a.to("mpi"), b.to(LOCAL))


def case_entries_that_move() -> None:
    """Parts, diagonals, other shapes and a vector beside a matrix, on every grid: nothing is brought together."""
    random = np.random.default_rng(6)
    with gb.using(LOCAL):
        square = some_matrices()[0]
        ends = random.integers(0, 9, 40), random.integers(0, 31, 40)
        wide = Matrix.from_coo(*ends, random.random(40), nrows=9, ncols=31, dup_op=binary.plus)
        u, v = some_vectors()[2:]
    lists = [3, 1, 3, 8, 0]
    of_matrices = [
        lambda p: p[lists, [7, 2, 2]].new(),
        lambda p: p[:, lists].new(),
        lambda p: p[1:6, ::3].new(),
        lambda p: p[4, :].new(),
        lambda p: p[4, lists].new(),
        lambda p: p[:, 5].new(),
        lambda p: p[lists, 5].new(),
        *(lambda p, k=k: p.diag(k) for k in (-2, 0, 3, 40, -40)),
        lambda p: changed(p, lambda q: q.resize(7, 40)),
        lambda p: changed(p, lambda q: q.resize(40, 3)),
        lambda p: changed(p, lambda q: q(accum=binary.plus)[2, :] << q[3, :].new()),
        lambda p: changed(p, lambda q: q[:, 6] << q[:, 2].new()),
    ]
    of_vectors = [
        lambda x, y: x[lists].new(),
        lambda x, y: x[::-2].new(),
        *(lambda x, y, k=k: x.diag(k) for k in (-2, 0, 3)),
        lambda x, y: changed(x, lambda w: w.resize(7)),
        lambda x, y: changed(x, lambda w: w.resize(40)),
        lambda x, y: x.outer(y, binary.minus).new(),
        lambda x, y: changed(x, lambda w: w[[5, 1, 20]] << y[[0, 8, 3]].new()),
        lambda x, y: changed(x, lambda w: w(binary.plus)[::2] << y[:12].new()),
        lambda x, y: changed(x, lambda w: w(y.V, replace=True)[3:6] << y[7:10].new()),
        lambda x, y: changed(x, lambda w: w[[9, 4, 0, 21]](~y[:4].new().S) << y[9:13].new()),
        lambda x, y: changed(x, lambda w: w[::3](y[:8].new().V, binary.plus) << 7),
    ]
    beside = [
        lambda p, x: binary.minus(p & x).new(),
        lambda p, x: binary.times(x & p).new(),
        lambda p, x: binary.plus(p | x).new(),
        lambda p, x: p.power(0).new(),  # a vector that every rank has becomes a diagonal
    ]
    given = [
        *itertools.product(of_matrices, [(square,), (wide,)]),
        *itertools.product(of_vectors, [(u, v), (v, u)]),
        *itertools.product(beside, [(square, u), (square, v)]),
    ]
    with gb.trace() as t:
        for number, (grid, (work, objects)) in enumerate(itertools.product(GRIDS, given)):
            if RANKS > 3 and number % 3:  # fewer where ranks wait for cores
                continue
            check(run(work, *(x.to(grid) for x in objects)), partial(run, work, *objects))
    assert not [record.op for record in t.records if record.strategy == "gathered"]


def changed(x: Any, change: Any) -> Any:
    """A copy in the same form, after a change."""
    copy = x.dup()
    change(copy)
    return copy


def case_forms() -> None:
    """Blocks in every form, and blocks with more rows than pointers would fit."""
    x, y = some_matrices()[:2]
    with gb.using(LOCAL):
        dense = Matrix.from_dense(np.random.default_rng(5).integers(-3, 9, (23, 23)))
    works = (
        lambda p, q: semiring.plus_times(p @ q).new(),
        lambda p, q: binary.plus(p | q.T).new(),
        lambda p, q: p.dup(mask=q.S),
        lambda p, q: p.reduce_rowwise(monoid.max).new(),
        lambda p, q: p[[3, 1], :5].new(),
        lambda p, q: semiring.min_plus(q.T @ p).new(),
        lambda p, q: semiring.any_pair(p @ q).new(),
        lambda p, q: semiring.plus_times(p @ p.T).new(),
        lambda p, q: semiring.plus_times(p @ q).new(mask=q.S),
        lambda p, q: q.dup(mask=~p.V),
        lambda p, q: binary.minus(p & q).new(),
        lambda p, q: p.apply(binary.minus, left=3).new(),
        lambda p, q: p.select(">", 2).new(),
        lambda p, q: p.T.new(),
        lambda p, q: p.reduce_columnwise(monoid.plus).new(),
        lambda p, q: changed(p, lambda c: c(binary.plus).update(q)),
        lambda p, q: changed(p, lambda c: c(q.V, replace=True).update(q)),
        lambda p, q: changed(p, lambda c: c(~q.S).update(7)),
        lambda p, q: changed(p, lambda c: c[2:9, [1, 5]].update(4)),
        lambda p, q: changed(p, lambda c: c.__delitem__((3, slice(None)))),
    )
    for form, work in itertools.product(("sparse", "hypersparse", "bitmap", "full"), works):
        a = dense if form == "full" else x
        b = a.to("mpi").to(form=form)
        assert b._store.part.form == form
        check(run(work, b, y.to("mpi").to(form="bitmap")), partial(run, work, a, y))
    with gb.using(LOCAL):
        huge = Matrix.from_coo([5, 2**59, 2**60 - 1], [7, 0, 2**40], [1.5, 2.0, 2.5], nrows=2**60, ncols=2**60)
    there = huge.to("mpi")
    assert there._store.part.form == "hypersparse"
    check(semiring.plus_times(there @ there.T).new(), partial(run, lambda h: semiring.plus_times(h @ h.T).new(), huge))
    check(binary.plus(there | there.T).new(), partial(run, lambda h: binary.plus(h | h.T).new(), huge))
    check(there.reduce_columnwise("plus").new(), partial(run, lambda h: h.reduce_columnwise("plus").new(), huge))


def case_a_range_is_forgotten() -> None:
    """What was found out of the values of a matrix does not outlive them, whichever rank has those that change."""
    changes = [
        lambda A: A.__setitem__((22, 22), -99.0),
        lambda A: A.__setitem__((0, 1), float("nan")),
        lambda A: A.__delitem__((22, 22)),
        lambda A: A[4, :] << 50.0,
        lambda A: A(A.S, binary.times) << A,
        lambda A: A << binary.minus(A.T | A),
        lambda A: A << select.valuegt(A, 0.0),
        lambda A: A.resize(9, 9),
        lambda A: A.clear(),
    ]
    for x in some_matrices():
        a, b = pair_of(x.dup(float))
        for change in changes:
            change(a)
            change(b)
            np.testing.assert_equal(tuple(b.value_range()), tuple(a.value_range()))
            assert b.value_range() is b.value_range()


def case_shapes() -> None:
    random = np.random.default_rng(5)
    for nrows, ncols in ((1, 40), (40, 1), (3, 17), (0, 4), (2, 2)):
        with gb.using(LOCAL):
            count = min(30, nrows * ncols)
            ends = (random.integers(0, max(1, nrows), count), random.integers(0, max(1, ncols), count))
            A = Matrix.from_coo(*ends, 2, nrows=nrows, ncols=ncols, dtype=int)
            u, v = Vector.from_scalar(3, nrows), Vector.from_scalar(4, ncols)
        for direction in ("push", "pull"):
            results = []
            for x, y, B in ((u, v, A), (u.to("mpi"), v.to("mpi"), A.to("mpi"))):
                results.append((semiring.plus_times(x @ B).new(direction=direction), semiring.plus_times(B @ y).new()))
            for found, wanted in zip(*results[::-1], strict=True):
                check(found, wanted)
        expect(DimensionMismatch, lambda A=A, v=v: v.to("mpi").vxm(A.to("mpi")), "vxm") if nrows != ncols else None


# --- construction ----------------------------------------------------------------------------------------------------


def case_partition() -> None:
    """Every entry is on one rank, and in the place that it stands for."""
    for backend in GRIDS:
        for _, A, _ in graphs():
            block, rows, cols = DistMatrix.local(A.to(backend))
            i, j, _ = block.to_coo()
            mine = set(zip(rows[i].tolist(), cols[j].tolist(), strict=True))
            everyone = WORLD.allgather(mine)
            i, j, _ = A.to_coo()
            assert sum(map(len, everyone)) == A.nvals
            assert set().union(*everyone) == set(zip(i.tolist(), j.tolist(), strict=True))


def case_hypersparse_blocks() -> None:
    """Of many vertices few have edges: memory goes by the entries, indices have 32 bits, searches find them."""
    if RANKS != 2:  # vectors of many vertices take a while
        return
    n = 2**24
    ends = np.random.default_rng(4).choice(n, 40, replace=False)
    with gb.using(LOCAL):
        A = Matrix.from_coo(ends[:-1], ends[1:], True, nrows=n, ncols=n)
    D = DistMatrix.from_parts(*((ends[:-1], ends[1:]) if RANK == 0 else ([], [])), nrows=n, ncols=n)
    for x in (D, A.to("mpi")):
        part = x._store.part
        assert part.form == "hypersparse"
        assert sum(array.nbytes for array in part.arrays.values()) < 10_000
        assert part.indices.dtype == np.int32
    check(algorithms.bfs(D, int(ends[3])), partial(algorithms.bfs, A, int(ends[3])))
    assert hybrid_bfs(D, int(ends[3])).to("cpu").to_dict()[int(ends[9])] == ends[8]
    assert D._store.part.form == "hypersparse"


def case_kronecker() -> None:
    for scale, factor, seed in ((0, 4, 1), (1, 4, 2), (3, 16, 3), (9, 6, 4)):
        with gb.using(LOCAL):
            wanted = generators.kronecker(scale, factor, seed=seed)
        found = DistMatrix.kronecker(scale, factor, seed=seed)
        check(found, wanted)
        assert found.is_symmetric()


def case_parts() -> None:
    random = np.random.default_rng(7)
    rows, cols, values = random.integers(0, 19, 80), random.integers(0, 31, 80), random.random(80)
    mine = slice(RANK, None, RANKS)
    with gb.using(LOCAL):
        wanted = Matrix.from_coo(rows, cols, values, nrows=19, ncols=31, dup_op=binary.plus)
        pattern = Matrix.from_coo(rows, cols, True, nrows=31, ncols=31)
        vector = Vector.from_coo(rows, values, size=19, dup_op=binary.max)
    check(DistMatrix.from_parts(rows[mine], cols[mine], values[mine], nrows=19, ncols=31, dup_op="plus"), wanted)
    check(DistVector.from_parts(rows[mine], values[mine], size=19, dup_op=binary.max), vector)
    both = pattern.dup()
    both << binary.lor(pattern | pattern.T)
    found = DistMatrix.from_pieces(
        lambda rank, size: (([r], [c]) for r, c in zip(rows[mine], cols[mine], strict=True)),
        nrows=31, ncols=31, undirected=True,
    )  # fmt: skip
    check(found, select.offdiag(both).new())
    only_first = ([0, 1], [1, 2]) if RANK == 0 else ([], [])
    assert DistMatrix.from_parts(*only_first, nrows=3, ncols=3).nvals == 2


def case_files() -> None:
    folder = WORLD.bcast(tempfile.mkdtemp() if RANK == 0 else None)
    with gb.using(LOCAL):
        A = generators.kronecker(6, 4, seed=9)
    rows, cols, _ = A.to_coo()
    paths = {kind: os.path.join(folder, f"g.{kind}") for kind in ("txt", "mtx", "grb", "one.txt", "short.txt")}
    if RANK == 0:
        gb.io.save(paths["grb"], A)
        gb.io.mmwrite(paths["mtx"], A)
        with open(paths["txt"], "w", encoding="utf-8") as file:
            file.write("# vertices from 0\n")
            file.writelines(f"{i}\t{j}\n" for i, j in zip(rows, cols, strict=True))
        with open(paths["one.txt"], "w", encoding="utf-8") as file:
            file.write(
                "\n".join(f"{i + 1} {j + 1} 0.5" for i, j in zip(rows, cols, strict=True))
            )  # no newline at the end
        with open(paths["short.txt"], "w", encoding="utf-8") as file:
            file.write("0 1\n1 2\nthree\n2 0\n")
    WORLD.barrier()
    check(DistMatrix.from_file(paths["grb"]), A)
    check(DistMatrix.from_file(paths["mtx"]), A)
    check(DistMatrix.from_file(paths["txt"], nrows=64), A)
    check(DistMatrix.from_file(paths["one.txt"], nrows=64, base=1), A)
    check(DistMatrix.from_file(paths["one.txt"], nrows=64, base=1, undirected=True), A)
    expect(ValueError, lambda: DistMatrix.from_file(paths["short.txt"]), "'three'")
    expect(FileNotFoundError, lambda: DistMatrix.from_file(os.path.join(folder, "nothing.txt")), "nothing.txt")
    expect(ValueError, lambda: DistMatrix.from_file(paths["txt"] + ".gz"), "decompress")
    WORLD.barrier()
    if RANK == 0:
        for path in paths.values():
            os.unlink(path)
        os.rmdir(folder)


def case_many_files() -> None:
    """A list of files or a folder of them is one graph."""
    folder = WORLD.bcast(tempfile.mkdtemp() if RANK == 0 else None)
    with gb.using(LOCAL):
        A = generators.kronecker(6, seed=2)
    rows, columns, _ = A.to_coo()
    if RANK == 0:
        for number in range(5):
            text = "".join(f"{i} {j}\n" for i, j in zip(rows[number::5], columns[number::5], strict=True))
            with open(f"{folder}/{number}.txt", "w") as file:
                file.write(text)
    WORLD.barrier()
    check(DistMatrix.from_file(folder, nrows=64), A)
    check(DistMatrix.from_file([f"{folder}/{number}.txt" for number in range(5)], nrows=64), A)
    expect(FileNotFoundError, lambda: DistMatrix.from_file([f"{folder}/0.txt", f"{folder}/9.txt"]), "9.txt")
    WORLD.barrier()
    if RANK == 0:
        shutil.rmtree(folder)


def folder_of_parts() -> None:
    """Objects that the first job writes and later ones, with other numbers of ranks, read."""
    folder = os.environ["FOLDER_OF_PARTS"]
    for number, x in enumerate([*some_matrices(), *some_vectors()]):
        place = f"{folder}/{number}"
        kind: Any = DistMatrix if x.ndim == 2 else DistVector
        if RANKS == 3:
            kind.save(x.to("mpi"), place)
        check(kind.load(place), x)
    expect(ValueError, lambda: DistVector.load(f"{folder}/0"), "a Matrix, not a Vector")
    expect(FileNotFoundError, lambda: DistVector.load(f"{folder}/99"), "not a folder of parts")
    WORLD.barrier()
    if RANKS == 4:  # the last job
        if RANK == 0:
            part = f"{folder}/0/part-1.npz"
            with open(part, "rb") as file:
                data = bytearray(file.read())
            data[len(data) // 2] ^= 255
            with open(part, "wb") as file:
                file.write(data)
        WORLD.barrier()
        expect(ValueError, lambda: DistMatrix.load(f"{folder}/0"), "part-1.npz: damaged")


def case_damaged_files() -> None:
    """All ranks get the error, whichever of them reads the damage, and go on together."""
    folder = WORLD.bcast(tempfile.mkdtemp() if RANK == 0 else None)
    banner = "%%MatrixMarket matrix coordinate real "
    three = "1 2 1\n2 3 1\n3 1 1\n"
    for text, message in {
        f"general\n3 3 8\n{three}": "8 entries announced, 3 found",
        f"general\n3 3 3\n{three[:-6]}": "3 entries announced, 2 found",
        f"general\n3 3 2\n{three}": "2 entries announced, 3 found",
        f"general\n2 3 3\n{three}": "row 3 is not from 1 to 2",
        f"general\n3 2 3\n{three}": "column 3 is not from 1 to 2",
        f"general\n0 0 3\n{three}": "is not from 1 to 0",
        f"general\n3 3 1\n{10**30} 1 1\n": "beyond 64 bits",
        f"general\n-3 3 3\n{three}": "three sizes",
        f"general\n3 3 -3\n{three}": "three sizes",
        f"general\n{10**30} 3 3\n{three}": "three sizes",
        f"symmetric\n4 3 3\n{three}": "symmetric, but 4 x 3",
        f"other\n3 3 3\n{three}": "not a Matrix Market file",
    }.items():
        expect_damaged(folder, "a.mtx", (banner + text).encode(), message)
    for part, wrong, message in (
        ("indptr", [0, 3, 1, 4], "row pointers"),
        ("indptr", [1, 1, 3, 4], "row pointers"),
        ("indptr", [0, 1, 3, 9], "row pointers"),
        ("indices", [0, 1, 2, 3], "column 3 is not from 0 to 2"),
        ("indices", [-1, 1, 2, 0], "column -1 is not from 0 to 2"),
        ("shape", [-3, 3], "damaged"),
        ("shape", [4, 3], "row pointers"),
        ("kind", "Vector", "not a Matrix"),
    ):
        stored: dict[str, Any] = {"indptr": [0, 1, 3, 4], "indices": [0, 1, 2, 0], "shape": [3, 3], "kind": "Matrix"}
        expect_damaged(folder, "a.grb", own_format({**stored, part: wrong}), message)
    # A rank whose file is another one than that of the rest.
    path = os.path.join(folder, f"{RANK}" if RANK == RANKS - 1 else "all", "a.mtx")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    WORLD.barrier()
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{banner}general\n3 3 3\n{three[:6] if RANK == RANKS - 1 else three}")
    WORLD.barrier()
    before = os.getcwd()
    os.chdir(os.path.dirname(path))
    if RANKS > 1:
        expect(ValueError, lambda: DistMatrix.from_file("a.mtx"), "a.mtx: the ranks see different files")
    os.chdir(before)
    WORLD.barrier()
    if RANK == 0:
        shutil.rmtree(folder)


def expect_damaged(folder: str, name: str, data: bytes, message: str) -> None:
    path = os.path.join(folder, name)
    if RANK == 0:
        with open(path, "wb") as file:
            file.write(data)
    WORLD.barrier()
    for text in (path, message):
        expect(ValueError, lambda: DistMatrix.from_file(path), text)
    WORLD.barrier()


def own_format(stored: dict[str, Any]) -> bytes:
    """A file like those of ``io.save``, of these arrays."""
    arrays = {name: np.array(stored[name], np.int64) for name in ("indptr", "indices")}
    described = [[name, "<i8", len(array)] for name, array in arrays.items()]
    fields = {"kind": stored["kind"], "dtype": "BOOL", "shape": stored["shape"], "name": "", "arrays": described}
    header = json.dumps(fields).encode()
    data = MAGIC + b"\x01" + len(header).to_bytes(8, "little") + header  # version 1: without checksums
    for array in arrays.values():
        data += b"\0" * (-len(data) % 64) + array.tobytes()
    return data


# --- faults that all ranks notice ------------------------------------------------------------------------------------


def case_errors_are_everybodys() -> None:
    last = RANK == RANKS - 1
    expect(
        IndexOutOfBound,
        lambda: DistMatrix.from_parts([7 if last else 0], [0], nrows=3, ncols=3),
        "row indices: 7 is out of range for size 3",
    )
    expect(InvalidValue, lambda: DistMatrix.from_parts([0, 1], [0], nrows=3, ncols=3), "same length")
    with gb.using("mpi"):
        expect(ValueError, lambda: Vector.from_coo([2, 2], [1, 2], size=4), "Duplicate")
        expect(IndexOutOfBound, lambda: Vector.from_coo([9], [1], size=4), "9")
        expect(ValueError, lambda: Matrix.from_coo([2, 2], [1, 1], [1, 2], nrows=4, ncols=4), "Duplicate")
        # One rank's failure leaves all of them in step.
        A = Matrix.from_coo([0, 2], [1, 3], [1, 2], nrows=4, ncols=4)
        assert A.nvals == 2
        assert A.isequal(A.dup())
    expect(ValueError, lambda: gb.Vector(int, 3).to(f"mpi:{RANKS + 1}x1"), "ranks")
    expect(ValueError, lambda: gb.Vector(int, 3).to("mpi:mpi"), "one machine")
    if RANKS > 1:
        grid = Grid()
        expect(RanksDiffer, lambda: grid.check_same(seed=RANK), "seed: rank 0 has 0, rank 1 has 1")
        with gb.using("mpi"):
            expect(RanksDiffer, lambda: Vector.from_coo([RANK], [1], size=RANKS), "rank 1")
        expect(RanksDiffer, lambda: DistMatrix.kronecker(4, seed=RANK), "seed")


def case_too_much_to_gather() -> None:
    D = some_matrices()[0].to("mpi")
    os.environ["GRBLAS_GPU_MPI_GATHER"] = "10"
    try:
        expect(OutOfMemory, lambda: D.kronecker(D).new(), "kronecker has no distributed form")
    finally:
        del os.environ["GRBLAS_GPU_MPI_GATHER"]


def case_trace() -> None:
    with gb.using(LOCAL):
        A = generators.kronecker(9, seed=2)
    D = A.to("mpi")
    algorithms.dobfs(D, 3)
    with gb.trace() as t:
        algorithms.dobfs(D, 3)
    assert {record.direction for record in t.steps()} == {"push", "pull"}
    for record in t.steps():
        assert (record.bytes_sent > 0) == (RANKS > 1)
        assert record.messages is not None
    assert "sent" in str(t).splitlines()[0]
    WORLD.barrier()


def main() -> None:
    chosen = sys.argv[1:]
    for name, case in list(globals().items()):
        if name in chosen or (name.startswith("case_") and not chosen):
            begun = MPI.Wtime()
            case()
            if RANK == 0:
                print(f"{name} {MPI.Wtime() - begun:.2f} s", flush=True)


if __name__ == "__main__":
    main()
