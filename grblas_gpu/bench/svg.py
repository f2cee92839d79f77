"""Bar and line charts as SVG that takes its colours from the page (light or dark)."""

from __future__ import annotations

import math
from html import escape

WIDTH, NARROW = 860, 360  # the second for telephones: names stand above the bars there
LABEL = 8.2  # approximate width of a character of a label
BAR = 13
GAP = 16
LEFT, RIGHT, TOP, BOTTOM = 150, 80, 8, 22
NAME = 18  # height of a name above its bars


def bars(
    groups: list[str],
    series: dict[str, list[float | None]],
    unit: str,
    line_at: float | None = None,
    width: int = WIDTH,
) -> str:
    """Groups of horizontal bars on a logarithmic scale, the value at the end of each; a colour for each series.

    ``unit`` is the name for screen readers; a caption on the page must state it, too.
    """
    values = [value for column in series.values() for value in column if value]
    if not values:
        return ""
    low, high = _decades(values + ([line_at] if line_at else []))
    beside = width > NARROW
    left = max(LEFT, int(max(map(len, groups)) * LABEL) + 12) if beside else 26
    span = width - left - RIGHT * (1 if beside else 0.75)

    def x(value: float) -> float:
        return left + span * (math.log10(value) - low) / (high - low)

    parts, y = [], TOP
    for k, group in enumerate(groups):
        present = [(index, column[k]) for index, column in enumerate(series.values()) if column[k]]
        height = BAR * len(present)
        if beside:
            parts.append(_text(left - 10, y + height / 2 + 4, group, "end"))
        else:
            parts.append(_text(left, y + NAME - 6, group, "start"))
            y += NAME
        for index, value in present:
            assert value is not None
            length = max(1.0, x(value) - left)
            parts.append(
                f'<rect class="c{index}" x="{left}" y="{y + 1:.0f}" width="{length:.1f}" height="{BAR - 2}" rx="2"/>'
            )
            parts.append(_text(left + length + 5, y + BAR - 3, _short(value), "start", "small"))
            y += BAR
        y += GAP
    bottom = y - GAP + 6
    widest = max(len(_short(10.0**p)) for p in (low, high)) * LABEL
    every = math.ceil(widest * (high - low) / span)  # decades between two labels of the axis
    axis = [
        f'<line class="grid" x1="{x(10.0**p):.1f}" x2="{x(10.0**p):.1f}" y1="{TOP}" y2="{bottom}"/>'
        + _text(x(10.0**p), bottom + 15, _short(10.0**p), "middle", "small")
        for p in range(low, high + 1, every)
    ]
    if line_at:
        axis.append(f'<line class="mark" x1="{x(line_at):.1f}" x2="{x(line_at):.1f}" y1="{TOP}" y2="{bottom}"/>')
    height = bottom + BOTTOM
    return (
        f'<svg viewBox="0 0 {width} {height:.0f}" role="img" aria-label="{escape(unit)}">'
        + "".join(axis + parts)
        + "</svg>"
    )


def legend(names: list[str]) -> str:
    items = (f'<span><i class="c{k}"></i>{escape(name)}</span>' for k, name in enumerate(names))
    return f'<p class="legend">{"".join(items)}</p>'


def _decades(values: list[float]) -> tuple[int, int]:
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return low, max(high, low + 1)


def _text(x: float, y: float, text: str, anchor: str, kind: str = "") -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
