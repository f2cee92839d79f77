"""The pictures of the documentation: SVG files in images/, drawn with the standard library only.

python docs/pictures.py

Every picture has a background card that follows the reader's light or dark setting, so that it is readable on any page.
"""

import json
import math
from collections.abc import Iterable
from pathlib import Path

HERE = Path(__file__).resolve().parent
RESULTS = HERE.parent / "benchmarks" / "results"

# The graph of the tutorial: where its vertices are drawn, and its edges.
PLACES = {0: (40, 110), 1: (125, 50), 2: (125, 170), 3: (210, 110), 4: (295, 110), 5: (380, 110), 6: (380, 190)}
EDGES = {(0, 1): 2, (0, 2): 5, (1, 3): 6, (2, 3): 1, (3, 4): 3, (4, 5): 1, (6, 5): 4}
LEVELS = {0: 0, 1: 1, 2: 1, 3: 2, 4: 3, 5: 4}
RADIUS = 17
CELL = 22

STYLE = """
.card { fill: #f7f8fa; stroke: #d5d9df }
text { fill: #20262e; font: 14px system-ui, sans-serif; text-anchor: middle }
.left { text-anchor: start } .right { text-anchor: end } .small { font-size: 12px } .faint { fill: #616b77 }
.code { font-family: ui-monospace, monospace; font-size: 13px }
.node, .cell { fill: #ffffff; stroke: #8a94a0 } .edge, .axis { stroke: #78828e; fill: none }
.tip { fill: #78828e } .bold { stroke-width: 2.5 }
.a { fill: #1668b8 } .b { fill: #c2410c } .c { fill: #9aa3ad } .d { fill: #3f7d20 }
.stroke-a { stroke: #1668b8 } .stroke-b { stroke: #c2410c } .tip-a { fill: #1668b8 } .tip-b { fill: #c2410c }
.wash-a { fill: #d4e6f8 } .wash-b { fill: #fbdfcf } .wash-c { fill: #e4e7eb } .on { fill: #ffffff; font-weight: 600 }
@media (prefers-color-scheme: dark) {
  .card { fill: #1c2127; stroke: #39414b } text { fill: #e3e7ec } .faint { fill: #a3adb8 }
  .node, .cell { fill: #262d35; stroke: #6d7884 } .edge, .axis { stroke: #8d98a4 } .tip { fill: #8d98a4 }
  .a { fill: #2f81d0 } .b { fill: #d9622b } .c { fill: #5b6672 } .d { fill: #5f9f3c } .on { fill: #ffffff }
  .stroke-a { stroke: #5aa6ea } .stroke-b { stroke: #ee8350 } .tip-a { fill: #5aa6ea } .tip-b { fill: #ee8350 }
  .wash-a { fill: #1f3b57 } .wash-b { fill: #55301d } .wash-c { fill: #343c45 }
}
"""


# --- parts -----------------------------------------------------------------------------------------------------------


def text(x: float, y: float, words: object, kind: str = "") -> str:
    shown = str(words).replace("&", "&amp;").replace("<", "&lt;")
    return f'<text x="{x:g}" y="{y:g}" class="{kind}">{shown}</text>'


def arrow(x1: float, y1: float, x2: float, y2: float, kind: str = "") -> str:
    """A line with a tip at its second end; ``kind`` is a colour, or nothing."""
    length = math.hypot(x2 - x1, y2 - y1)
    dx, dy = (x2 - x1) / length, (y2 - y1) / length
    base_x, base_y = x2 - 9 * dx, y2 - 9 * dy
    corners = [(x2, y2), (base_x - 4.5 * dy, base_y + 4.5 * dx), (base_x + 4.5 * dy, base_y - 4.5 * dx)]
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
    stroke, tip = (f"stroke-{kind} bold", f"tip-{kind}") if kind else ("", "tip")
    line = f'<line class="edge {stroke}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{base_x:.1f}" y2="{base_y:.1f}"/>'
    return f'{line}<polygon class="{tip}" points="{points}"/>'


