"""A recorded loop in plain terms: its vectors, scalars, matrices and constants by number, its steps in these numbers.

:func:`describe` makes a :class:`Body` of a recording. Bodies with equal keys run the same program
(``loop_program.py``), so the key is made on every call and the program once. :class:`Layout` numbers the words that
the program is given.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..storage import MatrixStore

SLOT_WORDS = 21  # of a vector, as kernels/slot.cuh names them
SLOT_FIELDS = (
    "flags_0 flags_1 flags_2 values_0 values_1 values_2 list_0 list_1 list_2 buffers size capacity count edges "
    "edges_before edges_seen old_count now listed dirty clean_list"
).split()
VARIABLE_WORDS = 2
HEAD_WORDS = 4  # step, tick, stop, solo steps


class Unfusable(Exception):
    """Why a body cannot run as one kernel."""


class VectorUse(NamedTuple):
    """What a program must know of a vector before it runs."""

    dtype: np.dtype
    full: bool
    iso: bool
    written: bool


class MatrixUse(NamedTuple):
    dtype: np.dtype
    iso: bool
    column: np.dtype
    offset: np.dtype
    repeated: bool


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
    """One loop: objects by number, and its steps."""

    def __init__(self) -> None:
        self.vectors: list[Any] = []
        self.variables: list[Any] = []  # Scalars that change in the loop
        self.constants: list[tuple[Any, np.dtype]] = []  # values of other Scalars, with the type that they have
        self.matrices: list[MatrixStore] = []
        self.steps: list[BodyStep] = []
        self.condition: Any = None
        self._numbers: dict[int, int] = {}
        self.written: dict[int, Any] = {}
        self.key: Any = None

    def vector(self, vector: Any) -> int:
        number = self._numbers.get(id(vector))
        if number is None:
            number = self._numbers[id(vector)] = len(self.vectors)
            self.vectors.append(vector)
        return number

    def variable(self, scalar: Any) -> int:
        number = self._numbers.get(id(scalar))
        if number is None:
            number = self._numbers[id(scalar)] = len(self.variables)
            self.variables.append(scalar)
        return number

    def matrix(self, store: MatrixStore) -> int:
        number = self._numbers.get(id(store))
        if number is None:
            number = self._numbers[id(store)] = len(self.matrices)
            self.matrices.append(store)
        return number

    def operand(self, arg: Any) -> Operand:
        if arg.ndim == 1:
            return Operand("vector", self.vector(arg))
        if arg.ndim == 2:
            store = arg._matrix._store if arg._is_transposed else arg._store
            if store.copies > 1 and not _numbers_copies(store):
                raise Unfusable("copies of a matrix that is not square, or too many")
            return Operand("matrix", self.matrix(store), transposed=arg._is_transposed)
        if id(arg) in self.written:
            return Operand("variable", self.variable(arg), arg.dtype.np_type)
        content = arg._content
        if hasattr(content, "text"):
            return Operand("count", 0, arg.dtype.np_type, text=content.text)
        if content is None:
            raise Unfusable("an empty Scalar")
        self.constants.append((content, arg.dtype.np_type))
        return Operand("constant", len(self.constants) - 1, arg.dtype.np_type)


def describe(recording: Any) -> Body:
    """The recording of a loop by numbers."""
    body = Body()
    body.written = recording.written
    key: list[Any] = []
    for step in recording.steps:
        if step.kind == "row" and step.args[0]._store.copies > 1:
            raise Unfusable("a row of copies of a matrix")
        args = tuple(body.operand(arg) for arg in step.args if not hasattr(arg, "complement"))
        out = body.vector(step.out) if step.out.ndim else body.variable(step.out)
        mask = _mask(body, step.mask)
        if not step.out.ndim and step.kind == "assign":
            step = step._replace(kind="scalar.assign")
        if step.kind == "select_mask":
            mask, step = _mask(body, step.args[1]), step._replace(kind="copy", replace=True)
        body.steps.append(BodyStep(step.kind, out, step.op, args, mask, step.accum, step.replace, step.desc, step.line))
        op, accum = step.op, step.accum
        key.append(
            (
                step.kind,
                out,
                None if op is None else op.key,
                args,
                mask,
                None if accum is None else accum.key,
                step.replace,
                step.desc,
            )
        )
    condition = recording.loop.condition
    if condition.ndim == 2:
        raise Unfusable("the condition is a Matrix")
    if condition.ndim == 1:
        body.condition = ("entries", body.vector(condition))
    elif condition._role == "object":
        body.condition = ("true", body.operand(condition))
    else:
        body.condition = ("compare", condition.op, tuple(body.operand(arg) for arg in condition.args))
    head = (body.condition[0], *(getattr(part, "key", part) for part in body.condition[1:]))
    body.key = (
        tuple(key),
        head,
        tuple(vector_use(vector, id(vector) in body.written) for vector in body.vectors),
        tuple(scalar.dtype.np_type.char for scalar in body.variables),
        tuple(matrix_use(store) for store in body.matrices),
    )
    return body


def _numbers_copies(store: MatrixStore) -> bool:
    """Whether kernels/mxv.cuh can tell the copy that a row or a column is in: by one size, in 32 bits."""
    return store.nrows == store.ncols <= 2**32


def _mask(body: Body, mask: Any) -> MaskUse | None:
    return None if mask is None else MaskUse(body.vector(mask.parent), mask.structure, mask.complement)


def vector_use(vector: Any, written: bool) -> VectorUse:
    store = vector._store
    iso = store.known_nvals == 0 or store.iso
    return VectorUse(vector.dtype.np_type, store.kind == "full" and store.size > 0, iso, written)


def matrix_use(store: MatrixStore) -> MatrixUse:
    once = store.once
    return MatrixUse(once.dtype, once.iso, once.indices.dtype, store.indptr.dtype, store.copies > 1)


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
