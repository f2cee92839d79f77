"""Models of real networks: communities of planted sizes, points of the hyperbolic plane, and R-MAT with noise.

Degrees, places and probabilities are floats, which engines could round differently: the host computes them.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..backends.registry import current_engine
from ..foundation.types import Array
from .kronecker_graphs import A, B, C, quadrant_limits, recipe_edges
from .random_graphs import drawn
from .randomness import Stream
from .structure import check_probability, check_size, engine_array, undirected

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
