"""A batch of a loader: sampled keys and edges as vertices and positions among them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np

from ..algorithms.hops import Relation, Sample
from ..api.matrix import Matrix
from ..exceptions import DimensionMismatch
from ..foundation.types import Array

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
