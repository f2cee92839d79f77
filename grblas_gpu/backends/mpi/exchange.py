"""The two exchanges of a product: *expand* sends the operand to the blocks, *fold* sends results to their owners.

The local engine packs messages (:mod:`..stores.messages`), and combines received ones. Each block combines its results
before it sends them, so that it sends every target once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...foundation.types import Engine, TypedMonoid
from ..stores.entries import cast, entries, true_keys, values_of
from ..stores.messages import Numbering, PackedParts, as_bytes
from ..stores.storage import MaskView, VectorStore
from .described import Described
from .wire import Wire


class Expanding:
    """An allgather of the parts of a vector over the ranks of a wire, in one round.

    Parts are packed, sent and joined.
    ``full``: every position is known to have an entry, so that all ranks know how many bytes every part has.
    """

    def __init__(
        self, wire: Wire, engine: Engine, part: VectorStore, lengths: list[int], with_values: bool, full: bool = False
    ) -> None:
        self._wire, self._engine, self._part, self._lengths = wire, engine, part, lengths
        self._with_values, self._full = with_values, full and any(lengths)
        self._packed: PackedParts | None = None
        self._sent: Any = None  # Described, or Pending
        if wire.size > 1 and not self._full:
            dtype = part.dtype if with_values else None
            self._packed = engine.pack_parts(part, [part.size], dtype, 0)

    def start(self) -> None:
        if self._packed is not None:
            self._sent = Described(self._wire, self._packed, alike=True)
        elif self._wire.size > 1 and self._with_values:
            sizes = [length * self._part.dtype.itemsize for length in self._lengths]
            self._sent = self._wire.start_gather(as_bytes(values_of(self._part)), sizes)

    def finish(self, dense: bool) -> VectorStore:
        """All parts as one store: a list, or (``dense``) flags and values for every position."""
        dtype = self._part.dtype
        if self._wire.size == 1:
            return self._part
        if self._sent is None:
            return VectorStore(sum(self._lengths), np.asarray([1], dtype, like=self._part.values))
        if self._full:
            return VectorStore(sum(self._lengths), self._sent.wait().view(dtype))
        return self._engine.join_parts(self._sent.wait(), self._lengths, dtype, dense)


def true_part(view: MaskView) -> VectorStore:
    """The positions where a mask is true."""
    part = view.store
    assert isinstance(part, VectorStore)
    if view.structure:
        return part
    one = np.asarray([True], bool, like=part.values)
    if part.kind == "sparse":
        return VectorStore(part.size, one, indices=true_keys(view))
    inside = np.broadcast_to(cast(part.values, np.dtype(bool)), (part.size,))
    present = inside.copy() if part.present is None else part.present & inside
    found = VectorStore(part.size, one, present=present, nvals=0)
    found.uncount()  # entries are counted when their number is needed
    return found


def fold(
    wire: Wire,
    result: VectorStore,
    lengths: list[int],
    monoid: TypedMonoid,
    engine: Engine,
    dtype: np.dtype | None = None,
    numbering: list[Numbering] | None = None,
) -> VectorStore:
    """Send the parts of a block's result to their owners and combine what arrives here, in the order of the ranks.

    ``numbering``: the values are positions within the sender's block. They travel as numbers of this ``dtype``, and
    become global on arrival.
    """
    if wire.size == 1:
        if numbering is None:
            return result
        keys, values = entries(result)
        return VectorStore(result.size, numbering[0].to_global(values.astype(np.int64)), indices=keys)
    sent_type = result.dtype if dtype is None else dtype
    packed = engine.pack_parts(result, lengths, sent_type, wire.rank)
    sent = Described(wire, packed, alike=False)
    wire.traffic.results += sum(packed.count(rank) for rank in range(wire.size) if rank != wire.rank)
    return engine.fold_parts(sent.wait(), lengths[wire.rank], sent_type, monoid, numbering)
