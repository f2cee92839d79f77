"""What notebooks show: tables of objects, traces and loops, figures that show themselves, and pictures of matrices."""

from pathlib import Path

import numpy as np
import pytest
from html_pages import BalancedPage

import grblas_gpu as gb
from grblas_gpu import Matrix, Scalar, Vector, algorithms, binary, generators, semiring, viz
from grblas_gpu.exceptions import DimensionMismatch


def cells(x) -> list[str]:
    """Without the four or five names of properties, and their values."""
    ndim = getattr(x, "parent", x).ndim
    return BalancedPage(x._repr_html_()).cells[1 + 2 * (3 + ndim) :]


def test_small_objects_are_shown_as_a_whole(backend: str) -> None:
    A = Matrix.from_coo([0, 1], [1, 0], [5, 6], name="<A>")
    assert cells(A) == ["", "0", "1", "0", "", "5", "1", "6", ""]
    assert "&lt;A&gt;" in A._repr_html_()
    assert cells(A.T) == ["", "0", "1", "0", "", "6", "1", "5", ""]
    assert cells(A.S) == ["", "0", "1", "0", "", "1", "1", "1", ""]
    assert cells(Vector.from_coo([1], [7], size=3)) == ["", "0", "1", "2", "", "", "7", ""]
    for nothing in (Matrix(int, 0, 0), Vector(int, 0), Matrix(int, 0, 50), Vector(int, 50)):
        BalancedPage(nothing._repr_html_())


def test_of_large_objects_the_first_entries_are_shown(backend: str) -> None:
    v = Vector.from_coo([900, 950], [1.5, 2.5], size=2000)
    assert cells(v) == ["", "index", "val", "0", "900", "1.5", "1", "950", "2.5"]
    rows = np.arange(5000, 9000)
    A = Matrix.from_coo(rows, rows + 1, rows, nrows=10_000, ncols=10_000)
    assert cells(A)[:8] == ["", "row", "col", "val", "0", "5000", "5001", "5000"]
    assert cells(A)[-4:] == ["..."] * 4 and len(cells(A)) == 4 * 12
    assert cells(A.T)[4:8] == ["0", "5001", "5000", "5000"]


def test_names_of_operands_have_subscripts() -> None:
    A, s = Matrix.from_coo([0, 1], [1, 0], [5, 6], name="A_1"), Scalar.from_value(2, name="s_x")
    for expression, text in (
        (A[0, :], "A<sub>1</sub>[0, :]"),
        (binary.plus(A, s), "A<sub>1</sub>.apply(binary.plus[INT64], right=s<sub>x</sub>)"),
    ):
        assert f"<pre>{text}</pre>" in expression._repr_html_()


def test_trace(backend: str) -> None:
    pytest.importorskip("pandas")
    with gb.trace() as t:
        algorithms.bfs(generators.star(5), 1)
    cells = BalancedPage(t._repr_html_()).cells
    assert cells[:2] == ["op", "strategy"]
    assert cells.count("vxm") == 3
    frame = t.to_pandas()
    assert frame.op.tolist() == [record.op for record in t.records]
    assert frame.seconds.sum() == pytest.approx(sum(record.seconds for record in t.records))
    assert frame.input_nvals.isna().sum() == sum(record.input_nvals is None for record in t.records)
    assert "waited" not in frame
    assert gb.trace().to_pandas().empty
    t.records *= 50
    assert f"{len(t.records) - 60} more" in t._repr_html_()


def test_loop() -> None:
    frontier = Vector.from_coo([0], [True], size=3)
    levels = Vector(int, 3)
    loop = gb.loop(frontier, 5)
    with gb.config.set(loops="recorded"):
        for depth in loop:
            levels(frontier.S) << depth
            frontier(~levels.S, replace=True) << semiring.lor_land(frontier @ generators.path(3))
    html = loop._repr_html_()
    BalancedPage(html)
    assert "steps <b>3</b>" in html
    assert "semiring.lor_land" in html


@pytest.mark.parametrize("limit", [2.5, True, "3", [1]])
def test_a_limit_is_a_number_of_steps(limit) -> None:
    with pytest.raises(TypeError, match="whole number of steps"):
        gb.loop(Vector(int, 3), limit)
    assert gb.loop(Vector(int, 3), np.int8(3)).limit == 3


# ---- pictures ------------------------------------------------------------------------------------------------------


@pytest.fixture
def mpl():
    return pytest.importorskip("matplotlib")


def drawn(figure, path: Path) -> np.ndarray:
    from matplotlib.image import imread

    figure.savefig(path)
    return imread(path)[..., :3]


