"""Minimum cuts, bounds of matchings, partitions, spectral methods, drawings, load: against networkx or definitions."""

import networkx as nx
import numpy as np
import pytest
from grblas_gpu.algorithms import (
    coarsen,
    ecg,
    fiedler_vector,
    forceatlas2,
    minimum_cut,
    partition_quality,
    peer_pressure,
    spectral_cut,
)
from library_graphs import as_matrix, takes_long, undirected, weighted, without_loops

import grblas_gpu as gb
from grblas_gpu import algorithms, generators

some_undirected = pytest.mark.parametrize(
    "name", ["one vertex", "no edges", "cycle", "grid", "karate", "two parts", "loops", "isolated"]
)


@takes_long
@some_undirected
def test_minimum_cut(backend: str, name: str) -> None:
    G = without_loops(weighted(name, of="undirected"))
    A = as_matrix(G, "weight", float)
    for weight in ("weight", None):
        value, side = minimum_cut(A, weighted=weight is not None)
        one = set(side.to_dict())
        assert value == nx.cut_size(G, one, weight=weight) if len(G) > 1 else not one
        joined = len(G) > 1 and nx.is_connected(G)
        assert value == (nx.stoer_wagner(G, weight=weight or "none")[0] if joined else 0)
        assert len(G) < 2 or 0 < len(one) < len(G)


@pytest.mark.parametrize("seed", range(4))
def test_minimum_cut_by_flows(seed: int) -> None:
    """Graphs in which no edge can be merged at first, with real weights and directions."""
    G = nx.random_regular_graph(3, 14, seed=seed)
    draw = np.random.default_rng(seed)
    for _, _, data in G.edges(data=True):
        data["weight"] = draw.uniform(1, 2)
    A = gb.select.triu(as_matrix(G, "weight", float)).new()
    assert minimum_cut(A).value == pytest.approx(nx.stoer_wagner(G)[0])


def test_coarse_graphs_by_label(backend: str) -> None:
    graph = gb.Graph.from_edges([("ann", "bob", 2), ("bob", "cid", 3), ("cid", "dot", 4)], directed=False)
    found, parts, names = coarsen(graph, {"ann": 5, "bob": 5, "cid": 0, "dot": 0}, loops=False)
    assert names == found.labels == ["ann", "cid"]
    assert parts == {"ann": "ann", "bob": "ann", "cid": "cid", "dot": "cid"}
    assert found.matrix.to_dicts() == {0: {1: 3.0}, 1: {0: 3.0}}
    quality = partition_quality(graph, {"ann": "x", "bob": "x", "cid": "y", "dot": "y"})
    assert quality == pytest.approx((2 / 3, 5 / 6))


@takes_long
@some_undirected
def test_peer_pressure(backend: str, name: str) -> None:
    """The definition, with exact votes."""
    G = without_loops(undirected(name))
    G.add_edges_from((v, v) for v in G)
    clusters = list(range(len(G)))
    for rounds in range(4):
        assert peer_pressure(as_matrix(undirected(name)), max_iterations=rounds).to_dense().tolist() == clusters
        votes = np.zeros((len(G), len(G)))
        for i in G:
            for j in G[i]:
                votes[i, clusters[j]] += 2**32 // len(G[j])
        clusters = votes.argmax(axis=1).tolist()


def planted(groups: int, size: int) -> tuple[gb.Matrix, np.ndarray]:
    G = nx.planted_partition_graph(groups, size, 0.6, 0.02, seed=2)
    return as_matrix(G), np.repeat(np.arange(groups), size)


@takes_long
def test_ensembles_find_planted_communities(backend: str) -> None:
    A, expected = planted(4, 16)
    labels, modularity = ecg(A, 8, directed=False)
    assert labels.to_dense().tolist() == (expected * 16).tolist()
    assert modularity == pytest.approx(algorithms.modularity(A, expected, directed=False))
    for ensemble, least in ((0, 0.05), (4, 0.0), (4, 2.0)):
        with pytest.raises(ValueError, match="ensemble must be positive"):
            ecg(A, ensemble, least=least)


