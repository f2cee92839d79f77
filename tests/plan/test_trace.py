"""The records of a trace, its picture, and that nothing is recorded without a trace."""

import sys

import numpy as np
import pytest

import grblas_gpu as gb
from grblas_gpu import algorithms, generators
from grblas_gpu.trace.records import frontiers

SEARCHES = [algorithms.bfs, algorithms.dobfs, algorithms.xbfs]


@pytest.mark.parametrize("search", SEARCHES, ids=lambda search: search.__name__)
def test_steps_are_the_levels(backend, search):
    A = generators.kronecker(8, 8, seed=3)
    source = int(A.to_coo()[0][0])
    with gb.trace() as t:
        levels = search(A, source)
    steps = t.steps()
    counts = np.bincount(levels.to_coo()[1])
    visited = np.cumsum(counts)
    assert steps[0].input_nvals == 1
    assert steps[0].allowed == A.nrows - 1
    assert all(step.direction in ("push", "pull") and step.strategy and step.seconds > 0 for step in steps)
    if search is not algorithms.xbfs:  # an asynchronous pass settles part of the next level
        assert [step.allowed for step in steps] == (A.nrows - visited).tolist()
        assert frontiers(steps) == counts.tolist()
    assert sum(frontiers(steps)) >= levels.nvals - counts[-1]


def test_keywords_of_suitesparse_are_noted():
    v = gb.Vector.from_coo([0, 1], [1, 2], size=3)
    A = gb.Matrix.from_coo([0, 1], [1, 2], [1, 2], nrows=3, ncols=3)
    with gb.trace() as t:
        v(nthreads=4, sort=None) << v + v
        v << gb.semiring.plus_times(v @ A).new(axb_method="dot", direction="push")
    assert t.records[0].reason == "without effect: nthreads=4"
    assert t.records[1].reason.endswith("; without effect: axb_method='dot'")
    assert t.records[1].direction == "push"


def test_options_of_other_operations_are_noted():
    """A sum of vectors has no direction, a product of matrices none, either; what is as always is not said."""
    v = gb.Vector.from_coo([0, 1], [1, 2], size=3)
    A = gb.Matrix.from_coo([0, 1], [1, 2], [1, 2], nrows=3, ncols=3)
    with gb.trace() as t:
        v(direction="pull", deterministic=True, early_exit=True) << v + v
        A(direction="push", deterministic=True) << gb.semiring.plus_times(A @ A)
        v(direction="push", deterministic=True) << gb.semiring.plus_times(v @ A)
        gb.operations.apply(v, v, gb.unary.ainv, desc=gb.Descriptor(replace=True, mask_structure=True))
    assert t.records[0].reason == "without effect: deterministic=True, direction='pull'"
    assert t.records[1].reason.endswith("; without effect: direction='push'")
    assert not any("without effect" in record.reason for record in t.records[2:])


def test_a_recorder_is_a_view_of_a_trace():
    v = gb.Vector.from_coo([0, 1], [1, 2], size=3)
    recorder = gb.Recorder(start=False, max_rows=2)
    v << v + v
    assert (len(recorder), recorder.is_recording) == (0, False)
    with recorder:
        assert recorder.is_recording
        for _ in range(3):
            v << v + v
        with gb.Recorder() as inner:
            v.reduce().new()
        assert not inner.is_recording
    assert list(recorder) == recorder.data == ["ewise_add -> 2"] * 3
    assert inner.data == ["reduce -> 1"]
    assert repr(recorder).splitlines() == [
        "gb.Recorder (not recording)",
        "---------------------------",
        "  ewise_add -> 2",
        "  ... 1 more; set `max_rows` to see more (or less) ...",
        "  ewise_add -> 2",
    ]
    recorder.clear()
    recorder.start()
    v << v + v
    recorder.stop()
    v << v + v
    assert len(recorder) == 1


def test_nothing_is_recorded_without_a_trace(monkeypatch):
    module = sys.modules["grblas_gpu.trace.records"]

    def forbidden(*args, **kwargs):
        raise AssertionError("a record was made")

    A = generators.kronecker(7, 8)
    with gb.trace() as t:
        algorithms.dobfs(A, 0)
    before = len(t.records)
    monkeypatch.setattr(module, "Record", forbidden)
    monkeypatch.setattr(module, "clock", forbidden)
    algorithms.dobfs(A, 0)
    algorithms.xbfs(A, 0)
    assert len(t.records) == before


@pytest.mark.parametrize("algorithm", ["bfs", "dobfs", "hybrid_bfs", "xbfs"])
def test_every_step_has_the_reason_of_the_rule(algorithm):
    """Also where the algorithm asks ``explain`` first, and then names what it was told."""
    A = generators.kronecker(10, 8)
    with gb.trace() as t:
        getattr(algorithms, algorithm)(A, int(A.to_coo()[0][0]))
    assert {step.direction for step in t.steps()} == {"push", "pull"}
    assert all(step.reason and "requested" not in step.reason for step in t.steps())


def test_a_reason_counts_once():
    A, v = generators.path(6), gb.Vector.from_coo([0], [True], size=6)
    product = gb.semiring.any_pair(v @ A)
    with gb.trace() as t:
        plan = gb.explain(product, direction="auto")
        for strategy in (plan.strategy, plan.strategy, "pull.warp"):
            product.new(strategy=strategy)
        gb.explain(product)
        product.new(strategy="pull.warp")  # not what the rule says
    requested = "requested by strategy="
    assert [step.reason for step in t.steps()] == [plan.reason, requested, requested, requested]


def test_plot(tmp_path):
    pytest.importorskip("matplotlib")
    A = generators.kronecker(9, 8)
    with gb.trace() as t:
        algorithms.dobfs(A, int(A.to_coo()[0][0]))
    figure = t.plot(tmp_path / "trace.png", title="a search")
    assert (tmp_path / "trace.png").read_bytes().startswith(b"\x89PNG")
    upper, lower = figure.axes
    assert upper.get_title() == "a search"
    lines = {line.get_label(): line.get_ydata() for line in upper.get_lines()}
    assert list(lines["unvisited"]) == [step.allowed for step in t.steps()]
    assert list(lines["frontier"]) == frontiers(t.steps())
    assert [bar.get_height() for bar in lower.patches] == pytest.approx([step.seconds * 1e3 for step in t.steps()])
    colours = {step.direction: bar.get_facecolor() for step, bar in zip(t.steps(), lower.patches, strict=True)}
    assert len(set(colours.values())) == len(colours)


def test_an_empty_trace_is_no_picture():
    pytest.importorskip("matplotlib")
    with gb.trace() as t:
        pass
    with pytest.raises(ValueError, match="no matrix-vector product"):
        t.plot()


def test_a_plot_without_matplotlib_says_what_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with gb.trace() as t:
        algorithms.bfs(generators.path(3), 0)
    with pytest.raises(ImportError, match=r"Trace\.plot needs matplotlib.*pip install matplotlib"):
        t.plot()
