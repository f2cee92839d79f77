"""Checks of the library's results by other means: SciPy, arrays, what a result must fulfil; else an AssertionError."""

from typing import Any

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.sparse import csgraph

import grblas_gpu as gb

Arrays = Any  # scipy.sparse.csr_array
dijkstra = csgraph.dijkstra


def as_scipy(A: gb.Matrix) -> Arrays:
    return sparse.csr_array(gb.io.to_scipy_sparse(A.to("cpu").dup(float)))


def undirected(S: Arrays) -> Arrays:
    """Both directions, without loops."""
    both = (S + S.T).tocsr()
    both.setdiag(0)
    both.eliminate_zeros()
    return both


def edges_of(S: Arrays) -> tuple[np.ndarray, np.ndarray]:
    """Both ends of all edges without directions, in both directions."""
    edges = undirected(S).tocoo()
    return edges.row, edges.col


def entries(S: Arrays, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """The values at these positions, 0 without an entry. (For no positions, SciPy would return an empty matrix.)"""
    return np.asarray(S[rows, columns]).ravel() if len(rows) else np.empty(0)


def steps(S: Arrays, sources: Any = None) -> np.ndarray:
    """Lengths of shortest paths in edges, infinite without a path."""
    return dijkstra(S, indices=sources, unweighted=True)


def near(found: float, expected: float, tolerance: float = 1e-6) -> None:
    assert abs(found - expected) <= tolerance * max(1.0, abs(expected))


def shares(x: np.ndarray, S: Arrays) -> np.ndarray:
    """The share that each vertex gives to every neighbour."""
    out = np.asarray(S.sum(axis=1)).ravel()
    return np.divide(x, out, out=np.zeros_like(x), where=out > 0)


def residual(step: np.ndarray, x: np.ndarray) -> float:
    """The distance of x from the direction of ``step``."""
    return float(np.abs(step / np.linalg.norm(step) - x / np.linalg.norm(x)).sum())


# Ranks -----------------------------------------------------------------------------------------------------------


def pagerank(S: Arrays, ranks) -> None:
    x = ranks.to_dense()
    stuck = x[np.asarray(S.sum(axis=1)).ravel() == 0].sum() / len(x)
    after = 0.15 / len(x) + 0.85 * (shares(x, S) @ S + stuck)
    assert np.abs(after - x).sum() < len(x) * 1e-5 and abs(x.sum() - 1) < 1e-9


def personalized_pagerank(S: Arrays, ranks, sources: np.ndarray) -> None:
    x = ranks.to_dense()
    home = np.zeros_like(x)
    home[np.arange(len(sources)), sources] = 1.0
    after = 0.85 * (shares(x, S) @ S)
    after += home * (1 - after.sum(axis=1, keepdims=True))
    assert np.abs(after - x).sum(axis=1).max() < x.shape[1] * 1e-5 and np.abs(x.sum(axis=1) - 1).max() < 1e-9


def eigenvector(S: Arrays, x) -> None:
    dense = x.to_dense()
    assert residual(dense + dense @ S, dense) < len(dense) * 1e-4


def katz(S: Arrays, x, alpha: float) -> None:
    """x - alpha x A is the same everywhere."""
    beta = x.to_dense() - alpha * (x.to_dense() @ S)
    assert np.abs(beta - beta.mean()).max() < 1e-3 * beta.mean()


def hits(S: Arrays, found) -> None:
    hubs = found[0].to_dense()
    assert residual(S @ (S.T @ hubs), hubs) < 1e-2


# Paths -----------------------------------------------------------------------------------------------------------


def sssp(S: Arrays, distances, source: int) -> None:
    assert_allclose(distances.to_dense(np.inf), dijkstra(S, indices=source))


def reached_by(before: np.ndarray, distances: np.ndarray, source: int) -> np.ndarray:
    """The vertices with a predecessor, without the source: they must be all reached ones."""
    found = np.flatnonzero(before >= 0)
    assert len(found) == np.isfinite(distances).sum() and before[source] == source
    return found[found != source]


def shortest_paths(S: Arrays, found, source: int) -> None:
    """The distance of every reached vertex is that of its predecessor plus the edge between them."""
    sssp(S, found.distances, source)
    distances, before = found.distances.to_dense(np.inf), found.predecessors.to_dense(-1)
    some = reached_by(before, distances, source)
    lengths = entries(S, before[some], some)
    assert (lengths > 0).all()
    assert_allclose(distances[before[some]] + lengths, distances[some])


def parents(S: Arrays, found, source: int) -> None:
    """Every reached vertex has a parent one step nearer, and an edge from it."""
    distances, before = steps(S, source), found.to_dense(-1)
    some = reached_by(before, distances, source)
    assert (distances[before[some]] + 1 == distances[some]).all()
    assert (entries(S, before[some], some) != 0).all()


def levels(S: Arrays, found, sources) -> None:
    """Levels of one source, or of several."""
    assert_array_equal(found.to_dense(np.inf, dtype=float), steps(S, sources))


def reached(S: Arrays, found, source: int) -> None:
    assert_array_equal(found.to_dense(False), np.isfinite(steps(S, source)))


def path(S: Arrays, found, source: int, target: int) -> None:
    """The path consists of edges, has the stated length, and is shortest."""
    vertices = np.asarray(found.vertices)
    lengths = entries(S, vertices[:-1], vertices[1:])
    assert vertices[0] == source and vertices[-1] == target and (lengths > 0).all()
    assert abs(lengths.sum() - found.length) < 1e-9
    assert abs(dijkstra(S, indices=source)[target] - found.length) < 1e-9


def lower_bound_of_diameter(S: Arrays, found, source: int) -> None:
    """At least the eccentricity of the source, and in undirected graphs at most twice that."""
    distances = steps(S, source)
    farthest = distances[np.isfinite(distances)].max()
    assert farthest <= found and ((S != S.T).nnz or found <= 2 * farthest)


def all_distances(S: Arrays, found) -> None:
    assert_allclose(found.to_dense(np.inf), dijkstra(S))


def eccentricity(S: Arrays, found) -> None:
    assert_array_equal(found.to_dense(np.inf, dtype=float), steps(S).max(axis=1))


def diameter(S: Arrays, found) -> None:
    assert found == steps(S).max()


def closeness(S: Arrays, found) -> None:
    """For the distances to a vertex: (their number)^2 / (their sum * (n - 1))."""
    distances = steps(S).T
    there = np.isfinite(distances)
    others, far = there.sum(axis=1) - 1, np.where(there, distances, 0).sum(axis=1)
    expected = np.divide(others * others, far * (len(far) - 1), out=np.zeros(len(far)), where=far > 0)
    assert_allclose(found.to_dense(0.0), expected)


def degree_centrality(S: Arrays, found) -> None:
    joined = S.astype(bool).astype(np.int64)
    expected = (joined.sum(axis=1) + joined.sum(axis=0)) / (S.shape[0] - 1) if S.shape[0] > 1 else [1.0]
    assert_allclose(found.to_dense(), expected)


def closure(S: Arrays, found) -> None:
    """The closure is an edge followed by any path, or by none."""
    reach = np.isfinite(steps(S)).astype(np.float32)
    assert_array_equal(found.to_dense(False), (S > 0).astype(np.float32) @ reach > 0)


def flow(S: Arrays, found, source: int, target: int) -> None:
    expected = csgraph.maximum_flow(S.astype(np.int32), source, target).flow_value
    amount, n = as_scipy(found.flow), S.shape[0]
    balance = np.asarray(amount.sum(axis=1)).ravel() - np.asarray(amount.sum(axis=0)).ravel()
    ends = np.bincount([source, target], [expected, -expected], n)
    assert_allclose(balance, ends, atol=1e-6 * max(1, expected))
    assert abs(found.value - expected) <= 1e-9 * max(1, expected) and (amount > S).nnz == 0


def no_edges(S: Arrays, found, count: int) -> None:
    """As many different pairs as wanted, none of them an edge or a loop."""
    pairs = as_scipy(found)
    assert pairs.nnz == count and pairs.multiply(S).nnz == 0 and not pairs.diagonal().any()


def cheapest_flow(S: Arrays, found, source: int, target: int) -> None:
    """A largest flow, at prices like the capacities: the residual graph has no cycle of negative cost."""
    flow(S, found, source, target)
    amount = as_scipy(found.flow)
    assert abs(amount.multiply(S).sum() - found.cost) < 1e-9 * max(1, found.cost)
    back, ahead = -S.multiply(amount > 0).T.tocsr(), S.multiply(S - amount > 0).tocsr()
    csgraph.bellman_ford(back + ahead - ahead.multiply(back < 0), indices=source)  # NegativeCycleError otherwise


# Betweenness: sums over sources or edges are those of path lengths ------------------------------------------------


def weighted_dependencies(S: Arrays, scores, source: int) -> None:
    """Brandes' sums, an edge at a time; weights are integers, so that lengths compare exactly."""
    distances, edges = dijkstra(S, indices=source), S.tocoo()
    begin, end = distances[edges.row], distances[edges.col]
    used = np.flatnonzero(np.isfinite(begin) & (begin + edges.data == end))
    used = used[np.argsort(begin[used], kind="stable")]
    on_paths = list(zip(edges.row[used].tolist(), edges.col[used].tolist(), strict=True))
    ways, through = [0.0] * S.shape[0], [0.0] * S.shape[0]
    ways[source] = 1.0
    for u, v in on_paths:
        ways[v] += ways[u]
    for u, v in reversed(on_paths):
        through[u] += ways[u] / ways[v] * (1 + through[v])
    through[source] = 0.0
    assert_allclose(scores.to_dense(0.0), through, rtol=1e-6, atol=1e-9)


def edge_dependencies(S: Arrays, scores, source: int) -> None:
    """The scores add up to the path lengths between the source and all others."""
    distances = steps(S, source)
    near(scores.reduce_scalar().new().get(0.0), distances[np.isfinite(distances)].sum())


def dependencies(S: Arrays, scores, sources) -> None:
    """The dependencies of a source (or of all) add up to the inner vertices of its paths to all others."""
    distances = steps(S, sources)
    near(scores.reduce().new().get(0.0), (distances[np.isfinite(distances) & (distances > 0)] - 1).sum())


def all_dependencies(S: Arrays, scores) -> None:
    dependencies(S, scores, None)


# Orders and parts ------------------------------------------------------------------------------------------------


def generations(S: Arrays, found) -> None:
    """Each generation is one more than the largest generation of its predecessors."""
    number, edges = found.to_dense(), S.tocoo()
    latest = np.full(len(number), -1)
    np.maximum.at(latest, edges.col, number[edges.row])
    assert_array_equal(number, latest + 1)


def order(S: Arrays, found) -> None:
    position, edges = found.to_dense(), S.tocoo()
    assert (np.sort(position) == np.arange(len(position))).all() and (position[edges.row] < position[edges.col]).all()


def bipartite(S: Arrays, found: bool) -> None:
    """The bipartite double cover has twice as many components exactly if the graph is bipartite."""
    twice = sparse.block_array([[None, S + S.T], [S + S.T, None]])
    parts, _ = csgraph.connected_components(S, directed=False)
    assert found == (csgraph.connected_components(twice, directed=False)[0] == 2 * parts)


def sides(S: Arrays, found) -> None:
    side, edges = found.to_dense(), S.tocoo()
    assert (side[edges.row] + side[edges.col] == 1).all() and ((side == 0) | (side == 1)).all()


def components(S: Arrays, found, connection: str = "weak") -> None:
    count, label = csgraph.connected_components(S, directed=True, connection=connection)
    ours = found.to_dense(-1)
    assert len(np.unique(ours)) == count == len(np.unique(ours * np.int64(count) + label))


def strong_components(S: Arrays, found) -> None:
    components(S, found, "strong")


def same_component(S: Arrays, found) -> None:
    _, label = csgraph.connected_components(S, directed=False)
    assert (label[found.to_dense()] == label).all()


def forest(S: Arrays, found) -> None:
    near(found.reduce_scalar().new().get(0.0) / 2, csgraph.minimum_spanning_tree(S).sum(), 1e-9)


# Triangles, cores, sets -------------------------------------------------------------------------------------------


def triangles(found, count: int) -> None:
    assert found.reduce().new().get(0) == 3 * count


def pairs_of_neighbours(S: Arrays) -> np.ndarray:
    degree = np.diff(undirected(S).indptr).astype(float)
    return degree * (degree - 1) / 2


def coefficients(S: Arrays, found, count: int) -> None:
    """For undirected graphs: weighted by pairs of neighbours they add up to three times the triangles."""
    near((found.to_dense() * pairs_of_neighbours(S)).sum(), 3 * count)


def transitivity(S: Arrays, found: float, count: int) -> None:
    near(found * pairs_of_neighbours(S).sum(), 3 * count)


def cores(S: Arrays, found) -> None:
    """Each vertex of core number k has at least k neighbours of core number k or more."""
    number, (rows, columns) = found.to_dense(), edges_of(S)
    high = number[columns] >= number[rows]
    assert (np.bincount(rows[high], minlength=len(number)) >= number).all()


def core(numbers, found, k: int) -> None:
    """The vertices with a core number of at least k."""
    assert_array_equal(found.to_dense(False), numbers.to_dense() >= k)


def neighbours(S: Arrays, vertex: int) -> np.ndarray:
    return S.indices[S.indptr[vertex] : S.indptr[vertex + 1]]


def truss(found, k: int) -> None:
    rows, columns, support = found.to_coo()
    pattern = sparse.csr_array((np.ones(len(rows)), (rows, columns)), found.shape)
    for i in range(0, len(rows), max(1, len(rows) // 1000)):
        common = np.intersect1d(neighbours(pattern, int(rows[i])), neighbours(pattern, int(columns[i])))
        assert len(common) == support[i] >= k - 2


def independent(S: Arrays, found) -> None:
    member, (rows, columns) = found.to_dense(False), edges_of(S)
    assert not (member[rows] & member[columns]).any()
    assert (member | (np.bincount(rows, member[columns], len(member)) > 0)).all()


def colouring(S: Arrays, found) -> None:
    colour, (rows, columns) = found.to_dense(), edges_of(S)
    assert (colour[rows] != colour[columns]).all()


def matching(S: Arrays, found) -> None:
    partner, (rows, columns) = found.to_dense(-1), edges_of(S)
    matched = np.flatnonzero(partner >= 0)
    assert (partner[partner[matched]] == matched).all()
    assert ((partner[rows] >= 0) | (partner[columns] >= 0)).all()


def pattern_of(S: Arrays) -> Arrays:
    """1 at every edge, in both directions."""
    return undirected(S).astype(bool).astype(float)


def number_of_components(S: Arrays) -> int:
    return int(csgraph.connected_components(S, directed=False)[0])


def bridges(S: Arrays, found) -> None:
    """Each removed bridge leaves one more component."""
    edges, removed = pattern_of(S), as_scipy(found)
    assert number_of_components(edges - removed) == number_of_components(edges) + removed.nnz // 2


def articulation_points(S: Arrays, found) -> None:
    """Without such a vertex there are more components, not counting the vertex itself; without another, not."""
    edges, is_point = pattern_of(S), found.to_dense(False)
    busy = np.flatnonzero(edges.sum(axis=1))
    for vertex in busy[:: max(1, len(busy) // 20)]:
        rest = np.delete(np.arange(edges.shape[0]), vertex)
        assert (number_of_components(edges[rest][:, rest]) > number_of_components(edges)) == is_point[vertex]


def blocks(S: Arrays, found) -> None:
    """Components of edges and the vertices in which they meet form a forest."""
    rows, _, values = found.to_coo()
    met = np.unique(np.stack([rows, values], axis=1), axis=0)
    joined = len(np.unique(csgraph.connected_components(pattern_of(S), directed=False)[1][rows]))
    assert len(rows) == pattern_of(S).nnz
    assert len(met) == len(np.unique(rows)) + len(np.unique(values)) - joined


def maximum_matching(S: Arrays, found) -> None:
    matching(S, found)
    assert found.nvals == np.count_nonzero(csgraph.maximum_bipartite_matching(pattern_of(S).tocsr()) >= 0)


def truss_numbers(S: Arrays, found) -> None:
    assert found.nvals == pattern_of(S).nnz
    k = max(found.to_coo()[2], default=2)
    top = as_scipy(gb.select.valueeq(found, k).new()).astype(bool).astype(float)
    assert ((top @ top).multiply(top).toarray()[top.nonzero()] >= k - 2).all()


def dense_part(S: Arrays, found, cores) -> None:
    part = pattern_of(S)[found.vertices][:, found.vertices]
    near(found.density, part.nnz / 2 / max(1, len(found.vertices)))
    assert found.density >= max(cores.to_dense()) / 2


def rich_club(S: Arrays, found) -> None:
    edges = pattern_of(S)
    degree = edges.sum(axis=1)
    for k in range(0, found.size, max(1, found.size // 5)):
        club = np.flatnonzero(degree > k)
        near(found.get(k), edges[club][:, club].nnz / (len(club) * (len(club) - 1)))


def harmonic(S: Arrays, found) -> None:
    distances = steps(S)
    np.fill_diagonal(distances, np.inf)
    assert_allclose(found.to_dense(), (1 / distances).sum(axis=0))


def triangle_centrality(S: Arrays, found) -> None:
    edges = pattern_of(S)
    shared = (edges @ edges).multiply(edges).tocsr()
    count, near_ones = shared.sum(axis=1) / 2, shared.astype(bool).astype(float)
    expected = (near_ones @ count + count) / 3 + (edges - near_ones) @ count
    assert_allclose(found.to_dense(), expected / (count.sum() / 3) if count.any() else 0 * expected)


def elected(S: Arrays, found) -> None:
    degree = S.astype(bool).astype(float).sum(axis=1)
    assert len(set(found)) == len(found) and (degree[found[:1]] == degree.max()).all()


def several_paths(S: Arrays, found, source: int, target: int) -> None:
    lengths = [each.length for each in found]
    assert lengths == sorted(lengths) and len({tuple(each.vertices) for each in found}) == len(found)
    for each in found:
        near(sum(entries(S, each.vertices[:-1], each.vertices[1:])), each.length)
    if found:
        path(S, found[0], source, target)


def load(S: Arrays, found) -> None:
    """Each packet passes the vertices between its ends."""
    distances = steps(S)
    between = distances[np.isfinite(distances) & (distances > 0)] - 1
    near(found.to_dense().sum(), between.sum())


def minimum_cut(S: Arrays, found) -> None:
    one, edges = found.side.to_dense(False), undirected(S).tocsr()
    near(found.value, edges[one][:, ~one].sum() / 2)  # both directions have the weight
    if len(one) > 1:
        assert 0 < one.sum() < len(one) and found.value <= edges.sum(axis=1).min() / 2 + 1e-9


def matching_bounds(S: Arrays, found) -> None:
    fractional = np.count_nonzero(csgraph.maximum_bipartite_matching(pattern_of(S).tocsr()) >= 0) / 2
    assert 2 / 3 * fractional <= found.lower <= found.upper <= fractional


def cliques_of_4(S: Arrays, found) -> None:
    edges, total = pattern_of(S).tocsr(), 0.0
    for vertex in range(edges.shape[0]):
        near_ones = edges[edges[[vertex]].indices][:, edges[[vertex]].indices]
        total += (near_ones @ near_ones).multiply(near_ones).sum() / 6
    assert found == total / 4


def squares_of(S: Arrays) -> float:
    """The cycles of 4 vertices, induced or not: pairs of paths of two edges with the same ends."""
    edges = pattern_of(S)
    paths = (edges @ edges).toarray()
    np.fill_diagonal(paths, 0)
    return (paths * (paths - 1) / 2).sum() / 4


def motifs(S: Arrays, found) -> None:
    """The subgraphs of each shape are those of the induced ones that contain it."""
    edges, d = pattern_of(S), pattern_of(S).sum(axis=1)
    assert found.triangles == (edges @ edges).multiply(edges).sum() / 6 and found.edges == edges.nnz / 2
    assert found.paths_of_3 + 3 * found.triangles == (d * (d - 1) / 2).sum()
    near(found.stars + found.paws + 2 * found.diamonds + 4 * found.cliques, (d * (d - 1) * (d - 2) / 6).sum())
    near(found.cycles + found.diamonds + 3 * found.cliques, squares_of(S))
    cliques_of_4(S, found.cliques)


def graphlets(S: Arrays, found) -> None:
    counts, d = found.to_dense(), pattern_of(S).sum(axis=1)
    assert_array_equal(counts[:, 0], d)
    assert_array_equal(counts[:, 2] + counts[:, 3], d * (d - 1) / 2)
    assert counts.min() >= 0 and counts[:, 8].sum() % 4 == 0


def squares(S: Arrays, found) -> None:
    near(found, squares_of(S))


def matches(S: Arrays, found, size: int) -> None:
    edges = pattern_of(S)
    assert all(len(set(match)) == size and edges[match, np.roll(match, -1)].all() for match in found)


def coarse(S: Arrays, found) -> None:
    parts = found.parts.to_dense()
    assert_array_equal(np.unique(parts), np.arange(found.matrix.nrows))
    of_parts = sparse.csr_array((np.ones(len(parts)), (np.arange(len(parts)), parts)))
    assert abs(as_scipy(found.matrix) - of_parts.T @ S @ of_parts).sum() < 1e-6 and np.bincount(parts).max() <= 2


def partition(S: Arrays, label: np.ndarray, found) -> None:
    edges, sizes, n = S.tocoo(), np.bincount(label), len(label)
    within = np.count_nonzero(label[edges.row] == label[edges.col])
    near(found.coverage, within / edges.nnz)
    near(found.performance, (2 * within - edges.nnz + n * n - (sizes**2).sum()) / (n * (n - 1)))


def fiedler(S: Arrays, found) -> None:
    edges, x = undirected(S).astype(bool).astype(float), found.vector.to_dense()
    degree = edges.sum(axis=1)
    near(x @ x, 1.0)
    assert np.linalg.norm(degree * x - edges @ x - found.value * x) <= 2e-4 * degree.max() and abs(x.sum()) < 1e-6


def halves(S: Arrays, found) -> None:
    assert_array_equal(np.bincount(found.to_dense(), minlength=2), [(found.size + 1) // 2, found.size // 2])


def drawing(S: Arrays, found) -> None:
    places = np.stack([part.to_dense() for part in found])
    assert np.isfinite(places).all() and places.shape == (2, S.shape[0])
    assert len(places[0]) < 3 or (np.ptp(places, axis=1) > 0).all()


# Communities, similarities, parts of graphs ------------------------------------------------------------------------


def communities(S: Arrays, found) -> None:
    modularity(S, found.labels.to_dense(), found.modularity)


def modularity(S: Arrays, label: np.ndarray, found: float) -> None:
    edges = undirected(S).tocoo()
    degree = np.bincount(edges.row, edges.data, len(label))
    inside = edges.data[label[edges.row] == label[edges.col]].sum() / edges.data.sum()
    expected = inside - ((np.bincount(label, degree) / edges.data.sum()) ** 2).sum()
    assert abs(found - expected) < 1e-6


def two_hops(S: Arrays, found, sources: np.ndarray) -> None:
    ones = (S > 0).astype(float)
    expected = (ones[sources] @ ones).tolil()
    expected[np.arange(len(sources)), sources] = 0
    assert found.nvals == expected.count_nonzero() and (as_scipy(found)[sources] != expected.tocsr()).nnz == 0


def ego_graph(S: Arrays, found, source: int, radius: int) -> None:
    subgraph(S, found, np.flatnonzero(steps(S, source) <= radius))


def subgraph(S: Arrays, found, vertices: np.ndarray) -> None:
    assert_array_equal(found.vertices.to_dense(), vertices)
    assert (as_scipy(found.matrix) != S[vertices][:, vertices]).nnz == 0


def some_are_edges(S: Arrays, rows: np.ndarray, columns: np.ndarray) -> None:
    some = slice(None, None, max(1, len(rows) // 20_000))
    assert (entries(S, rows[some], columns[some]) != 0).all()


def walks(S: Arrays, found) -> None:
    rows, columns, vertices = (part.astype(np.int64) for part in found.to_coo())
    follow = (np.diff(rows) == 0) & (np.diff(columns) == 1)
    some_are_edges(S, vertices[:-1][follow], vertices[1:][follow])


def part_of(S: Arrays, found, fanout: int) -> None:
    rows, columns, _ = found.to_coo()
    assert np.bincount(rows.astype(np.int64)).max(initial=0) <= fanout
    some_are_edges(S, rows, columns)


def similarity(S: Arrays, found) -> None:
    rows, columns, values = found.to_coo()
    for i in range(0, len(rows), max(1, len(rows) // 300)):
        own, other = (neighbours(S, int(v)) for v in (rows[i], columns[i]))
        assert abs(values[i] - len(np.intersect1d(own, other)) / max(1, len(np.union1d(own, other)))) < 1e-9


def similarity_of_pairs(S: Arrays, found, pairs: np.ndarray, of_counts) -> None:
    ones = (S > 0).astype(float)
    degree = np.diff(S.indptr).astype(float)
    first, second = np.unique(pairs, axis=0).T
    common = np.asarray((ones[first] * ones[second]).sum(axis=1)).ravel()
    with np.errstate(invalid="ignore", divide="ignore"):
        expected = np.nan_to_num(of_counts(common, degree[first], degree[second]), posinf=0.0)
    rows, columns, values = found.to_coo()
    assert_array_equal(np.stack([rows, columns]), np.stack([first, second]))
    assert_allclose(values, expected, atol=1e-12)
