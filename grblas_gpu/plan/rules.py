"""Which strategy, and why: pure functions of facts that are cheap to know. No arrays, no backend.

Push walks the columns of the operand's entries and costs what their edges cost. Pull walks the rows that the mask
leaves open; with early exit a row ends at its first useful neighbour. The rules of the papers are here by name.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from ..ir.descriptor import MXM_STRATEGIES, Descriptor

LONGEST_IN_LOOPS = 2**18  # entries of a row in which a loop finds the heaviest group
SMALL_EDGES = 4096  # below this every strategy is equally fast: push needs no conversion


class Costs(NamedTuple):
    """Relative costs on an engine, in units of one edge read in order by a pull (measured on Kronecker graphs)."""

    push_edge: float  # an edge scattered by a push: a random read of the mask and a random write
    pull_row: float  # reading one row: its mask byte and its offsets
    pull_probe: float  # an edge probed by a pull: a random read of the operand's bitmap
    sum_edge: float = 1.0  # times push_edge: an edge whose product is added to others, not only found
    pull_rows: str = "pull.thread"  # the strategy for most pulls
    whole_rows: str | None = None  # the strategy for pulls that read every row to its end
    compact_below: float = 1 / 8  # if a smaller share of rows is open, they are listed first
    mxm_product: float = 1.4  # a product of a masked matrix product, next to an entry that a dot product reads
    batch_size: int = 4096  # up to this size, vectors are faster as the rows of one matrix
    dense_rows: int = 0  # positions of many searches that are dense rows of a matrix, at most
    table_product: float = 5.0  # a product that is added up in a table
    table_start: float = 0.0  # making tables, for any number of products
    flag: float = 0.3  # a position of a dense pattern that is read and written
    value: float = 2.0  # ... of a dense matrix of values
    column: float = 0.5  # an entry of a sparse matrix and one column of a dense one
    swap: float = 0.0  # adding to a sum by compare-and-swap under contention
    sort_edge: float = 0.0  # an edge of a push that sorts: its product is written, sorted and added up
    sort_start: float = 0.0  # the launches of such a push
    long_entry: float = 0.0  # an entry of the longest row: its warp continues when all others are done
    list_row: float = 0.0  # a position of an operand without a list, which a push makes first
    transpose: float = 0.0  # an entry of a transpose that has to be made first
    push_entry: float = 0.0  # an entry of the operand: its offsets, and the targets of its edges
    bus_entry: float = 0.0  # an entry that comes over the bus: its column lies on the host


CPU_COSTS = Costs(push_edge=2.5, pull_row=0.6, pull_probe=2.0, sum_edge=1.6, transpose=60.0)
CUDA_COSTS = Costs(
    push_edge=2.5,
    pull_row=1.0,
    pull_probe=1.75,
    pull_rows="pull.hybrid",
    whole_rows="pull.edge",
    compact_below=0.0,
    mxm_product=3.0,
    batch_size=2**20,
    dense_rows=2**27,
    table_product=10.0,
    table_start=2.0**27,
    flag=0.08,
    value=1.2,
    column=1 / 64,
    swap=2.0**14,
    sort_edge=16.0,
    sort_start=2.0**24,
    long_entry=700.0,
    bus_entry=64.0,
)
BUS_PIECE = 8  # entries that come over the bus together


def over_bus(costs: Costs, ends_early: bool) -> Costs:
    """The costs for columns on the host. A row that may end early brings a piece that it hardly uses.

    >>> over_bus(CUDA_COSTS, True)[:3], over_bus(CUDA_COSTS, False)[:3]
    ((66.5, 1.0, 513.75), (66.5, 1.0, 65.75))
    """
    each = costs.bus_entry
    probe = costs.pull_probe + each * (BUS_PIECE if ends_early else 1)
    return costs._replace(push_edge=costs.push_edge + each, pull_probe=probe)


def in_loops(costs: Costs, ends_early: bool, idempotent: bool = False, structural: bool = False) -> Costs:
    """The costs of a product in a loop on a device.

    If rows may end early, a push lists its results through one counter. If also no values matter (``structural``), rows
    are read by fours: on an H200 a pull takes 2 ps for a row and 1 for a probe, a push 20 for an edge and 100 for an
    entry. For sums, a push uses atomics, and a pull streams whole rows; making a list of entries costs a pass and a
    barrier. The least or the largest of several (``idempotent``) takes 23 ps an edge to push, and 12 an entry to pull.

    >>> in_loops(CUDA_COSTS, True, structural=True)[:3], in_loops(CUDA_COSTS, True)[:3]
    ((20.0, 2.0, 1.0), (5.0, 1.0, 1.0))
    >>> in_loops(CUDA_COSTS, False)[:3], in_loops(CUDA_COSTS, False, idempotent=True)[:3]
    ((7.0, 1.0, 1.75), (3.5, 1.0, 1.75))
    """
    if not ends_early:
        return costs._replace(push_edge=costs.push_edge * (1.4 if idempotent else 2.8), list_row=costs.pull_row)
    pushed, row, entry = (8.0, 2.0, 40.0) if structural else (2.0, 1.0, 0.0)
    return costs._replace(
        push_edge=costs.push_edge * pushed,
        push_entry=costs.push_edge * entry,
        pull_row=costs.pull_row * row,
        pull_probe=costs.pull_probe / 1.75,
    )


def push_edge(costs: Costs, ends_early: bool) -> float:
    """The cost of pushing an edge.

    >>> push_edge(CPU_COSTS, True), push_edge(CPU_COSTS, False)
    (2.5, 4.0)
    """
    return costs.push_edge if ends_early else costs.push_edge * costs.sum_edge


# The papers' constants.
ALPHA, BETA = 48.0, 20.0  # hybrid BFS: edges of the frontier against unexplored ones, vertices against size
EDGE_RATIO = 0.1  # XBFS: edges to check over all edges
VERTEX_RATIO = 0.1  # TurboBFS: 10 % of the vertices in the frontier


REQUESTED = "requested by strategy="
Reason = str | Callable[[], str]  # a text, or a function that makes it when a trace reads it


class Plan(NamedTuple):
    """A choice and its reason."""

    strategy: str
    why: Reason
    early_exit: bool = True
    deterministic: bool = False
    bottom_up: bool = False  # a pull, and not in place of a push

    @property
    def reason(self) -> str:
        return self.why if isinstance(self.why, str) else self.why()

    @property
    def direction(self) -> str:
        return self.strategy.partition(".")[0]


class Facts(NamedTuple):
    """The facts that the planner uses for ``t<mask> = M u``."""

    nrows: int  # rows of M: size of the output
    nvals: int  # entries of M
    u_size: int
    u_nvals: int
    u_dense: bool  # stored as bitmap or full
    u_edges: Callable[[], int]  # entries of M in the columns of u's entries; counted on demand
    u_edges_at_most: int  # an upper bound that costs nothing
    allowed: int  # output positions that the mask leaves open
    mask_sparse: bool  # a mask, not complemented, stored as a list
    terminal: bool  # rows are expected to end early
    costs: Costs = CPU_COSTS
    by_columns: bool = True  # M is stored by columns (too), as a push reads it; otherwise they are made first
    by_rows: bool = True  # M is stored by rows (too), as a pull reads it; otherwise they are made first
    spared: int = 0  # edges that products have pushed or probed because rows or columns would have to be made
    #: Edges that the product which made the operand had to check, or entries ("switchpoint"), if it was to remember.
    edges_before: int = 0
    named_rows: bool = False  # the mask names the open rows, not the closed ones
    own_rows: bool = False  # the mask opens the rows of the operand's own entries, and no others
    reused: int = 0  # entries of the mask's vector, if a pull reads that in place of the operand
    whole: bool = False  # a full operand, no mask, and sums that hardly end early
    #: The share of the largest row in all products, where a push accumulates by compare-and-swap; or 0.
    hottest: float = 0.0


SMALL_PUSH = Plan("push.scatter", "small: fewer than 4096 edges in all")
SMALL_PULL = Plan("pull.thread", "small, and the matrix is stored by rows")
CHEAP_PUSH = Plan("push.scatter", "few edges to push")
ROWS_PULL = Plan("pull.thread", "the matrix is stored by rows")
COLUMNS_PUSH = Plan("push.scatter", "the operand is full, and the matrix stored by columns")
BY_ROWS = "the mask has the operand's own entries, and the matrix is stored by rows"


def few_edges(
    at_most: int, rows: int, costs: Costs, allowed: int = 0, nrows: int = 1, nvals: int = 0, ends_early: bool = False
) -> bool:
    """Whether pushing so many edges costs less than a pull: its visits of rows, and its probes in those allowed.

    >>> few_edges(10, 1000, CPU_COSTS), few_edges(1000, 1000, CPU_COSTS)
    (True, False)
    >>> few_edges(1000, 1000, CPU_COSTS, 1000, 1000, 8000)
    True
    """
    length, row, probe = nvals / max(1, nrows), costs.pull_row, costs.pull_probe
    pull = pull_cost(at_most, allowed, length, nvals, rows, ends_early, row, probe, nvals)
    return at_most * push_edge(costs, ends_early) <= pull


def stays_by_rows(by_columns: bool, own_rows: bool) -> bool:
    """Whether a product pulls, however many entries there are: in the rows of the operand's own entries there are about
    as many edges as in their columns, and the columns would have to be made.

    >>> stays_by_rows(by_columns=False, own_rows=True), stays_by_rows(by_columns=True, own_rows=True)
    (True, False)
    """
    return own_rows and not by_columns


def has_short_rows(longest: int) -> bool:
    """Whether a loop may find the heaviest groups of rows, of which the longest has so many entries: on a GPU one block
    goes through that row, several times if its groups are many.

    >>> has_short_rows(200_000), has_short_rows(2_000_000)
    (True, False)
    """
    return longest <= LONGEST_IN_LOOPS


def choose_matvec(facts: Facts, desc: Descriptor | None = None) -> Plan:
    """The strategy for a matrix-vector product.

    >>> facts = Facts(1000, 50_000, 1000, 2, False, lambda: 40, 100, 990, False, True)
    >>> choose_matvec(facts).strategy
    'push.scatter'
    >>> choose_matvec(facts, Descriptor(direction="pull")).strategy
    'pull.thread'
    """
    if desc is None:
        if facts.nvals <= SMALL_EDGES:
            return SMALL_PUSH
        direction, reason = by_cost(facts)
        return Plan(_default(direction, facts, False), reason)
    if desc.strategy is not None:
        return chosen(desc)
    if desc.direction != "auto":
        direction, reason = desc.direction, "requested by direction="
    else:
        direction, reason = POLICY[desc.policy](facts, desc)
    strategy = _default(direction, facts, desc.deterministic)
    bottom_up = strategy.startswith("pull")
    named = desc.pull_strategy if bottom_up else desc.push_strategy
    return Plan(named or strategy, reason, desc.early_exit, desc.deterministic, bottom_up)


def chosen(desc: Descriptor) -> Plan:
    """The strategy for a matrix-vector product that the descriptor names."""
    assert desc.strategy is not None
    if desc.strategy in MXM_STRATEGIES:
        raise ValueError(f"strategy {desc.strategy!r} is for matrix-matrix products")
    bottom_up = desc.strategy.startswith("pull")
    return Plan(desc.strategy, REQUESTED, desc.early_exit, desc.deterministic, bottom_up)


def _default(direction: str, facts: Facts, deterministic: bool) -> str:
    if "." in direction:  # the policy's own choice
        return "push.sort" if deterministic and direction.startswith("push") else direction
    if direction == "push":
        return "push.sort" if deterministic else "push.scatter"
    if facts.mask_sparse or facts.allowed < facts.nrows * facts.costs.compact_below:
        return "pull.compact"
    return usual_pull(facts.costs, facts.whole)


def usual_pull(costs: Costs, whole: bool) -> str:
    """The strategy for pulls, and for those that have to read every row to its end; in loops, too.

    >>> usual_pull(CUDA_COSTS, True), usual_pull(CUDA_COSTS, False), usual_pull(CPU_COSTS, True)
    ('pull.edge', 'pull.hybrid', 'pull.thread')
    """
    return costs.whole_rows if whole and costs.whole_rows else costs.pull_rows


# The rules as arithmetic on numbers: whole loops on a device decide by the same lines, translated to C++.


def row_length(edges: float, entries: float, nrows: float, nvals: float, named: bool) -> float:
    """Entries that an open row is expected to have: the mean; if the mask names the rows, not fewer than the columns of
    the operand's entries have. Both are what is left of a graph, in many algorithms its hubs.

    >>> row_length(600, 2, 1000, 16000, named=False), row_length(600, 2, 1000, 16000, named=True)
    (16.0, 300.0)
    """
    mean = nvals / nrows if nrows > 0 else 0.0
    return max(mean, edges / entries) if named and entries > 0 else mean


def pull_cost(
    edges: float,
    allowed: float,
    length: float,
    nvals: float,
    pull_rows: float,
    terminal: bool,
    pull_row: float,
    pull_probe: float,
    unseen: float,
) -> float:
    """The expected cost of a pull, in the units of :class:`Costs`; the open rows have at most ``unseen`` edges.

    >>> pull_cost(8000, 500, 16, 16000, 1000, True, 1.0, 2.0, unseen=16000)
    3000.0
    >>> pull_cost(8000, 500, 16, 16000, 1000, True, 1.0, 2.0, unseen=0)
    1000.0
    """
    probes = length
    if terminal and edges > 0:
        # An edge leads into the operand with probability edges / nvals: the expected wait for the first hit.
        probes = min(probes, nvals / edges)
    return pull_rows * pull_row + min(allowed * probes, unseen) * pull_probe


def switchpoint_pulls(entries: float, entries_before: float, size: float, dense: bool, switchpoint: float) -> bool:
    """From push to pull when the share of entries grows and is above the switchpoint, back when it falls and is below.

    A dense operand comes from a pull. Without a previous step only the share decides.

    >>> switchpoint_pulls(11, 9, 1000, False, 0.01), switchpoint_pulls(11, 12, 1000, False, 0.01)
    (True, False)
    >>> switchpoint_pulls(9, 8, 1000, True, 0.01), switchpoint_pulls(9, 12, 1000, True, 0.01)
    (True, False)
    """
    if entries_before > 0 and dense:
        return entries >= entries_before or entries >= switchpoint * size
    return entries > switchpoint * size and entries > entries_before


def edges_pulls(
    edges: float,
    edges_before: float,
    entries: float,
    size: float,
    dense: bool,
    nvals: float,
    allowed: float,
    nrows: float,
) -> bool:
    """Bottom-up when the frontier's edges exceed the open ones over alpha; back when few vertices are left.

    The way back is open once the edges become fewer; without that information a dense operand counts as bottom-up.

    >>> edges_pulls(500, 100, 50, 1000, False, 16000, 900, 1000)
    True
    """
    declining = edges < edges_before if edges_before > 0 else dense
    return entries * BETA >= size if declining else edges * ALPHA * nrows > nvals * allowed


def edge_check_pulls(edges: float, nvals: float) -> bool:
    """Pull when many edges must be checked.

    >>> edge_check_pulls(99, 1000), edge_check_pulls(100, 1000)
    (False, True)
    """
    return edges >= EDGE_RATIO * nvals


def edge_check_scans(edges: float, edges_before: float, nvals: float) -> bool:
    """Whether a push is the last one before a pull, if edges grow as before: then it makes marks and no list.

    >>> edge_check_scans(50, 10, 1000), edge_check_scans(50, 0, 1000)
    (True, False)
    """
    return edges_before > 0 and edges * edges >= EDGE_RATIO * nvals * edges_before


def fraction_pulls(entries: float, size: float) -> bool:
    """Pull while a tenth of the vertices or more are in the operand.

    >>> fraction_pulls(99, 1000), fraction_pulls(100, 1000)
    (False, True)
    """
    return entries >= VERTEX_RATIO * size


#: Policies that answer yes or no; "cost" compares ``edges * push_edge`` with :func:`pull_cost`.
PULLS: dict[str, Callable[..., bool]] = {
    "switchpoint": switchpoint_pulls,
    "edges": edges_pulls,
    "edge-check": edge_check_pulls,
    "fraction": fraction_pulls,
}


def by_cost(facts: Facts, desc: Descriptor | None = None) -> tuple[str, Reason]:
    """Compare the edges a push must scatter with the probes a pull is expected to make."""
    pull_rows = facts.allowed if facts.mask_sparse else facts.nrows
    if facts.u_nvals == 0:
        return "push", "the operand is empty"
    if not facts.by_columns and facts.u_nvals == facts.u_size:
        return "pull", "the operand is full, and the matrix stored by rows"
    if stays_by_rows(facts.by_columns, facts.own_rows):
        return "pull", BY_ROWS
    costs = facts.costs
    at_most, probed = facts.u_edges_at_most, (facts.allowed, facts.nrows, facts.nvals, facts.terminal)
    known = facts.by_columns or not costs.transpose
    if known and not facts.hottest and few_edges(at_most, pull_rows, costs, *probed):
        return "push", lambda: f"at most {at_most} edges to push cost less than looking at {pull_rows} rows"
    edges = facts.u_edges()
    scatter, sort = push_costs(edges, facts)
    push = min(scatter, sort)
    pull = pull_cost(
        max(edges, facts.nvals * facts.reused / max(1, facts.nrows)),  # whose edges a pull may hit, at least
        facts.allowed,
        row_length(edges, facts.u_nvals, facts.nrows, facts.nvals, facts.named_rows),
        facts.nvals,
        pull_rows,
        facts.terminal,
        costs.pull_row,
        costs.pull_probe,
        facts.nvals,
    )
    pull += facts.hottest * facts.nvals * costs.long_entry
    missing = facts.nvals * costs.transpose
    if facts.spared * push_edge(costs, facts.terminal) < missing:  # until products without it have cost as much
        pull += 0 if facts.by_rows else missing
        push += 0 if facts.by_columns else missing
    side = "pull" if pull < push else "push.sort" if sort < scatter else "push"
    text = "push {:.3g} against pull {:.3g} for {} edges, {} open rows"
    return side, lambda: text.format(push, pull, edges, facts.allowed)


def push_costs(edges: float, facts: Facts) -> tuple[float, float]:
    """The expected costs of a push that scatters its products, and of one that sorts them.

    Sums by compare-and-swap wait for each other: those of one row run one after the other.
    """
    costs = facts.costs
    scatter, waiting = edges * push_edge(costs, facts.terminal), edges * facts.hottest * costs.swap
    return scatter + waiting, costs.sort_start + edges * costs.sort_edge if waiting else math.inf


def by_switchpoint(facts: Facts, desc: Descriptor) -> tuple[str, str]:
    """The pushes of the paper sort."""
    fill, before = facts.u_nvals / max(1, facts.u_size), desc.edges_before or facts.edges_before
    pulls = switchpoint_pulls(facts.u_nvals, before, facts.u_size, facts.u_dense, desc.switchpoint)
    was = f", {before / max(1, facts.u_size):.3g} before," if before else ""
    return ("pull" if pulls else "push.sort"), f"fill {fill:.3g}{was} against switchpoint {desc.switchpoint:.3g}"


def by_edges(facts: Facts, desc: Descriptor) -> tuple[str, str]:
    edges, entries, size = facts.u_edges(), facts.u_nvals, facts.u_size
    before = desc.edges_before or facts.edges_before
    declining = edges < before if before else facts.u_dense
    pulls = edges_pulls(edges, before, entries, size, facts.u_dense, facts.nvals, facts.allowed, facts.nrows)
    open_edges = facts.nvals * facts.allowed / max(1, facts.nrows)
    reason = (
        f"{entries} vertices against n / beta = {size / BETA:.3g}"
        if declining
        else f"{edges} edges against open / alpha = {open_edges / ALPHA:.3g}"
    )
    return ("pull" if pulls else "push"), reason


def by_edge_check(facts: Facts, desc: Descriptor) -> tuple[str, str]:
    """Many edges to check: pull. In the step before that, predicted by the growth of the edges, push by a scan: the
    next step reads the frontier from a dense vector anyway."""
    edges, all_edges = facts.u_edges(), max(1, facts.nvals)
    ratio = edges / all_edges
    if edge_check_pulls(edges, all_edges):
        return "pull", f"edge-check ratio {ratio:.3g} against {EDGE_RATIO}"
    before = desc.edges_before or facts.edges_before
    ahead = ratio * edges / before if before else 0.0
    side = "push.scan" if edge_check_scans(edges, before, all_edges) else "push"
    return side, f"edge-check ratio {ratio:.3g}, {ahead:.3g} expected next, against {EDGE_RATIO}"


def by_fraction(facts: Facts, desc: Descriptor) -> tuple[str, str]:
    ratio = facts.u_nvals / max(1, facts.u_size)
    side = "pull" if fraction_pulls(facts.u_nvals, facts.u_size) else "push"
    return side, f"{ratio:.3g} of the vertices against {VERTEX_RATIO}"


POLICY: dict[str, Callable[[Facts, Descriptor], tuple[str, Reason]]] = {
    "cost": by_cost,
    "switchpoint": by_switchpoint,
    "edges": by_edges,
    "edge-check": by_edge_check,
    "fraction": by_fraction,
}


def choose_mxm(
    a_nvals: int,
    b_nvals: int,
    inner: int,
    mask_nvals: int | None,
    desc: Descriptor | None = None,
    products: Callable[[], float] | None = None,
    dots: Callable[[], float] | None = None,
    costs: Costs = CPU_COSTS,
) -> Plan:
    """The strategy for a matrix-matrix product; ``mask_nvals`` is None without a usable (not complemented) mask.

    ``products`` and ``dots`` estimate the number of products, and of entries that dot products read: on graphs with
    hubs far more than with equal degrees.

    >>> choose_mxm(1000, 1000, 100, 10).strategy
    'mxm.masked_dot'
    >>> choose_mxm(1000, 1000, 100, None).strategy
    'mxm.gustavson'
    """
    early, deterministic = (True, False) if desc is None else (desc.early_exit, desc.deterministic)
    if desc is not None and desc.strategy is not None:
        if desc.strategy not in MXM_STRATEGIES:
            raise ValueError(f"strategy {desc.strategy!r} is for matrix-vector products")
        if desc.strategy == "mxm.masked_dot" and mask_nvals is None:
            raise ValueError("strategy 'mxm.masked_dot' needs a mask that is not complemented")
        return Plan(desc.strategy, REQUESTED, early, deterministic)
    if mask_nvals is None:
        return Plan("mxm.gustavson", "no mask to restrict the dot products", early, deterministic)
    reads = mask_nvals * (a_nvals + b_nvals) / max(1, inner) if dots is None else dots()
    flops = a_nvals * b_nvals / max(1, inner) if products is None else products()
    dot = f"{mask_nvals} dot products of {reads:.3g} entries"
    if reads < flops * costs.mxm_product:
        return Plan("mxm.masked_dot", f"{dot} cost less than {flops:.3g} products", early, deterministic)
    return Plan("mxm.gustavson", f"{flops:.3g} products cost less than {dot}", early, deterministic)