def edge(i: int, j: int, kind: str = "", weight: object = None) -> str:
    """An edge of the tutorial's graph, from rim to rim, with its weight next to it."""
    (x1, y1), (x2, y2) = PLACES[i], PLACES[j]
    length = math.hypot(x2 - x1, y2 - y1)
    dx, dy = (x2 - x1) / length * (RADIUS + 1), (y2 - y1) / length * (RADIUS + 1)
    parts = arrow(x1 + dx, y1 + dy, x2 - dx, y2 - dy, kind)
    if weight is not None:
        shift = 0 if dy == 0 else -10 if dy < 0 else 10  # left of what rises, right of what falls
        parts += text((x1 + x2) / 2 + shift, (y1 + y2) / 2 - (6 if dx else -5), weight)
    return parts


def node(v: int, kind: str = "node", label: object = None) -> str:
    x, y = PLACES[v]
    circle = f'<circle class="node {kind}" cx="{x}" cy="{y}" r="{RADIUS}"/>'
    return circle + text(x, y + 5, v if label is None else label, "on" if kind in ("a", "b", "c", "d") else "")


def cell(x: float, y: float, kind: str = "", words: object = "") -> str:
    square = f'<rect class="cell {kind}" x="{x:g}" y="{y:g}" width="{CELL}" height="{CELL}"/>'
    style = "small on" if kind in ("a", "b", "c", "d") else "small"
    return square + (text(x + CELL / 2, y + CELL / 2 + 4, words, style) if words != "" else "")


def matrix(x: float, y: float, kinds: dict[tuple[int, int], str], words: dict[tuple[int, int], object]) -> list[str]:
    """The adjacency matrix with its row and column numbers; ``kinds`` colours cells."""
    parts = [text(x + CELL * (k + 0.5), y - 6, k, "small faint") for k in PLACES]
    parts += [text(x - 8, y + CELL * (k + 0.7), k, "small faint right") for k in PLACES]
    for i in PLACES:
        parts += [cell(x + CELL * j, y + CELL * i, kinds.get((i, j), ""), words.get((i, j), "")) for j in PLACES]
    return parts


def strip(x: float, y: float, entries: dict[int, object], kind: str, wash: Iterable[int] = ()) -> list[str]:
    """A vector as a row of cells."""
    washed = set(wash)
    return [
        cell(x + CELL * k, y, kind if k in entries else "wash-c" if k in washed else "", entries.get(k, ""))
        for k in PLACES
    ]


def picture(name: str, width: int, height: int, title: str, parts: Iterable[str]) -> tuple[str, str]:
    """The name of a file, and what it holds."""
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    card = f'<rect class="card" x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="8"/>'
    body = "\n".join([f"<title>{title}</title>", f"<style>{STYLE}</style>", card, *parts])
    return name, f'{head} role="img">\n{body}\n</svg>\n'


def moved(x: float, y: float, parts: Iterable[str]) -> str:
    return f'<g transform="translate({x:g} {y:g})">' + "".join(parts) + "</g>"


# --- pictures --------------------------------------------------------------------------------------------------------


def graph_and_matrix() -> tuple[str, str]:
    drawing = [edge(i, j, "a" if (i, j) == (2, 3) else "", w) for (i, j), w in EDGES.items()]
    drawing += [node(v) for v in PLACES]
    kinds = {e: "wash-a" if e != (2, 3) else "a" for e in EDGES}
    table = matrix(500, 60, kinds, dict(EDGES.items()))
    notes = [
        text(577, 30, "to", "small faint"),
        text(462, 142, "from", "small faint"),
        text(210, 250, "the edge from 2 to 3, of weight 1 ...", "small"),
        text(577, 250, "... is the entry in row 2, column 3", "small"),
    ]
    return picture("graph-and-matrix.svg", 700, 270, "A graph and its matrix", [*drawing, *table, *notes])


