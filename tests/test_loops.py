"""Whole loops: the same results however they run, and clear errors for bodies that look at values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import nvrtc
import pytest
from emulated_engine import ENGINES, loaded, moved
from loop_bodies import BODIES

import grblas_gpu as gb
from grblas_gpu import Matrix, Scalar, Vector, backends, generators, monoid, select, semiring
from grblas_gpu.exceptions import LoopError


def graphs() -> dict[str, Matrix]:
    with gb.using("cpu"):
        kronecker = generators.kronecker(6, seed=2)
        rows, cols, _ = kronecker.to_coo()
        random = np.random.default_rng(3)
        some = random.random(len(rows)) < 0.6
        lengths = random.integers(1, 9, int(some.sum()))
        directed = Matrix.from_coo(rows[some], cols[some], lengths, nrows=kronecker.nrows, ncols=kronecker.ncols)
        return {"kronecker": kronecker, "directed": directed, "path": generators.path(40), "star": generators.star(50)}


@pytest.fixture(params=ENGINES)
def to_device(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """How a matrix gets to the CUDA engine, or to its emulation; objects are made there meanwhile."""
    with loaded(request.param, monkeypatch, "engine") as device:
        if request.param != "gpu":
            monkeypatch.setitem(backends._engines, "cuda", device.engine.CudaBackend())

        def move(A: Matrix) -> Matrix:
            B = A.to("cuda")
            if request.param != "gpu":  # whose arrays are NumPy's: the transpose would be made by SciPy
                other = A._store.transposed()
                B._store._transpose = B._store if other is A._store else moved(other, device.to_device)
                B._store._transpose._transpose = B._store
            return B

        with gb.using("cuda"):
            yield move


def same(x: Any, y: Any) -> bool:
    if x.ndim == 0:
        return bool(x.isclose(y.value, rel_tol=1e-9))
    return bool(x.isclose(y.to("cpu"), rel_tol=1e-9, check_dtype=True))


@pytest.mark.parametrize("graph", ["kronecker", "directed", "path", "star"])  # three of them run the same programs
@pytest.mark.parametrize("name", BODIES)
def test_a_loop_on_the_device_is_a_loop(to_device: Any, name: str, graph: str) -> None:
    A, body = graphs()[graph], BODIES[name]
    with gb.using("cpu"):
        expected, results = body(A, 5)
    loop, found = body(to_device(A), 5)
    assert loop.mode == "fused"
    assert expected.mode == "iterated"
    assert loop.steps == expected.steps
    assert [same(x, y) for x, y in zip(results, found, strict=True)] == [True] * len(found)


@pytest.mark.parametrize("name", ["levels", "distances", "all kinds"])
def test_a_recorded_loop_may_be_repeated_step_by_step(backend: str, name: str, monkeypatch: Any) -> None:
    """What an engine cannot run as a whole is run from the recording."""
    A = graphs()["directed"].to(backend)
    with gb.config.set(loops="iterated"):
        expected, results = BODIES[name](A, 5)
    engine = type(backends.current_engine())
    monkeypatch.setattr(engine, "runs_loops", True)
    monkeypatch.setattr(engine, "run_loop", lambda self, recording: None, raising=False)
    loop, found = BODIES[name](A, 5)
    assert (loop.mode, loop.steps) == ("iterated", expected.steps)
    assert all(x.isequal(y) for x, y in zip(results, found, strict=True))


def test_nothing_to_do(to_device: Any) -> None:
    A = to_device(graphs()["path"])
    for condition, limit in ((Vector(bool, A.nrows), None), (Vector.from_coo([1], [True], size=A.nrows), 0)):
        levels, frontier = Vector(int, A.nrows), condition
        loop = gb.loop(frontier, limit)
        for depth in loop:
            levels(frontier.S) << depth
            frontier(~levels.S, replace=True) << semiring.lor_land(frontier @ A)
        assert (loop.steps, levels.nvals) == (0, 0)


def test_the_limit_ends_a_loop(to_device: Any) -> None:
    A = to_device(graphs()["path"])
    levels, frontier = Vector(int, A.nrows), Vector.from_coo([0], [True], size=A.nrows)
    loop = gb.loop(frontier, 7)
    for depth in loop:
        levels(frontier.S) << depth
        frontier(~levels.S, replace=True) << semiring.lor_land(frontier @ A)
    assert (loop.steps, int(depth), levels.nvals, frontier.to_dict()) == (7, 6, 7, {7: True})


def test_loops_follow_each_other(to_device: Any) -> None:
    """Buffers are left clean, and results of one loop enter the next in whatever form they have."""
    A = graphs()["kronecker"]
    B = to_device(A)
    for source in (5, 3, 5, 0):
        for name in ("levels", "dependencies", "levels by pushing"):
            with gb.using("cpu"):
                _, results = BODIES[name](A, source)
            _, found = BODIES[name](B, source)
            assert all(same(x, y) for x, y in zip(results, found, strict=True)), (name, source)


def test_steps_are_traced(to_device: Any) -> None:
    A = to_device(graphs()["path"])
    with gb.trace() as trace:
        loop, (levels, _) = BODIES["levels"](A, 0)
    steps = trace.steps()
    assert len(steps) == loop.steps == 40
    assert [step.allowed for step in steps] == list(range(39, -1, -1))
    assert [step.input_nvals for step in steps] == [1] * 40
    assert {step.direction for step in steps} <= {"push", "pull"}
    assert levels.nvals == 40


def test_an_interrupt_leaves_the_last_step(to_device: Any, monkeypatch: Any) -> None:
    from grblas_gpu.backends.cuda import loop_run

    A = to_device(graphs()["path"])
    wait = loop_run._Report.wait

    def interrupted(self: Any, stream: Any) -> Any:
        wait(self, stream)
        raise KeyboardInterrupt

    monkeypatch.setattr(loop_run._Report, "wait", interrupted)
    levels, frontier = Vector(int, A.nrows), Vector.from_coo([0], [True], size=A.nrows)
    with pytest.raises(KeyboardInterrupt):
        for depth in gb.loop(frontier, 7):
            levels(frontier.S) << depth
            frontier(~levels.S, replace=True) << semiring.lor_land(frontier @ A)
    assert (levels.nvals, frontier.to_dict()) == (7, {7: True})
    monkeypatch.setattr(loop_run._Report, "wait", wait)
    assert BODIES["levels"](A, 0)[1][0].nvals == 40


# --- errors ----------------------------------------------------------------------------------------------------------


def looks_at_entries(A: Matrix, frontier: Vector, **options: Any) -> None:
    for _ in gb.loop(frontier, **options):
        frontier << semiring.lor_land(frontier @ A)
        if frontier.nvals > 3:
            break


def looks_before(A: Matrix, frontier: Vector, **options: Any) -> None:
    for _ in gb.loop(frontier, **options):
        if frontier.nvals > 3:
            break
        frontier << semiring.lor_land(frontier @ A)


def looks_at_the_count(A: Matrix, frontier: Vector, **options: Any) -> None:
    for depth in gb.loop(frontier, **options):
        if depth > 3:
            break
        frontier << semiring.lor_land(frontier @ A)


def looks_at_a_scalar(A: Matrix, frontier: Vector, **options: Any) -> None:
    found = Scalar(bool)
    for _ in gb.loop(frontier, **options):
        frontier << semiring.lor_land(frontier @ A)
        found << frontier.reduce(monoid.lor)
        if found.value:
            break


def loops_inside(A: Matrix, frontier: Vector, **options: Any) -> None:
    for _ in gb.loop(frontier, **options):
        frontier << semiring.lor_land(frontier @ A)
        for _ in gb.loop(frontier, 1):
            frontier << select.valueeq(frontier, 0)


def extracts(A: Matrix, frontier: Vector, **options: Any) -> None:
    for _ in gb.loop(frontier, 2, **options):
        frontier << semiring.lor_land(frontier @ A)
        frontier[:3] << frontier[1:4].new()


LOOKING = [looks_at_entries, looks_before, looks_at_the_count, looks_at_a_scalar, loops_inside, extracts]


@pytest.mark.parametrize("body", LOOKING, ids=lambda body: body.__name__)
def test_a_body_that_looks_at_values(to_device: Any, body: Any) -> None:
    A = graphs()["path"]
    B = to_device(A)
    frontier = Vector.from_coo([4], [True], size=40)
    with pytest.raises(LoopError, match=r"test_loops\.py:\d+: "):
        body(B, frontier)
    assert frontier.to_dict() == {4: True}  # nothing has happened
    assert gb.recording.current() is None
    body(B, frontier, fallback=True)
    with gb.using("cpu"):
        expected = Vector.from_coo([4], [True], size=40)
        body(A, expected)
    assert frontier.to("cpu").isequal(expected)


def test_a_fallback_is_traced(to_device: Any) -> None:
    A = to_device(graphs()["path"])
    with gb.trace() as trace:
        looks_at_entries(A, Vector.from_coo([4], [True], size=40), fallback=True)
    assert trace.records[0].strategy == "iterated"
    assert "the number of entries" in trace.records[0].reason


def test_a_body_that_binds_its_state_anew(to_device: Any) -> None:
    A = to_device(graphs()["path"])
    frontier = Vector.from_coo([4], [True], size=40)
    with pytest.raises(LoopError, match="binds frontier to a new object"):
        for _ in gb.loop(frontier, 3):
            frontier = semiring.lor_land(frontier @ A).new()


def test_a_loop_that_cannot_end(to_device: Any) -> None:
    A = to_device(graphs()["path"])
    frontier = Vector.from_coo([4], [True], size=40)
    with pytest.raises(LoopError, match="nothing in the body changes the condition"):
        for _ in gb.loop(frontier):
            result = semiring.lor_land(frontier @ A).new()
    assert result.nvals == 0


def test_errors_in_a_body_are_the_usual_ones(to_device: Any) -> None:
    A = to_device(graphs()["path"])
    frontier = Vector.from_coo([4], [True], size=40)
    with pytest.raises(gb.exceptions.DimensionMismatch):
        for _ in gb.loop(frontier):
            frontier << semiring.lor_land(Vector(bool, 3) @ A)
    assert gb.recording.current() is None


def test_what_is_no_condition() -> None:
    for condition in (3, "frontier", None):
        with pytest.raises(TypeError, match="the condition is"):
            gb.loop(condition)
    with pytest.raises(ValueError, match="must not be negative"):
        gb.loop(Vector(bool, 3), -1)


# --- machine code ----------------------------------------------------------------------------------------------------


@pytest.mark.skipif(nvrtc.library() is None, reason="needs the nvidia-cuda-nvrtc wheel")
@pytest.mark.parametrize("architecture", nvrtc.ARCHITECTURES)
def test_every_loop_compiles(architecture: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with loaded("recorded", monkeypatch, "engine", "loop_program", "loop_layout") as device:
        monkeypatch.setitem(backends._engines, "cuda", device.engine.CudaBackend())
        texts: list[str] = []

        def keep(self: Any, recording: Any) -> None:
            texts.append(device.loop_program.Program(device.loop_layout.describe(recording)).text)
            raise EndOfTest

        monkeypatch.setattr(device.engine.CudaBackend, "run_loop", keep)
        with gb.using("cuda"):
            A = graphs()["directed"].to("cuda")
            for name in ("levels", "parents", "distances", "ranks", "cores", "all kinds"):
                with pytest.raises(EndOfTest):
                    BODIES[name](A, 5)
        for text in texts:
            nvrtc.compile_cuda(text, architecture, ("-std=c++17",))
        assert len(texts) == 6


class EndOfTest(Exception):
    pass
