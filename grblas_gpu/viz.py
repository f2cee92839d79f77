"""Pictures of matrices, by python-graphblas's names: where the entries are, and small graphs as dots and lines.

They need matplotlib (``pip install 'grblas_gpu[plot]'``), and return its figures, which a notebook shows at the end of
a cell. Nothing is loaded before the first picture.

>>> import grblas_gpu as gb
>>> figure = gb.viz.spy(gb.generators.kronecker(6), show=False)  # doctest: +SKIP
>>> figure.savefig("kronecker.png")  # doctest: +SKIP
"""

from __future__ import annotations

import importlib
import sys
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np

from . import algorithms
from .api.base import ensure_type
from .api.kinds import output_type
from .api.matrix import Matrix, TransposedMatrix
from .api.vector import Vector
from .foundation.display import new_figure
from .foundation.suggestions import conversion, needed, public_only, type_text
from .foundation.types import DataFrame, Figure
from .io.graph import Graph
from .io.networkx_graphs import to_networkx

__all__ = ["datashade", "draw", "spy"]
public_only(globals())

LAYOUTS = {"forceatlas2": "forceatlas2", "spectral": "spectral_layout"}
WINDOWS = {"gtk3agg", "gtk4agg", "macosx", "qtagg", "tkagg", "wxagg"}  # matplotlib's backends that open one
MOST_DRAWN = 500  # vertices: a larger drawing is unreadable, and its layout takes minutes


def spy(
    M: object,
    *,
    centered: bool = False,
    show: bool = True,
    figure: Any = None,
    axes: Any = None,
    figsize: tuple[float, float] | None = None,
    **kwargs: object,
) -> Figure:
    """A picture of the entries of a Matrix: a square for each, row 0 at the top.

    Parameters
    ----------
    M : Matrix, Graph, TransposedMatrix, Vector or expression
        The matrix to draw; a Vector is a column. All entries are drawn, stored zeros, too.
    centered : bool
        Whether the numbers of rows and columns stand at the middle of their squares, instead of at their corners.
    show : bool
        Whether to open a window, where matplotlib has one; a notebook shows the returned figure in any case.
    figure, axes : matplotlib's Figure and Axes, optional
        Where to draw, instead of a new figure.
    figsize : (float, float), optional
        Width and height of a new figure, in inches.
    **kwargs
        For ``matplotlib.axes.Axes.spy``: ``markersize``, ``color`` and others. Squares fill their places by default.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    TypeError
        If ``M`` is no matrix.
    ImportError
        If matplotlib is not installed.

    See Also
    --------
    datashade : for millions of entries

    Examples
    --------
    >>> from grblas_gpu import generators, viz
    >>> figure = viz.spy(generators.grid_2d(8, 8), show=False)  # doctest: +SKIP
    """
    if output_type(M) is Vector:
        M = ensure_type(M, Vector)._as_matrix()
    M = _matrix(M, "spy")
    if axes is None:
        figure = _figure("viz.spy", show, figsize=figsize) if figure is None else figure
        axes = figure.subplots()
    figure = axes.figure
    rows, cols, _ = M.to_coo(values=False)
    if kwargs.get("markersize") is None:
        pixels = min(axes.bbox.width / max(M.ncols, 1), axes.bbox.height / max(M.nrows, 1))
        kwargs["markersize"] = max(0.002, pixels * 72 / figure.dpi)  # in points, of which an inch has 72
    from scipy.sparse import coo_array

    axes.spy(coo_array((np.ones(len(rows), bool), (rows, cols)), M.shape), **kwargs)
    if not centered:
        for axis, size in ((axes.xaxis, M.ncols), (axes.yaxis, M.nrows)):
            numbers = [int(place) for place in axis.get_ticklocs() if place == int(place) and 0 <= place <= size]
            axis.set_ticks([number - 0.5 for number in numbers], [str(number) for number in numbers])
    if show:
        _show(figure)
    return figure


