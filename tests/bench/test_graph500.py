"""Graph500 on one device: its trees and distances are checked, and the checks reject wrong ones."""

import json

import networkx as nx
import numpy as np
import pytest
from hardware import has_gpu

import grblas_gpu as gb
from grblas_gpu import algorithms, cli, generators
from grblas_gpu.bench import graph500, graphs, machine
from grblas_gpu.bench.verify import WrongResult
from grblas_gpu.generators.kronecker_graphs import drawn_degrees, recipe_edges, recipe_of


def test_run(backend):
    found = graph500.graph500(6, 8, roots=3, seed=2)
    assert found["vertices"] == 64 and len(found["roots"]) == len(set(found["roots"])) == 3
    for kernel in graph500.KERNELS:
        rates = found[kernel]
        assert 0 < rates["min_teps"] <= rates["harmonic_mean_teps"] <= rates["max_teps"]
        assert all(0 < edges <= 8 * 64 for edges in rates["edges"])
        assert rates["joules"] is None or (backend == "cuda" and rates["joules"] > 0)


@pytest.mark.slow
@pytest.mark.usefixtures("to_device")
def test_run_on_a_device(monkeypatch):
    """On a GPU where there is one, otherwise on the emulated CUDA engine, which has nothing to wait for."""
    if not has_gpu():
        for module in (graph500, machine):
            monkeypatch.setattr(module, "synchronize", lambda backend: None)
        monkeypatch.setattr(graph500, "describe", dict)
        monkeypatch.setattr(graph500, "KERNELS", ("bfs",))  # the emulation has no transposes of new matrices
    found = graph500.graph500(5, 4, roots=2, kernels=graph500.KERNELS)
    assert found["backend"] == "cuda" and found["validated"]


def test_edges_are_those_drawn(backend):
    """Repeated edges and loops count within the component of the root, as the specification has it."""
    recipe = recipe_of(5, 2, 3)
    ends = recipe_edges(5, 3, recipe.limits, np.arange(64, dtype=np.uint64))
    ends = [recipe.permutation[end.astype(np.int64)].astype(np.int64) for end in ends]
    G = nx.MultiGraph(zip(*(end.tolist() for end in ends), strict=True))
    assert {v: int(d) for v, d in enumerate(drawn_degrees(5, 2, seed=3)) if d} == dict(G.degree)
    found = graph500.graph500(5, 2, roots=2, seed=3, kernels=("bfs",))
    for root, edges in zip(found["roots"], found["bfs"]["edges"], strict=True):
        assert edges == G.subgraph(nx.node_connected_component(G, root)).number_of_edges()


@pytest.fixture
def tree():
    with gb.using("numpy"):
        A = generators.kronecker(7, 4)
        W = graphs.weighted(A, np.float32, graph500._lengths)
        found = algorithms.sssp(W, 5, predecessors=True)
        parents = graphs.dense_array(found.predecessors, -1, np.int64)
        return W, parents, graphs.dense_array(found.distances, -1, np.float64)


def test_checks_reject_wrong_trees(tree):
    W, parents, distances = tree
    lengths = W._store.values
    graph500.check_tree(W, 5, parents, lengths, distances)
    searched = graphs.dense_array(algorithms.bfs_parents(W, 5), -1, np.int64)
    graph500.check_tree(W, 5, searched)
    inner = [v for v in np.flatnonzero(parents >= 0) if v != 5 and parents[v] != 5]
    v, outside = inner[0], int(np.flatnonzero(parents < 0)[0])
    children = set(np.flatnonzero(parents == v).tolist())
    stranger = next(u for u in inner if u != v and W[u, v].new().value is None and u not in children)

    def wrong(rule, change, where=parents, **more):
        changed = where.copy()
        for place, value in change.items():
            changed[place] = value
        with pytest.raises(WrongResult, match=rule):
            if where is distances:
                graph500.check_tree(W, 5, parents, lengths, changed)
            elif where is searched:
                graph500.check_tree(W, 5, changed)
            else:
                graph500.check_tree(W, 5, changed, lengths, distances)

    wrong("rule 1", {5: v})
    wrong("rule 1", {v: 1000})
    wrong("rule 1: parents form a cycle", {v: inner[1], inner[1]: v})
    wrong("rule 1: parents form a cycle", {v: v}, searched)
    wrong("rule 2", {5: 0.5}, distances)
    wrong("rule 2", {v: -1}, distances)
    wrong("rule 3|rules 2", {v: distances[v] + 10}, distances)
    wrong("rules 2 and 5", {v: distances[v] * (1 - 1e-6)}, distances)
    wrong("rules 2 and 5|cycle", {v: stranger})
    wrong("rule 2", {outside: 5})
    wrong("rule 4|rules 2|rule 3", {outside: 5}, searched)
    leaf = next(v for v in np.flatnonzero(searched >= 0) if v not in set(searched.tolist()))
    wrong("rule 4", {leaf: -1}, searched)


def test_command(capsys):
    command = "graph500 --scale 6 --roots 2 --backend numpy".split()
    assert cli.main(command) == 0
    assert "sssp harmonic mean teps" in capsys.readouterr().out
    assert cli.main([*command, "--json", "--kernels", "bfs"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["validated"] and "sssp" not in result and result["bfs"]["harmonic_stddev_teps"] >= 0
    assert cli.main("graph500 --scale 6 --grid 1x1 --kernels sssp".split()) == 2
    assert "--local" in capsys.readouterr().err