def one_step() -> tuple[str, str]:
    """frontier<!levels> = frontier A, from the level of vertices 1 and 2."""
    frontier, seen = {1: 1, 2: 1}, {0: 0, 1: 1, 2: 1}
    kinds = {(i, j): "a" if i in frontier else "wash-c" for i, j in EDGES}
    width = CELL * 7
    parts = [
        text(20 + width / 2, 40, "frontier", "code"),
        *strip(20, 52, dict.fromkeys(frontier, "✓"), "a"),
        text(20 + width + 21, 68, "@"),
        *matrix(235, 52, kinds, dict.fromkeys(EDGES, "✓")),
        text(235 + width / 2, 28, "A", "code"),
        text(235 + width + 22, 132, "="),
        text(442 + width / 2, 40, "neighbours", "code"),
        *strip(442, 52, {3: "✓"}, "a"),
        text(442 + width / 2, 108, "~levels.S: grey is closed", "small"),
        *strip(442, 118, {}, "a", seen),
        text(442 + width / 2, 174, "the new frontier", "code"),
        *strip(442, 184, {3: "✓"}, "b"),
        text(312, 240, "Rows 1 and 2 are chosen by the frontier; combined, they are the next one.", "small"),
    ]
    return picture("one-step.svg", 620, 260, "One step of a breadth-first search", parts)