def draw(m: object, *, layout: Any = "forceatlas2") -> Figure:
    """A small graph: a dot for each vertex, an arrow with its value for each entry (needs networkx and matplotlib).

    Parameters
    ----------
    m : Graph, Matrix, TransposedMatrix or expression
        A Graph, drawn with its labels, or a square adjacency matrix; at most 500 vertices. Edges of an undirected Graph
        and of a symmetric matrix are lines without arrows.
    layout : str or pair of Vectors
        `algorithms.forceatlas2`, `algorithms.spectral_layout` ("spectral"), or two coordinates of every vertex.

    Returns
    -------
    matplotlib.figure.Figure
        An empty one of pyplot's, or a new one.

    Raises
    ------
    TypeError
        If ``m`` is no matrix.
    DimensionMismatch
        If it is not square.
    ValueError
        If it has too many vertices for a drawing, or the layout is unknown.
    ImportError
        If networkx or matplotlib is not installed.

    Examples
    --------
    >>> from grblas_gpu import generators, viz
    >>> figure = viz.draw(generators.star(5))  # doctest: +SKIP
    """
    labelled = m if isinstance(m, Graph) else None
    m = _matrix(m, "draw")
    if m.nrows > MOST_DRAWN:
        raise ValueError(f"draw: {m.nrows:,} vertices are too many for a drawing (at most {MOST_DRAWN}); see spy")
    nx = needed("networkx", "viz.draw")
    if isinstance(layout, str):
        if layout not in LAYOUTS:
            raise ValueError(f"draw: layout must be one of {', '.join(LAYOUTS)}, or two Vectors; got {layout!r}")
        layout = getattr(algorithms, LAYOUTS[layout])(m if isinstance(m, Matrix) else m.new())
    if labelled is not None:
        graph, arrows = labelled.to_networkx(), labelled.directed
    else:
        graph, arrows = to_networkx(m), not (m if isinstance(m, Matrix) else m.T).is_symmetric()
        graph = graph if arrows else graph.to_undirected()
    options = {"figsize": (6, 5), "layout": "constrained"}
    figure = _figure_in_use(**options) or _figure("viz.draw", True, **options)
    axes = figure.gca()
    x, y = (part.to_dense() for part in layout)
    places = dict(zip(graph, zip(x.tolist(), y.tolist(), strict=True), strict=True))
    many = len(graph) > 40
    values = {(i, j): value for i, j, value in graph.edges(data="weight")}
    # Arrows in both directions are bent, so that neither hides the number of the other.
    both_ways = arrows and any(j != i and (j, i) in values for i, j in values)
    bent = {"connectionstyle": "arc3,rad=0.15"} if both_ways else {}
    nx.draw_networkx(
        graph,
        places,
        ax=axes,
        arrows=arrows or None,
        node_color="#9cc4e8",
        edge_color="#808890",
        node_size=60 if many else 400,
        with_labels=not many,
        font_size=9,
        **bent,
    )
    if not many and len(set(values.values())) > 1:
        text = {edge: f"{value:.4g}" if isinstance(value, float) else str(value) for edge, value in values.items()}
        nx.draw_networkx_edge_labels(graph, places, edge_labels=text, ax=axes, font_size=8, **bent)
    axes.set_axis_off()
    _show(figure)
    return figure


