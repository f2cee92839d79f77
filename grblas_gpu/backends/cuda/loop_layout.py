"""A recorded loop in plain terms: its vectors, scalars, matrices and constants by number, its steps in these numbers.

:func:`describe` makes a :class:`Body` of a recording. Bodies with equal keys run the same program
(``loop_program.py``), so the key is made on every call and the program once. :class:`Layout` numbers the words that
the program is given.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...recording import Number
from ..storage import MatrixStore

SLOT_WORDS = 20  # of a vector, as kernels/slot.cuh names them
SLOT_FIELDS = (
    "flags_0 flags_1 flags_2 values_0 values_1 values_2 list_0 list_1 list_2 buffers size capacity count edges "
    "edges_before edges_seen old_count now listed dirty"
).split()
VARIABLE_WORDS = 2
COUNT_TYPE = np.dtype(np.int64)
HEAD_WORDS = 5  # step, tick, stop, turn, then


class Unfusable(Exception):
    """Why a body cannot run as one kernel."""


class VectorUse(NamedTuple):
    """What a program must know of a vector before it runs."""

    dtype: np.dtype
    full: bool
    iso: bool
    written: bool


class Operand(NamedTuple):
    """An argument of a step: a vector, a matrix, a scalar of the loop, a constant, or arithmetic on the count."""

    kind: str  # "vector", "matrix", "variable", "constant", "count"
    number: int
    dtype: Any = None
    transposed: bool = False
    text: str = ""


class MaskUse(NamedTuple):
    vector: int
    structure: bool
    complement: bool


class BodyStep(NamedTuple):
    kind: str
    out: int
    op: Any
    args: tuple[Operand, ...]
    mask: MaskUse | None
    accum: Any
    replace: bool
    desc: Any
    line: int


class Body:
    """One loop: its objects by number, and a key that says everything else in these numbers, in plain tuples."""

    def __init__(self, recording: Any) -> None:
        self.vectors: list[Any] = []
        self.variables: list[Any] = []  # Scalars that change in the loop
        self.constants: list[tuple[Any, np.dtype]] = []  # values of other Scalars, with the type that they have
        self.matrices: list[MatrixStore] = []
        self._recording = recording
        self._numbers: dict[int, int] = {}
        written = recording.written
        self.key = (
            tuple(map(self._step, recording.steps)),
            self._condition(recording.loop.condition),
            tuple([_vector_use(vector, id(vector) in written) for vector in self.vectors]),
            tuple([scalar.dtype for scalar in self.variables]),
            tuple(map(_matrix_use, self.matrices)),
        )

    # ---- what a program is made of: asked for once, not at every call ----------------------------------------------

    @property
    def steps(self) -> list[BodyStep]:
        steps: list[BodyStep] = []
        for step, (kind, out, _, args, mask, _, replace, desc) in zip(self._recording.steps, self.key[0], strict=True):
            use, line = None if mask is None else MaskUse(*mask), self._recording.line(step)
            steps.append(BodyStep(kind, out, step.op, _operands(args), use, step.accum, replace, desc, line))
        return steps

    @property
    def condition(self) -> Any:
        kind, *rest = self.key[1]
        if kind == "entries":
            return kind, *rest
        operands = _operands(rest[-1])
        return (kind, *operands) if kind == "true" else (kind, self._recording.loop.condition.op, operands)

    @property
    def uses(self) -> list[VectorUse]:
        return [VectorUse(*use) for use in self.key[2]]

    # ---- the key ----------------------------------------------------------------------------------------------------

    def _number(self, thing: Any, among: list[Any]) -> int:
        numbers, key = self._numbers, id(thing)
        if key not in numbers:
            numbers[key] = len(among)
            among.append(thing)
        return numbers[key]

    def _step(self, step: Any) -> tuple:
        kind, out, op, args, mask, accum, replace, desc, _, _ = step
        if kind == "row" and args[0]._store.copies > 1:
            raise Unfusable("a row of copies of a matrix")
        if op is not None and op.opclass == "Aggregator":
            raise Unfusable("an aggregator")
        if kind == "select_mask":
            if mask is not None:
                raise Unfusable("entries that a mask selects, through another mask")
            args, mask, kind, replace = args[:1], args[1], "copy", accum is None
        operands = tuple(map(self._operand, args))
        if out.ndim:
            number = self._number(out, self.vectors)
        else:
            number = self._number(out, self.variables)
            kind = "scalar.assign" if kind == "assign" else kind
        use = None if mask is None else (self._number(mask.parent, self.vectors), mask.structure, mask.complement)
        op, accum = None if op is None else op.key, None if accum is None else accum.key
        return kind, number, op, operands, use, accum, replace, desc

    def _operand(self, arg: Any) -> tuple:
        """The fields of an :class:`Operand`."""
        if type(arg) is Number:
            return "count", 0, COUNT_TYPE, False, arg.text
        if arg.ndim == 1:
            return "vector", self._number(arg, self.vectors)
        if arg.ndim == 2:
            store = arg._matrix._store if arg._is_transposed else arg._store
            if store.copies > 1 and not _numbers_copies(store):
                raise Unfusable("copies of a matrix that is not square, or too many")
            return "matrix", self._number(store, self.matrices), None, arg._is_transposed
        dtype = arg.dtype.np_type
        if id(arg) in self._recording.written:
            return "variable", self._number(arg, self.variables), dtype
        content = arg._content
        if type(content) is Number:
            if content.counts(self._recording):
                return "count", 0, dtype, False, content.text
            content = arg._get()
        if content is None:
            raise Unfusable("an empty Scalar")
        self.constants.append((content, dtype))
        return "constant", len(self.constants) - 1, dtype

    def _condition(self, condition: Any) -> tuple:
        if condition.ndim == 2:
            raise Unfusable("the condition is a Matrix")
        if condition.ndim == 1:
            return "entries", self._number(condition, self.vectors)
        if condition._role == "object":
            return "true", (self._operand(condition),)
        return "compare", condition.op.key, tuple(map(self._operand, condition.args))


def describe(recording: Any) -> Body:
    """The recording of a loop by numbers."""
    return Body(recording)


def _operands(fields: Any) -> tuple[Operand, ...]:
    return tuple([Operand(*each) for each in fields])


def _numbers_copies(store: MatrixStore) -> bool:
    """Whether kernels/mxv.cuh can tell the copy that a row or a column is in: by one size, in 32 bits."""
    return store.nrows == store.ncols <= 2**32


def _vector_use(vector: Any, written: bool) -> tuple:
    """The fields of a :class:`VectorUse`."""
    store = vector._store
    if store.pending is not None:
        return vector.dtype.np_type, False, store.known_nvals == 0 or store.iso, written
    full = store.present is None and store.indices is None and store.size > 0
    return vector.dtype.np_type, full, store.nvals == 0 or len(store.values) == 1, written


def _matrix_use(store: MatrixStore) -> tuple:
    """What a program must know of a matrix: types, whether one value stands for all, and whether it is repeated."""
    once = store.once
    values = once.values
    return values.dtype, len(values) == 1, once.indices.dtype, store.indptr.dtype, store.copies > 1


class Layout:
    """Where the words are that a program is given: the state of the loop first, then what stays the same."""

    def __init__(self, vectors: int, variables: int) -> None:
        self.vectors = vectors
        self.variables = variables
        self.state_words = HEAD_WORDS + vectors * SLOT_WORDS + variables * VARIABLE_WORDS
        self.names: dict[Any, int] = {}

    def word(self, *name: Any) -> int:
        """The number of a word, by a name that says what it holds."""
        return self.names.setdefault(name, self.state_words + len(self.names))

    def slot(self, vector: int, field: str = "flags_0") -> int:
        return HEAD_WORDS + vector * SLOT_WORDS + SLOT_FIELDS.index(field)

    def variable(self, number: int) -> int:
        return HEAD_WORDS + self.vectors * SLOT_WORDS + number * VARIABLE_WORDS

    @property
    def size(self) -> int:
        return self.state_words + len(self.names)
