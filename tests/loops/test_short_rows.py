"""Products of short rows inside of the chains that read them: the same results, in half of the passes."""

import emulated_engine
import numpy as np
import pytest
from hardware import has_gpu
from loop_cases import made_of

import grblas_gpu as gb
from grblas_gpu import FP64, Matrix, Scalar, Vector, algorithms, binary, generators, select, semiring
from grblas_gpu.plan import search_rules

INSIDE = "short rows, of the mask's entries"


def by_value(A: Matrix, source: int):
    """Sums over neighbours that move from level to level, where the entries of a level are found among all."""
    w, z, level = Vector.from_coo([source], [1.0], size=A.nrows), Vector(FP64, A.nrows), Vector(bool, A.nrows)
    levels = Vector.from_dense(np.arange(A.nrows) % 7)
    depth, one = Scalar.from_value(6), Scalar.from_value(1)
    loop = gb.loop(depth > 0)
    for _ in loop:
        depth << binary.minus(depth & one)
        level << select.valueeq(levels, depth)
        w(level.S, replace=True) << semiring.plus_first[FP64](w @ A.T)
        z(level.S, binary.plus) << w
        w(level.S, replace=True) << z
    return loop, (w, z)


def by_rows(A: Matrix, source: int):
    """The same, where a matrix has the entries of a level in a row; rows have entries in common."""
    w, z, level = Vector.from_coo([source], [1.0], size=A.nrows), Vector(FP64, A.nrows), Vector(bool, A.nrows)
    n = np.arange(A.nrows)
    rows = Matrix.from_coo(np.concatenate([n % 7, n % 5]), np.concatenate([n, n]), True, nrows=7, ncols=A.nrows)
    depth, one = Scalar.from_value(6), Scalar.from_value(1)
    loop = gb.loop(depth > 0)
    for _ in loop:
        depth << binary.minus(depth & one)
        z(level.S, binary.plus) << semiring.plus_first[FP64](w @ A.T)
        w(level.S, replace=True) << z
        level << rows[depth, :]
    return loop, (w, z, level)


def kept_as_well(A: Matrix, source: int, changed: bool = False):
    """The result of the product is wanted, too. If what others multiply by is ``changed``, they have to wait."""
    n = np.arange(A.nrows)
    t, z, level = Vector(FP64, A.nrows), Vector.from_dense(n % 11 * 1.0), Vector(bool, A.nrows)
    w, levels = z.dup() if not changed else z, Vector.from_dense(n % 9)
    loop = gb.loop(z, 9)
    for depth in loop:
        t(level.S, replace=True) << semiring.min_plus[FP64](w @ A)
        z(level.S, binary.minus) << t
        level << select.valueeq(levels, depth)
    return loop, (t, z)


def changed_meanwhile(A: Matrix, source: int):
    return kept_as_well(A, source, changed=True)


BODIES = {"by value": by_value, "by rows": by_rows, "kept as well": kept_as_well, "changed": changed_meanwhile}


def graphs() -> dict[str, Matrix]:
    """With short rows, and with a long one."""
    random = np.random.default_rng(5)
    edges = random.integers(0, 120, (2, 500))
    with gb.using("cpu"):
        made = {
            "few edges": Matrix.from_coo(*edges, 1.0, nrows=120, ncols=120),
            "path": generators.path(90).dup(float),
            "star": generators.star(100).dup(float),
        }
        if has_gpu():
            made["grid"] = generators.grid_2d(600, 500).dup(float)
        return made


@pytest.mark.parametrize("body", BODIES)
def test_results_are_the_same(to_device, monkeypatch: pytest.MonkeyPatch, body: str) -> None:
    monkeypatch.setattr(emulated_engine.FewBlocks, "blocks", 3)
    for name, A in graphs().items():
        with gb.using("cpu"), gb.config.set(loops="iterated"):
            expected, results = BODIES[body](A, 5)
        B = to_device(A)
        with gb.trace() as trace:
            loop, found = BODIES[body](B, 5)
        assert (loop.mode, loop.steps) == ("fused", expected.steps)
        for x, y in zip(results, found, strict=True):
            assert y.to("cpu").isclose(x, rel_tol=1e-9, check_dtype=True), f"{body} on {name}"
        inside = {step.reason.startswith(INSIDE) for step in trace.steps()}
        assert inside == {name != "star" and body != "changed"}


def test_one_barrier_a_round(monkeypatch: pytest.MonkeyPatch) -> None:
    made = made_of(BODIES, monkeypatch, lambda passes, body: str(passes.schedule(passes.analyse(body))))
    assert "short rows" not in made.pop("changed")
    for schedule in made.values():
        usual, short = schedule.split("with short rows instead")
        assert short.count("grid barrier") < usual.count("grid barrier")
    assert made["by rows"].partition("instead")[2].count("grid barrier") == 1


@pytest.mark.parametrize("few", [3, 128])
@pytest.mark.parametrize("backend", emulated_engine.ENGINES)
def test_betweenness(monkeypatch: pytest.MonkeyPatch, backend: str, few: int) -> None:
    """Both ways back: levels found among all, and listed in rows. The forward stage is a loop in a loop."""
    monkeypatch.setattr(emulated_engine.FewBlocks, "blocks", 3)
    monkeypatch.setattr(search_rules, "DEEP", few)
    monkeypatch.setattr(search_rules, "SHALLOW", few)
    with gb.using("cpu"):
        A = generators.grid_2d(20, 4)
        expected = algorithms.betweenness_centrality(A, 3)
    with emulated_engine.backend("cuda" if backend == "gpu" else backend, monkeypatch) as name, gb.using(name):
        B = A.to(name)
        with gb.trace() as trace:
            found = algorithms.betweenness_centrality(B, 3)
        assert found.to("cpu").isclose(expected, rel_tol=1e-12)
    starts = {step.reason[: len(INSIDE)] for step in trace.steps()}
    assert INSIDE in starts and any(start.startswith("short, in shared memory") for start in starts)
