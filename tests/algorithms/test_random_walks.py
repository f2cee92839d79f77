"""Random walks and neighbour sampling: every step is an edge, and steps are as frequent as they must be."""

import itertools
from collections import Counter

import networkx as nx
import numpy as np
import pytest
from grblas_gpu.algorithms import random_walks, sample_neighbors, sample_non_edges
from library_graphs import DIRECTED, as_matrix, weighted

import grblas_gpu as gb
from grblas_gpu import generators
from grblas_gpu.exceptions import InvalidValue

every_directed = pytest.mark.parametrize("name", DIRECTED)
CHANCE = 5  # standard deviations; seeds are fixed, so that a test fails always or never


@every_directed
def test_walks_follow_edges(backend: str, name: str) -> None:
    for options in ({}, {"weighted": True}, {"p": 0.3, "q": 4.0}):
        check_walks(weighted(name), options)


def check_walks(G: nx.DiGraph, options: dict) -> None:
    A = as_matrix(G, "weight", float)
    starts = [*range(len(G)), 0, 0]
    found = random_walks(A, starts, 6, seed=3, **options)
    assert found.shape == (len(starts), 7)
    walks = found.to_dicts()
    for row, start in enumerate(starts):
        walk = walks[row]
        assert list(walk) == list(range(len(walk))) and walk[0] == start
        assert all(G.has_edge(u, v) for u, v in itertools.pairwise(walk.values()))
        assert len(walk) == 7 or G.out_degree(walk[len(walk) - 1]) == 0
    assert found.isequal(random_walks(A, starts, 6, seed=3, **options))
    with gb.using("numpy"):
        assert random_walks(A.to("numpy"), starts, 6, seed=3, **options).to_dicts() == found.to_dicts()


def frequencies(A: gb.Matrix, start: int, steps: int, **options: object) -> Counter:
    """The last two vertices of 5,000 walks."""
    walks = random_walks(A, [start] * 5_000, steps, **options).to_dense()
    return Counter(zip(walks[:, -2].tolist(), walks[:, -1].tolist(), strict=True))


def check_shares(found: Counter, expected: dict) -> None:
    total = found.total()
    assert set(found) <= set(expected)
    for key, share in expected.items():
        assert abs(found[key] / total - share) < CHANCE * np.sqrt(share * (1 - share) / total) + 1e-9


def test_uniform_steps(backend: str) -> None:
    check_shares(frequencies(generators.complete(5), 2, 1), {(2, v): 0.25 for v in (0, 1, 3, 4)})


def test_steps_by_weight(backend: str) -> None:
    A = gb.Matrix.from_coo([0, 0, 0, 1], [1, 2, 3, 0], [1.0, 3.0, 0.0, 1.0], nrows=4, ncols=4)
    check_shares(frequencies(A, 0, 1, weighted=True), {(0, 1): 0.25, (0, 2): 0.75})
    single = gb.Matrix.from_coo([0, 0], [1, 2], 5.0, nrows=3, ncols=3)  # one value for all
    check_shares(frequencies(single, 0, 1, weighted=True), {(0, 1): 0.5, (0, 2): 0.5})


@pytest.mark.parametrize("weights", [(1.0, 1.0, 1.0), (1.0, 2.0, 4.0)])
def test_node2vec_steps(backend: str, weights: tuple[float, ...]) -> None:
    """0 - 1, then from 1: back to 0, to 2 which is a neighbour of 0, or to 3 which is none."""
    edges = [(0, 1), (0, 2), (1, 0), (1, 2), (1, 3)]
    A = gb.Matrix.from_coo(*zip(*edges, strict=True), [1.0, 1.0, *weights], nrows=4, ncols=4)
    for p, q in ((0.5, 4.0), (3.0, 0.25), (4.0, 1.0)):
        first = random_walks(A, [0] * 8_000, 2, weighted=True, p=p, q=q, seed=2).to_dicts().values()
        last = Counter(walk[2] for walk in first if walk[1] == 1)
        likely = dict(zip((0, 2, 3), np.multiply(weights, (1 / p, 1.0, 1 / q)), strict=True))
        check_shares(last, {v: weight / sum(likely.values()) for v, weight in likely.items()})


