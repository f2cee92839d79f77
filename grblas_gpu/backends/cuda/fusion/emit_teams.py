"""Which team goes on: all blocks, or a cluster alone as long as everything that is left to do is on short lists."""

from __future__ import annotations

from collections.abc import Mapping

from ...programs.requests import direction_of
from ...programs.steps import FUSED, PRODUCTS, REDUCTIONS, SCATTERS, product_operands
from ...programs.terms import Kind
from .analyse import Analysis
from .items import Schedule

NEVER = "false"
LONGEST_SHARED = 31  # entries of a row, as in kernels/lists.cuh
#: Parts whose rounds may stay in shared memory: C++ for whether the matrix lets them, and for how many edges.
Shared = Mapping[int, tuple[str, str]]


def small(order: Schedule, shared: Shared) -> str:
    """Whether a cluster may go on alone with what comes next. Where loops are in loops, it does so in shared memory
    only: with several passes a round all blocks are faster (betweenness on a grid took 54 ms with clusters, and 49
    without)."""
    facts = order.facts
    if len(order.parts) == 1:
        fits, edges = shared.get(0, ("", ""))
        return _on_short_lists(facts, range(len(facts.steps)), f"({fits} ? {edges} : SMALL_EDGES)" if fits else "")
    tests = []
    for number, (fits, edges) in shared.items():
        part = order.parts[number]
        tests.append(
            f"(S.part == {number} && {fits} && {_on_short_lists(facts, range(part.begins, part.ends), edges)})"
        )
    return " || ".join(tests) or NEVER


def _on_short_lists(facts: Analysis, numbers: range, team_edges: str) -> str:
    """Whether all that these steps go by is on short lists, and nothing is to be cleaned as a whole; with so many edges
    as ``team_edges`` says, if that is not empty."""
    listed: set[int] = set()  # vectors that steps go by
    written: set[int] = set()
    for at in numbers:
        step = facts.steps[at]
        written.add(step.out)
        if step.kind in PRODUCTS:
            _, vector, _ = product_operands(step)
            pulls = direction_of(step) == "pull" or facts.strategies[at].push.startswith("pull")
            if vector.number not in facts.listable or pulls:
                return NEVER
            listed.add(vector.number)
        elif step.kind in SCATTERS or step.kind == Kind.HEAVIEST_GROUPS:
            return NEVER
        elif step.kind in FUSED:
            driver = facts.driver(step)
            if driver is None:
                return NEVER
            listed.add(driver)
        elif step.kind in REDUCTIONS:
            if step.args[0].number not in facts.listable:
                return NEVER
            listed.add(step.args[0].number)
    if not listed:
        return NEVER
    tests = [f"S.s{n}.count <= SMALL_ENTRIES" for n in sorted(listed)]
    most = team_edges or "SMALL_EDGES"
    tests += [f"S.s{n}.edges <= {most}" for n, slot in enumerate(facts.slots) if slot.edges_of in numbers]
    tests += [f"(S.s{n}.listed || S.s{n}.count == 0)" for n in sorted(listed)]
    tests += [f"!S.s{n}.dirty" for n, slot in enumerate(facts.slots) if slot.buffers > 1 and n in listed | written]
    return " && ".join(tests)
