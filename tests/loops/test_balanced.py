"""Products with full vectors in loops: rows added up whole, balanced over entries, as a single call does it."""

import importlib
import re

import emulated_engine
import numpy as np
import nvrtc
import pytest
from loop_bodies import ranks
from loop_cases import made_of, same

import grblas_gpu as gb
from grblas_gpu import Matrix, Vector, monoid, semiring

QUEUED = 160  # words of a warp in shared memory, at least (kernels/lists.cuh)


def rows_of_all_lengths() -> Matrix:
    """Long runs of empty rows, rows longer than several chunks, and short ones; directed, with loops."""
    n, random = 3000, np.random.default_rng(4)
    lengths = np.zeros(n, int)
    lengths[[5, 1500]] = 2600, 1100  # chunks have 1,024 entries and rows
    lengths[1400:1490] = random.integers(0, 40, 90)
    rows = np.repeat(np.arange(n), lengths)
    cols = np.concatenate([np.sort(random.choice(n, length, replace=False)) for length in lengths])
    return Matrix.from_coo(rows, cols, random.random(len(rows)), nrows=n, ncols=n)


def starts(n: int) -> Vector:
    return Vector.from_dense(np.random.default_rng(5).random(n))


def in_a_loop(A: Matrix, **options):
    """``y = A x`` and, of the same round, ``z = y + x A``, in one kernel."""
    x, y, z = starts(A.nrows), Vector(float, A.nrows), Vector(float, A.nrows)
    loop = gb.loop(x.reduce(monoid.min).new() >= 0, 2)
    for _ in loop:
        y(**options) << semiring.plus_times(A @ x)
        z << y
        z(gb.binary.plus, **options) << semiring.plus_times(x @ A)
    return loop, [y, z]


def long_rows_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows are added up by whole warps, however short they are."""
    monkeypatch.setattr(importlib.import_module(f"{emulated_engine.CUDA}.eager.mxv_balanced"), "SHORT_MEAN", 0)


@pytest.mark.parametrize(
    ("options", "blocks", "short"), [({}, 3, True), ({"strategy": "pull.edge"}, 1, True), ({}, 3, False)]
)
def test_the_sums_of_a_loop_are_those_of_a_call(
    to_device, monkeypatch: pytest.MonkeyPatch, options: dict[str, str], blocks: int, short: bool
) -> None:
    """To the last bit: it is the same text, and the order of additions depends on nothing else."""
    monkeypatch.setattr(emulated_engine.FewBlocks, "blocks", blocks)
    if not short:
        long_rows_only(monkeypatch)
    with gb.using("cpu"):
        A = rows_of_all_lengths()
        x = starts(A.nrows)
        expected = semiring.plus_times(A @ x).new()
    B = to_device(A)
    with gb.trace() as trace:
        loop, (y, z) = in_a_loop(B, **options)
    assert loop.mode == "fused"
    assert [step.strategy for step in trace.steps()] == [
        "pull.edge"
    ] * 4  # two rounds: rests of one do not show in the next
    assert same(expected, y)
    on_device = starts(A.nrows)
    once = semiring.plus_times(B @ on_device).new(strategy="pull.edge")
    assert np.array_equal(once.to("cpu").to_coo()[1], y.to("cpu").to_coo()[1])
    other = semiring.plus_times(on_device @ B).new(strategy="pull.edge")
    assert gb.binary.plus(once | other).new().to("cpu").isequal(z.to("cpu"))


@pytest.mark.parametrize("blocks", [1, pytest.param(3, marks=pytest.mark.slow)])
def test_a_loop_over_short_rows_has_the_sums_of_a_call(to_device, monkeypatch: pytest.MonkeyPatch, blocks: int) -> None:
    """By rows of which none is longer than a lane takes them; and by columns, of which one is."""
    module = importlib.import_module(f"{emulated_engine.CUDA}.eager.mxv_balanced")
    monkeypatch.setattr(module, "WORTH_A_LOOK", 0)
    monkeypatch.setattr(emulated_engine.FewBlocks, "blocks", blocks)
    random, n = np.random.default_rng(8), 1200
    lengths = random.integers(0, 8, n)
    lengths[[0, 77]] = module.lane_row(np.dtype(float))
    rows = np.repeat(np.arange(n), lengths)
    cols = np.concatenate([random.choice(n - 1, length, replace=False) + 1 for length in lengths])
    rows, cols = np.append(rows, np.flatnonzero(lengths < 7)), np.append(cols, np.zeros((lengths < 7).sum(), int))
    with gb.using("cpu"):
        A = Matrix.from_coo(rows, cols, random.random(len(rows)), nrows=n, ncols=n)
        x = starts(n)
        expected = semiring.plus_times(A @ x).new()
    B = to_device(A)
    loop, (y, z) = in_a_loop(B)
    assert loop.mode == "fused"
    assert [module.has_only_short_rows(B._store, 12, transposed) for transposed in (False, True)] == [True, False]
    assert same(expected, y)
    on_device = starts(n)
    once = semiring.plus_times(B @ on_device).new(strategy="pull.edge")
    other = semiring.plus_times(on_device @ B).new(strategy="pull.edge")
    assert once.to("cpu").isequal(y.to("cpu"))
    assert gb.binary.plus(once | other).new().to("cpu").isequal(z.to("cpu"))


def forced(A: Matrix, source: int):
    return in_a_loop(A, strategy="pull.edge")


def hybrid(A: Matrix, source: int):
    return in_a_loop(A, strategy="pull.hybrid")


def masked(A: Matrix, source: int):
    x, seen = starts(A.nrows), Vector.from_coo([source], [1.0], size=A.nrows)
    loop = gb.loop(x.reduce(monoid.min).new() >= 0, 1)
    for _ in loop:
        seen(~seen.S, strategy="pull.edge") << semiring.plus_times(A @ x)
    return loop, [seen]


def any_of_them(A: Matrix, source: int):
    x, y = starts(A.nrows), starts(A.nrows)
    loop = gb.loop(x.reduce(monoid.min).new() >= 0, 1)
    for _ in loop:
        y(gb.binary.plus) << semiring.any_second(A @ x)
    return loop, [y]


#: Loops, and whether their products add up whole rows; ranks: a vector that is not full.
BODIES = {
    "chosen": (lambda A, source: in_a_loop(A), True),
    "forced": (forced, True),
    "hybrid": (hybrid, False),
    "masked": (masked, False),
    "any": (any_of_them, False),
    "not full": (ranks, False),
}


def test_which_products_add_up_whole_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    bodies = {name: body for name, (body, _) in BODIES.items()}
    made = made_of(bodies, monkeypatch, lambda passes, body: passes.kernel_of(body).parts)
    assert {name: "BALANCED = true" in parts.of(True, False) for name, parts in made.items()} == {
        name: whole for name, (_, whole) in BODIES.items()
    }


def with_sums(A: Matrix, source: int, vectors: int = 1):
    """A product with a full vector, one with a frontier, many sums, and some more vectors."""
    x, y, near = starts(A.nrows), Vector(float, A.nrows), Vector.from_coo([source], [0.0], size=A.nrows)
    others = [starts(A.nrows) for _ in range(vectors)]
    totals = [gb.Scalar.from_value(0.0) for _ in range(8)]
    loop = gb.loop(x.reduce(monoid.min).new() >= 0, 2)
    for _ in loop:
        y << semiring.plus_times(A @ x)
        near << semiring.min_plus(near @ A)
        for number, total in enumerate(totals):
            total << y.reduce((monoid.plus, monoid.min, monoid.max)[number % 3])
        for other in others:
            other << gb.binary.plus(other & y)
    return loop, [y, near, *others]


@pytest.mark.slow  # NVRTC takes nine seconds
@pytest.mark.nvrtc
@pytest.mark.parametrize(("vectors", "threads"), [(1, 1024), (24, 512)])
def test_shared_memory_is_enough(monkeypatch: pytest.MonkeyPatch, vectors: int, threads: int) -> None:
    """The shared memory of any number of sums and vectors fits into the 48 KB that a kernel has."""
    bodies = {"sums": lambda A, source: with_sums(A, source, vectors)}
    (program,) = made_of(bodies, monkeypatch, lambda passes, body: passes.kernel_of(body)).values()
    assert program.shape[0] == threads
    monkeypatch.setattr(nvrtc, "only_ptx", True)
    ptx = nvrtc.compile_cuda(program.text, nvrtc.USUAL, ("-std=c++17",)).decode(errors="replace")
    sizes = [int(size) for size in re.findall(r"\.shared[^;]*\[(\d+)\];", ptx)]
    assert 8 * QUEUED * threads // 32 < sum(sizes) <= 48 * 1024  # queues, and the others


@pytest.fixture
def hubs_pay(to_device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Columns get an order even in small matrices, and in such with short rows."""
    long_rows_only(monkeypatch)
    small = {"LEAST_COLUMNS": 1, "LEAST_DEGREE": 0, "HUBS": 2, "LEAST_SHARE": 0.0}
    module = importlib.import_module("grblas_gpu.backends.cuda.eager.column_order")
    for name, value in small.items():
        monkeypatch.setattr(module, name, value)


