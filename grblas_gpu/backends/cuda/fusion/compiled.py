"""The kernel of a loop, and where the words are that runs set."""

from __future__ import annotations

from collections.abc import Sequence

from ....foundation.types import MatrixStore
from ..eager.mxv_balanced import may_have_short_rows
from ..runtime.ahead import begin
from ..runtime.compile import render
from ..runtime.tiers import Tiers
from .emit import LoopKernel
from .launcher import Launcher
from .layout import SLOT, SOURCE

FOR_ALL_BLOCKS = 2**26  # entries of a matrix whose products are worth more than what a cluster does alone
NAMED = ("limit", "stamp", "resumes", "trace", "parts")  # words that a run sets
FLAGS, VALUES, CAPACITY = (SLOT.at[name] for name in ("flags_at", "values_at", "capacity"))
COUNT, LISTED, DIRTY = (SLOT.at[name] for name in ("count", "listed", "dirty"))
SOURCE_AT, DISTINCT_VALUES, SOURCE_VALUES = (SOURCE.at[name] for name in ("source", "distinct_values", "source_values"))


class Compiled:
    """A program, its kernel, and the words that runs set."""

    def __init__(self, program: LoopKernel, constants: int) -> None:
        self.program = program
        self._launchers: dict[tuple[bool, bool], Launcher] = {}
        self._quick: dict[tuple[bool, bool], Launcher] = {}  # until the others are compiled
        self._started: dict[tuple[bool, bool], Tiers] = {}
        layout = program.layout
        self.limit, self.stamp, self.resumes, self.trace, self.parts = (layout.names[name,] for name in NAMED)
        self.slots = [Slot(program, number) for number in range(len(program.slots))]
        self.variables = [layout.variable(number) for number in range(layout.variables)]
        self.reported = [layout.reported_variable(number) for number in range(layout.variables)]
        self.constants = [layout.names.get(("constant", number)) for number in range(constants)]

    def begin(self, matrices: Sequence[MatrixStore]) -> None:
        """Start to compile the kernel for these matrices while the run is prepared."""
        self._tiers(*likely_variant(self.program, matrices), begins=True)

    def is_there(self, matrices: Sequence[MatrixStore]) -> bool:
        """Whether a run need not wait for a compiler. Another process begins to compile the kernel."""
        return bool(self._launchers) or self._tiers(*likely_variant(self.program, matrices)).is_there()

    def launcher(self, teams: bool, short_rows: bool) -> Launcher:
        """The kernel with clusters, if it has any, or without: these need neighbouring processors, and others have
        nothing to do meanwhile; and with a look at rows that may be short, or without."""
        found = self._launchers.get((teams, short_rows))
        return self._ready(teams, short_rows) if found is None else found

    def _ready(self, teams: bool, short_rows: bool) -> Launcher:
        """The launcher of the optimized kernel, or that of a quick one as long as there is no other."""
        key = teams, short_rows
        tiers = self._tiers(*key)
        (kernel,), optimized = tiers.functions()
        threads, blocks, cluster = self.program.shape
        found = None if optimized else self._quick.get(key)
        if found is None:
            found = Launcher(kernel, threads, blocks, cluster if teams and cluster > 1 else 1)
            (self._launchers if optimized else self._quick)[key] = found
        if optimized:
            self._started.pop(key, None)
            self._quick.pop(key, None)
        return found

    def _tiers(self, teams: bool, short_rows: bool, begins: bool = False) -> Tiers:
        """The kernel, which is being compiled."""
        key = teams, short_rows
        found = self._started.get(key)
        if found is None:
            parts, teams = self.program.parts, teams and self.program.shape[2] > 1
            text, plain = parts.of(teams, short_rows), parts.of(teams, short_rows, plain=True)
            found = self._started[key] = Tiers(text, ["loop_kernel"], "a loop", plain)
            if begins:  # before others: there may be few cores
                found.begin()
            begin(found, render)
        return found


def likely_variant(program: LoopKernel, matrices: Sequence[MatrixStore]) -> tuple[bool, bool]:
    """Whether a run has clusters, as far as the sizes of matrices say, and whether it looks at short rows."""
    # Clusters leave 24 of an H200's 264 blocks idle: a tenth of a large pull, and more than short lists gain.
    teams = not program.team_words
    if program.lists_in_teams:
        teams = all(store.nvals < FOR_ALL_BLOCKS for store in matrices)
    return teams, any(may_have_short_rows(matrices[number], transposed) for number, transposed in program.whole_rows)


class Slot:
    """Its facts, and where its words are: every run reads them."""

    def __init__(self, program: LoopKernel, number: int) -> None:
        facts = program.slots[number]
        self.number = number
        self.reported = program.layout.reported_count(number)
        at, begin = program.layout.slot(number), program.starts[number]
        self.flags, self.values, self.capacity = at + FLAGS, at + VALUES, at + CAPACITY
        self.count, self.listed, self.dirty = at + COUNT, at + LISTED, at + DIRTY
        self.begin = begin  # how its entries get there
        self.source, self.source_values = begin + SOURCE_AT, begin + SOURCE_VALUES
        self.distinct_values = begin + DISTINCT_VALUES
        self.dtype = facts.dtype
        self.full = facts.full
        self.gathered = facts.gathered is not None
        self.iso = facts.iso
        self.written = facts.written
        self.buffers = facts.buffers
        self.listable = facts.listable
