"""Seeing what happens: ``with gb.trace() as t:`` records every operation, its strategy and the reason for it."""

from __future__ import annotations

import time
from contextvars import ContextVar
from dataclasses import asdict, dataclass
from os import PathLike
from typing import Any

from ..foundation.display import html_object, html_table, new_figure
from ..foundation.suggestions import needed
from ..foundation.types import DataFrame, Figure, MaskView, Plan

SHOWN_IN_NOTEBOOKS = 60  # records
ON_HOST = "; columns on the host"  # of a reason


@dataclass
class Record:
    """One operation as it ran."""

    op: str
    seconds: float
    output_nvals: int
    strategy: str = ""
    reason: str = ""
    direction: str = ""
    input_nvals: int | None = None
    input_edges: int | None = None
    mask_nvals: int | None = None
    allowed: int | None = None  # positions of the output that the mask leaves open, of a matrix-vector product
    bytes_sent: int | None = None  # by this rank to others, of a distributed product; and in how many messages
    messages: int | None = None
    results_sent: int | None = None  # entries of the product that went to their owners
    waited: float | None = None  # seconds of it spent waiting for others
    transport: str | None = None  # what carried it


_COUNTS = "output_nvals input_nvals input_edges mask_nvals allowed bytes_sent messages results_sent".split()


