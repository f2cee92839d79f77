"""Write the Markdown pages in ``benchmarks/results`` from the JSON files next to them.

    python -m docs.pages

``papers.md`` (the papers' experiments), ``library_speed.md`` (every algorithm), and the tables of ``scaling.md``
(searches over MPI ranks), which follow ``<!-- table: NAME -->``.
"""

import json
import re
from pathlib import Path
from typing import Any

from benchmarks.cases_library import WORKS
from benchmarks.common import RESULTS
from benchmarks.papers import EXPERIMENTS
from docs import scaling_model
from grblas_gpu.bench.tables import Table, markdown

MADE = "<!-- Written by python -m docs.pages; do not edit below. -->\n\n"
PER_RANK = 15  # 2**15 vertices of each rank, measured
Result = dict[str, Any]


def results(pattern: str, folder: Path = RESULTS) -> list[Result]:
    return [json.loads(file.read_text(encoding="utf-8")) for file in sorted(folder.glob(pattern))]


# The papers ------------------------------------------------------------------------------------------------------

#: Columns that say how many times as fast as the paper a row is, or as the system's own other form.
RATIOS = {
    "000": ("ratio", "the paper's rate"),
    "002": ("ratio", "the paper's rate"),
    "003.asynchronous": ("speed-up", "the synchronous search"),
    "004.figure7": ("paper / ours", "the paper's time"),
    "004.table2": ("over the paper", "the paper's rate"),
}


def experiments(folder: Path = RESULTS) -> list[Result]:
    """Results of the papers' experiments, in the order of their names."""
    return [result for result in results("*.json", folder) if isinstance(result, dict) and "experiment" in result]


def device(result: Result) -> str:
    """What the experiment of a result ran on."""
    machine = result["machine"]
    return machine["gpu"] if result["backend"] == "cuda" else f"{machine['cpu']}, {machine['cores']} cores"


def origin(result: Result) -> str:
    """Where the numbers of an experiment are from."""
    changed = "+" if (result["commit"] or "").endswith("+") else ""
    commit = f", commit {result['commit'][:12]}{changed}" if result["commit"] else ""
    return f"Ours: {device(result)}, memory copies at {result['copy_gb_per_s']:.0f} GB/s, {result['date']}{commit}."


def papers_page(found: list[Result]) -> str:
    parts = [missing(found), commits(found), slower_than_papers(found)]
    for result in found:
        parts += [f"## {result['experiment']}: {result['title']}\n", f"{result['paper']}. {origin(result)}\n"]
        for table in result["tables"]:
            parts.append(f"{table['title']}\n\n{markdown(table['columns'], table['rows'])}")
            parts += [*(f"- {note}" for note in table["notes"]), *([""] if table["notes"] else [])]
        if remarks := EXPERIMENTS[result["experiment"]].data.get("remarks", []):
            parts += ["**What differs, and why**\n", *(f"- {remark}" for remark in remarks), ""]
    return "\n".join(parts).rstrip("\n") + "\n"


def missing(found: list[Result]) -> str:
    names = {result["experiment"] for result in found}
    left = [f"`{name}` ({each.data['title']})" for name, each in EXPERIMENTS.items() if name not in names]
    if not left:
        return "All experiments are here.\n"
    where = ", ".join(dict.fromkeys(map(device, found)))
    return f"**Not run yet** on {where}, so without a result here: {', '.join(left)}.\n"


def slower(result: Result) -> list[tuple[str, str, float]]:
    """The rows of a result in which a system is slower than its paper: row, what it is compared with, the ratio."""
    found: list[tuple[str, str, float]] = []
    for start, (column, what) in RATIOS.items():
        for table in result["tables"] if result["experiment"].startswith(start) else ():
            if column in table["columns"]:
                at = table["columns"].index(column)
                found += [(str(row[0]), what, row[at]) for row in table["rows"] if row[at] is not None and row[at] < 1]
    return found


def slower_than_papers(found: list[Result]) -> str:
    rows = [[result["experiment"], *each] for result in found for each in slower(result)]
    if not rows:
        return "## Slower than the paper\n\nNo row is.\n"
    table = markdown(["experiment", "row", "compared with", "ratio"], rows)
    return f"## Slower than the paper\n\nThese rows are; all others are at least as fast.\n\n{table}"


def commits(found: list[Result]) -> str:
    by_commit: dict[str, list[str]] = {}
    for result in found:
        by_commit.setdefault((result["commit"] or "no commit")[:12], []).append(result["experiment"])
    if len(by_commit) == 1:
        return f"All were measured at commit {next(iter(by_commit))}.\n"
    listed = "; ".join(f"{commit}: {', '.join(names)}" for commit, names in by_commit.items())
    return f"They were measured at several commits: {listed}.\n"


# The library -----------------------------------------------------------------------------------------------------

NAMES = {"cpu": "On a CPU", "cuda": "On a CUDA device"}
GRAPHS = {"rmat": "A Kronecker graph", "uniform": "Random neighbours", "grid": "A grid"}
GRAPHS["web"] = "A Kronecker graph with directions"
PEERS = {"scipy": "SciPy", "igraph": "igraph", "networkit": "NetworKit", "networkx": "NetworkX"}
BUSY = " Processor time of all threads, because other programs ran at the same time."