@takes_long
@some_undirected
def test_fiedler_vector(backend: str, name: str) -> None:
    G = without_loops(weighted(name, of="undirected"))
    A = as_matrix(G, "weight", float)
    for weight in (None, "weight"):
        L = nx.laplacian_matrix(G, range(len(G)), weight=weight).toarray().astype(float)
        value, vector = fiedler_vector(A, weighted=weight is not None)
        x, values = vector.to_dense(), np.linalg.eigvalsh(L)
        assert value == pytest.approx(values[1] if len(G) > 1 else 0.0, abs=1e-7)
        np.testing.assert_allclose(L @ x, value * x, atol=1e-6 * max(1.0, L.max()))
        assert abs(x.sum()) < 1e-6 and (len(G) == 1 or np.linalg.norm(x) == pytest.approx(1))


@takes_long
def test_spectral_cut(backend: str) -> None:
    A, expected = planted(2, 20)
    side = spectral_cut(A).to_dense()
    assert len(set(zip(side.tolist(), expected.tolist(), strict=True))) == 2
    for n in (1, 2, 5, 8):
        counts = np.bincount(spectral_cut(generators.path(n)).to_dense(), minlength=2)
        assert counts.tolist() == [(n + 1) // 2, n // 2]
    long = spectral_cut(generators.path(30)).to_dense()
    assert np.count_nonzero(np.diff(long)) == 1


def drawn(W: np.ndarray, places: np.ndarray, steps: int) -> np.ndarray:
    """The definition of ForceAtlas2."""
    mass, before, speed = (W > 0).sum(axis=1) + 1.0, np.zeros_like(places), 1.0
    for _ in range(steps):
        apart = places[:, None] - places[None]
        near = np.maximum((apart**2).sum(axis=-1), 1e-12)
        forces = ((2 * np.outer(mass, mass) / near - W)[..., None] * apart).sum(axis=1)
        forces -= mass[:, None] * places / np.hypot(*places.T)[:, None]
        swinging, steady = np.hypot(*(forces - before).T), np.hypot(*(forces + before).T) / 2
        speed = min((mass @ steady) / (mass @ swinging), 1.5 * speed)
        step = np.minimum(speed / (1 + speed * np.sqrt(swinging)), 10 / np.hypot(*forces.T))
        places, before = places + step[:, None] * forces, forces
    return places


@takes_long
@pytest.mark.parametrize("name", ["karate", "isolated"])
def test_forceatlas2(backend: str, name: str) -> None:
    G = without_loops(weighted(name, of="undirected"))
    A, W = as_matrix(G, "weight", float), nx.to_numpy_array(G, range(len(G)))
    places = [
        np.stack([part.to_dense() for part in forceatlas2(A, weighted=True, iterations=n)], axis=1) for n in (0, 1, 6)
    ]
    for steps, found in zip((0, 1, 6), places, strict=True):
        np.testing.assert_allclose(found, drawn(W, places[0], steps), rtol=1e-6, atol=1e-8)


@takes_long
def test_fiedler_vector_of_directed_graphs(backend: str) -> None:
    """A and its transpose are added; without weights an edge in either direction counts once."""
    A = as_matrix(weighted("random"), "weight", float)
    S = A.to_dense(0.0)
    for weighted_by, W in ((True, S + S.T), (False, ((S + S.T) > 0).astype(float))):
        expected = np.linalg.eigvalsh(np.diag(W.sum(axis=1)) - W)[1]
        assert fiedler_vector(A, weighted=weighted_by).value == pytest.approx(expected, abs=1e-6)
    with pytest.raises(algorithms.NotConverged, match="not converged after 2 iterations"):
        fiedler_vector(generators.path(50), max_iterations=2)
