"""A self-contained page with tables and plots, for light and dark displays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape

from ..foundation.types import Json
from .compare import REFERENCE, speed_up, tables
from .svg import NARROW, WIDTH, bars, legend
from .tables import Table, is_numeric, shown

Figure = tuple[Callable[[Json], float | None], str, float | None]  # of a bar; the description; where a line is
LIGHT = ["#1668b8", "#c2410c", "#3f7d20", "#8b3fa8", "#946200", "#0e7c7b", "#b0184b", "#555f6b"]
DARK = ["#6cb2f2", "#f59058", "#93cf6b", "#d59bea", "#e5b84c", "#5fd0c7", "#f2799f", "#a9b4c0"]

STYLE = """
:root { color-scheme: light dark; --back: #fff; --text: #1c2127; --soft: #5c6670; --line: #dfe3e8; --head: #f3f5f7; %s }
@media (prefers-color-scheme: dark) {
  :root { --back: #14181d; --text: #e6e9ec; --soft: #9aa5b1; --line: #303842; --head: #1e242b; %s }
}
body { background: var(--back); color: var(--text); font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto;
  max-width: 68rem; padding: 0 1rem; }
h1 { font-size: 1.6rem; margin-bottom: .2rem; } h2 { font-size: 1.2rem; margin-top: 2.2rem; }
h3 { font-size: 1rem; }
p.soft, td.soft, figcaption { color: var(--soft); font-size: .85rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .82rem; white-space: nowrap; }
th { background: var(--head); font-weight: 600; text-align: left; }
th, td { border-bottom: 1px solid var(--line); padding: .28rem .6rem; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
figure { margin: 1rem 0 2rem; } figcaption { font-weight: 600; margin-bottom: .3rem; }
svg { height: auto; width: 100%%; } .narrow { display: none; }
@media (max-width: 42rem) { .wide { display: none; } .narrow { display: block; } }
svg text { fill: var(--text); font: 13px system-ui, sans-serif; paint-order: stroke; stroke: var(--back);
  stroke-linejoin: round; stroke-width: 5px; } svg text.small { fill: var(--soft); font-size: 11px; }
.grid { stroke: var(--line); } .mark { stroke: var(--text); stroke-dasharray: 4 3; }
.legend span { display: inline-block; font-size: .85rem; margin-right: 1.2rem; }
.legend i { border-radius: 3px; display: inline-block; height: .8rem; margin-right: .4rem; vertical-align: -1px;
  width: .8rem; }
%s
"""


def page(result: Json) -> str:
    """The page of a comparison."""
    rows = result["measurements"]
    parts = [f"<h1>{escape(result['title'])}</h1>", _origin(result)]
    names = list(dict.fromkeys(row["contender"] for row in rows))
    for kernel, table in zip(dict.fromkeys(row["kernel"] for row in rows), tables(result), strict=True):
        part = [row for row in rows if row["kernel"] == kernel]
        parts += [f"<h2>{escape(table.title)}</h2>", legend(names)]
        parts += [_figure(part, names, *figure) for figure in _figures(rows, part)]
        parts.append(html_table(table))
    if result["left_out"]:
        left_out = Table("Left out", ["contender", "kernel", "graph", "why"])
        for row in result["left_out"]:
            left_out.add(*(row[column] for column in left_out.columns))
        parts.append("<h2>Left out</h2>" + html_table(left_out))
    return document(result["title"], "\n".join(parts))


def _figures(rows: list[Json], part: list[Json]) -> list[Figure]:
    """For each figure: the bars, their description, and the position of its line."""
    rates = "billions of entries of the matrix per second; more is better"
    floors = "time over that of copying the bytes that must move; 1 is about the limit"
    figures: list[Figure] = [(lambda row: row["gteps_entries"], rates, None)]
    if any(row["contender"] == REFERENCE for row in part):
        figures.append((lambda row: speed_up(rows, row), f"times faster than {REFERENCE}; more is better", 1.0))
    return [*figures, (lambda row: row["over_floor"], floors, 1.0)]


def document(title: str, body: str) -> str:
    light, dark = (" ".join(f"--c{k}: {colour};" for k, colour in enumerate(colours)) for colours in (LIGHT, DARK))
    classes = "\n".join(
        f"rect.c{k} {{ fill: var(--c{k}); }} i.c{k} {{ background: var(--c{k}); }}" for k in range(len(LIGHT))
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE % (light, dark, classes)}</style>\n</head>\n"
        f"<body>\n{body}\n</body>\n</html>\n"
    )


def html_table(table: Table) -> str:
    numeric = ["number" if is_numeric(table.column(name)) else "" for name in table.columns]

    def line(cells: Sequence[object], tag: str) -> str:
        pairs = zip(cells, numeric, strict=True)
        parts = (f'<{tag} class="{kind}">{escape(shown(cell))}</{tag}>' for cell, kind in pairs)
        return f"<tr>{''.join(parts)}</tr>"

    rows = "\n".join(line(row, "td") for row in table.rows)
    notes = "".join(f'<p class="soft">{escape(note)}</p>' for note in table.notes)
    return f'<div class="scroll"><table>\n{line(table.columns, "th")}\n{rows}\n</table></div>{notes}'


def _figure(
    rows: list[Json], names: list[str], value: Callable[[Json], float | None], unit: str, line_at: float | None = None
) -> str:
    groups = list(dict.fromkeys(row["graph"] for row in rows))
    series = {
        name: [
            next((value(row) for row in rows if row["graph"] == group and row["contender"] == name), None)
            for group in groups
        ]
        for name in names
    }
    charts = "".join(
        f'<div class="{kind}">{bars(groups, series, unit, line_at, width)}</div>'
        for kind, width in (("wide", WIDTH), ("narrow", NARROW))
    )
    return f"<figure><figcaption>{escape(unit)}</figcaption>{charts}</figure>"


def _origin(result: Json) -> str:
    machine = result["machine"]
    where = f"{machine['cpu']}, {machine['cores']} cores, {machine['memory_gib']} GiB"
    if machine["gpu"]:
        where += f"; {machine['gpu']}, {machine['gpu_memory_gib']} GiB"
    rates = ", ".join(f"{name} {rate:.0f} GB/s" for name, rate in result["copy_gb_per_s"].items())
    versions = ", ".join(f"{name} {version}" for name, version in result["versions"].items())
    used = {row["contender"]: row["note"] for row in result["measurements"] if row["note"]}
    notes = "; ".join(f"{name}: {note}" for name, note in used.items())
    lines = [where, f"memory copies at: {rates}", versions, notes, f"commit {result['commit']}, {result['date']}"]
    return f'<p class="soft">{"<br>".join(escape(line) for line in lines if line)}</p>'
