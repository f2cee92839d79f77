"""The picture of a trace, with matplotlib, which nothing else needs."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING

from ..foundation.display import new_figure
from ..foundation.types import Figure

if TYPE_CHECKING:
    from .records import Record

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
