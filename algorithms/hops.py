"""Sampled edges around vertices, hop by hop: of one graph, or of several relations between kinds of vertices.

A key names a vertex: group * n + vertex. With one group all sources share the vertices they reach; if every source has
a group of its own, each samples a graph of its own, in which edges may be limited to a time. Method: in every hop the
new keys of every kind draw edges of all relations; the targets that are new are the next frontier.
Invariant: every key is expanded once, in the hop after it was reached. Cost: that of the draws (``neighbour_rows.py``),
and a sort of the reached keys.
Reference: W. Hamilton, R. Ying, J. Leskovec, Inductive representation learning on large graphs, NeurIPS 2017.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from .. import Matrix
from ..foundation.types import Array
from .neighbour_rows import Rows, Stream

#: The kind of the rows of a matrix, a name, and the kind of its columns.
Relation: TypeAlias = tuple[str, str, str]


class Sample(NamedTuple):
    """What a search has drawn."""

    keys: dict[str, Array]  # of every kind of vertices, in the order in which they were reached, sources first
    reached: dict[str, list[int]]  # how many of them, sources and then by hop
    edges: dict[Relation, tuple[Array, Array, Array]]  # keys of rows and of columns, and values
    drawn: dict[Relation, list[int]]  # the number of edges by hop


def draw_hops(
    relations: Mapping[Relation, Matrix],
    sources: Mapping[str, Array],
    fanouts: Mapping[Relation, Sequence[int]],
    *,
    times: Array | None = None,
    weighted: bool = False,
    seed: int = 1,
) -> Sample:
    """At most ``fanouts[relation][hop]`` edges of every key in the hop after it was reached.

    With ``times`` values are times, and the keys of group g draw edges up to ``times[g]``.

    >>> cycle = Matrix.from_coo([0, 1, 2], [1, 2, 0], [7, 9, 8])
    >>> sample = draw_hops({("v", "", "v"): cycle}, {"v": np.array([1])}, {("v", "", "v"): [1, 1]})
    >>> sample.keys["v"].tolist(), sample.reached, [part.tolist() for part in sample.edges["v", "", "v"]]
    ([1, 2, 0], {'v': [1, 1, 1]}, [[1, 2], [2, 0], [9, 8]])
    """
    nothing = next(iter(sources.values()))[:0]
    kinds = dict.fromkeys(kind for row, _, column in relations for kind in (row, column))
    keys = {kind: sources.get(kind, nothing) for kind in kinds}
    frontier, reached = dict(keys), {kind: [len(keys[kind])] for kind in kinds}
    drawn = {relation: [(nothing, nothing, Rows.of(A, nothing).weights[:0])] for relation, A in relations.items()}
    counts: dict[Relation, list[int]] = {relation: [] for relation in relations}
    hops = max(map(len, fanouts.values()))
    for hop in range(hops):
        found = {kind: [nothing] for kind in kinds}
        for number, (relation, A) in enumerate(relations.items()):
            sampling = frontier[relation[0]]
            counts[relation].append(0)
            if not len(sampling):
                continue
            group, vertices = sampling // A.nrows, sampling % A.nrows
            rows = Rows.of(A, vertices) if times is None else Rows.of(A, vertices).until(times[group])
            draw = rows.some_by_weight if weighted else rows.some
            row, place = draw(fanouts[relation][hop], Stream(seed, 1 + hop + number * hops), sampling)
            targets = group[row] * A.ncols + rows.targets[place]
            drawn[relation].append((sampling[row], targets, rows.weights[place]))
            found[relation[2]].append(targets)
            counts[relation][hop] = len(targets)
        for kind, targets in found.items():
            new = np.sort(np.concatenate(targets))
            # each once; several times as fast as np.unique, which hashes integers
            new = new[np.diff(new, prepend=-1) > 0]
            frontier[kind] = new[~np.isin(new, keys[kind])]
            keys[kind] = np.concatenate([keys[kind], frontier[kind]])
            reached[kind].append(len(frontier[kind]))
    edges = {relation: tuple(map(np.concatenate, zip(*parts, strict=True))) for relation, parts in drawn.items()}
    return Sample(keys, reached, edges, counts)  # type: ignore[arg-type]
