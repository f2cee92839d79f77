"""An iterable of batches, of which a thread samples the next one ahead.

A batch has sampled keys and edges as vertices and positions among them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from types import SimpleNamespace
from typing import Any, TypeVar

import numpy as np

from ..algorithms.checks import check_sources
from ..algorithms.hops import Relation, Sample, draw_hops
from ..algorithms.labels import calling
from ..algorithms.preparing import check_weights
from ..api.base import ensure_type
from ..api.matrix import Matrix
from ..api.vector import Vector
from ..backends.registry import using
from ..exceptions import DimensionMismatch, InvalidValue
from ..foundation.types import Array, ArrayLike
from ..generators.randomness import Stream
from ..io.dense_arrays import to_array

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


ONE = ("", "", "")  # the relation of a graph with one kind of vertices


class Batch(SimpleNamespace):
    """Some vertices and the sampled edges around them. Of several kinds of vertices, fields marked * are dictionaries:
    by kind, those of edges by relation.

    ``n_id`` * has the vertices, the ``batch_size`` seeds first, and ``input_id`` the positions of the seeds among the
    input nodes. ``edge_index`` * has two rows: neighbours, and the vertices that have drawn them, as positions in
    ``n_id``. ``matrix`` * has the same edges, drawing vertices as rows, with their values; ``torch.spmm`` multiplies by
    it. ``num_sampled_nodes`` * and ``num_sampled_edges`` * count by hop and in all; ``batch`` * has the seed of every
    vertex if disjoint.
    """

    def __init__(self, **fields: object) -> None:
        super().__init__(**fields)


def as_batch(
    found: Sample,
    sizes: Mapping[str, int],
    values: Mapping[str, Mapping[str, Array]],
    convert: Callable[[Array], object],
    *,
    disjoint: bool,
    **fields: object,
) -> Batch:
    """The batch of a sample, with these fields and the values of its vertices."""
    parts: dict[str, Any] = {"num_sampled_nodes": found.reached, "num_sampled_edges": found.drawn}
    parts |= {"n_id": {}, "edge_index": {}, "matrix": {}} | ({"batch": {}} if disjoint else {})
    for kind, keys in found.keys.items():
        parts["n_id"][kind] = convert(keys % max(sizes[kind], 1))
        if disjoint:
            parts["batch"][kind] = convert(keys // max(sizes[kind], 1))
    for relation, (rows, columns, weights) in found.edges.items():
        keys = found.keys[relation[0]], found.keys[relation[2]]
        i, j = positions(keys[0], rows), positions(keys[1], columns)
        parts["edge_index"][relation] = convert(np.stack([j, i]))
        parts["matrix"][relation] = Matrix.from_coo(i, j, weights, nrows=len(keys[0]), ncols=len(keys[1]))
    for name, given in values.items():
        parts[name] = {kind: x[parts["n_id"][kind]] for kind, x in given.items()}
    if ONE in found.edges:
        parts = {name: next(iter(part.values())) for name, part in parts.items()}
    return Batch(**fields, **parts)


def positions(keys: Array, some: Array) -> Array:
    """Where some of the keys are, which may have any order."""
    order = np.argsort(keys)
    return order[np.searchsorted(keys[order], some)]


def sizes_of(relations: Mapping[Relation, Matrix]) -> dict[str, int]:
    """The number of vertices of every kind."""
    found: dict[str, int] = {}
    for (row, _, column), matrix in relations.items():
        for kind, size in zip((row, column), matrix.shape, strict=True):
            if found.setdefault(kind, size) != size:
                raise DimensionMismatch(f"NeighborLoader: kind {kind!r} has {found[kind]} or {size} vertices")
    return found


Result = TypeVar("Result")


def one_ahead(calls: Iterable[Callable[[], Result]]) -> Iterator[Result]:
    """The results of calls, in order; the next call runs while the caller uses a result.

    >>> list(one_ahead([lambda: 3, lambda: 4]))
    [3, 4]
    """
    with ThreadPoolExecutor(1) as thread:
        before: Future[Result] | None = None
        for call in calls:
            after = thread.submit(copy_context().run, call)
            if before is not None:
                yield before.result()
            before = after
        if before is not None:
            yield before.result()
