"""The strategy for a product of two matrices, some of them dense: pure functions of facts.

A dense factor is read by rows, and so is the sparse one: every entry adds a row of the one to a row of the result.
Where only the pattern matters, 64 columns are one word, so a batch of searches costs little more than one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ..ir.descriptor import DENSE_STRATEGIES, SHAPED_STRATEGIES, Descriptor
from .rules import CPU_COSTS, REQUESTED, Costs, Plan, choose_mxm
from .storage_rules import DENSE_LIMIT

WORD = 64
MOST_WORDS = 1024  # in a row of a sparse factor that is spread out
MOST_SPREAD = 2**28  # positions of a result with values for which a sparse factor is spread out
LISTING = 16  # the cost of a flag that becomes an entry of a list, if one is needed, over that of reading it
FEW = 8  # with less than one allowed position in FEW, each is a separate dot product


def no_shape() -> tuple[str, str] | None:
    """The default of ``shaped``: no special strategy for these factors."""
    return None


class MxmFacts(NamedTuple):
    """The facts that the planner uses for ``t<mask> = A B``."""

    nrows: int
    inner: int
    ncols: int
    a_nvals: int
    b_nvals: int
    a_dense: bool = False  # stored as bitmap or full
    b_dense: bool = False
    mask_nvals: int | None = None  # of a mask that is not complemented
    mask_dense: bool = False  # a mask, of whichever kind, stored as bitmap or full
    pattern: bool = False  # all products are one value, and so are their sums
    blas: bool = False  # both full, sums of products of floats
    products: Callable[[], float] | None = None  # their approximate number; computed only if the decision depends on it
    dots: Callable[[], float] | None = None  # and how many entries dot products at the entries of the mask read
    shaped: Callable[[], tuple[str, str] | None] = no_shape  # what the engine has for factors of this shape, and why
    costs: Costs = CPU_COSTS

    @property
    def positions(self) -> int:
        return self.nrows * self.ncols

    @property
    def left_is_dense(self) -> bool:
        """The factor to read as a dense one. If both are dense, the right one; if none is, the one that leads to fewer
        words, its own and those of the other's entries."""
        if self.a_dense or self.b_dense:
            return not self.b_dense
        left, right = (
            (self.b_nvals + self.inner) * width_of(self.nrows),
            (self.a_nvals + self.inner) * width_of(self.ncols),
        )
        return left <= right


def width_of(columns: int) -> int:
    """
    >>> width_of(64), width_of(65)
    (1, 2)
    """
    return -(-columns // WORD)


def choose(facts: MxmFacts, desc: Descriptor | None = None) -> Plan:
    """The strategy for a matrix-matrix product.

    >>> choose(MxmFacts(64, 1000, 1000, 32_000, 16_000, a_dense=True)).strategy
    'mxm.spmm'
    >>> choose(MxmFacts(64, 1000, 1000, 32_000, 16_000, a_dense=True, pattern=True)).strategy
    'mxm.bits'
    >>> choose(MxmFacts(1000, 1000, 1000, 16_000, 16_000)).strategy
    'mxm.gustavson'
    """
    early, deterministic = (True, False) if desc is None else (desc.early_exit, desc.deterministic)
    if desc is not None and desc.strategy is not None:
        if desc.strategy not in DENSE_STRATEGIES + SHAPED_STRATEGIES:
            return _sparse(facts, desc)
        _check(facts, desc.strategy)
        return Plan(desc.strategy, REQUESTED, early, deterministic)
    found = by_form(facts) or facts.shaped()
    return _sparse(facts, desc) if found is None else Plan(*found, early, deterministic)


def by_form(facts: MxmFacts) -> tuple[str, str] | None:
    """A strategy for dense factors, and its reason; None if the rules for sparse factors decide."""
    if facts.positions > DENSE_LIMIT:
        return None
    if facts.mask_nvals is not None and facts.mask_nvals * FEW < facts.positions and not facts.mask_dense:
        return None
    if facts.blas:
        return "mxm.blas", "two full matrices of floats"
    if not (facts.a_dense or facts.b_dense):
        return by_spreading(facts)
    entries, lines = (facts.b_nvals, facts.ncols) if facts.left_is_dense else (facts.a_nvals, facts.nrows)
    if entries * FEW < lines:
        return None  # most of a dense result would be empty
    side = "left" if facts.left_is_dense else "right"
    if facts.pattern:
        return "mxm.bits", f"the {side} factor is dense, and only the pattern matters"
    return "mxm.spmm", f"the {side} factor is dense"


def by_spreading(facts: MxmFacts) -> tuple[str, str] | None:
    """Two sparse factors: whether expanding the thinner one costs less than summing products in tables."""
    thin, entries = (facts.nrows, facts.b_nvals) if facts.left_is_dense else (facts.ncols, facts.a_nvals)
    words, costs = width_of(thin), facts.costs
    if words > MOST_WORDS or facts.products is None:
        return None
    if facts.pattern:
        name, dense = "mxm.bits", (entries + facts.inner) * words + facts.positions * costs.flag
    elif facts.positions <= MOST_SPREAD:
        name, dense = "mxm.spmm", entries * thin * costs.column + facts.positions * costs.value
    else:
        return None
    start = costs.table_start + (facts.positions * costs.flag * LISTING if facts.mask_dense else 0)
    if dense > start + facts.a_nvals * facts.b_nvals * costs.table_product:
        return None  # whichever rows are multiplied
    table = start + facts.products() * costs.table_product
    if dense > table:
        return None
    return name, f"dense rows {dense:.3g} against products through tables {table:.3g}"


def _check(facts: MxmFacts, strategy: str) -> None:
    if strategy == "mxm.bits" and not facts.pattern:
        raise ValueError(
            "strategy 'mxm.bits' is for products of which only the pattern matters, such as any_pair, and not for "
            "hypersparse factors"
        )
    if strategy == "mxm.blas" and not facts.blas:
        raise ValueError("strategy 'mxm.blas' is for plus_times of two full matrices of one type of floats")
    if strategy in SHAPED_STRATEGIES and (facts.shaped() or ("",))[0] != strategy:
        raise ValueError(f"strategy {strategy!r} is for factors of a certain shape, and not for these on this engine")


def _sparse(facts: MxmFacts, desc: Descriptor | None) -> Plan:
    sizes = (facts.a_nvals, facts.b_nvals, facts.inner, facts.mask_nvals)
    return choose_mxm(*sizes, desc, facts.products, facts.dots, facts.costs)
