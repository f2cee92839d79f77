"""The kernel of a loop, and where the words are that runs set."""

from __future__ import annotations

from ....progress import busy
from ..runtime.compile import functions_of
from .emit import LoopKernel
from .launcher import Launcher
from .layout import SLOT, SOURCE

NAMED = ("limit", "stamp", "resumes", "trace", "parts")  # words that a run sets
FLAGS, VALUES, CAPACITY = (SLOT.at[name] for name in ("flags_at", "values_at", "capacity"))
COUNT, LISTED, DIRTY = (SLOT.at[name] for name in ("count", "listed", "dirty"))
SOURCE_AT, DISTINCT_VALUES, SOURCE_VALUES = (SOURCE.at[name] for name in ("source", "distinct_values", "source_values"))


class Compiled:
    """A program, its kernel, and the words that runs set."""

    def __init__(self, program: LoopKernel, constants: int) -> None:
        self.program = program
        self._launchers: dict[tuple[bool, bool], Launcher] = {}
        layout = program.layout
        self.limit, self.stamp, self.resumes, self.trace, self.parts = (layout.names[name,] for name in NAMED)
        self.slots = [Slot(program, number) for number in range(len(program.slots))]
        self.variables = [layout.variable(number) for number in range(layout.variables)]
        self.reported = [layout.reported_variable(number) for number in range(layout.variables)]
        self.constants = [layout.names.get(("constant", number)) for number in range(constants)]

    def launcher(self, teams: bool, short_rows: bool) -> Launcher:
        """The kernel with clusters, if it has any, or without: these need neighbouring processors, and others have
        nothing to do meanwhile; and with a look at rows that may be short, or without."""
        found = self._launchers.get((teams, short_rows))
        if found is None:
            threads, blocks, cluster = self.program.shape
            clusters = teams and cluster > 1
            with busy("compiling a loop for this device, once"):
                (kernel,), _ = functions_of(self.program.parts.of(clusters, short_rows), ["loop_kernel"])
            found = Launcher(kernel, threads, blocks, cluster if clusters else 1)
            self._launchers[teams, short_rows] = found
        return found


class Slot:
    """Its facts, and where its words are: these are asked for again and again."""

    __slots__ = (
        "begin",
        "buffers",
        "capacity",
        "count",
        "dirty",
        "dtype",
        "flags",
        "full",
        "gathered",
        "iso",
        "listable",
        "listed",
        "number",
        "reported",
        "distinct_values",
        "source",
        "source_values",
        "values",
        "written",
    )

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
