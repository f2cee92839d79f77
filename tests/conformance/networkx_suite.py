"""Run NetworkX's own tests with its backend "grblas_gpu", next to a run without, for the modules that we cover.

    python tests/conformance/networkx_suite.py            # exits with 1 if a test fails that passes without us
    python tests/conformance/networkx_suite.py katz core  # only modules with one of these in their name
    python tests/conformance/networkx_suite.py --all      # everything that NetworkX has

Prints a table, whose totals are in docs/networkx.md: tests that pass, calls that ran here, calls left to NetworkX.
"""

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from importlib.metadata import version
from pathlib import Path

HERE = Path(__file__).parent
COVERED = {
    "networkx.algorithms": "boundary bridges cluster core cuts dag distance_measures dominating efficiency euler "
    "hierarchy isolate link_prediction matching reciprocity regular richclub smetric structuralholes tournament "
    "voronoi walks wiener",
    "networkx.algorithms.assortativity": "connectivity correlation mixing neighbor_degree pairs",
    "networkx.algorithms.centrality": "betweenness_centrality closeness_centrality degree_centrality "
    "eigenvector_centrality group harmonic_centrality katz_centrality laplacian_centrality load_centrality "
    "reaching trophic voterank",
    "networkx.algorithms.community": "label_propagation leiden quality utils",
    "networkx.algorithms.components": "attracting biconnected connected semiconnected "
    "strongly_connected weakly_connected",
    "networkx.algorithms.bipartite": "basic link_analysis matrix",
    "networkx.algorithms.flow": "maxflow mincost networksimplex",
    "networkx.algorithms.connectivity": "connectivity cuts",
    "networkx.algorithms.tree": "mst recognition",
    "networkx.algorithms.link_analysis": "hits pagerank",
    "networkx.algorithms.shortest_paths": "dense dense_numpy generic unweighted weighted",
    "networkx.algorithms.traversal": "bfs",
    "networkx.generators": "classic ego",
    "networkx.linalg": "graphmatrix laplacian modularity spectrum",
    "networkx": "convert_numpy convert_pandas convert_scipy relabel",
    "networkx.algorithms.operators": "unary",
}

#: A graph that changes during the iteration: the converted one does not.
IMPOSSIBLE = {"networkx/algorithms/tests/test_dag.py::TestDAG::test_topological_sort6"}


def modules(wanted: list[str]) -> list[str]:
    """The test modules, all of them or those with one of the words in their name."""
    names = [f"{package}.tests.test_{name}" for package, modules in COVERED.items() for name in modules.split()]
    return [name for name in names if not wanted or any(word in name for word in wanted)]


def run(names: list[str], backend: str | None) -> dict:
    """Outcomes by test, and calls by module, of one run of pytest."""
    with tempfile.TemporaryDirectory() as scratch:
        result = Path(scratch) / "result.json"
        environment = os.environ | {"NETWORKX_SUITE_RESULT": str(result), "PYTHONDONTWRITEBYTECODE": "1"}
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, [str(HERE), os.environ.get("PYTHONPATH", "")]))
        for name in ("NETWORKX_TEST_BACKEND", "NETWORKX_FALLBACK_TO_NX", "NETWORKX_BACKEND_PRIORITY"):
            environment.pop(name, None)
        if backend is not None:
            environment |= {"NETWORKX_TEST_BACKEND": backend, "NETWORKX_FALLBACK_TO_NX": "True"}
        # Our pytest configuration must not apply to these tests.
        command = [sys.executable, "-m", "pytest", "-p", "networkx_plugin", "-p", "no:cacheprovider", "-c", os.devnull]
        folder = Path(importlib.util.find_spec("networkx").origin).parent.parent  # type: ignore[union-attr,arg-type]
        command += [f"--rootdir={folder}", "-q", "--no-header", "--tb=short", "-W", "ignore", "--pyargs", *names]
        subprocess.run(command, env=environment, cwd=scratch, check=False)
        return json.loads(result.read_text())


def main() -> int:
    words = [word for word in sys.argv[1:] if word != "--all"]
    names = ["networkx"] if "--all" in sys.argv else modules(words)
    if not names:
        print(f"no module that we cover has one of {words} in its name")
        return 2
    plain, ours = run(names, None), run(names, "grblas_gpu")
    passed = {test for test, outcome in plain["outcomes"].items() if outcome == "passed"} - IMPOSSIBLE
    broken = sorted(test for test in passed if ours["outcomes"].get(test) != "passed")
    by_module = Counter(test.partition("::")[0] for test in passed)
    lost = Counter(test.partition("::")[0] for test in broken)
    here, left = ours["here"], ours["left"]
    print(f"\nnetworkx {version('networkx')}\n")
    print("| tests of | pass | pass with the backend | calls here | left to NetworkX |\n|---|---|---|---|---|")
    for module, count in sorted(by_module.items()):
        name = module.replace("/tests/test_", "/").removeprefix("networkx/").removesuffix(".py").replace("/", ".")
        print(f"| `{name}` | {count} | {count - lost[module]} | {here.get(module, 0)} | {left.get(module, 0)} |")
    totals = len(passed), len(passed) - len(broken), sum(here.values()), sum(left.values())
    print(f"| **all** | {' | '.join(f'{total:,}' for total in totals)} |")
    for test in broken:
        print(f"PASSES WITHOUT THE BACKEND: {test}: {ours['outcomes'].get(test, 'not run')} with it")
    return 1 if broken or not sum(here.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