def library_page(found: list[Result]) -> str:
    parts = []
    for result in found:
        parts.append(f"## {NAMES[result['backend']]}\n\n{library_origin(result)}\n")
        for graph in GRAPHS:
            rows = [row for row in result["rows"] if row["graph"] == graph]
            parts += [library_table(result, graph, rows)] if rows else []
    return "\n".join(parts)


def library_origin(result: Result) -> str:
    """Where and when, and on how many threads."""
    made, count = result["machine"], result.get("threads") if result["backend"] == "cpu" else None
    listed = ", ".join(dict.fromkeys(row.get("commit", made["commit"]) for row in result["rows"]))
    threads = "" if count is None else f" {'One thread' if count == 1 else f'{count} threads'} each."
    where = device({**result, "machine": made["machine"]})
    return f"{where}, {made['date']}, commit {listed}.{threads}{BUSY if result.get('clock') == 'processor' else ''}"


def library_table(result: Result, graph: str, rows: list[Result]) -> str:
    """The rows of one graph; what was quoted is for the Kronecker graph of a million vertices on a device."""
    comparable = result["quoted"].items() if (result["backend"], graph) == ("cuda", "rmat") else ()
    quoted = {who.split(",")[0]: times for who, times in comparable}
    columns = [name for name in ("ms", "iterated", *PEERS) if any(name in row for row in rows)]
    heads = ["algorithm", *({"cugraph": "cuGraph", **PEERS}.get(name, name) for name in [*columns, *quoted])]
    cells = [
        [row["algorithm"], *(row.get(name) for name in columns), *(q.get(row["algorithm"]) for q in quoted.values())]
        for row in rows
    ]
    table = markdown(heads, cells, [False, *[True] * (len(heads) - 1)]).rstrip("\n")
    small = [row for row in rows if row["algorithm"] in WORKS and WORKS[row["algorithm"]].of_small]
    whole = [row for row in rows if row not in small] or rows
    sizes = sorted({f"{row['vertices']:,} vertices, {row['entries']:,} entries" for row in whole})
    lines = [f"### {GRAPHS[graph]}: {', '.join(sizes)}\n", table]
    if small:
        few, names = max(row["vertices"] for row in small), ", ".join(row["algorithm"] for row in small)
        reason = "because the algorithm searches from every vertex"
        lines.append(f"\nGraphs of at most {few:,} vertices, {reason}: {names}.")
    lines += [f"\n`{row['algorithm']}` {row['remark']}." for row in rows if "remark" in row]
    return "\n".join([*lines, *slower_than_others(rows)]) + "\n"


def slower_than_others(rows: list[Result]) -> list[str]:
    """What another library is faster at, worst first."""
    found = []
    for row in rows:
        times = {row[who]: title for who, title in PEERS.items() if who in row}
        if times and row["ms"] is not None and row["ms"] > min(times):
            found.append((row["ms"] / min(times), f"{row['algorithm']} ({times[min(times)]}"))
    listed = ", ".join(f"{what}, {by:.1f} x)" for by, what in sorted(found)[::-1])
    return [f"\nSlower than another library: {listed}."] if found else []


# Ranks -----------------------------------------------------------------------------------------------------------

HEADS = {"bytes/vertex": "bytes per vertex", "results/vertex": "results per vertex", "rounds": "rounds a level"}
HEADS |= {"MTEPS (median)": "MTEPS (median, 16 roots)", "carried": "carried by", "us/level": "us a level"}
HEADS |= {
    "search-ms": "ms a search",
    "median": "median of 16",
    "MB/rank": "MB sent by a rank",
    "GB/rank": "GB per rank",
}
HEADS |= {"compute-ms": "computing ms", "send-ms": "sending ms", "wait-ms": "waiting ms"}


def ranks_markdown(table: Table) -> str:
    rows = markdown([HEADS.get(name, name) for name in table.columns], table.rows)
    return rows + "".join(f"\n*{note}*\n" for note in table.notes)


def ranks_tables() -> dict[str, Table]:
    """By their names in the page; none of a GPU where none was measured."""
    (kept,) = results("scaling.cpu.json")
    weak, small, large = scaling_model.tables(scaling_model.kept_results(kept), PER_RANK)
    found = {"weak scaling": weak, "2**21 vertices": small, "2**25 vertices": large}
    for local in ("cpu", "cuda"):
        if rows := scaling_model.rows_of(local):
            found[f"levels on {local}"] = scaling_model.levels_table(rows, local)
    return found


def ranks_page(text: str) -> str:
    """The page with these tables."""
    for name, table in ranks_tables().items():
        place = re.compile(rf"(<!-- table: {re.escape(name)} -->\n\n)(?:\|.*\n)*(?:\n\*[^*]+\*\n)*\n*")
        if not place.search(text):
            raise ValueError(f"no place for the table {name!r}")
        text = place.sub(rf"\g<1>{ranks_markdown(table)}\n", text)
    return text


def pages() -> dict[str, str]:
    """All pages by their names in benchmarks/results. The text above the mark is written by hand."""
    found = {"papers.md": papers_page(experiments()), "library_speed.md": library_page(results("library_speed.*.json"))}
    for name, made in found.items():
        head, mark, _ = (RESULTS / name).read_text(encoding="utf-8").partition(MADE)
        found[name] = head + mark + made
    return {**found, "scaling.md": ranks_page((RESULTS / "scaling.md").read_text(encoding="utf-8"))}


def main() -> None:
    for name, text in pages().items():
        (RESULTS / name).write_text(text, encoding="utf-8")
        print(f"benchmarks/results/{name}")


if __name__ == "__main__":
    main()