class Trace:
    """Collects records while its ``with`` block is active; printing it shows a table.

    >>> import grblas_gpu as gb
    >>> v = gb.Vector.from_coo([0, 1], [1, 2])
    >>> with gb.trace() as t:
    ...     total = v.reduce().new()
    >>> [record.op for record in t.records]
    ['reduce']
    """

    def __init__(self) -> None:
        self.records: list[Record] = []
        self._explained: Any = None

    def __enter__(self) -> Trace:
        self._token = _current.set(self)
        return self

    def __exit__(self, *exc: object) -> None:
        _current.reset(self._token)

    def remember(self, explanation: object) -> None:
        """The plan of the last ``explain``, with its reason: an algorithm that follows it passes on the strategy alone.

        >>> from grblas_gpu import algorithms, generators, trace
        >>> with trace() as t:
        ...     levels = algorithms.dobfs(generators.star(5), 1)
        >>> t.steps()[0].reason
        'at most 4 edges to push cost less than looking at 5 rows'
        """
        self._explained = explanation

    def reason_of(self, plan: Plan) -> str:
        """Why a product goes this way; the reason that ``explain`` gave counts once, if the direction is the same."""
        explained, self._explained = self._explained, None
        forced = plan.reason.startswith("requested")
        return explained.reason if forced and explained and explained.direction == plan.direction else plan.reason

    def steps(self) -> list[Record]:
        """The matrix-vector products: in a breadth-first search one for each level.

        >>> from grblas_gpu import algorithms, generators, trace
        >>> with trace() as t:
        ...     levels = algorithms.bfs(generators.star(5), 1)
        >>> [(record.input_nvals, record.allowed) for record in t.steps()]
        [(1, 4), (1, 3), (3, 0)]
        """
        return [record for record in self.records if record.direction in ("push", "pull")]

    def plot(self, file: str | PathLike[str] | None = None, *, title: str = "") -> Figure:
        """A figure of a breadth-first search (needs matplotlib): the frontier and the unvisited vertices of every level
        above, its time below, in the colour of its direction.

        Each matrix-vector product is a level; what its mask leaves open is unvisited, and what became less of it since
        the product before is the frontier.

        Parameters
        ----------
        file : str or path, optional
            Where to save the figure; the suffix says the format (.png, .svg, .pdf).
        title : str
            A line above the figure.

        Returns
        -------
        matplotlib.figure.Figure
            As the last line of a notebook's cell it is shown there.

        Raises
        ------
        ValueError
            If the trace has no matrix-vector product.
        ImportError
            If matplotlib is not installed.

        Examples
        --------
        >>> from grblas_gpu import algorithms, generators, trace
        >>> with trace() as t:
        ...     levels = algorithms.dobfs(generators.kronecker(6), 3)
        >>> figure = t.plot()  # doctest: +SKIP
        """
        return draw(self.steps(), file, title)

    def to_pandas(self) -> DataFrame:
        """A pandas DataFrame with a row for every operation and a column for every field of :class:`Record`.

        Columns that no record fills (those of distributed products, say) are left out.

        Raises
        ------
        ImportError
            If pandas is not installed.

        Examples
        --------
        >>> from grblas_gpu import algorithms, generators, trace
        >>> with trace() as t:
        ...     levels = algorithms.bfs(generators.star(5), 1)
        >>> frame = t.to_pandas()
        >>> frame[frame.op == "vxm"].input_nvals.tolist()
        [1, 1, 3]
        """
        pd = needed("pandas", "Trace.to_pandas")
        frame = pd.DataFrame([asdict(record) for record in self.records], columns=list(Record.__dataclass_fields__))
        counts = dict.fromkeys(_COUNTS, "Int64")  # whole numbers that may be missing
        optional = [
            name
            for name in ("bytes_sent", "messages", "results_sent", "waited", "transport")
            if frame[name].isna().all()
        ]
        return frame.astype(counts).drop(columns=optional)

    def _repr_html_(self) -> str:
        head, rows = self._table()
        total = sum(record.seconds for record in self.records)
        facts = {"operations": len(rows), "milliseconds": f"{total * 1e3:.3f}"}
        left_out = len(rows) - SHOWN_IN_NOTEBOOKS
        note = f"{left_out} more: print the trace, or .to_pandas()" if left_out > 0 else ""
        return html_object("Trace", facts, html_table(head, rows[:SHOWN_IN_NOTEBOOKS]), note)

    def __str__(self) -> str:
        head, rows = self._table()
        widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
        return "\n".join("  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)) for row in [head, *rows])

    __repr__ = __str__

    def _table(self) -> tuple[list[str], list[list[str]]]:
        """Names of columns, and the text of every record."""
        head = ["op", "strategy", "input", "edges", "mask", "output", "ms", "reason"]
        rows = [
            [
                r.op,
                r.strategy,
                _number(r.input_nvals),
                _number(r.input_edges),
                _number(r.mask_nvals),
                _number(r.output_nvals),
                f"{r.seconds * 1e3:.3f}",
                r.reason,
            ]
            for r in self.records
        ]
        if any(r.bytes_sent is not None for r in self.records):  # there are other ranks
            head[-1:-1] = ["sent", "messages", "waited", "transport"]
            for row, r in zip(rows, self.records, strict=True):
                waited = "" if r.waited is None else f"{r.waited * 1e3:.3f}"
                row[-1:-1] = [_number(r.bytes_sent), _number(r.messages), waited, r.transport or ""]
        return head, rows


def open_positions(size: int, view: MaskView | None) -> int:
    """The number of positions of an output of this size that a mask (as an engine sees it) allows."""
    if view is None:
        return size
    return size - view.store.nvals if view.complement else view.store.nvals


def _number(value: int | None) -> str:
    return "" if value is None else str(value)


_current: ContextVar[Trace | None] = ContextVar("grblas_gpu_trace", default=None)
current = _current.get
clock = time.perf_counter


def iterated(why: str | None, what: str = "loop") -> None:
    """If there is a reason, a loop or a function does not run as a whole: its operations run one after another."""
    collector = _current.get()
    if why is not None and collector is not None:
        collector.records.append(Record(what, 0.0, 0, "iterated", why))


def trace() -> Trace:
    """Record every operation of a ``with`` block.

    >>> from grblas_gpu import Matrix, Vector
    >>> A, v = Matrix.from_dense([[1, 2], [3, 4]]), Vector.from_dense([1, 10])
    >>> with trace() as t:
    ...     w = v.vxm(A).new(strategy="push.sort")
    >>> [(r.op, r.strategy, r.input_nvals, r.output_nvals) for r in t.records]
    [('vxm', 'push.sort', 2, 2)]
    """
    return Trace()


COLOURS = {"push": "#1668b8", "pull": "#c2410c"}


def draw(steps: list[Record], file: str | PathLike[str] | None, title: str) -> Figure:
    """Frontier and unvisited vertices of every step above, its time below."""
    if not steps:
        raise ValueError("nothing to plot: the trace has no matrix-vector product")
    figure = new_figure("Trace.plot", figsize=(8, 6), layout="constrained")
    from matplotlib.patches import Patch
    from matplotlib.ticker import MaxNLocator

    upper, lower = figure.subplots(2, 1, sharex=True)
    numbers = range(len(steps))  # the source is level 0
    colours = [COLOURS[step.direction] for step in steps]
    upper.plot(numbers, [step.allowed or 0 for step in steps], color="#808890", marker=".", label="unvisited")
    upper.plot(numbers, frontiers(steps), color="#3f7d20", label="frontier")
    upper.scatter(numbers, frontiers(steps), c=colours, s=max(6, min(36, 1200 / len(steps))), zorder=3)
    upper.set(yscale="symlog", ylabel="vertices", title=title)
    upper.set_ylim(bottom=0)
    upper.legend()
    lower.bar(numbers, [step.seconds * 1e3 for step in steps], color=colours)
    lower.set(xlabel="level", ylabel="milliseconds")
    lower.xaxis.set_major_locator(MaxNLocator(integer=True))
    lower.legend(handles=[Patch(color=colour, label=side) for side, colour in COLOURS.items()])
    if file is not None:
        figure.savefig(file)
    return figure


def frontiers(steps: list[Record]) -> list[int]:
    """The vertices of every level: those visited since the one before. The operand of a pull may be all visited ones.

    >>> from grblas_gpu.trace.records import Record
    >>> steps = [Record("vxm", 0.0, 0, input_nvals=n, allowed=a) for n, a in ((1, 9), (3, 6), (9, 1))]
    >>> frontiers(steps)
    [1, 3, 5]
    """
    found = []
    before = None
    for step in steps:
        fewer = 0 if before is None else (before.allowed or 0) - (step.allowed or 0)
        found.append(fewer if fewer > 0 else step.input_nvals or 0)
        before = step
    return found
