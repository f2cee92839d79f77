"""The asynchronous pull ``w<m> = u A``: rows that reach a final value are seen by later rows of the same pass.

Enabled by ``settles_at=value``. The breadth-first search of Gaihre et al. (XBFS, 2019) settles two levels in one pass
this way: with the levels as operand, min as monoid and ``value`` the next level, a row that has a neighbour of the last
level reaches ``value``; one that has none, but has a neighbour settled before it, gets the level after.
"""

from __future__ import annotations

import numpy as np

from ...exceptions import DimensionMismatch
from ...foundation.types import Value
from ...ir.node import Node
from ...plan.rules import Plan
from ...trace.records import Record, current, open_positions
from ..programs.monoids import keeps_order
from ..stores.entries import cast
from ..stores.storage import MaskView, MatrixStore, VectorStore


def final_value(node: Node, a: MatrixStore) -> Value:
    """The value at which rows settle, in the type of the result; raises if the product does not support it."""
    name, semiring = node.op.name, node.operator
    assert node.descriptor is not None
    value = node.descriptor.final
    if a.nrows != a.ncols:
        raise DimensionMismatch(
            f"{name}: settles_at lets rows of the result be part of the operand, so the matrix must be square; "
            f"its shape is {(a.nrows, a.ncols)}"
        )
    given = np.asarray([value])
    final = cast(given, semiring.return_type.np_type)
    if final[0] != given[0]:
        raise ValueError(f"{name}: settles_at={value!r} is no value of type {semiring.return_type}")
    if semiring.monoid.binaryop.numpy(final, final)[0] != final[0]:
        raise ValueError(f"{name}: settles_at needs a monoid that picks one of its operands; {semiring.monoid} adds up")
    return final[0]


def check_any_order(node: Node) -> None:
    """Raise if a product depends on the order in which edges are followed; single products have no order."""
    if not keeps_order(node.operator):
        raise ValueError(
            f"{node.op.name}: any_order=True needs a monoid that takes the least or the largest, and an operator that "
            f"keeps that order (min_plus, max_min); {node.operator} is none such"
        )


def check_product_of_matrices(node: Node) -> None:
    """Raise if options of a product of matrices apply to products with vectors only."""
    desc = node.descriptor
    assert desc is not None
    if desc.settles_at is not None:
        raise ValueError(
            f"{node.op.name}: settles_at lets rows of a product with a vector see each other's results; a product of "
            "matrices has no such pass: leave it out, or multiply the rows one by one"
        )
    if desc.any_order:
        check_any_order(node)


def pull_in_place(
    node: Node, a: MatrixStore, view: MaskView | None, transposed: bool, flip: bool, final: object, edges: int | None
) -> VectorStore:
    """Run it on the engine; the trace gets the edges of the operand if a rule has counted them."""
    u = node.operands[0 if flip else 1]
    plan = Plan("pull.compact", f"in place: rows that reach {final} are visible at once")
    collector = current()
    if collector is not None:
        mask_nvals = None if view is None else view.store.nvals
        record = Record(node.op.name, 0.0, 0, plan.strategy, plan.reason, "pull", u._store.nvals, mask_nvals=mask_nvals)
        record.allowed = open_positions(a.nrows, view)
        record.input_edges = edges
        collector.records.append(record)
    return u._engine.pull_in_place(
        a, u._store, node.operator, view, transposed=transposed, flip=flip, plan=plan, final=final
    )
