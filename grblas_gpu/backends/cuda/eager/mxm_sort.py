"""Products with a factor that has one entry in every row, as vertices have one group: columns get other numbers.

There are as many products as entries, and rows stay where they are. So positions are sorted as a whole, and those that
are equal then are added up, in the order that they had; long rows would need large tables otherwise.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...entries import cast
from ...programs.reading import EACH
from ...storage import Array, MatrixStore
from . import mxm_dense
from .building import build_matrix
from .mxm_bins import MOST_SMALL
from .mxm_operands import MatrixMask, Product
from .operating import compute, reduce_runs
from .radix import bits_for

MOST_BITS = 63  # of a position
MOST_BYTES = 8  # of a value that is sorted with its position


def suits(a: MatrixStore, b: MatrixStore, semiring: Any) -> bool:
    """Whether ``b`` has one entry in every row, and rows of ``a`` are longer than what is sorted in registers."""
    return (
        b.nvals == b.nrows
        and semiring.binaryop.positional is None
        and semiring.return_type.np_type.itemsize <= MOST_BYTES
        and bits_for(a.nrows) + bits_for(b.ncols) <= MOST_BITS
        and b.max_degree == 1
        and a.max_degree > MOST_SMALL
        and not mxm_dense.suits(Product(a, b, semiring, True), b.ncols, MatrixMask())
    )


def by_sorting(a: MatrixStore, b: MatrixStore, product: Product) -> MatrixStore:
    op, monoid = product.semiring.binaryop, product.semiring.monoid
    left = a.values if product.first == EACH else a.values[:1]
    right = b.values[a.indices] if product.second == EACH else b.values[:1]
    values = compute(op, cast(left, op.type.np_type), cast(right, op.type2.np_type))
    if len(values) < a.nvals:
        values = np.broadcast_to(values[:1], (a.nvals,))

    def added(_: Any, values: Array, starts: Array) -> Array:
        if product.structure:  # their sum is again the same
            return np.broadcast_to(values[:1], (len(starts),))
        return reduce_runs(monoid, values, starts)

    columns = b.indices[a.indices]
    given = (a.row_ids, columns, cast(values, product.dtype), monoid.binaryop, added)
    found = build_matrix(a.nrows, b.ncols, *given)
    assert found is not None, "positions fit: see suits()"
    return found
