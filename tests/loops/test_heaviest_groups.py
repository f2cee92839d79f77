"""The heaviest groups of rows in loops: fused, the same as one after another, and clear errors for wrong groups."""

import dataclasses
import importlib

import numpy as np
import pytest
from emulated_engine import CUDA
from gather_bodies import heaviest
from grblas_gpu.algorithms.components import numbers
from grblas_gpu.algorithms.leiden import joined
from grblas_gpu.algorithms.modularity import Level, move
from grblas_gpu.algorithms.randomness import random_order
from loop_cases import check_fused, check_recorded, graphs, same, wide
from random_objects import matrix_of

import grblas_gpu as gb
from grblas_gpu import Matrix, Scalar, Vector, binary
from grblas_gpu.exceptions import IndexOutOfBound
from grblas_gpu.generators import watts_strogatz


@pytest.mark.parametrize("graph", ["directed", "star"])
def test_a_loop_with_them_is_a_loop(to_device, graph: str) -> None:
    check_fused(heaviest, graphs()[graph], to_device, runs=2)


def test_a_recorded_loop_is_the_same(backend: str) -> None:
    check_recorded(heaviest, graphs()["directed"].to(backend))


@pytest.mark.parametrize("density", [0.02, 0.3])
def test_rows_of_any_length_for_threads_warps_and_blocks(to_device, density: float) -> None:
    with gb.using("cpu"):
        A = matrix_of(4, (300, 300), density, (-2, 6), float)
    check_fused(heaviest, A, to_device)


def test_tables_that_overflow(to_device) -> None:
    """Groups that all have the same place in a table, and nearly all the same share: of a prime number."""
    with gb.using("cpu"):
        A = Matrix.from_coo(np.zeros(400, int), np.arange(400) * 3, np.arange(400) % 7, nrows=1200, ncols=1200)
    check_fused(heaviest, A, to_device)


def test_rows_that_all_blocks_share(to_device, monkeypatch: pytest.MonkeyPatch) -> None:
    """More groups than fit the table of a block, which an emulated one has only here."""
    run = importlib.import_module(f"{CUDA}.fusion.run")
    kernel_of, texts = run.kernel_of, []

    def with_memory(body):
        made = kernel_of(body)
        text = made.parts._replace(after=made.parts.after.replace("unsigned bytes = 64;", "unsigned bytes = 24576;"))
        texts.append(text.after)
        return dataclasses.replace(made, parts=text)

    monkeypatch.setattr(run, "kernel_of", with_memory)
    monkeypatch.setattr(run, "_programs", {})
    n = 20_000
    rows = np.repeat([0, 1, 5, 7], [n, n // 2, 3, n // 3])
    cols = np.concatenate([np.arange(count) * step % n for count, step in ((n, 1), (n // 2, 2), (3, 7), (n // 3, 1))])
    with gb.using("cpu"):
        A = Matrix.from_coo(rows, cols, (rows + cols) % 5 + 1.0, nrows=n, ncols=n)
    check_fused(heaviest, A, to_device)
    assert "unsigned bytes = 24576;" in texts[0]


def test_a_number_that_is_no_group(to_device) -> None:
    A = to_device(wide(6))
    groups, found = Vector.from_dense(np.arange(A.nrows)), Vector(int, A.nrows)
    with pytest.raises(IndexOutOfBound, match="out of range"):
        for _ in gb.loop(groups, 3):
            found << A.heaviest_groups(groups)
            groups << binary.plus(groups, 1)


def test_rows_that_are_too_long_are_iterated(to_device, monkeypatch: pytest.MonkeyPatch) -> None:
    with gb.using("cpu"):
        _, expected = heaviest(graphs()["directed"], 5)
    monkeypatch.setattr("grblas_gpu.plan.rules.LONGEST_IN_LOOPS", 5)
    loop, found = heaviest(to_device(graphs()["directed"]), 5)
    assert loop.mode == "iterated" and all(map(same, expected, found))


@pytest.fixture
def level() -> Level:
    """Of a graph with equal degrees: sums of its values are the same in any order."""
    with gb.using("cpu"):
        W = watts_strogatz(60, 6, 0.0, seed=1).dup(float)
        return Level.of(W, 1.0, random_order(W.nrows, 1))


def there(level: Level, to_device) -> Level:
    vectors = {name: getattr(level, name).to("cuda") for name in ("coins", "degree", "share", "own")}
    return level._replace(graph=to_device(level.graph), **vectors)


def never_iterated(monkeypatch: pytest.MonkeyPatch) -> None:
    run = importlib.import_module(f"{CUDA}.fusion.run")
    monkeypatch.setattr(run.Prepared, "_iterated", lambda _, why, number: pytest.fail(why))


def test_vertices_move_between_communities_in_one_kernel(
    to_device, level: Level, monkeypatch: pytest.MonkeyPatch
) -> None:
    with gb.using("cpu"):
        expected = move(level, numbers(level.graph.nrows))
    never_iterated(monkeypatch)
    assert move(there(level, to_device), numbers(level.graph.nrows)).to("cpu").isequal(expected)


def test_groups_are_put_together_in_one_kernel(to_device, level: Level, monkeypatch: pytest.MonkeyPatch) -> None:
    def found(level: Level) -> Vector:
        return joined(level.graph, level.share, level.own, level.degree, level.coins, Scalar.from_value(2.0**54))

    with gb.using("cpu"):
        expected = found(level)
    never_iterated(monkeypatch)
    assert found(there(level, to_device)).to("cpu").isequal(expected)
    assert len(set(expected.to_dense().tolist())) < level.graph.nrows


def test_handicaps_that_are_no_real_numbers(to_device) -> None:
    """As in a single call, which a loop leaves them to."""
    A = to_device(wide(6))
    groups, handicaps = Vector.from_dense(np.arange(A.nrows)), Vector.from_dense(np.full(A.nrows, 1j))
    found, once = Vector(int, A.nrows), Vector.from_scalar(True, A.nrows)
    rounds = gb.loop(once, 1)
    for _ in rounds:
        found << A.heaviest_groups(groups, handicaps)
    assert rounds.mode == "iterated" and found.isequal(A.heaviest_groups(groups, handicaps).new())
