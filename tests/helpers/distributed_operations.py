"""Cases of distributed_program.py: operations."""

import itertools
from functools import partial

import numpy as np
from distributed_objects import (
    EVERY,
    GRIDS,
    LOCAL,
    RANKS,
    WORLD,
    changed,
    check,
    expect,
    graphs,
    pair_of,
    run,
    some_matrices,
    some_vectors,
)

import grblas_gpu as gb
from grblas_gpu import Matrix, Vector, algorithms, binary, generators, indexunary, monoid, select, semiring, unary
from grblas_gpu.distributed import spread
from grblas_gpu.exceptions import DimensionMismatch, IndexOutOfBound, InvalidValue

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
    some = itertools.islice(combinations, RANKS % 3, None, 3 if RANKS <= 3 else 6 * (1 + (EVERY > 1)))
    for u, mask, A, op, (view, options) in some:

        def updated(x: Vector, y: Matrix, m: Vector, out: Vector, op=op, view=view, options=options) -> Vector:
            out(view(m), **options) << op(x @ y)
            out(view(m)) << op(y @ x)
            out(view(m)) << op(y.T @ x)
            return out

        given = (u, A, mask, vectors[2])
        check(updated(*(x.to("mpi") for x in given)), partial(updated, *given[:3], given[3].dup()))


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
            w.update(np.arange(0, w.size, 3), 4)
            w.delete([0, 5, 6, w.size - 1])

        for step in (change, lambda w: w.resize(9), lambda w: w.clear()):
            run(step, a)
            run(step, b)
            check(b, a)


def case_changes() -> None:
    """Many elements of a matrix at once: each rank changes those in its part."""
    for A in some_matrices():
        B, index = A.to("mpi"), np.random.default_rng(8).integers(0, 10**6, (2, 40))
        rows, cols = index[0] % A.nrows, index[1] % A.ncols
        for C in (A, B):
            C.update(rows, cols, np.arange(40) % 3, dup_op=binary.second)
            C.delete(cols[:7] % A.nrows, rows[:7] % A.ncols)
            C[1, 1] = 6
        assert [B.get(1, 1), B.get(0, 0)] == [6, A.get(0, 0)]
        check(B, A)


def case_indirect() -> None:
    """u[index] and c[index] += value, for index Vectors."""
    random = np.random.default_rng(5)
    works = [
        lambda u, index, value, mask: u[index].new(),
        lambda u, index, value, mask: changed(u, lambda c: c[index] << 4),
        lambda u, index, value, mask: changed(u, lambda c: c(mask.S, binary.plus)[index] << value),
    ]
    for op in (binary.plus, binary.min, binary.max):
        works += [
            lambda u, index, value, mask, op=op: changed(u, lambda c: c(op)[index] << value),
            lambda u, index, value, mask, op=op: changed(u, lambda c: c(op)[index] << 3),
        ]
    with gb.using(LOCAL):
        mask = Vector.from_coo(range(0, 23, 3), True, size=23)
        for fill in (0.0, 0.4, 1.0):
            places = np.flatnonzero(random.random(31) < fill)
            index = Vector.from_coo(places, random.integers(0, 23, len(places)), size=31)
            value = Vector.from_coo(np.arange(0, 31, 2), random.integers(0, 50, 16), size=31)
            for u, work in itertools.product(some_vectors(), works):
                given = u, index, value, mask
                check(work(*(x.to("mpi") for x in given)), work(*given))
        wrong = Vector.from_coo([0, 7], [1, 99], size=31).to("mpi")
        target = some_vectors()[2].to("mpi")
    expect(IndexOutOfBound, lambda: target[wrong].new(), "index=99, size=23")


def case_complex_numbers_and_values_of_users() -> None:
    """Complex numbers, records (with gaps between their fields) and arrays as values, next to one machine."""
    if RANKS != 2:  # every rank compiles user-defined functions, which takes seconds
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

    def compute(kind: str, op, add, ring, value, single):
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
    """Every vertex has a number, the edges are the same, and all ranks have about the same number of edges."""
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
    """The trace names operations that gather; graph algorithms use none."""
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
    """Extraction, diagonals, other shapes and aligned vectors, on every grid, without gathering."""
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
    """Cached properties of the values of a matrix are dropped when values change on any rank."""
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
