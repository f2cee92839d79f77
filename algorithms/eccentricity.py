"""Eccentricity, the distance to the farthest vertex; the diameter, the largest of them; and a fast estimate.

Returns a Vector of distances, or one of them as a number.
Method: searches on the reversed graph, a batch at a time, each search a bit of a word; the eccentricity is the level at
which the last search arrives. With weights, distances from a batch of vertices (apsp.py). The estimate repeats a search
from the farthest vertex so far: every eccentricity is a lower bound of the diameter, on most graphs a good one.
Invariant: the estimate is the distance between two vertices, never more than the diameter.
Cost: O(n m) for all eccentricities without weights; O(n + m) for each sweep of the estimate.
Reference: C. Magnien, M. Latapy, M. Habib, Fast computation of empirically tight bounds for the diameter of massive
graphs, J. Experimental Algorithmics 2009.
"""

from __future__ import annotations

import numpy as np

from .. import UINT64, Matrix, Vector, agg, binary, loop, monoid, program, select
from ..exceptions import InvalidValue
from ..foundation.progress import progress
from .apsp import distances_from
from .batches import next_level, searches_as_bits, vertices_in_batches
from .checks import check_source, graph_algorithm
from .dobfs import dobfs
from .preparing import largest
from .sssp import distance_type, sssp


@graph_algorithm
def eccentricity(A: Matrix, *, weighted: bool = False, batch: int | None = None) -> Vector:
    """The distance of every vertex to the farthest one; no entry for vertices that do not reach all others.

    ``A[i, j]`` is the edge from i to j, and its length if ``weighted``.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: the entry in row i and column j is the edge from i to j, and its weight if ``weighted``.
        With a Graph, vertices are labels.
    weighted : bool
        Whether values are weights; otherwise every edge counts 1.
    batch : int, optional
        The most sources at a time: without weights up to 64; with weights, more sources take more memory.

    Raises
    ------
    DimensionMismatch
        The Matrix is not square.
    InvalidValue
        A weight is NaN or infinite.
    DomainMismatch
        Weights are complex numbers or records.

    Examples
    --------
    >>> from grblas_gpu import generators
    >>> from grblas_gpu.algorithms import eccentricity
    >>> eccentricity(generators.path(4)).to_dict()
    {0: 3, 1: 2, 2: 2, 3: 3}
    """
    if not weighted:
        return last_levels(A, batch)
    n = A.nrows
    result = Vector(distance_type(A), n)
    for some in progress(vertices_in_batches(n, batch), "eccentricity"):
        distances = distances_from(A, some)
        # complete = rows with a distance to every vertex
        complete = select.valueeq(distances.reduce_rowwise(agg.count).new(), n).new()
        # farthest<complete> = max of the row
        farthest = distances.reduce_rowwise(monoid.max).new(mask=complete.S)
        # result[some]<farthest> = farthest
        result[some](farthest.S) << farthest
    return result


def last_levels(A: Matrix, batch: int | None) -> Vector:
    """The eccentricities without weights: the last level at which a search on the reversed graph arrives."""
    reverse = A.pattern().T.new()
    last, unreached = Vector.from_scalar(0, A.nrows), Vector.from_scalar(0, A.nrows, UINT64)
    for arriving, missing in searches_as_bits(A.nrows, batch, "eccentricity"):
        _arrivals(reverse, arriving, missing, last)
        # unreached |= missing
        unreached(binary.bor) << missing
    # last, where nothing is missing
    return last.dup(mask=select.valueeq(unreached, np.uint64(0)).new().S)


@program
def _arrivals(edges: Matrix, arriving: Vector, missing: Vector, last: Vector) -> None:
    """Searches as bits: ``last`` gets the last level at which a search arrives."""
    for depth in loop(arriving):
        next_level(edges, arriving, missing)
        # last<arriving> = max(last, depth + 1)
        last(arriving.S, binary.max) << depth + 1


@graph_algorithm
def diameter(A: Matrix, *, weighted: bool = False) -> float:
    """The largest distance between two vertices; raises InvalidValue if some vertex cannot reach another.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: the entry in row i and column j is the edge from i to j, and its weight if ``weighted``.
        With a Graph, vertices are labels.
    weighted : bool
        Whether values are weights; otherwise every edge counts 1.

    Raises
    ------
    DimensionMismatch
        The Matrix is not square.
    InvalidValue
        Some vertex cannot reach all others, or a weight is NaN or infinite.
    DomainMismatch
        Weights are complex numbers or records.

    Examples
    --------
    >>> from grblas_gpu import generators
    >>> from grblas_gpu.algorithms import diameter
    >>> diameter(generators.grid_2d(3, 4))
    5
    """
    eccentricities = eccentricity(A, weighted=weighted)
    if eccentricities.nvals < A.nrows:
        raise InvalidValue("diameter: it is infinite, since some vertex cannot reach all others")
    return largest(eccentricities)


@graph_algorithm
def diameter_estimate(A: Matrix, source: int = 0, *, sweeps: int = 4, weighted: bool = False) -> float:
    """A lower bound of the diameter of the part that ``source`` reaches, from a few searches.

    The graph must be symmetric for the farthest vertex to be a good place to start the next search.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: the entry in row i and column j is the edge from i to j, and its weight if ``weighted``.
        With a Graph, vertices are labels.
    source : int
        The vertex to start from; the label with a Graph.
    sweeps : int
        The number of searches, each from the farthest vertex of the previous one.
    weighted : bool
        Whether values are weights; otherwise every edge counts 1.

    Raises
    ------
    DimensionMismatch
        The Matrix is not square.
    IndexOutOfBound
        The graph has no such vertex.
    InvalidValue
        A weight is NaN or infinite.
    DomainMismatch
        Weights are complex numbers or records.

    Examples
    --------
    >>> from grblas_gpu import generators
    >>> from grblas_gpu.algorithms import diameter_estimate
    >>> diameter_estimate(generators.grid_2d(3, 4), 5)
    5
    """
    if A.nrows == 0:
        return 0
    bound = 0
    source = check_source(A, source)
    for _ in range(sweeps):
        distances = sssp(A, source) if weighted else dobfs(A, source)
        farthest = largest(distances)
        if farthest <= bound:
            break
        bound = farthest
        # source = one of the farthest vertices
        source = int(next(iter(select.valueeq(distances, farthest).new())))
    return bound