def test_spy_has_a_square_for_every_entry(mpl, backend: str, tmp_path: Path) -> None:
    A = generators.grid_2d(4, 5)
    figure = viz.spy(A, show=False)
    (line,) = figure.axes[0].lines
    places = {(int(y), int(x)) for x, y in zip(*line.get_data(), strict=True)}
    assert places == set(zip(*(array.tolist() for array in A.to_coo()[:2]), strict=True))
    assert drawn(figure, tmp_path / "spy.png").std() > 0.05
    axes = figure.axes[0]
    assert viz.spy(A.T, axes=axes, centered=True, markersize=2) is figure
    other = mpl.figure.Figure()
    assert viz.spy(Matrix(int, 3, 2), figure=other, show=False) is other
    (column,) = viz.spy(Vector.from_coo([1], [4], size=3), show=False).axes[0].lines
    assert [array.tolist() for array in column.get_data()] == [[0], [1]]
    with pytest.raises(TypeError, match="spy: expected a Matrix; got"):
        viz.spy([1, 2])


@pytest.mark.backends("cpu")
def test_draw(mpl, backend: str, tmp_path: Path) -> None:
    pytest.importorskip("networkx")
    directed = viz.draw(Matrix.from_coo([0, 1, 2], [1, 2, 0], [1.5, 2.5, 3.5]))
    texts = {text.get_text() for text in directed.axes[0].texts}
    assert {"0", "1", "2", "1.5", "2.5", "3.5"} <= texts
    assert drawn(directed, tmp_path / "draw.png").std() > 0.01
    assert len(directed.axes[0].patches) == 3  # arrows
    lines = [x for x in viz.draw(generators.star(5)).axes[0].collections if hasattr(x, "get_segments")]
    assert [len(each.get_segments()) for each in lines] == [4]
    x, y = Vector.from_dense([0.0, 3.0]), Vector.from_dense([1.0, 5.0])
    for layout in ("spectral", "forceatlas2", (x, y)):
        shown = viz.draw(generators.path(2), layout=layout).axes[0].collections
        (dots,) = (each for each in shown if len(each.get_offsets()) == 2)
    assert dots.get_offsets().tolist() == [[0.0, 1.0], [3.0, 5.0]]
    with pytest.raises(ValueError, match="layout must be one of forceatlas2, spectral"):
        viz.draw(generators.path(2), layout="round")
    with pytest.raises(DimensionMismatch):
        viz.draw(Matrix(int, 2, 3))
    with pytest.raises(ValueError, match="too many"):
        viz.draw(generators.path(501))
    with pytest.raises(TypeError, match="draw: expected a Matrix"):
        viz.draw([[0, 1], [1, 0]])


@pytest.mark.backends("cpu")
@pytest.mark.filterwarnings("error")
def test_drawings_of_pyplot(mpl, backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs go on with ``plt.savefig`` or ``plt.title``, and prepare a figure with ``plt.subplots``."""
    pytest.importorskip("networkx")
    mpl.use("Agg")
    monkeypatch.setattr(viz, "_program_has_pyplot", lambda: True)
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.close("all")
    A = Matrix.from_coo([0, 1], [1, 0], [10, 20])
    try:
        assert viz.draw(A) is pyplot.gcf()
        texts = {text.get_text(): np.array(text.get_position()) for text in pyplot.gca().texts}
        assert np.abs(texts["10"] - texts["20"]).max() > 0.01 * np.abs(texts["0"] - texts["1"]).max()
        assert viz.draw(A) is pyplot.gcf() and len(pyplot.get_fignums()) == 2
        figure, axes = pyplot.subplots(1, 2)
        assert viz.draw(A) is figure and axes[1].texts and not axes[0].texts
    finally:
        pyplot.close("all")


def test_datashade() -> None:
    pytest.importorskip("hvplot")
    hv = pytest.importorskip("holoviews")
    A = generators.kronecker(6)
    assert viz.datashade(A) is not None
    grid = viz.datashade(A, [["count", "max"], ["min", None]])
    assert isinstance(grid, hv.Layout)
    assert len(grid) == 4
    assert viz.datashade(A, []) is None


def test_signatures_are_those_of_python_graphblas() -> None:
    import inspect

    graphblas_viz = pytest.importorskip("graphblas.viz")
    for name in viz.__all__:
        ours, theirs = (inspect.signature(getattr(module, name)).parameters for module in (viz, graphblas_viz))
        kept = [(p.name, p.kind, p.default) for p in ours.values() if (name, p.name) != ("draw", "layout")]
        assert kept == [(p.name, p.kind, p.default) for p in theirs.values()]


def test_figures_show_themselves(mpl) -> None:
    with gb.trace() as t:
        algorithms.bfs(generators.path(5), 0)
    assert t.plot()._repr_png_().startswith(b"\x89PNG")
