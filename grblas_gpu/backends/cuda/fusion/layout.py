"""What the host and the kernel read alike, declared once: C++ structures and the numbers of their words come from here.

Everything is words of 64 bits. A program is given the state of the loop first, as the kernel keeps it, and then what
stays the same, by the names that :class:`Layout` numbers.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Field(NamedTuple):
    kind: str
    name: str
    why: str = ""
    words: int = 1


class Struct:
    """A structure of words.

    >>> pair = Struct("Pair", Field("int64", "first"), Field("bool*", "flags", "of both", 2))
    >>> pair.size, pair.at["flags"]
    (3, 1)
    >>> print(pair.text())
    struct Pair {
        int64 first;
        bool* flags[2];  // of both
    };
    """

    def __init__(self, name: str, *fields: Field) -> None:
        self.name = name
        self.at: dict[str, int] = {}
        lines, size = [], 0
        for kind, field, why, words in fields:
            self.at[field] = size
            size += words
            array = f"[{words}]" if words > 1 else ""
            lines.append(f"    {kind} {field}{array};{f'  // {why}' if why else ''}\n")
        self.size = size
        self.members = "".join(lines)

    def text(self) -> str:
        return f"struct {self.name} {{\n{self.members}}};"


def _numbers(*names: str) -> tuple[Field, ...]:
    return tuple(Field("int64", name) for name in names)


BUFFERS = 3  # of a vector, at most

#: A vector; kernels/slot.cuh says what is done with it.
SLOT = Struct(
    "SlotWords",
    Field("bool*", "flags_at", "the first one is null: every position has an entry", BUFFERS),
    Field("void*", "values_at", "", BUFFERS),
    Field("int64*", "list_at", "null: never listed", BUFFERS),
    *_numbers("buffers", "size", "capacity", "count", "edges", "edges_before", "entries_before"),
    Field("int64", "pulled", "whether a pull made it"),
    Field("int64", "edges_seen", "of all that it held before"),
    Field("int64", "old_count", "entries of the old buffer's list by which it must be cleaned"),
    Field("int64", "now", "which buffer holds the vector"),
    Field("int64", "listed", "whether its list has all entries"),
    Field("int64", "dirty", "a bit for each buffer that must be cleaned before it can be scattered into"),
)
#: A Scalar: the same in all blocks.
VARIABLE = Struct("Variable", Field("uint64", "bits"), Field("int64", "present"))
#: What the state begins with.
HEAD = Struct("Head", *_numbers("step", "tick", "stop", "turn", "then", "part"))
#: What the kernel publishes to the host when it ends: this, the entries of every vector, and every Scalar.
REPORT = Struct("Report", *_numbers("stamp", "stop", "step", "tick"))
#: What a product reports to the trace.
ROW = Struct(
    "Row",
    *_numbers("start", "push", "strategy", "entries", "edges", "allowed", "end", "result", "unseen", "edges_before"),
    *_numbers("entries_before", "dense"),
    Field("int64", "in_shared", "whether the operand was in shared memory, or SETTLES"),
    Field("int64", "in_chain", "whether its rows were added up by those who needed them"),
)
#: Where the entries of a vector come from.
SOURCE = Struct("Source", *_numbers("start", "source", "distinct_values", "source_values"))
#: How a vector enters a loop: as it is, as a list, without entries, with one value for all, or with one entry only,
#: whose position and value are given instead of their addresses.
IN_SHARED = "in_shared"  # arrays of matrices whose steps have tables in shared memory
AS_IT_IS, AS_LIST, EMPTY, ONE_VALUE, ONE_ENTRY = range(5)

#: Why a loop stops: its time is over, and it will go on; or something is wrong. An index names no position, or one that
#: it must not name twice; a Scalar is empty, and a value is needed.
OUT_OF_TIME, OUT_OF_RANGE, NAMED_TWICE, NO_VALUE, REASONS = range(1, 6)

#: What a loop goes on with.
WORDS = ("limit", "barrier", "saved", "counter_sets", "parts", "report", "stamp", "resumes", "trace")


def declarations() -> str:
    """The structures that kernels/*.cuh are written for."""
    starts = f"AS_IT_IS = {AS_IT_IS}, AS_LIST = {AS_LIST}, EMPTY = {EMPTY}"
    starts += f", ONE_VALUE = {ONE_VALUE}, ONE_ENTRY = {ONE_ENTRY}"
    stops = f"OUT_OF_TIME = {OUT_OF_TIME}, OUT_OF_RANGE = {OUT_OF_RANGE}, NAMED_TWICE = {NAMED_TWICE}"
    stops += f", NO_VALUE = {NO_VALUE}, REASONS = {REASONS}"
    return f"{SLOT.text()}\n{VARIABLE.text()}\nconstexpr int64 {starts};\nconstexpr int64 {stops};\n"


class Layout:
    """Where the words are that a program is given: the state of the loop first, then what stays the same."""

    def __init__(self, vectors: int, variables: int, loops: int = 0) -> None:
        self.vectors = vectors
        self.variables = variables
        self._head = HEAD.size + loops  # and a count for each loop inside
        self.state_words = self._head + vectors * SLOT.size + variables * VARIABLE.size
        self.report_words = REPORT.size + vectors + variables * VARIABLE.size
        self.names: dict[tuple[Any, ...], int] = {}

    def word(self, *name: str | int) -> int:
        """The number of a word, by a name that says what it holds."""
        return self.names.setdefault(name, self.state_words + len(self.names))

    def slot(self, vector: int) -> int:
        return self._head + vector * SLOT.size

    def variable(self, number: int) -> int:
        return self._head + self.vectors * SLOT.size + number * VARIABLE.size

    def reported_count(self, vector: int) -> int:
        return REPORT.size + vector

    def reported_variable(self, number: int) -> int:
        return REPORT.size + self.vectors + number * VARIABLE.size

    @property
    def size(self) -> int:
        return self.state_words + len(self.names)
