"""Properties of a product that follow from its operator, types and iso values, cached."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from ...foundation.types import TypedSemiring
from ..programs.reading import EACH, UNUSED, Reading, Values
from ..stores.storage import Array, MatrixStore, VectorStore
from .operands import single
from .tier import KernelTable

MIXED_ABOVE, MIXED_BELOW = 0.03, 0.97  # fills of a bitmap between which its flags are unpredictable
MOST_CALLS = 4096  # entries of the cache, which is then cleared

kernels = KernelTable()  # of all strategies
_calls: dict[Hashable, Call] = {}


def prepared(a_values: Array, u_values: Array, semiring: TypedSemiring, flip: bool, early: bool) -> Call:
    """The properties of a product that follow from its operator, types and iso values; cached."""
    a_iso = a_values.tobytes() if len(a_values) == 1 else None
    u_iso = u_values.tobytes() if len(u_values) == 1 else None
    key = (semiring.key, flip, early, a_values.dtype.char, u_values.dtype.char, a_iso, u_iso)
    call = _calls.get(key)
    if call is None:
        if len(_calls) > MOST_CALLS:
            _calls.clear()
        # The semiring stays alive with its key: user-defined ones are identified by address.
        call = _calls[key] = Call(a_values, u_values, semiring, flip, early)
    return call


class Call(Reading):
    """The properties of a product that all strategies need, for any size."""

    __slots__ = ("constant", "early", "key", "leave", "kernel")

    def __init__(self, a_values: Array, u_values: Array, semiring: TypedSemiring, flip: bool, early: bool) -> None:
        super().__init__(semiring, Values.of(a_values), Values.of(u_values), flip, early)
        monoid = semiring.monoid
        #: The result's single value, if it has one.
        self.constant = self._constant(a_values, u_values)
        self.early = early and (bool(monoid.any_value) or monoid.terminal is not None)
        self.leave = early  # structure alone: a row may end at its first hit
        #: The specialisation of a kernel that computes values, and (as a key) of one that computes only structure if
        # possible.
        types = self.first_type.char, self.first, self.second_type.char, self.second
        self.kernel = (semiring.key, flip, *types, self.early)
        self.key: Hashable = self.kernel if self.constant is None else None if early else "whole rows"

    @property
    def added(self) -> Call | None:
        return None if self.constant is not None else self

    def _constant(self, a_values: Array, u_values: Array) -> Array | None:
        op, monoid = self.semiring.binaryop, self.semiring.monoid
        if op.positional is not None or EACH in (self.first, self.second):
            return None
        left, right = (u_values, a_values) if self.flip else (a_values, u_values)
        z = single(op, left, right).astype(self.semiring.return_type.np_type)
        return z if bool((z == np.asarray(monoid.binaryop.numpy(z, z))).all()) else None

    def can_blend(self, m: MatrixStore, u: VectorStore) -> bool:
        """Whether to list present entries before using them: where a branch on presence would often be mispredicted."""
        hits, columns = u.nvals / u.size, m._transpose
        if u.edges is not None and columns is not None and u.edges[0] is columns.indptr:
            hits = u.edges[1].known() / max(1, m.nvals)  # counted: so many of the probes will hit
        if self.constant is not None or not MIXED_ABOVE < hits < MIXED_BELOW:
            return False
        return not (self.early and self.semiring.monoid.any_value)

    def value_arguments(self, a_values: Array, u_values: Array) -> tuple[Array, ...]:
        return () if self.constant is not None else self.values_read(a_values, u_values)

    def values_read(self, a_values: Array, u_values: Array) -> tuple[Array, ...]:
        if self.first != UNUSED:
            return (a_values, u_values) if self.second != UNUSED else (a_values,)
        return (u_values,) if self.second != UNUSED else ()
