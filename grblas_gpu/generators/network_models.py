"""Models of real networks: communities of planted sizes, points of the hyperbolic plane, and R-MAT with noise.

And random graphs of a given structure: blocks of vertices, or degrees. Degrees, places and probabilities are floats,
which engines could round differently: the host computes them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..backends.registry import current_engine
from ..foundation.types import Array, ArrayLike
from .kronecker_graphs import A, B, C, quadrant_limits, recipe_edges
from .random_graphs import drawn
from .randomness import Stream
from .structure import EdgeKeys, check_probability, check_size, engine_array, pieces, undirected

if TYPE_CHECKING:
    from ..api.matrix import Matrix
    from ..api.vector import Vector

BANDS = 32  # rings of the hyperbolic disc: more rings give fewer candidates, and more steps


class PlantedGraph(NamedTuple):
    """A graph, and the lowest vertex of the community of every vertex."""

    matrix: Matrix
    labels: Vector


def lfr(
    n: int,
    mixing: float = 0.2,
    min_degree: int = 5,
    max_degree: int = 50,
    min_size: int = 50,
    max_size: int = 200,
    *,
    degree_exponent: float = 2.5,
    size_exponent: float = 1.5,
    seed: int = 1,
) -> PlantedGraph:
    """A graph with communities, as in the LFR benchmark; degrees and sizes of communities follow power laws.

    Every vertex has a share ``mixing`` of its edges to all others, and the rest inside of its community. Ends of edges
    are joined in random pairs; loops and duplicates are dropped. The result has the graph and its communities.
    Reference: A. Lancichinetti, S. Fortunato, F. Radicchi, Benchmark graphs for testing community detection
    algorithms, Physical Review E 2008.

    Parameters
    ----------
    n : int
        The number of vertices.
    mixing : float
        The share of edges that leave the community.
    min_degree : int
        The lowest degree.
    max_degree : int
        The highest degree; its edges inside of a community must fit in the smallest one.
    min_size : int
        The size of the smallest community.
    max_size : int
        The size of the largest community; the last one may have up to ``min_size`` more.
    degree_exponent : float
        The exponent of the power law of degrees.
    size_exponent : float
        The exponent of the power law of sizes.
    seed : int
        The seed of the random numbers: the same seed gives the same result on every backend.

    Examples
    --------
    >>> from grblas_gpu import generators
    >>> matrix, labels = generators.lfr(1000, 0.1, seed=3)
    >>> matrix.shape, labels.size, bool(matrix.degree_statistics().max <= 50)
    ((1000, 1000), 1000, True)
    """
    check_size("lfr", n, min_degree, min_size)
    check_probability("lfr", "mixing", mixing)
    if not (min_degree <= max_degree and min_size <= max_size and min_size <= n):
        raise ValueError(f"lfr: each min must be at most its max, and min_size at most n = {n}")
    if round((1 - mixing) * max_degree) >= min_size:
        raise ValueError(f"lfr: max_degree {max_degree} needs min_size above {round((1 - mixing) * max_degree)}")
    degrees = power_law(n, min_degree, max_degree, degree_exponent, Stream(seed, 1))
    # sizes of communities until they hold all vertices; a rest below min_size joins the last one
    ends = np.cumsum(power_law(-(-n // min_size), min_size, max_size, size_exponent, Stream(seed, 2)))
    ends = ends[ends <= n - min_size]
    community = np.searchsorted(ends, np.arange(n), side="right")[Stream(seed, 3).permutation(n, np.zeros(0))]
    # inside + outside = degrees, rounded up or down at random
    inside = np.floor((1 - mixing) * degrees + uniform(n, Stream(seed, 4))).astype(np.int64)
    pairs = [pairs_of_ends(inside, community, Stream(seed, 5))]
    pairs.append(pairs_of_ends(degrees - inside, np.zeros(n, np.int64), Stream(seed, 6)))
    source, target = (current_engine().array(np.concatenate(part)) for part in zip(*pairs, strict=True))
    lowest = np.unique(community, return_index=True)[1]
    return PlantedGraph(undirected(source, target, n), vector(lowest[community]))


def hyperbolic(n: int, average_degree: float = 8.0, exponent: float = 2.5, *, seed: int = 1) -> Matrix:
    """Random points of a hyperbolic disc, joined if they are nearer than its radius: hubs, clusters, short paths.

    Degrees follow a power law with this ``exponent``. Each point looks for others in rings around the centre, in the
    angle where a ring can be near enough.
    References: D. Krioukov et al., Hyperbolic geometry of complex networks, Physical Review E 2010;
    M. von Looz, H. Meyerhenke, R. Prutkin, Generating random hyperbolic graphs in subquadratic time, ISAAC 2015.

    Parameters
    ----------
    n : int
        The number of vertices.
    average_degree : float
        The expected mean degree of a large graph.
    exponent : float
        The exponent of the power law of degrees, above 2.
    seed : int
        The seed of the random numbers: the same seed gives the same result on every backend.

    Examples
    --------
    >>> from grblas_gpu import generators
    >>> A = generators.hyperbolic(500, 8, seed=3)
    >>> A.shape, 5 < A.nvals / 500 < 11
    ((500, 500), True)
    """
    check_size("hyperbolic", n)
    if not (average_degree > 0 and exponent > 2):
        raise ValueError(
            f"hyperbolic: average_degree must be above 0 and exponent above 2; got {average_degree}, {exponent}"
        )
    r, angle, reach = hyperbolic_points(n, average_degree, exponent, seed)
    order = np.argsort(angle)
    r, angle = r[order], angle[order]
    rings = np.minimum(r / reach * BANDS, BANDS - 1).astype(np.int64)
    sources, targets = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for ring in np.unique(rings):
        there = np.flatnonzero(rings == ring)
        # each pair once: by the end in the outer ring
        mine = np.flatnonzero(rings >= ring)
        wide = widest_angle(r[mine], r[there].min(), reach)
        places = np.concatenate([angle[there] + turn * 2 * math.pi for turn in (-1, 0, 1)])
        first = np.searchsorted(places, angle[mine] - wide, "left")
        count = np.minimum(np.searchsorted(places, angle[mine] + wide, "right") - first, len(there))
        i = np.repeat(mine, count)
        j = there[(np.arange(len(i)) - np.repeat(np.cumsum(count) - count - first, count)) % len(there)]
        near = np.cos(angle[i] - angle[j]) >= least_cosine(r[i], r[j], reach)
        sources.append(i[near])
        targets.append(j[near])
    source, target = (current_engine().array(order[np.concatenate(part)]) for part in (sources, targets))
    return undirected(source, target, n)


def noisy_kronecker(scale: int, edge_factor: int = 16, noise: float = 0.1, *, seed: int = 1) -> Matrix:
    """A Kronecker graph whose quadrants have slightly different probabilities at every level.

    Without noise, degrees come in groups, with gaps between them. At every level ``a`` and ``d`` lose what ``b`` and
    ``c`` gain, up to ``noise``. Reference: C. Seshadhri, A. Pinar, T. Kolda, An in-depth analysis of stochastic
    Kronecker graphs, J. ACM 2013.

    Parameters
    ----------
    scale : int
        The graph has 2**scale vertices.
    edge_factor : int
        The number of edges drawn for each vertex.
    noise : float
        The largest change of the probabilities, from 0 to 0.19.
    seed : int
        The seed of the random numbers: the same seed gives the same result on every backend.

    Examples
    --------
    >>> from grblas_gpu import generators
    >>> generators.noisy_kronecker(6, seed=3).shape
    (64, 64)
    """
    if not (0 <= scale <= 31 and edge_factor >= 0 and 0 <= noise <= B):
        raise ValueError(f"noisy_kronecker: scale is from 0 to 31, noise from 0 to {B}; got {scale}, {noise}")
    limits = [quadrant_limits(*level) for level in noisy_quadrants(scale, noise, seed)]
    places = Stream(seed, 1).permutation(1 << scale, engine_array()).astype(np.uint64)

    def edges(edge: object) -> tuple[Array, Array]:
        source, target = recipe_edges(scale, seed, limits, edge)
        return places[source.view(np.int64)], places[target.view(np.int64)]

    return drawn(1 << scale, edge_factor << scale, edges)


def noisy_quadrants(scale: int, noise: float, seed: int) -> list[tuple[float, float, float]]:
    """The probabilities a, b and c of every level."""
    d = 1 - A - B - C
    changes = noise * (2 * uniform(scale, Stream(seed, 1 << 32)) - 1)
    return [(A - 2 * x * A / (A + d), B + x, C + x) for x in changes.tolist()]


def uniform(n: int, stream: Stream) -> np.ndarray:
    """Random numbers between 0 and 1, on the host."""
    return ((stream.bits(np.arange(n, dtype=np.uint64)) >> np.uint64(11)) + 0.5) * 2.0**-53


def power_law(n: int, low: int, high: int, exponent: float, stream: Stream) -> np.ndarray:
    """Whole numbers from low to high, with probabilities that fall by this exponent.

    >>> sorted(set(power_law(100, 2, 4, 2.0, Stream(1)).tolist()))
    [2, 3, 4]
    """
    sizes = np.arange(low, high + 1)
    shares = np.cumsum(sizes.astype(float) ** -exponent)
    return sizes[np.searchsorted(shares / shares[-1], uniform(n, stream))]


def pairs_of_ends(ends: np.ndarray, group: np.ndarray, stream: Stream) -> tuple[np.ndarray, np.ndarray]:
    """Random pairs of ends of edges of the same group; of an odd number, one is left over."""
    vertex = np.repeat(np.arange(len(ends)), ends)
    order = np.lexsort((stream.bits(np.arange(len(vertex), dtype=np.uint64)), group[vertex]))
    vertex = vertex[order]
    mine = group[vertex]
    place = np.arange(len(vertex)) - np.searchsorted(mine, mine)
    first = np.flatnonzero((place[:-1] % 2 == 0) & (mine[:-1] == mine[1:]))
    return vertex[first], vertex[first + 1]


def hyperbolic_points(n: int, average_degree: float, exponent: float, seed: int) -> tuple[Array, Array, float]:
    """Radius and angle of each point, and the radius of the disc."""
    alpha = (exponent - 1) / 2
    reach = 2 * math.log(2 * n * (alpha / (alpha - 0.5)) ** 2 / (math.pi * average_degree))
    reach = max(reach, 1.0)
    r = np.arccosh(1 + (math.cosh(alpha * reach) - 1) * uniform(n, Stream(seed, 1))) / alpha
    return r, 2 * math.pi * uniform(n, Stream(seed, 2)), reach


def least_cosine(r: Array, other: Array, reach: float) -> Array:
    """The cosine of the angle at which two points have the distance ``reach``; below it they are farther apart."""
    return (np.cosh(r) * np.cosh(other) - math.cosh(reach)) / np.maximum(np.sinh(r) * np.sinh(other), 1e-300)


def widest_angle(r: Array, inner: float, reach: float) -> np.ndarray:
    """The largest angle at which a point can be near one whose radius is ``inner`` or more."""
    # the angle falls with the other radius wherever r + inner >= reach; elsewhere all angles are near enough
    return np.where(r + inner <= reach, math.pi, np.arccos(np.clip(least_cosine(r, inner, reach), -1, 1)) + 1e-9)


def vector(values: np.ndarray) -> Vector:
    """A Vector of the engine in use."""
    from ..api.vector import Vector

    return Vector.from_dense(values, dtype=int)


def stochastic_block_model(sizes: Sequence[int], probabilities: ArrayLike, *, seed: int = 1) -> Matrix:
    """Blocks of vertices, numbered one after the other: a pair is an edge with the probability of its two blocks.

    Pairs are drawn with replacement, a Poisson number of them for each two blocks. So every pair is drawn or not
    independently of all others, and the time depends on the edges, not on the pairs.
    Reference: P. Holland, K. Laskey, S. Leinhardt, Stochastic blockmodels: first steps, Social Networks 1983.

    Parameters
    ----------
    sizes : list of int
        The number of vertices of each block.
    probabilities : array
        A symmetric matrix: the probability of an edge between a vertex of block a and one of block b.
    seed : int
        The seed of the random numbers: the same seed gives the same result on every backend.

    Examples
    --------
    >>> from grblas_gpu import generators
    >>> A = generators.stochastic_block_model([20, 30], [[1, 0], [0, 0.5]])
    >>> A[:20, :20].new().nvals, A[:20, 20:].new().nvals
    (380, 0)
    """
    name = "stochastic_block_model"
    check_size(name, *sizes)
    chances = np.asarray(probabilities, float)
    if chances.shape != (len(sizes), len(sizes)) or (chances != chances.T).any():
        raise ValueError(f"{name}: probabilities must be a symmetric matrix of {len(sizes)} x {len(sizes)} numbers")
    for chance in chances.flat:
        check_probability(name, "probabilities", float(chance))
    starts, like = np.cumsum([0, *sizes]), engine_array()
    draw = np.random.default_rng(seed)
    blocks = [(a, b, *_draws(sizes[a], sizes[b], a == b, chances[a, b], draw)) for a, b in _pairs(len(sizes))]
    edges = EdgeKeys(int(starts[-1]), sum(count for *_, count in blocks), like)
    for number, (a, b, everything, count) in enumerate(blocks):
        rows, columns = Stream(seed, 2 * number), Stream(seed, 2 * number + 1)
        for start, stop in pieces(count, like):
            edge = np.arange(start, stop, dtype=np.uint64, like=like)
            if everything:
                source, target = edge // np.uint64(sizes[b]), edge % np.uint64(sizes[b])
            else:
                source, target = rows.below(sizes[a], edge), columns.below(sizes[b], edge)
            edges.add(source + np.uint64(starts[a]), target + np.uint64(starts[b]))
    return edges.matrix()


def configuration_model(degrees: ArrayLike, *, seed: int = 1) -> Matrix:
    """Given degrees: ends of edges, as many at each vertex as its degree, are joined in random pairs.

    Loops and duplicates are dropped, so a few vertices have a lower degree. Without an even sum, one end is left over.
    Reference: M. Newman, S. Strogatz, D. Watts, Random graphs with arbitrary degree distributions and their
    applications, Physical Review E 2001.

    Parameters
    ----------
    degrees : list or array of int
        The degree of every vertex.
    seed : int
        The seed of the random numbers: the same seed gives the same result on every backend.

    Examples
    --------
    >>> from grblas_gpu import generators
    >>> generators.configuration_model([1] * 6).degree_statistics().max
    1
    """
    given = np.asarray(degrees)
    if given.ndim != 1 or not len(given) or given.dtype.kind not in "iu" or (given < 0).any():
        raise ValueError("configuration_model: degrees must be whole numbers, one for each vertex, not below zero")
    ends = current_engine().array(np.repeat(np.arange(len(given)), given))
    ends = ends[Stream(seed, 1).permutation(len(ends), ends)]
    half = len(ends) // 2
    return undirected(ends[:half], ends[half : 2 * half], len(given))


def _pairs(count: int) -> list[tuple[int, int]]:
    return list(combinations_with_replacement(range(count), 2))


def _draws(rows: int, columns: int, same: bool, chance: float, draw: np.random.Generator) -> tuple[bool, int]:
    """Whether every pair of two blocks is an edge; and the number of pairs to draw.

    If that is Poisson distributed with mean pairs * rate, a pair is drawn with probability 1 - exp(-rate).
    In one block both orders of a pair are drawn.
    """
    if chance == 1:
        return True, rows * columns
    rate = -np.log1p(-chance) / (2 if same else 1)
    return False, int(draw.poisson(rows * columns * rate))
