"""Every algorithm of the library on real graphs, against SciPy and NetworkX. tests/data/README.md has their sources.

``GRBLAS_GPU_GRAPHS`` names a folder with more Matrix Market files.
"""

from __future__ import annotations

import lzma
import os
from functools import cache
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

import grblas_gpu as gb
from benchmarks import cases_library
from grblas_gpu import algorithms

FOLDER = Path(__file__).resolve().parents[1] / "data" / "graphs"
MORE = sorted(Path(os.environ["GRBLAS_GPU_GRAPHS"]).glob("*.mtx*")) if "GRBLAS_GPU_GRAPHS" in os.environ else []
FILES = {path.name.partition(".")[0]: path for path in [*sorted(FOLDER.iterdir()), *MORE]}
QUICK = ("karate", "jazz", "email-eu-core")  # every algorithm on these, and some on the others, is quick
SEVERAL_SECONDS = ("louvain", "leiden")  # loops of many shapes, each compiled
NOT_CONVERGING = {("airfoil1", "hits")}  # its largest singular values are nearly equal
SMALL = 2**cases_library.SMALL


@cache
def matrix(name: str) -> gb.Matrix:
    with gb.using("numpy"):
        return gb.io.mmread(FILES[name])


@cache
def case(name: str) -> cases_library.Case:
    pattern = gb.select.offdiag(matrix(name)).new().pattern()
    return cases_library.with_weights(name, max(1, pattern.nrows.bit_length() - 1), pattern, "cpu")


def works(name: str) -> list:
    """The algorithms for a graph; those with a number for each pair of vertices only if it is small."""
    opened = lzma.open if FILES[name].suffix == ".xz" else open
    with opened(FILES[name], "rt") as file:  # the header is enough: tests are collected often
        directed = "symmetric" not in file.readline()
        vertices = int(next(line for line in file if not line.startswith("%")).split()[0])
    return [
        pytest.param(name, work, marks=() if name in QUICK and work not in SEVERAL_SECONDS else pytest.mark.slow)
        for work, (_, _, undirected_only, of_small) in cases_library.WORKS.items()
        if not (undirected_only and directed)
        and not (of_small and vertices > SMALL)
        and (name, work) not in NOT_CONVERGING
    ]


@pytest.mark.parametrize(("name", "work"), [each for name in FILES for each in works(name)])
def test_every_algorithm(name: str, work: str) -> None:
    found = cases_library.WORKS[work]
    found.check(case(name), found.run(case(name)))


def as_networkx(name: str) -> nx.Graph:
    A = matrix(name)
    G = gb.io.to_networkx(A)
    return nx.Graph(G) if A.is_symmetric() else G


NETWORKX = {
    "pagerank": (lambda A: algorithms.pagerank(A, tol=1e-9, max_iterations=500), lambda G: nx.pagerank(G, tol=1e-9)),
    "closeness": (algorithms.closeness, nx.closeness_centrality),
    "clustering": (algorithms.clustering, nx.clustering),
    "core_number": (
        algorithms.core_number,
        lambda G: nx.core_number(nx.Graph((u, v) for u, v in G.edges if u != v)),
    ),
    "betweenness": (algorithms.betweenness_centrality, nx.betweenness_centrality),
    "eigenvector": (
        lambda A: algorithms.eigenvector_centrality(A, tol=1e-9, max_iterations=5000),
        lambda G: nx.eigenvector_centrality(G, tol=1e-9, max_iter=5000),
    ),
    "sssp": (
        lambda A: algorithms.sssp(A, 0),
        lambda G: nx.single_source_dijkstra_path_length(G, 0),
    ),
}


@pytest.mark.parametrize("work", NETWORKX)
@pytest.mark.parametrize(
    "name", ["karate", "dolphins", "lesmis", "football", "jazz", pytest.param("email-eu-core", marks=pytest.mark.slow)]
)
def test_results_are_those_of_networkx(backend: str, name: str, work: str) -> None:
    ours, theirs = NETWORKX[work]
    A, G = matrix(name).to(backend), as_networkx(name)
    missing = np.inf if work == "sssp" else 0.0
    expected = np.full(A.nrows, missing)
    for vertex, value in theirs(G).items():
        expected[vertex] = value
    np.testing.assert_allclose(ours(A).to_dense(missing, dtype=float), expected, atol=1e-6)