def levels() -> tuple[str, str]:
    """The search from 0, level by level."""
    panels = []
    for depth in range(4):
        parts = []
        for i, j in EDGES:
            parts.append(edge(i, j, "a" if LEVELS.get(i) == depth and LEVELS.get(j) == depth + 1 else ""))
        for v in PLACES:
            level = LEVELS.get(v, 99)
            kind = "c" if level < depth else "a" if level == depth else "b" if level == depth + 1 else "node"
            parts.append(node(v, kind))
        parts.append(text(210, 20, f"depth {depth}", ""))
        panels.append(moved(15 + 425 * (depth % 2), 12 + 225 * (depth // 2), parts))
    legend = []
    for k, (kind, words) in enumerate((("c", "visited"), ("a", "frontier"), ("b", "found now"), ("node", "not seen"))):
        x = 190 + 135 * k
        legend.append(f'<circle class="node {kind}" cx="{x}" cy="482" r="8"/>' + text(x + 15, 487, words, "left small"))
    return picture("levels.svg", 860, 505, "A search, level by level", [*panels, *legend])


def push_and_pull() -> tuple[str, str]:
    """The matrix entries that each direction reads, for the step from the frontier {1, 2}."""
    seen = (0, 1, 2)
    push = {(i, j): "a" for i, j in EDGES if i in (1, 2)}
    push |= {(i, j): "wash-a" for i in (1, 2) for j in PLACES if (i, j) not in EDGES}
    push |= {e: "wash-c" for e in EDGES if e not in push}
    pull = {(i, j): "wash-b" for j in PLACES if j not in seen for i in PLACES}
    probed = [(1, 3), (3, 4), (4, 5), (6, 5)]
    pull |= dict.fromkeys(probed, "b")
    pull |= {(2, 3): "c"} | {e: "wash-c" for e in EDGES if e[1] in seen}
    ticks = dict.fromkeys(EDGES, "✓")
    parts = [
        text(175, 32, "push: the rows of the frontier", ""),
        *matrix(98, 66, push, ticks),
        *(arrow(48, 66 + CELL * (k + 0.5), 78, 66 + CELL * (k + 0.5), "a") for k in (1, 2)),
        text(175, 246, "costs the edges that leave the frontier", "small"),
        text(525, 32, "pull: the columns still open", ""),
        *matrix(448, 80, pull, ticks),
        *(arrow(448 + CELL * (k + 0.5), 42, 448 + CELL * (k + 0.5), 64, "b") for k in (3, 4, 5, 6)),
        text(525, 256, "each until its first hit: in column 3 one probe is enough", "small"),
    ]
    return picture("push-and-pull.svg", 700, 275, "What push and pull read of the matrix", parts)


def level_times() -> tuple[str, str]:
    """Milliseconds of every level by push and by pull, as measured: 004.figure5 of benchmarks/results."""
    result = json.loads((RESULTS / "004.figure5.json").read_text())
    table = result["tables"][0]
    level, push, pull = (table["columns"].index(name) for name in ("level", "push ms", "pull ms"))
    left, top, width, height, low, high = 70, 50, 600, 210, -2, 1

    def y(milliseconds: float) -> float:
        return top + height * (high - math.log10(milliseconds)) / (high - low)

    parts = [text(360, 28, f"A search on an {result['machine']['gpu']}, milliseconds per level (logarithmic)")]
    for power in range(low, high + 1):
        at = y(10**power)
        parts.append(f'<line class="axis" x1="{left}" x2="{left + width}" y1="{at:.1f}" y2="{at:.1f}" opacity="0.4"/>')
        parts.append(text(left - 8, at + 4, f"{10**power:g}", "right small faint"))
    step = width / len(table["rows"])
    for k, row in enumerate(table["rows"]):
        middle = left + step * (k + 0.5)
        for shift, kind, value in ((-37, "a", row[push]), (5, "b", row[pull])):
            tall = top + height - y(value)
            place = f'x="{middle + shift:.0f}" y="{y(value):.1f}" width="32" height="{tall:.1f}"'
            parts.append(f'<rect class="{kind}" {place}/>')
            parts.append(text(middle + shift + 16, y(value) - 5, f"{value:.2g}", "small"))
        parts.append(text(middle, top + height + 20, f"level {row[level]}", "small"))
    for k, (kind, words) in enumerate((("a", "push"), ("b", "pull"))):
        parts.append(f'<rect class="{kind}" x="{300 + 80 * k}" y="298" width="12" height="12"/>')
        parts.append(text(318 + 80 * k, 309, words, "left small"))
    return picture("level-times.svg", 700, 325, "Push and pull, level by level", parts)


def cost_growth() -> tuple[str, str]:
    """Microseconds of a push over its edges and of a pull over its open rows: benchmarks/cost_growth.py."""
    rows = json.loads((RESULTS / "cpu" / "cost_growth.json").read_text())["rows"]
    scales = sorted({row["scale"] for row in rows})
    width, height, top, low, high = 265, 220, 60, 1, 5

    def y(microseconds: float) -> float:
        return top + height * (high - math.log10(microseconds)) / (high - low)

    parts = [text(360, 28, "Microseconds on the CPU (both axes logarithmic)")]
    for left, direction, words in (
        (70, "push", "edges of the frontier"),
        (395, "pull", "rows that the mask leaves open"),
    ):
        found = [row for row in rows if row["direction"] == direction]
        first, last = (math.log10(limit(row["work"] for row in found)) for limit in (min, max))
        for power in range(low, high + 1):
            at = y(10**power)
            line = f'x1="{left}" x2="{left + width}" y1="{at:.1f}" y2="{at:.1f}"'
            parts.append(f'<line class="axis" {line} opacity="0.4"/>')
            parts.append(text(left - 8, at + 4, f"{10**power:g}", "right small faint"))
        for power in range(math.ceil(first), math.floor(last) + 1):
            x = left + width * (power - first) / (last - first)
            parts.append(text(x, top + height + 18, f"{10**power:,}", "small faint"))
        parts.append(text(left + width / 2, top - 12, direction))
        parts.append(text(left + width / 2, top + height + 38, words, "small"))
        for scale, kind in zip(scales, "ab", strict=True):
            points = [
                (left + width * (math.log10(row["work"]) - first) / (last - first), y(row["microseconds"]))
                for row in found
                if row["scale"] == scale
            ]
            path = " ".join(f"{px:.1f},{py:.1f}" for px, py in points)
            parts.append(f'<polyline class="edge stroke-{kind} bold" points="{path}"/>')
            parts += [f'<circle class="{kind}" cx="{px:.1f}" cy="{py:.1f}" r="3"/>' for px, py in points]
    for k, (scale, kind) in enumerate(zip(scales, "ab", strict=True)):
        parts.append(f'<rect class="{kind}" x="{190 + 190 * k}" y="336" width="12" height="12"/>')
        parts.append(text(208 + 190 * k, 347, f"{2**scale:,} vertices", "left small"))
    return picture("cost-growth.svg", 700, 365, "What a push and a masked pull cost", parts)


DRAWINGS = (graph_and_matrix, one_step, levels, push_and_pull)


def work_times() -> tuple[str, str]:
    """Milliseconds of whole algorithms on one device: benchmarks/results/gpu_speed.json."""
    result = json.loads((RESULTS / "gpu_speed.json").read_text())
    rows = [(row["name"].removeprefix("largest: "), row["milliseconds"]["median"]) for row in result["measurements"]]
    left, top, width, line, low, high = 290, 50, 330, 21, -1, 4

    def x(milliseconds: float) -> float:
        return left + width * (math.log10(milliseconds) - low) / (high - low)

    bottom = top + line * len(rows)
    parts = [text(350, 28, f"Milliseconds on an {result['machine']['gpu']} (logarithmic)")]
    for power in range(low, high + 1):
        at = x(10**power)
        parts.append(f'<line class="axis" x1="{at:.1f}" x2="{at:.1f}" y1="{top}" y2="{bottom}" opacity="0.4"/>')
        parts.append(text(at, bottom + 16, f"{10**power:g}", "small faint"))
    for k, (name, value) in enumerate(rows):
        at = top + line * k
        kind = "a" if "grid" not in name else "b"
        parts.append(
            f'<rect class="{kind}" x="{left}" y="{at + 4}" width="{x(value) - left:.1f}" height="{line - 8}"/>'
        )
        parts.append(text(left - 8, at + 15, name, "right small"))
        parts.append(text(x(value) + 5, at + 15, f"{value:,.0f}" if value > 100 else f"{value:.3g}", "left small"))
    return picture("work-times.svg", 700, bottom + 26, "Times of whole algorithms", parts)


def operation_times(result: dict | None = None) -> tuple[str, str]:
    """Operations on whole matrices, cupyx and the time of their bytes: benchmarks/results/gpu_operations.json."""
    result = result or json.loads((RESULTS / "gpu_operations.json").read_text())
    rows = [row for row in result["rows"] if row["type"] == "FP32" and "error" not in row]
    shown = [row for row in rows if row["graph"] == "rmat20_16"]
    shown += [row for row in rows if row["operation"] == "A * A"]
    left, top, width, line, low, high = 230, 66, 380, 26, -3, 3

    def x(milliseconds: float) -> float:
        return left + width * (math.log10(min(max(milliseconds, 10**low), 10**high)) - low) / (high - low)

    bottom = top + line * len(shown)
    parts = [text(350, 26, f"Milliseconds on an {result['machine']['gpu']} (logarithmic), FP32, rmat20_16 if not said")]
    for k, (kind, name) in enumerate((("a", "this library"), ("c", "cupyx"), ("b", "time of the bytes"))):
        parts.append(f'<rect class="{kind}" x="{180 + 130 * k}" y="38" width="12" height="12"/>')
        parts.append(text(198 + 130 * k, 49, name, "left small"))
    for power in range(low, high + 1):
        at = x(10**power)
        parts.append(f'<line class="axis" x1="{at:.1f}" x2="{at:.1f}" y1="{top}" y2="{bottom}" opacity="0.4"/>')
        parts.append(text(at, bottom + 16, f"{10**power:g}", "small faint"))
    for k, row in enumerate(shown):
        at = top + line * k
        name = row["operation"] if row["graph"] == "rmat20_16" else f"{row['operation']}, {row['graph']}"
        parts.append(text(left - 8, at + 17, name, "right small"))
        for number, (kind, value) in enumerate((("a", row["ms"]), ("c", row["cupyx_ms"]))):
            if value:
                y = at + 4 + 10 * number
                parts.append(f'<rect class="{kind}" x="{left}" y="{y}" width="{x(value) - left:.1f}" height="8"/>')
                parts.append(text(x(value) + 5, y + 8, f"{value:.3g}", "left small"))
        if row["bytes_ms"]:
            at_bytes = x(row["bytes_ms"])
            parts.append(f'<rect class="b" x="{at_bytes - 1:.1f}" y="{at + 2}" width="2.5" height="22"/>')
    return picture("operation-times.svg", 700, bottom + 26, "Times of operations on whole matrices", parts)


def library_times() -> tuple[str, str]:
    """Milliseconds of algorithms next to those quoted for cuGraph: benchmarks/results/library_speed.cuda.json."""
    result = json.loads((RESULTS / "library_speed.cuda.json").read_text())
    (quoted,) = (times for who, times in result["quoted"].items() if who.startswith("cugraph"))
    ours = {row["algorithm"]: row for row in result["rows"] if row["graph"] == "rmat"}
    shown = [(name, ours[name]["ms"], quoted[name]) for name in ours if name in quoted]
    entries, vertices = (max(row[key] for row in ours.values()) for key in ("entries", "vertices"))
    left, top, width, line, low, high = 175, 80, 260, 34, -1, 3  # small, so that texts stay readable on a phone

    def x(milliseconds: float) -> float:
        return left + width * (math.log10(milliseconds) - low) / (high - low)

    bottom = top + line * len(shown)
    where = f"{result['machine']['machine']['gpu']}, {vertices / 1e6:.1f} M vertices, {entries / 1e6:.0f} M entries"
    parts = [text(240, 24, "Milliseconds of whole calls (logarithmic)"), text(240, 43, where, "small faint")]
    for k, (kind, name) in enumerate((("a", "grblas_gpu"), ("c", "cuGraph 26.10"))):
        parts.append(f'<rect class="{kind}" x="{130 + 120 * k}" y="56" width="12" height="12"/>')
        parts.append(text(148 + 120 * k, 67, name, "left small"))
    for power in range(low, high + 1):
        at = x(10**power)
        parts.append(f'<line class="axis" x1="{at:.1f}" x2="{at:.1f}" y1="{top}" y2="{bottom}" opacity="0.4"/>')
        parts.append(text(at, bottom + 16, f"{10**power:g}", "small faint"))
    for k, (name, *times) in enumerate(sorted(shown, key=lambda row: row[1])):
        at = top + line * k
        parts.append(text(left - 8, at + 21, name, "right small"))
        for number, (kind, value) in enumerate(zip("ac", times, strict=True)):
            y = at + 5 + 13 * number
            parts.append(f'<rect class="{kind}" x="{left}" y="{y}" width="{x(value) - left:.1f}" height="11"/>')
            parts.append(text(x(value) + 5, y + 10, f"{value:.3g}", "left small"))
    return picture("library-times.svg", 480, bottom + 26, "Algorithms on a GPU and in cuGraph", parts)


CHARTS = (level_times, cost_growth, work_times, library_times)  # drawn from measurements in benchmarks/results


def main() -> None:
    measured = (operation_times,) if (RESULTS / "gpu_operations.json").exists() else ()
    for draw in (*DRAWINGS, *CHARTS, *measured):
        name, content = draw()
        (HERE / "images" / name).write_text(content, encoding="utf-8")
        print(f"images/{name}")


if __name__ == "__main__":
    main()