@pytest.mark.parametrize("options", [{}, {"weighted": True}, {"p": 0.3, "q": 4.0}])
def test_a_walk_does_not_depend_on_others_or_its_length(backend: str, options: dict) -> None:
    A = generators.kronecker(6, 8, seed=3).dup(float)
    most = random_walks(A, range(A.nrows), 40, **options).to_dicts()
    assert any(len(walk) == 41 for walk in most.values())
    fewer = random_walks(A, range(20), 17, **options).to_dicts()
    assert fewer == {row: {step: v for step, v in most[row].items() if step <= 17} for row in range(20)}


def test_seeds_matter(backend: str) -> None:
    A = generators.complete(30)
    assert not random_walks(A, range(30), 5, seed=1).isequal(random_walks(A, range(30), 5, seed=2))
    assert not sample_neighbors(A, [0], 5, seed=1).isequal(sample_neighbors(A, [0], 5, seed=2))


def test_bad_walks(backend: str) -> None:
    A = generators.complete(3)
    for options in ({"p": 0}, {"q": -1}, {"p": float("nan")}):
        with pytest.raises(InvalidValue, match="p and q"):
            random_walks(A, [0], 2, **options)
    with pytest.raises(InvalidValue, match="length"):
        random_walks(A, [0], -1)
    with pytest.raises(InvalidValue, match="fanouts"):
        sample_neighbors(A, [0], [2, -1])
    assert random_walks(A, [], 3).shape == (0, 4)
    assert random_walks(A, [1], 0).to_dicts() == {0: {0: 1}}


@every_directed
def test_samples(backend: str, name: str) -> None:
    G = weighted(name)
    A = as_matrix(G, "weight", int)
    for options in ({}, {"weighted": True}):
        found = sample_neighbors(A, [0, len(G) - 1], [2, 3], seed=4, **options)
        assert all(G.edges[u, v]["weight"] == x for u, v, x in zip(*found.to_coo(), strict=True))
        drawn = {u: set(row) for u, row in found.to_dicts().items() if row}
        first = {0, len(G) - 1}
        second = set().union(*(drawn.get(v, set()) for v in first)) - first
        for u in G:
            most = 2 if u in first else 3 if u in second else 0
            assert len(drawn.get(u, ())) == min(most, G.out_degree(u))


def test_all_pairs_are_as_likely(backend: str) -> None:
    """Of each of many vertices two of the same five edges."""
    count = 4_000
    rows, columns = np.repeat(np.arange(count), 5), np.tile(count + np.arange(5), count)
    A = gb.Matrix.from_coo(rows, columns, True, nrows=count + 5, ncols=count + 5)
    drawn = sample_neighbors(A, range(count), [2, 3])
    pairs = Counter(tuple(row) for row in drawn.to_dicts().values() if row)
    check_shares(pairs, dict.fromkeys(itertools.combinations(range(count, count + 5), 2), 0.1))


@pytest.mark.parametrize("options", [{}, {"weighted": True}])
def test_samples_of_every_form(backend: str, options: dict) -> None:
    A = generators.kronecker(5, 4, seed=2).dup(float)
    expected = sample_neighbors(A.to(form="sparse"), [1, 5, 1], [3, 2], **options)
    assert expected.nvals > 6
    for form in ("hypersparse", "bitmap"):
        assert sample_neighbors(A.to(form=form), [5, 1], [3, 2], **options).isequal(expected)
    everything = sample_neighbors(A, range(A.nrows), 10**12, **options)
    assert everything.isequal(A)


def test_pairs_without_an_edge_are_equally_likely(backend: str) -> None:
    A = gb.Matrix.from_coo([0, 0, 1, 2, 3, 4], [1, 2, 4, 2, 0, 3], 1, nrows=5, ncols=5)
    edges = A.to_dense(0) + np.eye(5) != 0
    counts = np.zeros((5, 5))
    for seed in range(600):
        found = sample_non_edges(A, 5, seed=seed)
        assert found.backend == backend and found.nvals == 5
        counts += found.to_dense(False)
    assert not counts[edges].any()
    # each of the 15 pairs is drawn with probability 1 / 3: five standard deviations are 58
    assert np.abs(counts[~edges] - 200).max() < 58
    assert sample_non_edges(A, 15).to_dense(False).tolist() == (~edges).tolist()
    assert sample_non_edges(A, 5, seed=3).isequal(sample_non_edges(A, 5, seed=3))
    graph = generators.kronecker(12, 8)
    large = sample_non_edges(graph, 10_000)
    assert large.nvals == 10_000 and gb.binary.pair(large & graph).new().nvals == 0
    for wrong in (-1, 16, 2.5):
        with pytest.raises(InvalidValue, match="from 0 to 15"):
            sample_non_edges(A, wrong)
