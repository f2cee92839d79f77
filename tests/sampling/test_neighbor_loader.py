"""Batches of neighbourhoods: NetworkX's where all edges are drawn, else checked by their properties."""

import itertools
import threading
from collections import Counter

import networkx as nx
import numpy as np
import pytest
from library_graphs import as_matrix, weighted

import grblas_gpu as gb
from grblas_gpu import generators
from grblas_gpu.exceptions import DimensionMismatch, IndexOutOfBound, InvalidValue
from grblas_gpu.sampling import NeighborLoader

GRAPHS = ["no edges", "random", "scale-free", "both ways"]


def edges_of(batch) -> list[tuple[int, int]]:
    """Pairs of a drawing vertex and its neighbour, as positions."""
    neighbours, drawing = batch.edge_index.tolist()
    return list(zip(drawing, neighbours, strict=True))


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("options", [{}, {"disjoint": True}, {"weighted": True}], ids=str)
def test_batches(backend: str, name: str, options: dict) -> None:
    G = weighted(name)
    nodes, fanouts = np.random.default_rng(1).permutation(len(G))[: len(G) // 2], [3, 2]
    loader = NeighborLoader(as_matrix(G, "weight", int), fanouts, nodes, batch_size=4, shuffle=True, **options)
    batches = list(loader)
    assert len(batches) == len(loader)
    assert sorted(np.concatenate([batch.input_id for batch in batches]).tolist()) == list(range(len(nodes)))
    for batch in batches:
        vertices, edges = batch.n_id.tolist(), edges_of(batch)
        groups = batch.batch.tolist() if options.get("disjoint") else [0] * len(vertices)
        assert vertices[: batch.batch_size] == nodes[batch.input_id.tolist()].tolist()
        assert len(set(zip(groups, vertices, strict=True))) == len(vertices)
        assert all(groups[i] == groups[j] for i, j in edges)
        weights = {(i, j): G.edges[vertices[i], vertices[j]]["weight"] for i, j in edges}
        assert {(i, j): x for i, row in batch.matrix.to_dicts().items() for j, x in row.items()} == weights
        reached, drawn = batch.num_sampled_nodes, batch.num_sampled_edges
        assert (reached[0], sum(reached), sum(drawn)) == (batch.batch_size, len(vertices), len(set(edges)))
        hop = np.repeat([0, 1, 2], reached)
        out = Counter(i for i, _ in edges)
        for i, vertex in enumerate(vertices):
            assert out[i] == (min([*fanouts, 0][hop[i]], G.out_degree(vertex)))
            assert hop[i] == 0 or any(j == i and hop[other] == hop[i] - 1 for other, j in edges)


@pytest.mark.parametrize("name", GRAPHS)
def test_all_edges_in_time(backend: str, name: str) -> None:
    """Every seed reaches what it would along edges that are not later than it."""
    G = weighted(name)
    times = np.random.default_rng(2).integers(0, 21, len(G))
    batch = next(iter(NeighborLoader(as_matrix(G, "weight", int), [-1, -1], None, times, batch_size=len(G))))
    groups, vertices = batch.batch.tolist(), batch.n_id.tolist()
    for seed, limit in enumerate(times.tolist()):
        early = nx.DiGraph((i, j) for i, j, t in G.edges(data="weight") if t <= limit)
        early.add_node(seed)
        depth = nx.single_source_shortest_path_length(early, seed, 2)
        assert {v for v, group in zip(vertices, groups, strict=True) if group == seed} == depth.keys()
        expected = {(i, j) for i, j in early.edges if depth.get(i, 2) < 2}
        assert {(vertices[i], vertices[j]) for i, j in edges_of(batch) if groups[i] == seed} == expected


def test_draws_in_time_are_fair(backend: str) -> None:
    """Two of the first four edges."""
    count = 2000
    A = gb.Matrix.from_coo(
        np.repeat(np.arange(count), 6), np.tile(count + np.arange(6), count), np.tile(np.arange(6), count)
    )
    A.resize(count + 6, count + 6)
    (batch,) = NeighborLoader(A, [2], range(count), np.full(count, 3), batch_size=count)
    vertices = batch.n_id.tolist()
    drawn = ((i, vertices[j] - count) for i, j in sorted(edges_of(batch)))
    pairs = Counter(tuple(sorted(k for _, k in two)) for _, two in itertools.groupby(drawn, lambda edge: edge[0]))
    assert set(pairs) == set(itertools.combinations(range(4), 2))
    assert all(abs(found / count - 1 / 6) < 5 * np.sqrt(5 / 36 / count) for found in pairs.values())


def test_kinds_of_vertices(backend: str) -> None:
    rng = np.random.default_rng(3)
    shapes = {
        ("paper", "cites", "paper"): (9, 9),
        ("paper", "by", "author"): (9, 5),
        ("author", "wrote", "paper"): (5, 9),
    }
    dense = {
        relation: np.where(rng.random(shape) < 0.4, rng.integers(1, 9, shape), 0) for relation, shape in shapes.items()
    }
    relations = {relation: gb.Matrix.from_dense(values, 0) for relation, values in dense.items()}
    x = {"paper": np.arange(9) * 10, "author": np.arange(5) * 100}
    fanouts = {
        ("paper", "cites", "paper"): [-1, 2],
        ("paper", "by", "author"): [1, 0],
        ("author", "wrote", "paper"): [-1, -1],
    }
    for batch in NeighborLoader(
        relations,
        fanouts,
        ("paper", None),
        batch_size=2,
        x={k: gb.io.to_array(gb.Vector.from_dense(v)) for k, v in x.items()},
    ):
        vertices = {kind: np.array(found.tolist(), np.int64) for kind, found in batch.n_id.items()}
        assert all(batch.x[kind].tolist() == x[kind][vertices[kind]].tolist() for kind in x)
        hop = {kind: np.repeat([0, 1, 2], batch.num_sampled_nodes[kind]) for kind in x}
        assert (hop["paper"][: batch.batch_size] == 0).all()
        for relation, values in dense.items():
            matrix = batch.matrix[relation].to_dense(0)
            expected = values[np.ix_(vertices[relation[0]], vertices[relation[2]])]
            assert ((matrix == expected) | (matrix == 0)).all()
            degrees = (values != 0).sum(axis=1)[vertices[relation[0]]]
            most = np.array([9 if k < 0 else k for k in fanouts[relation]] + [0])[hop[relation[0]]]
            assert ((matrix != 0).sum(axis=1) == np.minimum(degrees, most)).all()
            assert sum(batch.num_sampled_edges[relation]) == (matrix != 0).sum() == batch.edge_index[relation].shape[1]


def test_the_same_seed_gives_the_same_batches(backend: str) -> None:
    def numbers(seed: int) -> list:
        loader = NeighborLoader(generators.kronecker(6), [3, 2], batch_size=16, shuffle=True, seed=seed)
        return [[[batch.n_id.tolist(), batch.edge_index.tolist()] for batch in loader] for _ in range(2)]

    found = numbers(1)
    assert found[0] != found[1] and found != numbers(2)
    with gb.using("numpy"):
        assert numbers(1) == found


def test_one_batch_ahead() -> None:
    """The second batch is complete while the first one is in use; an error of the third comes in its place."""
    arrays, second = [], threading.Event()

    def convert(array):
        arrays.append(array)
        if len(arrays) == 6:
            second.set()
        if len(arrays) > 6:
            raise ArithmeticError("the third batch")
        return array

    batches = iter(NeighborLoader(generators.path(6), [1], batch_size=2, convert=convert))
    next(batches)
    assert second.wait(10)
    next(batches)
    with pytest.raises(ArithmeticError, match="third"):
        next(batches)


def test_what_a_loader_refuses() -> None:
    A = generators.path(4)
    for error, match, arguments, options in (
        (IndexOutOfBound, "input_nodes: 4 is not a vertex", (A, [1], [4]), {}),
        (InvalidValue, "repeats a seed", (A, [1], [2, 2]), {}),
        (InvalidValue, "one time for every seed", (A, [1], [2], [1, 2]), {}),
        (InvalidValue, "batch_size", (A, [1]), {"batch_size": 0}),
        (InvalidValue, "must not be negative", ((A.dup(int) * -1).new(), [1]), {"weighted": True}),
        (InvalidValue, "as many hops", ({("a", "", "b"): A}, {("a", "", "a"): [1]}, ("a", None)), {}),
        (DimensionMismatch, "kind 'a' has 4 or 3", ({("a", "", "a"): gb.Matrix(int, 4, 3)}, [1], ("a", None)), {}),
        (TypeError, "expected a Matrix", ([1], [1]), {}),
    ):
        with pytest.raises(error, match=match):
            NeighborLoader(*arguments, **options)
    chosen = NeighborLoader(A, [1], np.array([False, True, True, False])).nodes
    assert chosen.tolist() == [1, 2] and len(list(NeighborLoader(A, [1], chosen, disjoint=True))) == 2
