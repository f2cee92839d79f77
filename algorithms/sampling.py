"""Neighbour sampling: some random edges of every vertex around the sources, to train graph neural networks.

Returns a Matrix with the drawn edges and their weights. Method: in every hop all vertices of the frontier draw at once
(``neighbour_rows.py``); the targets of their edges are the next frontier.
Invariant: every vertex is expanded once, in the hop after it was reached. Cost: that of the draws.
Reference: W. Hamilton, R. Ying, J. Leskovec, Inductive representation learning on large graphs, NeurIPS 2017.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .. import Matrix, Vector, io
from ..exceptions import InvalidValue
from .checks import Sources, as_index, check_sources, graph_algorithm
from .hops import draw_hops
from .preparing import check_weights


@graph_algorithm
def sample_neighbors(
    A: Matrix, sources: Sources, fanouts: int | Sequence[int], *, weighted: bool = False, seed: int = 1
) -> Matrix:
    """At most ``fanouts[0]`` edges of every source, ``fanouts[1]`` of every vertex that these lead to, and so on.

    Edges are drawn without replacement, uniformly or, if ``weighted``, by weight (edges of weight 0 are never drawn).
    The same seed gives the same edges on every backend.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: the entry in row i and column j is the edge from i to j, and its weight. With a Graph,
        vertices are labels.
    sources : int, list, array or Vector
        Vertices; labels with a Graph.
    fanouts : list of int
        The largest number of neighbours per vertex at each hop.
    weighted : bool
        Whether values are weights; otherwise every edge counts 1.
    seed : int
        The seed of the random choices: the same seed gives the same result on every backend.

    Raises
    ------
    DimensionMismatch
        The Matrix is not square.
    IndexOutOfBound
        The graph has no such vertex.
    InvalidValue
        A weight is NaN, infinite or negative, or an option is out of range.
    DomainMismatch
        Weights are complex numbers or records.

    Examples
    --------
    >>> from grblas_gpu import generators
    >>> from grblas_gpu.algorithms import sample_neighbors
    >>> sample_neighbors(generators.complete(9), [4], [3, 2]).reduce_rowwise("count").new().get(4)
    3
    """
    n = A.nrows
    hops = [fanouts] if as_index(fanouts) is not None else list(fanouts)  # type: ignore[arg-type]
    if any(fanout < 0 for fanout in hops):
        raise InvalidValue(f"sample_neighbors: fanouts must not be negative; got {fanouts}")
    check_weights(A, "sample_neighbors", weighted=weighted)
    starts = np.unique(np.asarray(check_sources(A, sources), np.int64))
    vertices = io.to_array(Vector.from_dense(starts))
    relation = ("", "", "")
    sample = draw_hops({relation: A}, {"": vertices}, {relation: hops}, weighted=weighted, seed=seed)
    return Matrix.from_coo(*sample.edges[relation], A.dtype, nrows=n, ncols=n)
