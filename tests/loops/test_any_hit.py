"""Products of which any is the result: trees and labels of searches, by fours of rows, by open rows, and by cost."""

import emulated_engine
import numpy as np
import pytest
from loop_cases import check_fused

import grblas_gpu as gb
from grblas_gpu import Matrix, Vector, algorithms, semiring

LEVELS = 12


def graph(n: int, most: int, dtype: type, seed: int) -> Matrix:
    """Rows of many lengths: empty ones, some longer than a warp takes alone, and one of all columns."""
    random = np.random.default_rng(seed)
    with gb.using("cpu"):
        rows = np.repeat(np.arange(n), random.integers(0, most + 1, n))
        rows, cols = np.append(rows, np.full(n, n // 2)), np.append(random.integers(0, n, len(rows)), np.arange(n))
        values = np.ones(len(rows), bool) if dtype is bool else random.integers(1, 3, len(rows))
        both, given = (np.append(rows, cols), np.append(cols, rows)), np.tile(values, 2)
        A = Matrix.from_coo(*both, given, nrows=n, ncols=n, dup_op="any")
        return gb.select.offdiag(A).new() if seed % 2 else A


def labelled(A: Matrix, sources: list[int], product, **by) -> tuple[Vector, Vector]:
    """Levels, and a value of each vertex: ``product`` makes it of that of a vertex before it."""
    values, levels = Vector(int, A.nrows), Vector(int, A.nrows)
    frontier = Vector.from_coo(sources, sources, size=A.nrows)
    loop = gb.loop(frontier, LEVELS)
    for depth in loop:
        values(frontier.S) << frontier
        levels(frontier.S) << depth
        frontier(~values.S, replace=True, **by) << product(frontier @ A)
    assert loop.mode == "fused"
    return levels, values


@pytest.mark.parametrize("blocks", emulated_engine.BLOCKS)
@pytest.mark.parametrize("strategy", [None, "pull.hybrid", "pull.compact"])
def test_values_come_from_the_level_before(to_device, monkeypatch: pytest.MonkeyPatch, blocks: int, strategy) -> None:
    monkeypatch.setattr(emulated_engine.FewBlocks, "blocks", blocks)
    by = {} if strategy is None else {"strategy": strategy}
    for seed, (n, most, dtype) in enumerate([(5, 2, bool), (131, 3, bool), (1501, 9, int), (1502, 150, bool)]):
        A = graph(n, most, dtype, seed)
        sources = [n // 3] if seed % 2 else [0, n - 1]
        with gb.using("cpu"):
            rows, cols, _ = A.to_coo()
            expected = algorithms.bfs_multi(A, sources).reduce_columnwise(gb.monoid.min).new().to_dense(fill_value=-1)
        B = to_device(A)
        for name in ("any_secondi", "any_first", "any_plus"):
            product = semiring.ss.any_secondi if name == "any_secondi" else getattr(semiring, name)
            levels, values = labelled(B, sources, product[int], **by)
            levels, values = (x.to("cpu").to_dense(fill_value=-1) for x in (levels, values))
            assert (levels == expected).all(), (name, n)
            allowed = {source: {source} for source in sources}
            before = levels[rows] == levels[cols] - 1
            weights = A.to_coo()[2] if name == "any_plus" else 0 * rows
            given = rows if name == "any_secondi" else values[rows] + weights
            for v, value in zip(cols[before].tolist(), given[before].tolist(), strict=True):
                if v not in sources:
                    allowed.setdefault(v, set()).add(value)
            assert all(values[v] in allowed[v] for v in np.flatnonzero(levels >= 0).tolist()), (name, n)


def any_and_sums(A: Matrix, source: int, *, sums=(semiring.min_plus, semiring.plus_times)) -> tuple:
    """A vector that products write by turns: one with any value, others with sums, which begin with their identity."""
    x, total = Vector.from_coo([source], [3], size=A.nrows), Vector.from_scalar(0, A.nrows, int)
    frontier = x.dup()
    loop = gb.loop(frontier, 7)
    for _ in loop:
        frontier << semiring.any_first[int](x @ A)
        total(gb.binary.plus) << frontier
        for each in sums:
            frontier << each[int](x @ A)
            total(gb.binary.plus) << frontier
        x << frontier
    return loop, (x, total)


@pytest.mark.parametrize("blocks", emulated_engine.BLOCKS)
@pytest.mark.parametrize("sums", [(semiring.min_plus,), (semiring.min_plus, semiring.plus_times)])
def test_sums_in_the_same_vector(to_device, monkeypatch: pytest.MonkeyPatch, blocks: int, sums) -> None:
    monkeypatch.setattr(emulated_engine.FewBlocks, "blocks", blocks)
    with gb.using("cpu"):  # a tree: a vertex has one before it
        n = 400
        tree = Matrix.from_coo((np.arange(1, n) - 1) // 3, np.arange(1, n), np.arange(1, n) % 5, nrows=n, ncols=n)
    check_fused(any_and_sums, tree, to_device, runs=2, sums=sums)
