"""An iterable of batches, of which a thread samples the next one ahead."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from ..algorithms.checks import check_sources
from ..algorithms.hops import Relation, draw_hops
from ..algorithms.labels import calling
from ..algorithms.preparing import check_weights
from ..api.base import ensure_type
from ..api.matrix import Matrix
from ..api.vector import Vector
from ..backends.registry import using
from ..exceptions import InvalidValue
from ..foundation.types import ArrayLike
from ..generators.randomness import Stream
from ..io.dense_arrays import to_array
from .ahead import one_ahead
from .batches import ONE, Batch, as_batch, sizes_of

ALL = 2**62  # more edges than a vertex has


class NeighborLoader:
    """An iterable of :class:`Batch`; a thread samples the next one meanwhile. Every iteration is a new epoch.

    Row i of a Matrix has the vertices from which vertex i gets messages: pass ``A.T.new()`` for those with an edge to
    it. The same seed gives the same batches on every backend.

    Parameters
    ----------
    A : Matrix or dict
        The graph; or a Matrix for every relation ``(kind of rows, name, kind of columns)``.
    num_neighbors : list of int, or dict
        The largest number of edges that a vertex draws in each hop, -1 for all; a list, or one for every relation.
    input_nodes : list, array or Vector
        The seeds of all batches, as numbers or as a Boolean array; all vertices by default. With relations a pair
        ``(kind, nodes)``, of which the nodes may be None.
    input_time : array, optional
        The time of every seed. Values of matrices are times then, and later edges are not drawn; implies ``disjoint``.
    disjoint : bool
        Whether every seed has copies of vertices of its own.
    weighted : bool
        Whether edges are drawn by weight.
    batch_size : int
        The number of seeds of a batch.
    shuffle : bool
        Whether every epoch has another order.
    drop_last : bool
        Whether to drop a last batch with fewer seeds.
    convert : callable, optional
        Converts every array of a batch, such as ``torch.as_tensor``.
    seed : int
        The seed of the random choices.
    **values : array, or dict of arrays
        Values of every vertex, such as ``x=features, y=labels``: a batch has those of its vertices by these names.

    Examples
    --------
    >>> from grblas_gpu import generators, sampling
    >>> (batch,) = sampling.NeighborLoader(generators.star(4), [-1], [2, 0], batch_size=2)
    >>> batch.n_id.tolist(), batch.edge_index.tolist(), batch.num_sampled_nodes
    ([2, 0, 1, 3], [[1, 2, 0, 3], [0, 1, 1, 1]], [2, 2])
    """

    def __init__(
        self,
        A: Matrix | Mapping[Relation, Matrix],
        num_neighbors: Sequence[int] | Mapping[Relation, Sequence[int]],
        input_nodes: Any = None,
        input_time: ArrayLike | None = None,
        *,
        disjoint: bool = False,
        weighted: bool = False,
        batch_size: int = 1,
        shuffle: bool = False,
        drop_last: bool = False,
        convert: Callable[[np.ndarray], object] = lambda array: array,
        seed: int = 1,
        **values: Any,
    ) -> None:
        relations = dict(A) if isinstance(A, Mapping) else {ONE: A}
        kind, nodes = input_nodes if isinstance(A, Mapping) else ("", input_nodes)
        self.relations = {relation: ensure_type(matrix, Matrix) for relation, matrix in relations.items()}
        self.sizes = sizes_of(self.relations)
        lists = num_neighbors if isinstance(num_neighbors, Mapping) else dict.fromkeys(relations, num_neighbors)
        self.fanouts = {relation: [k if k >= 0 else ALL for k in hops] for relation, hops in lists.items()}
        if self.fanouts.keys() != relations.keys() or len(set(map(len, self.fanouts.values()))) != 1:
            raise InvalidValue("NeighborLoader: every relation needs as many hops in num_neighbors")
        self.kind, self.nodes = kind, numbers_of(nodes, kind, self.relations)
        self.times = None if input_time is None else np.asarray(input_time)
        if self.times is not None and (weighted or self.times.shape != self.nodes.shape):
            raise InvalidValue("NeighborLoader: input_time needs one time for every seed, and no weighted=True")
        self.disjoint, self.weighted = disjoint or input_time is not None, weighted
        if not self.disjoint and len(np.unique(self.nodes)) < len(self.nodes):
            raise InvalidValue("NeighborLoader: input_nodes repeats a seed, which needs disjoint=True")
        if batch_size < 1:
            raise InvalidValue(f"NeighborLoader: batch_size must be at least 1; got {batch_size}")
        for matrix in self.relations.values() if weighted else ():
            check_weights(matrix, "NeighborLoader")
        self.batch_size, self.shuffle, self.drop_last = batch_size, shuffle, drop_last
        self.convert, self.seed, self.epoch = convert, seed, 0
        self.values = {
            name: {kind: convert(x) for kind, x in (given if isinstance(A, Mapping) else {"": given}).items()}
            for name, given in values.items()
        }

    def __len__(self) -> int:
        return (len(self.nodes) if self.drop_last else len(self.nodes) + self.batch_size - 1) // self.batch_size

    def __iter__(self) -> Iterator[Batch]:
        self.epoch += 1
        stream, count = Stream(self.seed, self.epoch), len(self.nodes)
        order = stream.permutation(count, np.zeros(0)) if self.shuffle else np.arange(count)
        seeds = stream.bits(np.arange(len(self), dtype=np.uint64)).tolist()
        chosen = [order[k * self.batch_size : (k + 1) * self.batch_size] for k in range(len(self))]
        return one_ahead([partial(self.batch, *each) for each in zip(chosen, seeds, strict=True)])

    def batch(self, chosen: np.ndarray, seed: int) -> Batch:
        """The batch of the seeds at these positions of the input nodes."""
        group = np.arange(len(chosen)) if self.disjoint else np.zeros(len(chosen), np.int64)
        seeds = group * self.sizes[self.kind] + self.nodes[chosen]
        with using(next(iter(self.relations.values())).backend):
            keys = {self.kind: to_array(Vector.from_dense(seeds))}
            times = None if self.times is None else to_array(Vector.from_dense(self.times[chosen]))
            found = draw_hops(self.relations, keys, self.fanouts, times=times, weighted=self.weighted, seed=seed)
            fields = {"batch_size": len(chosen), "input_id": self.convert(to_array(Vector.from_dense(chosen)))}
            return as_batch(found, self.sizes, self.values, self.convert, disjoint=self.disjoint, **fields)


def numbers_of(nodes: Vector | ArrayLike | None, kind: str, relations: Mapping[Relation, Matrix]) -> np.ndarray:
    """The seeds of all batches, as numbers."""
    matrix = next(matrix for relation, matrix in relations.items() if relation[0] == kind)
    if nodes is None:
        return np.arange(matrix.nrows)
    if not isinstance(nodes, Vector) and np.asarray(nodes).dtype == bool:
        nodes = np.flatnonzero(nodes)
    with calling("NeighborLoader"):
        return np.asarray(check_sources(matrix, nodes, "input_nodes"), np.int64)
