"""Write the results of ``library_speed`` as a Markdown page.

python -m benchmarks.library_page     # benchmarks/results/library_speed.*.json -> library_speed.md
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from .library_works import WORKS
from .text_tables import shown

ROOT = Path(__file__).parent.parent
NAMES = {"cpu": "On a CPU", "cuda": "On a CUDA device"}
GRAPHS = {
    "rmat": "A Kronecker graph",
    "uniform": "Random neighbours",
    "grid": "A grid",
    "web": "A Kronecker graph with directions",
}
PEERS = {"scipy": "SciPy", "igraph": "igraph", "networkit": "NetworKit", "networkx": "NetworkX"}
CLOCKS = {
    "wall": "",
    "processor": " Processor time of all threads, because other programs ran at the same time.",
}
HEAD = """# Every algorithm on four graphs

Written by `python -m benchmarks.library_page` from `benchmarks/results/library_speed.*.json`; do not edit.
`python -m benchmarks.library_speed` repeats the measurement and checks every result before it times it.

Times are milliseconds of whole calls, the fastest of several, after a first call that compiles or loads kernels.
"Iterated" is the same call with `gb.config.set(loops="iterated")`. SciPy, igraph, NetworKit and NetworkX run in turns
with this library, on graphs that are built beforehand; results with one right answer are compared. Stopping rules
differ: igraph solves PageRank and eigenvectors to the last digit. A line below each table names the algorithms at which
another library is faster. Times of cuGraph 26.10 (whole calls, pool allocator) and ECL (hand-written CUDA, kernels
only) are quoted from separate measurements on an H200.
"""


def main() -> int:
    (ROOT / "benchmarks" / "results" / "library_speed.md").write_text(page(results(ROOT / "benchmarks" / "results")))
    return 0


def results(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(file.read_text()) for file in sorted(folder.glob("library_speed.*.json"))]


def page(found: list[dict[str, Any]]) -> str:
    parts = [HEAD]
    for result in found:
        parts.append(f"## {NAMES[result['backend']]}\n\n{origin(result)}\n")
        parts += [table(result, graph) for graph in GRAPHS if rows_of(result, graph)]
    return "\n".join(parts)


def origin(result: dict[str, Any]) -> str:
    """Where and when."""
    machine, measured = result["machine"]["machine"], result["machine"]
    where = machine.get("gpu") if result["backend"] == "cuda" else f"{machine['cpu']}, {machine['cores']} cores"
    commits = list(dict.fromkeys(row.get("commit", measured["commit"]) for row in result["rows"]))
    conditions = threads(result) + CLOCKS[result.get("clock", "wall")]
    return f"{where}, {measured['date']}, commit {', '.join(commits)}.{conditions}"


def threads(result: dict[str, Any]) -> str:
    count = result.get("threads") if result["backend"] == "cpu" else None
    return "" if count is None else f" {'One thread' if count == 1 else f'{count} threads'} each."


def rows_of(result: dict[str, Any], graph: str) -> list[dict[str, Any]]:
    return [row for row in result["rows"] if row["graph"] == graph]


def table(result: dict[str, Any], graph: str) -> str:
    """The rows of one graph; what was quoted is for the Kronecker graph of a million vertices on a device."""
    rows, columns = rows_of(result, graph), ["ms", "iterated", *PEERS]
    comparable = result["quoted"].items() if (result["backend"], graph) == ("cuda", "rmat") else ()
    quoted = {who.split(",")[0]: times for who, times in comparable}
    columns = [name for name in columns if any(name in row for row in rows)]
    titles = {"cugraph": "cuGraph", **PEERS}
    heads = ["algorithm", *(titles.get(name, name) for name in [*columns, *quoted])]
    lines = [f"### {GRAPHS[graph]}: {', '.join(sizes(rows))}\n", line(heads)]
    lines.append(line(["---", *["---:"] * (len(heads) - 1)]))
    for row in rows:
        cells = [row.get(name) for name in columns] + [times.get(row["algorithm"]) for times in quoted.values()]
        lines.append(line([row["algorithm"], *(shown(cell) for cell in cells)]))
    remarks = [f"\n`{row['algorithm']}` {row['remark']}." for row in rows if "remark" in row]
    return "\n".join([*lines, *smaller(rows), *remarks, *slower(rows)]) + "\n"


def sizes(rows: list[dict[str, Any]]) -> list[str]:
    """Of the whole graph, in every size that was measured."""
    rows = [row for row in rows if not of_small(row)] or rows
    return sorted({f"{row['vertices']:,} vertices, {row['entries']:,} entries" for row in rows})


def of_small(row: dict[str, Any]) -> bool:
    return row["algorithm"] in WORKS and WORKS[row["algorithm"]].of_small


def smaller(rows: list[dict[str, Any]]) -> list[str]:
    """What was measured on a smaller graph of the same kind."""
    found = [row["algorithm"] for row in rows if of_small(row)]
    if not found:
        return []
    few = max(row["vertices"] for row in rows if of_small(row))
    return [
        f"\nGraphs of at most {few:,} vertices, because the algorithm searches from every vertex: {', '.join(found)}."
    ]


def slower(rows: list[dict[str, Any]]) -> list[str]:
    """What another library is faster at, worst first."""
    found = []
    for row in rows:
        times = {row[who]: title for who, title in PEERS.items() if who in row}
        if times and row["ms"] is not None and row["ms"] > min(times):
            found.append((row["ms"] / min(times), f"{row['algorithm']} ({times[min(times)]}"))
    if not found:
        return []
    return [
        "\nSlower than another library: " + ", ".join(f"{what}, {by:.1f} x)" for by, what in sorted(found)[::-1]) + "."
    ]


def line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    raise SystemExit(main())