@pytest.mark.usefixtures("hubs_pay")
@pytest.mark.parametrize("blocks", emulated_engine.BLOCKS)
def test_columns_in_the_order_of_their_entries(to_device, monkeypatch: pytest.MonkeyPatch, blocks: int) -> None:
    """A loop finds the order; a call that finds none has the same sums, to the last bit."""
    monkeypatch.setattr(emulated_engine.FewBlocks, "blocks", blocks)
    with gb.using("cpu"):
        A = rows_of_all_lengths()
    B, C, x = to_device(A), to_device(A), starts(A.nrows)
    without = semiring.plus_times(C @ x).new(strategy="pull.edge")
    assert C._store._column_order == 1
    loop, (y, z) = in_a_loop(B)
    assert loop.mode == "fused"
    order = B._store._column_order
    entries = np.bincount(A.to_coo()[1], minlength=A.ncols)
    assert (np.diff(entries[np.array(order.columns.tolist())]) <= 0).all()
    assert np.array_equal(order.columns[order.indices].tolist(), B._store.indices.tolist())
    assert without.to("cpu").isequal(y.to("cpu"))
    backward = semiring.plus_times(x @ C).new(strategy="pull.edge")
    assert gb.binary.plus(without | backward).new().to("cpu").isequal(z.to("cpu"))


@pytest.mark.usefixtures("hubs_pay")
def test_calls_find_the_order_when_there_are_several(to_device) -> None:
    with gb.using("cpu"):
        A = rows_of_all_lengths()
    B, x = to_device(A), starts(A.nrows)
    results = [semiring.min_plus(B @ x).new(strategy="pull.edge") for _ in range(6)]
    assert len(B._store._column_order) == 2
    assert all(results[0].isequal(other) for other in results[1:])
    semiring.plus_first(B @ x).new(strategy="pull.edge")  # reads no element of the vector
