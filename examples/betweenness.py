"""Betweenness centrality of the characters of Les Miserables, checked with networkx.

python examples/betweenness.py --top 5 --plot betweenness.png
"""

import argparse

import networkx
from grblas_gpu.algorithms import betweenness_centrality

from grblas_gpu import Graph


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--top", type=int, default=5, help="how many to show")
    parser.add_argument("--plot", metavar="FILE", help="draw the graph (needs matplotlib)")
    options = parser.parse_args()
    characters = networkx.les_miserables_graph()
    graph = Graph.from_networkx(characters, weight=None)

    scores = betweenness_centrality(graph)
    ranking = sorted(scores, key=scores.__getitem__, reverse=True)
    for name in ranking[: options.top]:
        print(f"{name:16}{scores[name]:8.4f}")
    if options.plot:
        draw(options.plot, characters, scores, ranking[: options.top])

    expected = networkx.betweenness_centrality(characters)
    error = max(abs(scores[name] - value) for name, value in expected.items())
    if error > 1e-12:
        raise SystemExit(f"differs from networkx's by {error}")
    print(f"equal to networkx's up to {error:.1e}")


def draw(file: str, graph: networkx.Graph, scores: dict[str, float], named: list[str]) -> None:
    """Draw every character with a size by its centrality, and the names of the top ones."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 7), layout="constrained")
    axes = figure.subplots()
    places = networkx.spring_layout(graph, seed=7, iterations=200)
    for a, b in graph.edges:
        axes.plot(*zip(places[a], places[b], strict=True), color="#b4bcc6", linewidth=0.6, zorder=1)
    x, y = zip(*places.values(), strict=True)
    values = [scores[name] for name in places]
    dots = axes.scatter(x, y, [20 + 1500 * value for value in values], values, cmap="viridis_r", zorder=2)
    for name in named:
        above = (0, 8 + 16 * scores[name])  # above the dot
        axes.annotate(name, places[name], xytext=above, textcoords="offset points", ha="center", weight="bold")
    axes.set_axis_off()
    figure.colorbar(dots, label="betweenness centrality", shrink=0.7)
    figure.savefig(file)


if __name__ == "__main__":
    main()
