"""Who stands between the others: betweenness centrality of the characters of Les Miserables, and networkx as the judge.

python examples/betweenness.py --top 5
"""

from __future__ import annotations

import argparse

import networkx
from grblas_gpu.algorithms import betweenness_centrality

from grblas_gpu import Matrix


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--top", type=int, default=5, help="how many to show")
    top = parser.parse_args().top
    graph = networkx.les_miserables_graph()
    names = list(graph)
    number = {name: k for k, name in enumerate(names)}
    edges = [(number[i], number[j]) for i, j in graph.edges]
    rows, cols = zip(*edges, *((j, i) for i, j in edges), strict=True)
    A = Matrix.from_coo(rows, cols, True, nrows=len(names), ncols=len(names))

    scores = betweenness_centrality(A).to_dict()
    for vertex in sorted(scores, key=scores.__getitem__, reverse=True)[:top]:
        print(f"{names[vertex]:16}{scores[vertex]:8.4f}")

    expected = networkx.betweenness_centrality(graph)
    error = max(abs(scores[number[name]] - value) for name, value in expected.items())
    if error > 1e-12:
        raise SystemExit(f"differs from networkx's by {error}")
    print(f"equal to networkx's up to {error:.1e}")


if __name__ == "__main__":
    main()
