"""The descriptor: how an operation reads its mask and operands, and what the planner may choose."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from functools import cached_property, lru_cache
from typing import Any

from . import ops
from .hints import HINTS, take_hints
from .recording import Number

DIRECTIONS = ("auto", "push", "pull")
PUSH_STRATEGIES = ("push.sort", "push.scatter", "push.scan")
PULL_STRATEGIES = ("pull.thread", "pull.warp", "pull.hybrid", "pull.compact", "pull.edge")
DENSE_STRATEGIES = ("mxm.spmm", "mxm.bits", "mxm.blas")
SHAPED_STRATEGIES = ("mxm.scale", "mxm.sort")  # for factors with one entry in a row
MXM_STRATEGIES = ("mxm.gustavson", "mxm.masked_dot", *SHAPED_STRATEGIES, *DENSE_STRATEGIES)
STRATEGIES = PUSH_STRATEGIES + PULL_STRATEGIES + MXM_STRATEGIES
POLICIES = ("cost", "switchpoint", "edges", "edge-check", "fraction")


@dataclass(frozen=True)
class Counted:
    """A number that depends on the count of a loop, which is not known while the loop is recorded."""

    arithmetic: Any  # the text of the number; in a lowered program its tree
    number: Number = field(compare=False, repr=False)


@dataclass(frozen=True)
class Descriptor:
    """Modifiers of one operation, as in the GraphBLAS specification, and hints for the planner.

    >>> from grblas_gpu import Descriptor
    >>> Descriptor(mask_complement=True, replace=True).mask_complement
    True

    Parameters
    ----------
    mask_complement, mask_structure, replace, transpose_first, transpose_second
        As in the GraphBLAS C specification.
    direction
        "auto" (the planner decides), "push" (by the columns of the operand's entries) or "pull" (by output rows).
    strategy
        None, or the name of one kernel strategy; it overrides ``direction``.
    policy
        The planner's rule: "cost" (our cost model), "switchpoint" (Yang, Buluc, Owens: fill of the operand), "edges"
        (hybrid BFS: alpha and beta on edges), "edge-check" (XBFS: edges to check over all edges, with lookahead) or
        "fraction" (TurboBFS: 10 % of the vertices).
    switchpoint
        Fraction of entries at which a vector changes between sparse and dense, for the "switchpoint" policy.
    early_exit
        Whether a reduction may stop at the monoid's terminal value.
    deterministic
        Request a result that does not depend on the order of execution.
    push_strategy, pull_strategy
        None, or the strategy to use for a push, or for a pull. A ``push_strategy`` may be any strategy: a rule selects
        one of two ways, and TurboBFS has pulls for both.
    reuse_mask
        In a pull, look the vector's entries up in the mask's vector instead. This is valid for a traversal that has
        visited the vector's entries, if no edge leads from its other visited vertices to an open row. Only the pattern
        of the result is defined. With "auto" the engine uses the faster way.
    edges_before
        Edges that the step before had to check, for "edge-check" to look one step ahead and for "edges" to distinguish
        growth from decline; for "switchpoint" the entries of its operand. 0 takes the number from the product that made
        the operand, if that used the same policy.
    settles_at
        A value that no result can improve on; it makes the product an asynchronous pull. A row that reaches the value
        is settled: its scan ends, and rows after it in the same pass already see it as part of the operand. Which
        rows come after is not defined, so every order must give valid results; for monoids that pick one of their
        operands (min, max, any, ...) on a square matrix. In a loop it may depend on the count: ``depth + 1``.
        Products of matrices refuse it.
        With a ``policy`` other than "cost" it applies to pulls only: a push sees no results of the same pass.
    any_order
        For a product in a loop whose final vectors do not depend on the order in which edges are followed: results may
        be multiplied again at once, before the round is over. There may be fewer rounds, and their number is undefined.
        For shortest paths and similar problems: a monoid that takes the least or the largest (min, max), an operator
        that keeps that order (plus, min, max, first, second), no NaN, and sums that fit their type. Consecutive rounds
        are one such order; a loop on a device uses others if no row has more than 31 entries.
    hints
        Options of SuiteSparse (``nthreads=4``), as text: the trace reports that they have no effect.
    """

    mask_complement: bool = False
    mask_structure: bool = False
    replace: bool = False
    transpose_first: bool = False
    transpose_second: bool = False
    direction: str = "auto"
    strategy: str | None = None
    policy: str = "cost"
    switchpoint: float = 0.01
    early_exit: bool = True
    deterministic: bool = False
    push_strategy: str | None = None
    pull_strategy: str | None = None
    reuse_mask: bool | str = False
    edges_before: int = 0
    settles_at: float | Counted | None = None
    any_order: bool = False
    hints: str = field(default="", compare=False, repr=False)

    @property
    def final(self) -> float | None:
        """``settles_at`` as a number, when the node runs."""
        return int(self.settles_at.number) if isinstance(self.settles_at, Counted) else self.settles_at

    @property
    def pulls_in_place(self) -> bool:
        """Whether ``settles_at`` makes the product a pull, without the planner."""
        return self.settles_at is not None and (self.policy == "cost" or self.direction == "pull")

    @property
    def plain(self) -> bool:
        """Whether the planner decides as it does without a descriptor."""
        chosen = self.direction != "auto" or self.strategy is not None or self.policy != "cost" or self.deterministic
        return self.early_exit and not chosen

    @property
    def remembers(self) -> bool:
        """Whether the planner's rule reads the step before."""
        return (
            self.policy in ("switchpoint", "edges", "edge-check") and self.strategy is None and self.direction == "auto"
        )

    @property
    def non_default_fields(self) -> str:
        """The fields whose values are not the defaults."""
        return self._non_default(each.name for each in fields(self) if each.repr)

    def ignored_options(self, op: ops.Op) -> str:
        """The options that an operation ignores; as in python-graphblas, that is no error."""
        ignored = self._non_default(sorted(OPTIONS - EFFECTIVE.get(op, frozenset())))
        return ", ".join(filter(None, (ignored, self.hints)))

    @property
    def asked(self) -> str:
        """Deprecated: :attr:`non_default_fields`."""
        warnings.warn("Descriptor.asked ends in version 2.0: use non_default_fields", DeprecationWarning, 2)
        return self.non_default_fields

    def in_vain(self, op: ops.Op) -> str:
        """Deprecated: :meth:`ignored_options`."""
        warnings.warn("Descriptor.in_vain ends in version 2.0: use ignored_options", DeprecationWarning, 2)
        return self.ignored_options(op)

    def _non_default(self, names: Iterable[str]) -> str:
        given = ((name, getattr(self, name)) for name in names)
        return ", ".join(f"{name}={value!r}" for name, value in given if value != getattr(Descriptor, name))

    @cached_property
    def key(self) -> str:
        """The whole descriptor as a string, which hashes faster than fifteen fields."""
        return repr(self)

    def __post_init__(self) -> None:
        _check("direction", self.direction, DIRECTIONS)
        _check("policy", self.policy, POLICIES)
        if self.strategy is not None:
            _check("strategy", self.strategy, STRATEGIES)
        if self.push_strategy is not None:
            _check("push_strategy", self.push_strategy, PUSH_STRATEGIES + PULL_STRATEGIES)
        if self.pull_strategy is not None:
            _check("pull_strategy", self.pull_strategy, PULL_STRATEGIES)
        if self.reuse_mask not in (False, True, "auto"):
            raise ValueError(f"reuse_mask is False, True or 'auto'; got {self.reuse_mask!r}")
        if not 0 <= self.switchpoint <= 1:
            raise ValueError(f"switchpoint must lie between 0 and 1; got {self.switchpoint}")
        if self.settles_at is not None and (self.direction == "push" or self.strategy or self.deterministic):
            raise ValueError("settles_at is a pull in no defined order: not with push, strategy or deterministic")


def _check(name: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise ValueError(f"unknown {name} {value!r}; choose one of {', '.join(known)}")


# In expressions the planner's fields are keywords; masks, replace and transposes have their own spelling there.
OPTIONS = frozenset(
    "direction strategy policy switchpoint early_exit deterministic push_strategy pull_strategy "
    "reuse_mask edges_before settles_at any_order".split()
)
assert {each.name for each in fields(Descriptor)} >= OPTIONS
#: Options of products; other operations have none.
EFFECTIVE = {ops.MXV: OPTIONS, ops.VXM: OPTIONS, ops.MXM: frozenset(("strategy", "early_exit", "deterministic"))}


_cached = lru_cache(maxsize=256)(Descriptor)


def descriptor_from_options(options: dict[str, Any]) -> Descriptor | None:
    """The descriptor for keyword options of a call such as ``w(mask, direction="pull")``; None for no options."""
    if not options:
        return None
    hints = ""
    if not OPTIONS.issuperset(options):
        options, hints = take_hints(options)
    if not OPTIONS.issuperset(options):
        names = ", ".join(sorted(options.keys() - OPTIONS))
        known = ", ".join(sorted(OPTIONS | HINTS.keys()))
        raise ValueError(f"unknown descriptor option: {names}; Descriptor options not understood. Options are {known}")
    final = options.get("settles_at")
    if type(final) is Number:
        options = options | {"settles_at": Counted(final.text, final) if final.symbolic else int(final)}
        return Descriptor(**options, hints=hints)
    return _cached(**options, hints=hints) if options or hints else None
