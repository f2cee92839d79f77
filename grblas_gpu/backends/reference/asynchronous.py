"""The asynchronous pull as two products: every row reads the operand first, and then all rows that settled."""

from __future__ import annotations

import numpy as np

from ...foundation.types import Plan, TypedSemiring, Value
from ..protocol import Backend
from ..stores.entries import compress, entries, take
from ..stores.storage import MaskView, MatrixStore, VectorStore


class Asynchronous(Backend):
    def pull_in_place(
        self,
        a: MatrixStore,
        u: VectorStore,
        semiring: TypedSemiring,
        mask: MaskView | None,
        *,
        transposed: bool,
        flip: bool,
        plan: Plan,
        final: Value,
    ) -> VectorStore:
        """``t = m u``, then ``t = t (+) m s`` with ``s`` the entries of ``t`` that are ``final``.

        This is the order of rows in which all settled rows come first.
        """
        first = self.mxv(a, u, semiring, mask, transposed=transposed, flip=flip, plan=plan)
        keys, values = entries(first)
        here = np.flatnonzero(values == final)
        settled = VectorStore(first.size, compress(take(values, here)), indices=keys[here])
        second = self.mxv(a, settled, semiring, mask, transposed=transposed, flip=flip, plan=plan)
        return self.ewise_add(first, second, semiring.monoid.binaryop)
