"""How much faster NetworkX is with its backend "grblas_gpu": the same calls with and without, results compared first.

    python -m benchmarks networkx_backend                             # 10,000 nodes, 100,000 edges; some minutes
    python -m benchmarks networkx_backend --nodes 20000 --degree 5 --sources 20
    python -m benchmarks networkx_backend --only "spanning|truss" --markdown

Three times for the backend: the first call of the process, which loads compiled kernels (or compiles them, the first
time ever); with the conversion of the graph; and with the conversion kept by NetworkX, as it is for later calls.
Betweenness centrality runs from a sample of the nodes in both, chosen with one seed; what needs a search from every
node, or more, gets a tenth of the nodes. A priority leaves calls to NetworkX that gain nothing: the last column.
What is promised: PageRank and betweenness centrality 20 times as fast on a graph of 100,000 edges.
"""

import math
import os
import random
import re
import time

import networkx as nx

from grblas_gpu.bench.tables import markdown
from grblas_gpu.networkx_backend.interface import should_run

from .common import CASES, Table, parser

BACKEND = "grblas_gpu"
HEADS = "networkx,first call,converting,converted,faster: converting,faster: converted,by priority".split(",")
#: Functions with many right results, and the checks of these.
FULFILLED = {
    "louvain_communities": nx.community.is_partition,
    "asyn_lpa_communities": nx.community.is_partition,
    "maximal_independent_set": lambda G, nodes: nx.is_dominating_set(G, nodes) and not G.subgraph(nodes).edges,
    "maximal_matching": nx.is_maximal_matching,
}


def seconds(name: str, G: nx.Graph, options, backend: str):
    """Processor seconds of all threads, which exclude other programs."""
    function = getattr(nx.community if name.endswith("communities") else nx, name)
    start = time.process_time()
    result = function(G, **options, backend=backend)
    result = list(result) if hasattr(result, "__next__") else result
    return time.process_time() - start, result


def close(x, y) -> bool:
    """Equal, but for the last digits of floats."""
    if isinstance(x, dict):
        return x.keys() == y.keys() and all(close(x[key], y[key]) for key in x)
    if isinstance(x, (list, tuple)):
        return len(x) == len(y) and all(map(close, x, y))
    if isinstance(x, nx.Graph):
        return x.adj == y.adj
    return math.isclose(x, y, rel_tol=1e-6, abs_tol=1e-9) if isinstance(x, float) else x == y


def measure(name: str, G: nx.Graph, options, repeat: int) -> list[float]:
    """Seconds: of NetworkX, of the first call, with conversion, and with a converted graph."""
    G.__networkx_cache__.clear()
    first, found = seconds(name, G, options, BACKEND)
    plain, expected = seconds(name, G, options, "networkx")
    if not (FULFILLED[name](G, found) if name in FULFILLED else close(expected, found)):
        raise AssertionError(f"{name}: the results differ")
    converting = math.inf
    for _ in range(repeat):
        G.__networkx_cache__.clear()
        converting = min(converting, seconds(name, G, options, BACKEND)[0])
    kept = min(seconds(name, G, options, BACKEND)[0] for _ in range(repeat))
    plain = min([plain, *(seconds(name, G, options, "networkx")[0] for _ in range(repeat - 1) if plain < 2)])
    return [plain, first, converting, kept]


def chosen(name: str, G: nx.Graph, options) -> str:
    """The condition under which a priority dispatches the call to this backend."""
    G.__networkx_cache__.clear()
    why = should_run(name, (G,), options)
    return (
        "always" if why is True else "if converted" if "conversion takes longer" in str(why) else "only with backend="
    )


def main(arguments: list[str] | None = None) -> int:
    own = {
        "degree": {"type": int, "default": 10, "help": "edges that every node adds"},
        "sources": {"type": int, "default": 50, "help": "for betweenness centrality"},
        "markdown": {"action": "store_true", "help": "as the table in docs/networkx.md"},
    }
    options = parser("networkx_backend", __doc__, "only", nodes=10_000, repeat=3, **own).parse_args(arguments)
    G, few = (nx.barabasi_albert_graph(nodes, options.degree, seed=1) for nodes in (options.nodes, options.nodes // 10))
    draw = random.Random(1)
    nx.set_edge_attributes(G, {edge: draw.randrange(1, 100) for edge in G.edges}, "capacity")
    nx.config.warnings_to_ignore.add("cache")
    size = f"{len(G)} nodes, {G.number_of_edges()} edges"
    print(f"{size}, {os.cpu_count()} cores, ms of the processor, the best of {options.repeat}")
    table = Table("The backend of NetworkX", ["function", *HEADS])
    given = {"EDGES": list(G.edges), "LAST": len(G) - 1, "SOURCES": options.sources}
    cases = CASES["networkx_backend"]
    calls = [(name, G, found) for name, found in cases["all"].items()] + [(name, few, {}) for name in cases["few"]]
    for name, graph, found in calls:
        if re.search(options.only, name):
            arguments_of = {key: given.get(x, x) if isinstance(x, str) else x for key, x in found.items()}
            times = measure(name, graph, arguments_of, options.repeat)
            faster = (times[0] / time for time in times[2:])
            table.add(name, *(time * 1e3 for time in times), *faster, chosen(name, graph, arguments_of))
    print(markdown(table.columns, table.rows) if options.markdown else table)
    return 0
