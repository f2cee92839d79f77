"""Facts about a product that cost nothing, or next to nothing, to know: what the rules (``rules.py``) go by."""

from __future__ import annotations

import ast
from functools import cache
from typing import Any

from ..foundation.types import Descriptor, Engine, MaskView, MatrixStore, TypedOperator, TypedSemiring, VectorStore
from . import rules
from .dense_rules import MxmFacts
from .rules import Facts, Plan


def plan_matvec(
    engine: Engine,
    a: MatrixStore,
    u: VectorStore,
    semiring: TypedSemiring,
    view: MaskView | None,
    transposed: bool,
    desc: Descriptor | None,
    with_facts: bool,
) -> tuple[Plan, Facts | None]:
    """The strategy for ``t<mask> = M u``, with ``M`` the store ``a`` or its transpose, and the facts behind it.

    A choice that needs no facts comes without them, unless ``with_facts``: collecting them takes as long as a small
    product.
    """
    if not with_facts:
        if desc is None and a.nvals <= rules.SMALL_EDGES:
            by_rows = not transposed and engine.costs.transpose and a._transpose is None
            return rules.SMALL_PULL if by_rows else rules.SMALL_PUSH, None
        if desc is not None and desc.strategy is not None and not desc.reuse_mask:
            return rules.chosen(desc), None
        if desc is None and view is None and engine.costs.transpose and a._transpose is None:
            full, spares = u.kind == "full", a.spared * engine.costs.push_edge < a.nvals * engine.costs.transpose
            if not transposed and (full or (spares and a.nrows <= a.nvals)):
                a.spared += 0 if full else a.nvals
                return rules.ROWS_PULL, None
            if transposed and full and spares:
                a.spared += a.nvals
                return rules.COLUMNS_PUSH, None
        plain = (desc is None or desc.plain) and u.kind != "full"  # which reaches every edge
        if plain and few_edges(engine, a, u, semiring, view, transposed):
            return rules.CHEAP_PUSH, None
    facts = matvec_facts(engine, a, u, semiring, view, transposed, desc)
    if desc is not None and desc.remembers:
        facts = facts._replace(edges_before=u.checked, u_edges=cache(facts.u_edges))
    plan = rules.choose_matvec(facts, desc)
    if engine.costs.transpose and not (facts.by_rows if plan.direction == "push" else facts.by_columns):
        a.spared += facts.u_edges() if plan.direction == "push" else facts.nvals
    return plan, facts


def few_edges(
    engine: Engine, a: MatrixStore, u: VectorStore, semiring: TypedSemiring, view: MaskView | None, transposed: bool
) -> bool:
    """Whether there can be so few edges to push that nothing else needs to be known: most steps of long searches."""
    columns, costs = (a if transposed else a._transpose), engine.costs
    if columns is None or waits(engine, semiring) or (costs.bus_entry and engine.has_columns_on_host(a)):
        return False
    nrows, allowed, listed = open_rows(a, view, transposed)
    ends = ends_early(semiring, u.iso and _has_one_value(a, semiring))
    at_most = edges_at_most(a, columns, u)
    return rules.few_edges(at_most, allowed if listed else nrows, costs, allowed, nrows, a.nvals, ends)


def open_rows(a: MatrixStore, view: MaskView | None, transposed: bool) -> tuple[int, int, bool]:
    """The rows of ``M``, how many of them a mask leaves open at most, and whether it lists these."""
    nrows = a.ncols if transposed else a.nrows
    if view is None:
        return nrows, nrows, False
    mask = view.store
    if view.complement:
        return nrows, nrows - (mask.known_nvals or 0), False
    return nrows, mask.nvals_at_most, mask.kind == "sparse"


def edges_at_most(a: MatrixStore, columns: MatrixStore | None, u: VectorStore) -> int:
    """A bound of the entries of ``M`` in the columns of u's entries, which costs nothing."""
    nvals = u.nvals_at_most
    return a.nvals if columns is None or nvals == u.size else min(a.nvals, nvals * columns.max_degree)


def matvec_facts(
    engine: Engine,
    a: MatrixStore,
    u: VectorStore,
    semiring: TypedSemiring,
    view: MaskView | None,
    transposed: bool,
    desc: Descriptor | None,
) -> Facts:
    """The facts for the planner about ``t<mask> = M u``, with ``M`` the store ``a`` or its transpose."""
    nrows, allowed, mask_sparse = open_rows(a, view, transposed)
    reused = 0
    if view is not None and desc is not None and desc.reuse_mask:
        reused = nrows - allowed if view.complement else allowed
    columns = a if transposed else a._transpose
    u_nvals = u.nvals_at_most
    hottest = 0.0
    if waits(engine, semiring) and a.nvals:
        hottest = (a.max_column if transposed else a.max_degree) / a.nvals
    terminal, costs = ends_early(semiring, u.iso and _has_one_value(a, semiring)), engine.costs
    if costs.bus_entry and engine.has_columns_on_host(a):
        costs = rules.over_bus(costs, terminal)
    return Facts(
        nrows=nrows,
        nvals=a.nvals,
        u_size=u.size,
        u_nvals=u_nvals,
        u_dense=u.kind != "sparse",
        u_edges=lambda: count_edges(engine, a, u, transposed),
        u_edges_at_most=edges_at_most(a, columns, u),
        allowed=allowed,
        mask_sparse=mask_sparse,
        terminal=terminal,
        costs=costs,
        by_columns=columns is not None,
        by_rows=not transposed or a._transpose is not None,
        spared=a.spared,
        named_rows=view is not None and not view.complement,
        own_rows=view is not None and view.store is u and not view.complement,
        reused=reused,
        whole=bool(engine.costs.whole_rows)
        and view is None
        and u.kind == "full"
        and reads_whole_rows(a, u.iso, semiring),
        hottest=hottest,
    )


