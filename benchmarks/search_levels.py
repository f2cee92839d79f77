"""What a level of a distributed search costs: some searches on each transport, and levels that find next to nothing.

    mpiexec -n 4 python -m benchmarks search_levels --scale 22 --roots 16 --validate 2

``overhead`` is the time of a level of searches along a path, whose frontiers have one vertex. GRBLAS_GPU_MPI_SEARCH and
GRBLAS_GPU_MPI_GRID say how ranks search. ``--json`` is for ``scaling --levels``, which runs this for several grids.
"""

import json
import os
import statistics
import time

import numpy as np

from grblas_gpu import trace
from grblas_gpu.distributed import DistMatrix, hybrid_bfs, validate_tree
from grblas_gpu.distributed.graph500 import choose_roots, timed

from .common import parser

PATH = 400  # vertices


def say(engine, *words: object) -> None:
    if engine.grid.rank == 0:
        print(*words, flush=True)


def sent_by(engine, A, root: int):
    """The traffic of this rank in a search, and its trace."""
    before = engine.grid.traffic.copy()
    with trace() as t:
        hybrid_bfs(A, root)
    return engine.grid.traffic.since(before), t


def overhead(engine, times: int) -> dict[str, float]:
    """The cost of a nearly empty level: minimum and median seconds over some searches, processor seconds of rank 0, and
    the traffic of this rank.
    """
    ends = np.arange(PATH - 1)
    mine = ends if engine.grid.rank == 0 else ends[:0]
    path = DistMatrix.from_parts(mine, mine + 1, nrows=PATH, ncols=PATH, undirected=True)
    hybrid_bfs(path, 0)
    before = engine.grid.traffic.copy()
    hybrid_bfs(path, 0)
    sent = engine.grid.traffic.since(before)
    seconds, busy = [], []
    for _ in range(times):
        begun = time.process_time()
        seconds.append(timed(engine, path, 0)[0] / PATH)
        busy.append((time.process_time() - begun) / PATH)
    found = {"least": min(seconds), "median": statistics.median(seconds), "processor": min(busy)}
    return found | {name: getattr(sent, name) / PATH for name in ("bytes", "messages", "rounds")}


def searched(engine, A, roots: list[int], degrees):
    """Searches from these roots: seconds, edges per second, levels, and the traffic of rank 0 in one search."""
    sent, t = sent_by(engine, A, roots[0])
    seconds, counts = [], []
    for root in roots:
        taken, parents = timed(engine, A, root)
        seconds.append(taken)
        counts.append(engine.grid.everyone.add_up([degrees.edges(parents._store.part)])[0] // 2)
    rates = [edges / taken for edges, taken in zip(counts, seconds, strict=True)]
    found = {"seconds": seconds, "edges": counts, "levels": len(t.steps())}
    return {**found, "bytes": sent.bytes, "messages": sent.messages, "rates": rates}


def measured(engine, A, roots: list[int], degrees, paths: int):
    """A row of ``scaling --levels``: the kind of search, the searches, and the cost of a level."""
    hybrid_bfs(A, roots[0])
    carried = {record.transport for record in sent_by(engine, A, roots[0])[1].steps()}
    ranks = {"ranks": engine.grid.size, "grid": list(engine.grid.shape)}
    ranks |= {"by": "products" if engine.transport is None else "bits"}
    ranks |= {"transport": ", ".join(sorted(filter(None, carried))), "local": engine.local.name}
    ranks |= {"cores": len(os.sched_getaffinity(0)), "vertices": A.nrows}
    return {**ranks, "search": searched(engine, A, roots, degrees), "level": overhead(engine, paths)}


def in_words(row) -> str:
    seconds, level = row["search"]["seconds"], row["level"]
    return (
        f"{row['by']}, {row['transport']}: median {1e3 * statistics.median(seconds):.3f} ms, "
        f"least {1e3 * min(seconds):.3f} ms, median {statistics.median(row['search']['rates']) / 1e9:.2f} GTEPS, "
        f"a level of next to nothing takes {1e6 * level['least']:.0f} us (median {1e6 * level['median']:.0f}, "
        f"on a processor {1e6 * level['processor']:.0f})"
    )


def main(arguments: list[str] | None = None) -> int:
    own = {
        "validate": {"type": int, "default": 2, "help": "how many of the trees"},
        "paths": {"type": int, "default": 9, "help": "searches along a path"},
        "transports": {"default": "", "help": "others than the usual one, separated by commas"},
        "json": {"action": "store_true", "help": "a row for the usual transport, and nothing else"},
    }
    options = parser("search_levels", __doc__, scale=18, roots=16, **own).parse_args(arguments)
    begun = time.perf_counter()
    A = DistMatrix.kronecker(options.scale)
    engine = A._engine
    degrees = engine.degrees(A._store)
    made = time.perf_counter() - begun
    roots = choose_roots(engine, degrees, A.nrows, options.roots, 1)
    if options.json:
        say(engine, json.dumps(measured(engine, A, roots, degrees, options.paths)))
        return 0
    say(engine, f"scale {options.scale}, {engine.grid}, {engine.local.name}: made in {made:.1f} s")
    begun = time.perf_counter()
    hybrid_bfs(A, roots[0])
    say(engine, f"prepared in {time.perf_counter() - begun:.1f} s")
    say(engine, sent_by(engine, A, roots[0])[1])
    for transport in [engine.transport, *filter(None, options.transports.split(","))]:
        if transport != engine.transport:  # takes effect in the next search
            engine.exchanges.clear()
            engine.transport = transport
        say(engine, in_words(measured(engine, A, roots, degrees, options.paths)))
    for root in roots[: options.validate]:
        result = validate_tree(A, root, hybrid_bfs(A, root))
        say(engine, "tree of root", root, "valid" if result.ok else f"WRONG: {result}")
    return 0
