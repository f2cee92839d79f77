"""The order of things in a round of a loop: which passes, and where all blocks have to wait for each other.

Steps that read what others wrote are separated by a barrier of all blocks, at which thread 0 of every block notes what
the passes before it counted. Passes over all positions need none between them, since the same thread has the same
positions, unless one gathers what another changes.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import assert_never

from ...programs.requests import PUSH, Sides, direction_of
from ...programs.steps import CONTROL, PRODUCTS, SCALARS, TO_SCALAR, product_operands, read_anywhere, vectors_of
from ...programs.terms import BodyStep, Flow, Kind, Unfusable
from .analyse import Analysis, gathers_all
from .chains import chains_of, is_driven, only_in_variables, swapped_by, with_rows, written_with_rows
from .direction import SHARED_POLICIES, policy_of
from .items import (
    Barrier,
    Changed,
    Clean,
    Groups,
    Item,
    Note,
    Overwritten,
    Part,
    Positions,
    Product,
    Reduce,
    RoundEnds,
    Row,
    ScalarStep,
    Scatter,
    Schedule,
    Settle,
)

BY_THREADS = Sides("pull.thread", "pull.thread")  # what such a product finds, 32 rows at a time, are bits as well


def schedule(facts: Analysis) -> Schedule:
    chains = chains_of(facts)
    joined = with_rows(facts, chains)
    facts = _with_gathered(_with_triple_buffers(facts, joined), chains)
    parts, planners = [], []

    def planned(inside: list[list[int]]) -> list[Item]:
        planner = _Scheduler(facts)
        for chain in inside:
            planner.add(chain, chain is inside[-1])
        if not inside or facts.steps[inside[-1][-1]].kind not in PRODUCTS:
            planner.end_round()
        planners.append((planner, inside))
        return planner.items

    for (begins, inside, ends), (_, others, _) in zip(_parts(facts, chains), _parts(facts, joined), strict=True):
        items = planned(inside)
        parts.append(Part(begins, ends, items, planned(others) if others != inside else (), _settled(facts, items)))
    for planner, _ in planners:
        for follower, following in planners:  # any of them may come next, for all that is known here
            if planner.wait_for_cleaning(following, follower):
                break
    for part in parts:
        loop = Flow(0, facts.condition, None, False) if len(parts) == 1 else _loop_of(facts, part)
        if loop is not None:
            _keep_in_shared(facts, part.items, loop)
    return Schedule(facts, chains, parts)


def _with_triple_buffers(facts: Analysis, joined: Sequence[list[int]]) -> Analysis:
    """A round that is one pass by a list, and rows of matrices, has one barrier: old buffers are cleaned meanwhile."""
    triple_buffered: set[int] = set()
    for chain in joined:
        if len(chain) > 1 and facts.steps[chain[0]].kind in PRODUCTS:
            triple_buffered |= written_with_rows(facts, chain).swapped
    if triple_buffered:
        triple_buffered |= {step.out for step in facts.steps if step.kind == Kind.ROW}
    slots = [slot._replace(buffers=3) if at in triple_buffered else slot for at, slot in enumerate(facts.slots)]
    return replace(facts, slots=slots)


def _with_gathered(facts: Analysis, chains: Sequence[list[int]]) -> Analysis:
    """Where a gather alone is the first to write to a vector, it need not know which entries that has."""
    slots = list(facts.slots)
    vectors = (chain for chain in reversed(chains) if facts.steps[chain[0]].kind not in TO_SCALAR)
    first = {facts.steps[at].out: chain for chain in vectors for at in chain}
    for number in facts.fresh:
        at, *others = first[number]
        if not others and gathers_all(facts.steps[at], facts.listable) and slots[number].edges_of is None:
            slots[number] = slots[number]._replace(gathered=at)
    return replace(facts, slots=slots)


def _settled(facts: Analysis, items: Sequence[Item]) -> list[Item]:
    """What a loop that follows edges in any order does from a short frontier: there is one barrier a round."""
    product = next((item for item in items if isinstance(item, Product)), None)
    found = None if product is None else facts.settling.get(product.step)
    if product is None or found is None:
        return []
    notes = Overwritten(found.frontier, found.selecting, "true"), Changed(found.values, found.lowering), RoundEnds()
    barrier = Barrier("the end of some rounds", notes, decides=True)
    return [Settle(product, found.frontier, found.values), barrier, Clean(found.frontier)]


def _loop_of(facts: Analysis, part: Part) -> Flow | None:
    """The loop inside that is this part and nothing else: its rounds follow each other."""
    before, after = (facts.steps[at] if 0 <= at < len(facts.steps) else None for at in (part.begins - 1, part.ends))
    if before is None or after is None or (before.kind, after.kind) != (Kind.BEGIN, Kind.END) or before.op.once:
        return None
    return before.op


def _keep_in_shared(facts: Analysis, items: list[Item], loop: Flow) -> None:
    """A round may be nothing but a product from a vector to itself, as long as that has entries, and what is done on
    the way: then one push can follow another without a look at anything else, and a pull leaves bits for the next one.
    Scalars that are computed of others come first."""
    at = next((number for number, item in enumerate(items) if isinstance(item, Product)), None)
    if at is None or at + 2 != len(items):
        return
    scalars = tuple(item.step for item in items[:at] if isinstance(item, ScalarStep))
    first = all(isinstance(item, ScalarStep) for item in items[: len(scalars)])
    product = items[at]
    assert isinstance(product, Product)
    epilogue = [facts.steps[number] for number in product.epilogue]
    step, slot = facts.steps[product.step], facts.slots[product.out]
    alone = first and at == len(scalars) + len(epilogue) and items[-1] == Clean(product.out) and product.planned_ahead
    itself = product.operand == product.out == product.closing and loop.condition == ("entries", product.out)
    kind = facts.products[product.step]
    if alone and itself and loop.number == 0 and facts.strategies[product.step] == BY_THREADS:
        items[at] = replace(product, keeps_bits=kind.structure and kind.early_exit)
        return
    steady = not any(map(read_anywhere, epilogue))
    counted = slot.edges_of == product.step and slot.buffers == 3
    pushes = facts.strategies[product.step].push == PUSH and direction_of(step) != "pull"
    if alone and itself and steady and counted and pushes and policy_of(step) in SHARED_POLICIES:
        items[at] = replace(product, in_shared=True, between=scalars, loop=loop.number, limit=loop.limit)


def _parts(facts: Analysis, chains: Sequence[list[int]]) -> list[tuple[int, list[list[int]], int]]:
    """From one decision to the next: the first step, the chains, and the step after them. There is one at the beginning
    of every loop, which may be empty, so that no loop is without one."""
    found: list[tuple[int, list[list[int]], int]] = []
    begins, inside, begins_loop = 0, [], True
    for chain in [*chains, [len(facts.steps)]]:
        at = chain[0]
        step = facts.steps[at] if at < len(facts.steps) else None
        if step is not None and step.kind not in CONTROL:
            inside.append(chain)
            continue
        if inside or begins_loop:
            found.append((begins, inside, at))
        begins, inside = at + 1, []
        begins_loop = step is not None and step.kind == Kind.BEGIN and not step.op.once
    return found


class _Scheduler:
    """Keeps account of what waits for a barrier."""

    def __init__(self, facts: Analysis) -> None:
        self.facts = facts
        self.items: list[Item] = []
        self._notes: list[Note] = []
        self._sums: list[int] = []
        self._clean_next: list[int] = []  # slots whose old buffers are to be cleaned after the next barrier
        self._cleaning: set[int] = set()  # those that are being cleaned since the last one
        self._dense = False  # the pass before goes by all positions
        self._changed: set[int] = set()  # slots that changed in place since the last barrier
        self._gathered: set[int] = set()  # those that were read at any position since then
        self._read: set[int] = set()  # those that were read at all
        self._as_round_began = True  # nothing that products depend on has changed since
        self._closed_early: set[int] = set()  # products that did not wait for the step before
        self._independent: set[int] = set()  # the first steps of passes that did not wait for others
        self._reductions = 0

    def add(self, chain: list[int], last: bool) -> None:
        at, step = chain[0], self.facts.steps[chain[0]]
        if len(chain) > 1 and step.kind in PRODUCTS:
            self._chain_with_rows(chain, last)
        elif len(chain) > 1:
            self._chain(chain, last)
        else:
            self._alone(at, step, last)

    def _alone(self, at: int, step: BodyStep, last: bool) -> None:
        match step.kind:
            case Kind.VXM | Kind.MXV:
                self._product(at, step, last)
            case Kind.REDUCE | Kind.REDUCE_IDENTITY:
                self._reduce(at, step)
            case Kind.ROW:
                self._row(at, step, last)
            case Kind.HEAVIEST_GROUPS:
                self._groups(at, step)
            case Kind.SCATTER | Kind.SCATTER_ANY | Kind.SCATTER_ONCE:
                self._scatter(at, step)
            case Kind.SCALAR_ASSIGN | Kind.SCALAR_ADD | Kind.SCALAR_MULT:
                self._barrier(f"before step {at}, of Scalars")  # on which no plan of a product depends
                self.items.append(ScalarStep(at))
            case Kind.SCALAR_APPLY | Kind.SCALAR_APPLY_LEFT | Kind.SCALAR_APPLY_RIGHT:
                raise Unfusable(f"{step.kind.removeprefix('scalar.')} of Scalars", step.number)
            case Kind.COPY | Kind.ASSIGN | Kind.ADD | Kind.MULT | Kind.UNION | Kind.GATHER | Kind.SELECT | Kind.CLEAR:
                self._position(at, step, last)
            case Kind.APPLY | Kind.APPLY_LEFT | Kind.APPLY_RIGHT | Kind.APPLY_INDEX:
                self._position(at, step, last)
            case Kind.BEGIN | Kind.END:
                raise AssertionError("loops inside divide the schedule into parts")
            case _:
                assert_never(step.kind)

    # ---- barriers --------------------------------------------------------------------------------------------------

    def _barrier(self, why: str) -> None:
        """A barrier, if anything is waiting for one."""
        if self._notes or self._sums:
            self._place(Barrier(why, tuple(self._notes), tuple(self._sums)))

    def end_round(self) -> None:
        self._notes.append(RoundEnds())
        self._place(Barrier("the end of the round", tuple(self._notes), tuple(self._sums), decides=True))

    def _place(self, barrier: Barrier) -> None:
        self._as_round_began = False
        self.items.append(barrier)
        self._after_barrier()

    def _after_barrier(self) -> None:
        self.items += map(Clean, self._clean_next)
        self._cleaning = set(self._clean_next)
        self._notes, self._sums, self._clean_next = [], [], []
        self._changed, self._gathered, self._read = set(), set(), set()
        self._dense = False

    def _wait_until_clean(self, slots: Collection[int]) -> None:
        names = ", ".join(f"s{number}" for number in sorted(slots))
        self.items.append(Barrier(f"the old buffer of {names} is being cleaned, and written next"))

    def wait_for_cleaning(self, chains: Sequence[Sequence[int]], follower: _Scheduler) -> bool:
        """May the next round (or part of one) begin before the old buffers are clean? If not, wait."""
        for number, chain in enumerate(chains):
            waiting = swapped_by(self.facts, chain) & self._cleaning
            if any(self.facts.slots[number].buffers == 2 for number in waiting):
                self._wait_until_clean(waiting)
                return True
            scalars = self.facts.steps[chain[0]].kind in SCALARS
            follows = chains[number + 1][0] if number + 1 < len(chains) else -1
            if not scalars and follows not in follower._closed_early | follower._independent:
                return False  # there is a barrier before anything else is overwritten
        return False

    def _note_overwritten(self, slot: int, step: int, listed: str, count: str = "") -> None:
        self._notes.append(Overwritten(slot, step, listed, count))
        self._clean_next.append(slot)

    def _note_changed(self, slot: int, step: int) -> None:
        self._notes.append(Changed(slot, step))
        self._changed.add(slot)

    # ---- passes ----------------------------------------------------------------------------------------------------

    def _product(self, at: int, step: BodyStep, last: bool) -> None:
        facts = self.facts
        before = self.items[-1] if self.items else None
        epilogue = before.epilogue if isinstance(before, Positions) else 0
        closing = facts.closing.get(at)
        used = {step.out, *vectors_of(step)}
        if closing is None or self._sums or any(self._concerns(note, used) for note in self._notes[:-1]):
            if epilogue and isinstance(before, Positions):
                self.items[-1], epilogue = replace(before, epilogue=0), 0
            self._barrier(f"before the product of step {at}")
            closing = None
        else:
            self._closed_early.add(at)
        if step.out in self._cleaning and facts.slots[step.out].buffers == 2:
            self._wait_until_clean([step.out])
        if last:
            self._notes.append(RoundEnds())
        operand = product_operands(step)[1].number
        ahead, inside = self._as_round_began, [at - 1] if epilogue else []
        if epilogue and isinstance(before, Positions) and len(self.items) > 1:  # and another one like it
            other = self.items[-2]
            if isinstance(other, Positions) and other.driver == before.driver and other.in_place:
                self.items[-2] = replace(other, epilogue=at)
                inside.insert(0, other.steps[0])
        self.items.append(Product(at, operand, step.out, ahead, closing, tuple(inside), tuple(self._notes), last))
        self._as_round_began = False
        self._clean_next.append(step.out)
        self._after_barrier()

    @staticmethod
    def _concerns(note: Note, used: Collection[int]) -> bool:
        """Whether a product that uses these vectors has to wait for what is noted."""
        return not isinstance(note, Changed) or note.slot in used

    def _reduce(self, at: int, step: BodyStep) -> None:
        slot = step.args[0].number
        dense = slot not in self.facts.listable
        if not (dense and self._dense):
            self._barrier(f"before the sum of step {at}")
        self.items.append(Reduce(at, slot, self._reductions))
        self._reductions += 1
        self._dense = dense
        self._sums.append(at)

    def _row(self, at: int, step: BodyStep, last: bool) -> None:
        if self._sums or self._overwritten([step.out]) or step.out in self._changed:
            self._barrier(f"before the row of step {at}")  # or else it disturbs nobody: others read what was there
        elif self._notes:
            self._independent.add(at)
        if step.out in self._cleaning:
            self._wait_until_clean([step.out])
        self.items.append(Row(at))
        self._note_overwritten(step.out, at, "true", f"length{at}")
        if not last:
            self._barrier("the next step may read the list")

    def _begin_pass(self, steps: Sequence[BodyStep], at: int, swapped: Collection[int], dense: bool) -> None:
        """A barrier before a pass over positions, if one is needed."""
        read = {number for step in steps for number in vectors_of(step)}
        same_positions = dense and self._dense and not read & self.facts.listable
        reads_scalars = any(arg.kind == "variable" for step in steps for arg in step.args)
        gathered = {number for step in steps for number in read_anywhere(step)}
        written = {step.out for step in steps}
        conflicts = (read | written) & self._changed or written & self._read
        if not (self._sums or self._overwritten() or conflicts):  # independent of all steps since the last barrier
            dense = dense and (self._dense or not self._notes)
            if self._notes:
                self._independent.add(at)
        elif not same_positions:
            self._barrier(f"step {at} may read what others wrote")
        elif gathered & self._changed:
            self._barrier(f"step {at} gathers what others wrote")
        elif self._gathered & {step.out for step in steps}:
            self._barrier(f"step {at} changes what others gather")
        elif self._sums and reads_scalars:
            self._barrier(f"step {at} reads a sum")
        if waiting := self._cleaning & set(swapped):
            self._wait_until_clean(waiting)
            self._cleaning = set()
        self._dense = dense
        self._gathered |= gathered
        self._read |= read

    def _overwritten(self, slots: Collection[int] | None = None) -> bool:
        """Whether some vectors, or any, are on their way to their other buffers."""
        return any(isinstance(note, Overwritten) and (slots is None or note.slot in slots) for note in self._notes)

    def _scatter(self, at: int, step: BodyStep) -> None:
        vectors = [arg.number for arg in step.args if arg.kind == "vector"]
        driver = next((number for number in vectors if number in self.facts.listable), None)
        self._begin_pass([step], at, [step.out], driver is None)
        self.items.append(Scatter(at, driver, vectors[-1]))
        self._note_overwritten(step.out, at, "true")
        self._barrier("the next step may read the list")

    def _groups(self, at: int, step: BodyStep) -> None:
        driver = self.facts.driver(step)
        self._begin_pass([step], at, [step.out], False)
        self.items.append(Groups(at, driver))
        self._note_overwritten(step.out, at, "true")
        self._barrier("the next step may read the list")

    def _position(self, at: int, step: BodyStep, last: bool) -> None:
        facts = self.facts
        driver, swaps = facts.driver(step), facts.swaps(step) or facts.picks(step)
        one_value = facts.slots[step.out].iso and step.kind == Kind.COPY  # others may be reading it
        dense = driver is None and step.out not in facts.listable and not one_value
        swapped = (step.out,) if swaps else ()
        self._begin_pass([step], at, swapped, dense)
        if swaps:
            self.items.append(Positions((at,), driver, swapped, one_value))
            self._note_overwritten(step.out, at, f"listed{at}")
            if not last:
                self._barrier("the next step may read the list")
            return
        epilogue = 0
        closes = driver is not None and facts.closing.get(at + 1) == driver
        if closes and driver == product_operands(facts.steps[at + 1])[1].number:
            epilogue = at + 1
        self.items.append(Positions((at,), driver, (), one_value, epilogue))
        self._note_changed(step.out, at)

    def _chain(self, chain: list[int], last: bool) -> None:
        facts = self.facts
        steps = [facts.steps[at] for at in chain]
        driver = facts.driver(steps[0]) if is_driven(facts, steps) else None
        swapped, unwritten = swapped_by(facts, chain), frozenset(only_in_variables(facts, chain))
        last_step = {step.out: at for at, step in zip(chain, steps, strict=True) if step.out not in unwritten}
        self._begin_pass(steps, chain[0], swapped, driver is None and not facts.listable & set(last_step))
        self.items.append(Positions(tuple(chain), driver, tuple(sorted(swapped)), unwritten=unwritten))
        self._end_chain(chain, last_step, swapped, (), last)

    def _chain_with_rows(self, chain: list[int], last: bool) -> None:
        """A product whose rows are added up by those who need them."""
        facts, steps = self.facts, [self.facts.steps[at] for at in chain]
        driver, swapped, overwritten = written_with_rows(facts, chain)
        self._barrier(f"step {chain[0]} may read what others wrote")
        if waiting := {at for at in self._cleaning & (swapped | overwritten) if facts.slots[at].buffers == 2}:
            self._wait_until_clean(waiting)
        kept = swapped | overwritten | {step.out for step in steps[1:]}
        last_step = {step.out: at for at, step in zip(chain, steps, strict=True) if step.out in kept}
        self.items.append(
            Positions(tuple(chain), driver, tuple(sorted(swapped)), overwritten=tuple(sorted(overwritten)))
        )
        self._dense = False
        self._end_chain(chain, last_step, swapped, overwritten, last)

    def _end_chain(
        self,
        chain: list[int],
        last_step: dict[int, int],
        swapped: Collection[int],
        overwritten: Collection[int],
        last: bool,
    ) -> None:
        """``last_step``: of every vector that the chain writes, the step that writes it at last."""
        for number in written_order(last_step, swapped):
            if number in swapped:
                self._note_overwritten(number, last_step[number], f"listed{chain[0]}")
            elif number in overwritten:
                self._notes.append(Overwritten(number, last_step[number], "false"))
            else:
                self._note_changed(number, last_step[number])
        after = chain[-1] + 1
        following = self.facts.steps[after] if after < len(self.facts.steps) else None
        if swapped and not last and (following is None or following.kind != Kind.ROW):
            self._barrier("the next step may read a list")


def written_order(outs: Collection[int], swapped: Collection[int]) -> list[int]:
    """The vectors that a chain writes: those with lists first."""
    return sorted(outs, key=lambda number: number not in swapped)