def datashade(
    M: object,
    agg: str = "count",
    *,
    width: int | None = None,
    height: int | None = None,
    opts_kwargs: dict[str, object] | None = None,
    **kwargs: object,
) -> Figure:
    """A picture of a Matrix with very many entries: each pixel combines its entries (needs hvplot and datashader).

    Parameters
    ----------
    M : Matrix, Graph, TransposedMatrix or expression
        What to show.
    agg : str, or list of str, or list of lists of str
        How a pixel combines entries: "count", "sum", "mean", "min", "max" and others of datashader. A list gives a
        row of plots that move together, a list of lists a grid of them, in which None leaves a place empty.
    width, height : int, optional
        Of all plots together, in pixels; 500 wide by default.
    opts_kwargs : dict, optional
        For ``opts`` of the plots.
    **kwargs
        For hvplot's ``scatter``.

    Returns
    -------
    holoviews object
        Interactive; ``a + b`` shows two next to each other. None for an empty list.

    Raises
    ------
    TypeError
        If ``M`` is no matrix.
    ImportError
        If hvplot, datashader or one of their dependencies is not installed.

    See Also
    --------
    spy : with matplotlib alone

    Examples
    --------
    >>> from grblas_gpu import generators, viz
    >>> plot = viz.datashade(generators.kronecker(14))  # doctest: +SKIP
    """
    M = _matrix(M, "datashade")
    for module in ("pandas", "bokeh", "holoviews", "datashader"):
        needed(module, "viz.datashade", "hvplot datashader")
    needed("hvplot.pandas", "viz.datashade", "hvplot datashader")
    pd = importlib.import_module("pandas")
    rows, cols, values = M.to_coo()
    entries = pd.DataFrame({"row": rows.astype(np.int64), "col": cols.astype(np.int64), "val": values})
    if not isinstance(agg, list):
        return _shaded(M, entries, agg, width or (None if height else 500), height, opts_kwargs, kwargs)
    if not agg:
        return None
    import holoviews as hv

    grid = [line if isinstance(line, list) else [line] for line in agg]
    grid = grid if any(isinstance(line, list) for line in agg) else [agg]
    columns = max(map(len, grid))
    each = (width or 500) // columns if width or not height else None
    plots = []
    for i, line in enumerate(grid):
        for j in range(columns):
            inner = {"xaxis": None} if i else {}
            inner |= {"yaxis": None} if j else {}
            how = line[j] if j < len(line) else None
            plots.append(
                hv.Empty() if how is None else _shaded(M, entries, how, each, height, opts_kwargs, {**inner, **kwargs})
            )
    return hv.Layout(plots).cols(columns)


def _shaded(
    M: Matrix, entries: DataFrame, agg: str, width: int | None, height: int | None, opts: dict | None, kwargs: dict
) -> Figure:
    """One plot of datashader: rows go down, and columns are numbered above."""
    from bokeh.models import HoverTool

    how: dict[str, object] = {"x": "col", "y": "row", "c": "val", "aggregator": agg, "rasterize": True, "hover": True}
    how |= {"frame_width": width, "frame_height": height, "data_aspect": 1, "x_sampling": 1, "y_sampling": 1}
    how |= {"xlim": (0, M.ncols), "ylim": (0, M.nrows), "flip_yaxis": True, "xaxis": "top", "rot": 60}
    how |= {"xlabel": "", "ylabel": "", "xformatter": "%d", "yformatter": "%d", "cmap": "fire", "cnorm": "eq_hist"}
    hover = HoverTool(tooltips=[("row", "$y{i}"), ("col", "$x{i}"), (agg, "@image")])
    return entries.hvplot.scatter(**how | kwargs).opts(**{"bgcolor": "black", "tools": [hover]} | (opts or {}))


def _matrix(M: object, within: str) -> Matrix:
    try:
        return ensure_type(M.matrix if isinstance(M, Graph) else M, (Matrix, TransposedMatrix))
    except TypeError:
        way_out = f"; use {conversion(M)}" if conversion(M) else ""
        raise TypeError(f"viz.{within}: expected a Matrix; got {type_text(M)}{way_out}") from None


def _figure(caller: str, show: bool, **options: object) -> Figure:
    """A new figure: in a window where matplotlib has one, else for a notebook or a file."""
    figure = new_figure(caller, **options)
    if show and _opens_windows():
        figure = _pyplot().figure(**options)
    return figure


def _figure_in_use(**options: object) -> Figure | None:
    """A figure of pyplot's, with which a program may go on (``plt.savefig``): an empty one; a new one outside of
    notebooks."""
    if not _program_has_pyplot():
        return None
    pyplot = _pyplot()
    if pyplot.get_fignums() and not pyplot.gca().has_data():
        return pyplot.gcf()
    return None if "inline" in pyplot.get_backend() else pyplot.figure(**options)


@cache
def _program_has_pyplot() -> bool:
    """Whether it was loaded before this module did so: it keeps figures until a program closes them."""
    return "matplotlib.pyplot" in sys.modules


def _pyplot() -> ModuleType:
    _program_has_pyplot()
    return importlib.import_module("matplotlib.pyplot")


def _opens_windows() -> bool:
    return _pyplot().get_backend().lower() in WINDOWS


def _show(figure: Figure) -> None:
    if figure.canvas.manager is not None and _opens_windows():
        figure.show()