def waits(engine: Engine, semiring: TypedSemiring) -> bool:
    """Whether sums of a push wait for each other: what adds them up is no instruction of the processor."""
    return bool(engine.costs.swap and engine.compares_and_swaps(semiring.monoid))


def ends_early(semiring: TypedSemiring, one_value: bool) -> bool:
    """Whether rows are expected to end before their last entry, ``one_value`` being all that they may add up to.

    The least and the largest number of a type are terminal values too, which a row hardly ever reaches.
    """
    monoid = semiring.monoid
    truth = monoid.terminal is not None and semiring.return_type.np_type.kind == "b"
    return bool(one_value or monoid.any_value or truth)


def _has_one_value(a: MatrixStore, semiring: TypedSemiring) -> bool:
    """Whether products with an iso vector are all equal, most likely, and adding up does not change that."""
    op = semiring.binaryop
    return semiring.monoid.is_idempotent and op.positional is None and (a.iso or not (uses(op, "x") and uses(op, "y")))


def reads_whole_rows(a: MatrixStore, one_value: bool, semiring: TypedSemiring) -> bool:
    """Whether products with a full vector, without a mask, read rows to their end, and none depends on its place.

    A number seldom reaches its terminal value, a truth value does; ``one_value``: the vector has one for all.
    """
    if a.copies > 1 or semiring.binaryop.positional is not None:
        return False
    monoid = semiring.monoid
    return not (monoid.any_value or monoid.return_type.np_type.kind == "b" or (one_value and monoid.is_idempotent))


def count_edges(engine: Engine, a: MatrixStore, u: VectorStore, transposed: bool) -> int:
    """Entries of ``M`` in the columns of u's entries; an estimate where counting them would cost too much."""
    columns = a if transposed else a._transpose
    nvals = u.nvals_at_most
    if nvals == u.size:
        return int(a.nvals)
    if columns is None:
        return int(a.nvals * (nvals / max(1, u.size)))
    if u.edges is not None and u.edges[0] is columns.indptr:  # counted when u was computed
        known = u.edges[1].known()
        if known is not None:
            return int(known)
    if engine.sizes_on_device:  # planning is no reason to wait for an answer: as many as entries have on average
        return int(min(a.nvals, -(-nvals * a.nvals // max(1, columns.nrows)), nvals * columns.max_degree))
    return int(engine.count_edges(columns, u))


def mxm_facts(
    engine: Engine, a: MatrixStore, b: MatrixStore, semiring: TypedSemiring, view: MaskView | None
) -> MxmFacts:
    """The facts for the planner about ``t<mask> = A B``."""
    forms = engine.dense_products and a.form != "hypersparse" != b.form
    through: Any = None if view is None else view.store
    mask = None if view is None or view.complement else through
    return MxmFacts(
        nrows=a.nrows,
        inner=a.ncols,
        ncols=b.ncols,
        a_nvals=a.nvals,
        b_nvals=b.nvals,
        mask_nvals=None if mask is None else mask.nvals,
        products=lambda: engine.estimate_products(a, b, mask),
        dots=lambda: engine.estimate_dots(a, b, through),
        shaped=lambda: engine.shaped_product(a, b, semiring, view is not None),
        costs=engine.costs,
        a_dense=forms and a.dense is not None,
        b_dense=forms and b.dense is not None,
        mask_dense=forms and view is not None and through.dense is not None,
        pattern=forms and _is_pattern(a, b, semiring),
        blas=forms and a.form == b.form == "full" and _is_blas(a, b, semiring),
    )


def _is_pattern(a: MatrixStore, b: MatrixStore, semiring: TypedSemiring) -> bool:
    """Whether all products have one value, which adding up does not change."""
    op, monoid = semiring.binaryop, semiring.monoid
    if op.positional is not None or not (monoid.any_value or monoid.is_idempotent):
        return False
    return (a.iso or not uses(op, "x")) and (b.iso or not uses(op, "y"))


def _is_blas(a: MatrixStore, b: MatrixStore, semiring: TypedSemiring) -> bool:
    """Whether this is the product that BLAS has, of full matrices of one of its types."""
    dtype = a.dtype
    if dtype.kind != "f" or dtype != b.dtype or a.iso or b.iso:
        return False
    op, add = semiring.binaryop, semiring.monoid.binaryop
    types = {op.type.np_type, op.type2.np_type, semiring.return_type.np_type}
    return types == {dtype} and (op.source, add.source) == ("x * y", "x + y")


def uses(op: TypedOperator, name: str) -> bool:
    """Whether an operator looks at this operand at all (unknown for user-defined ones: assume so)."""
    if op.positional is not None:
        return op.indexed
    return op.source is None or name in names_in(op.source)


@cache
def names_in(source: str) -> frozenset[str]:
    return frozenset(node.id for node in ast.walk(ast.parse(source, mode="eval")) if isinstance(node, ast.Name))
