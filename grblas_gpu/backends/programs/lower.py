"""Lowers a program: its vectors, scalars, matrices and constants get numbers, and its nodes use these numbers.

:func:`lower` makes a :class:`Body` of a program, and nothing else here looks at one. Bodies with equal keys run the
same kernel, so the key is made on every call and the kernel once.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...foundation.types import Descriptor, Mask, Matrix, Scalar, TypedOperator, Vector
from ...ir import ops
from ...ir.descriptor import Counted
from ...ir.node import Node
from ...ir.program import Program
from ...ir.recording import Number
from ...plan.rules import has_short_rows, stays_by_rows
from ..stores.storage import INT32_LIMIT, HostEntry, MatrixStore
from .fresh import overwritten_first
from .monoids import keeps_order
from .steps import POSITIONWISE, PRODUCTS, SCALARS
from .terms import Arithmetic, BodyStep, Fields, Flow, Kind, MaskUse, Operand, Unfusable, VectorUse
from .unfusable import unfusable_operation
from .uses import has_columns, in_one_word, matrix_use, numbers_copies, vector_use

COUNT_TYPE = np.dtype(np.int64)

#: The kinds of operations in the passes.
KINDS = {
    ops.EWISE_ADD: Kind.ADD,
    ops.EWISE_MULT: Kind.MULT,
    ops.EWISE_UNION: Kind.UNION,
    ops.EXTRACT_ROW: Kind.ROW,
    ops.REDUCE_OR_IDENTITY: Kind.REDUCE_IDENTITY,
    ops.SELECT_MASK: Kind.COPY,
}
KINDS |= {op: Kind(op.name) for op in ops.LOOP_OPS if op not in KINDS}
OF_SCALARS = {op: Kind(f"scalar.{kind}") for op, kind in KINDS.items() if f"scalar.{kind}" in SCALARS}
#: Steps that every program supports.
PLAIN = PRODUCTS | POSITIONWISE


class Body:
    """One loop: its objects by number, and a key that says everything else in these numbers, in plain tuples.

    For an engine that does not run nested loops, these are :class:`Unfusable`.
    """

    __slots__ = (
        "_by_rows",
        "_constants",
        "_counts",
        "_matrices",
        "_numbers",
        "_operands",
        "_program",
        "_stores",
        "_written",
        "constants",
        "fresh",
        "key",
        "last",
        "sizes",
        "unseen",
        "variables",
        "vectors",
    )

    def __init__(self, program: Program, nested: bool = False) -> None:
        self.vectors: list[Vector] = []
        self.variables: list[Scalar] = []  # Scalars that change in the loop
        self.constants: list[tuple[object, np.dtype]] = []  # values of other Scalars, with the type that they have
        self._stores: list[MatrixStore] = []  # of the matrices, until all are known
        self._constants: list[Any] = []  # the Scalars; None for the limit of a loop, which stays the same
        self._matrices: list[tuple[Matrix, int]] = []  # with the numbers of their stores
        self._by_rows: dict[int, bool] = {}  # of stores that some product may be read by rows: whether it is
        self.last: list[weakref.ref[MatrixStore]] = []  # those that were looked at the last time: another list, others
        self._program = program
        self._counts: dict[str, Arithmetic] = {program.count.name: "step"}  # names of counts, and here
        self._counts |= {copy.name: copy.tree for copy in program.count.copies}
        self._numbers: dict[object, int] = {}  # of the counts of loops inside
        self._written = written = program.written
        self._operands: dict[int, Fields] = {}  # of vectors and variables, by their ids: as in _operand
        # Tuples grow by +=, which for a few elements is faster than a comprehension.
        steps: Fields = ()
        begun: list[Node] = []
        try:
            for node in program.flat:
                if node.op not in ops.CONTROL:
                    steps += (self._step(node),)
                elif not nested:
                    raise Unfusable("a loop inside of a loop")
                elif begun and begun[-1] is node:
                    steps += ((Kind.END, self.number_of(begun.pop().operands[0].count)),)
                else:
                    begun.append(node)
                    steps += (self._begin(node),)
        except Unfusable as reason:
            raise Unfusable(str(reason), len(steps)) from None
        condition = self._condition(program.condition)
        uses: Fields = ()
        self.sizes: tuple[int, ...] = ()
        # Vectors that a function overwrites before it reads them: their old contents do not matter.
        self.fresh = overwritten_first(steps, PLAIN) if program.condition is None else frozenset()
        for number, vector in enumerate(self.vectors):
            use = vector_use(vector, id(vector) in written)
            uses += ((use[0], True, False, True) if number in self.fresh else use,)
            self.sizes += (vector._size,)
        stores: Fields = ()
        for store in self._stores:
            stores += (matrix_use(store),)
        self.last = [weakref.ref(store) for store in self._stores]
        self._stores = []
        # Vectors that are not read after the loop.
        unseen = program.unseen
        self.unseen = frozenset([n for n, vector in enumerate(self.vectors) if id(vector) in unseen] if unseen else ())
        self.key = steps, condition, uses, stores

    def refresh(self) -> bool:
        """Read handles again that may have other stores now; False if that makes another body."""
        _, _, known_uses, known_stores = self.key
        fresh = self.fresh
        for number, vector in enumerate(self.vectors):  # of the same types
            if number in fresh:
                continue
            _, was_full, was_iso, _ = known_uses[number]
            store = vector._store
            pending = store.pending
            if pending is None:
                full = store.present is None and store.indices is None and store.size > 0
                if full is not was_full or (store.nvals == 0 or len(store.values) == 1) is not was_iso:
                    return False
            elif type(pending) is HostEntry:
                if was_full or not was_iso:
                    return False
            elif was_full or (store.iso or store.known_nvals == 0) is not was_iso:
                return False
        last = self.last
        for matrix, number in self._matrices:
            if matrix._stored is not last[number]():  # also if changes wait
                break
        else:
            return not self._constants or self._constants_again()
        stores: dict[int, MatrixStore] = {}
        for matrix, number in self._matrices:
            store = matrix._store
            if number not in stores and store not in stores.values() and store.copies == 1:
                stores[number] = store
            elif stores.get(number) is not store:
                return False
        for number, stored in enumerate(known_stores):
            store = stores[number]
            if store.rows is not None or matrix_use(store) != stored:
                return False
        for number, by_rows in self._by_rows.items():
            if has_columns(stores[number]) is by_rows:
                return False
        self.last = [weakref.ref(stores[number]) for number in range(len(stores))]
        return self._constants_again()

    def _constants_again(self) -> bool:
        """The values of Scalars; False if one has none."""
        for number, scalar in enumerate(self._constants):
            if scalar is None:
                continue
            content = scalar._content
            if content is None or type(content) is Number:
                return False
            self.constants[number] = content, self.constants[number][1]
        return True

    # ---- the parts of a program: read once, not at every call ------------------------------------------------------

    @property
    def matrices(self) -> list[MatrixStore]:
        """Their stores. Only the handles keep them alive while the program runs."""
        return [store for each in self.last if (store := each()) is not None]

    @property
    def steps(self) -> list[BodyStep]:
        steps: list[BodyStep] = []
        for node, fields in zip(self._program.flat, self.key[0], strict=True):
            if node.op in ops.CONTROL:
                flow = None if fields[0] == Kind.END else self._flow(node, fields)
                line = self._program.line(node)
                steps.append(BodyStep(fields[0], fields[1], flow, (), None, None, False, None, len(steps), line))
                continue
            kind, out, _, args, mask, _, replace, _ = fields
            use, line = None if mask is None else _mask_use(*mask), self._program.line(node)
            op, accum, desc = node.operator, node.accum, node.descriptor
            if desc is not None and desc.settles_at is not None:
                desc = self._asynchronous(desc, node.operands)
            steps.append(BodyStep(kind, out[1], op, _operands(args), use, accum, replace, desc, len(steps), line))
        return steps

    @property
    def condition(self) -> Fields:
        return _known_condition(self.key[1], self._program.condition)

    def _flow(self, node: Node, fields: Fields) -> Flow:
        _, number, condition, limit, once = fields
        known = _known_condition(condition, node.operands[0].condition)
        return Flow(number, known, None if limit is None else Operand(*limit), once)

    @property
    def uses(self) -> list[VectorUse]:
        return [VectorUse(*use) for use in self.key[2]]

    # ---- the key ----------------------------------------------------------------------------------------------------

    def number_of(self, count: object) -> int:
        """The number of the count of a loop inside."""
        return self._numbers[count]

    def _counts_here(self, number: Number) -> bool:
        """Whether this uses the counts of this loop, and not those of an outer or earlier one."""
        ours = self._program.counts.intersection(number.counts)
        if ours and len(ours) < len(set(number.counts)):
            raise Unfusable(f"{number.text}: the count of this loop, and of one around it that is not run as a whole,")
        return bool(ours)

    def _asynchronous(self, desc: Descriptor, args: Sequence[Any]) -> Descriptor:
        """A descriptor whose final value is expressed in the counts of this program."""
        if any(arg.ndim == 2 and arg.nrows != arg.ncols for arg in args):
            raise Unfusable("settles_at= with a matrix that is not square")
        if type(desc.settles_at) is not Counted:
            return desc
        number = desc.settles_at.number
        if not self._counts_here(number):
            raise Unfusable("settles_at= by the count of another loop")
        return replace(desc, settles_at=Counted(number.tree(self._counts), number))

    def _begin(self, node: Node) -> Fields:
        (program,) = node.operands
        once, limit = node.op is ops.WHEN, None
        if program.limit is not None and not once:
            limit = "constant", len(self.constants), COUNT_TYPE
            self.constants.append((program.limit, COUNT_TYPE))
            self._constants.append(None)
        self._numbers[program.count] = number = len(self._numbers) + 1
        self._counts[program.count.name] = f"step{number}"  # others before it may have the same name
        return Kind.BEGIN, self.number_of(program.count), self._condition(program.condition), limit, once

    def _step(self, node: Node) -> Fields:
        ir_op, out, op, args, mask, accum, replace, desc, _ = node
        what = unfusable_operation(ir_op, out, args)
        if what:  # in a function; no loop has it
            raise Unfusable(what)
        kind = KINDS[ir_op]
        if kind == Kind.ASSIGN:
            args = args[:1]  # to everything
        if out.ndim == 0 and ir_op not in ops.REDUCTIONS:
            if ir_op not in OF_SCALARS:
                raise Unfusable(f"{kind} of Scalars")
            kind = OF_SCALARS[ir_op]
        if ir_op is ops.SELECT_MASK:
            if mask is not None:
                raise Unfusable("entries that a mask selects, through another mask")
            args, mask, replace = args[:1], args[1], accum is None
        elif kind not in PLAIN:
            _check(kind, op, args)
        if desc is not None and desc.settles_at is not None:
            desc = self._asynchronous(desc, args)
        if desc is not None and desc.any_order and kind in PRODUCTS and not keeps_order(op):
            raise Unfusable(f"any_order= with {op}")
        known, operand = self._operands, self._operand
        operands: Fields = ()
        for arg in args:
            operands += (known.get(id(arg)) or operand(arg),)
        if mask is not None and (ir_op is ops.VXM or ir_op is ops.MXV):
            operands = self._sides(node, operands)
        return (
            kind,
            known.get(id(out)) or operand(out),
            None if op is None else op.key,
            operands,
            None if mask is None else (known.get(id(mask.parent)) or operand(mask.parent), type(mask)),
            None if accum is None else accum.key,
            replace,
            None if desc is None else desc.key,
        )

    def _sides(self, node: Node, operands: Fields) -> Fields:
        """The operands of a product with a mask; its matrix may be one that is read by rows only."""
        desc, mask = node.descriptor, node.mask
        vector, matrix = node.operands if node.op is ops.VXM else node.operands[::-1]
        if mask.complement or mask.parent is not vector or matrix._is_transposed is (node.op is ops.MXV):
            return operands
        if desc is not None and not (desc.plain and desc.settles_at is None and desc.push_strategy is None):
            return operands
        at = int(node.op is ops.VXM)
        number = operands[at][1]
        by_rows = self._by_rows[number] = stays_by_rows(has_columns(self._stores[number]), own_rows=True)
        if not by_rows:
            return operands
        read = (*Operand(*operands[at])._replace(by_rows=True),)
        return (operands[0], read) if at else (read, operands[1])

    def _operand(self, arg: Any) -> Fields:
        """The fields of an :class:`Operand` that is not known yet."""
        if arg is None:
            return "nothing", 0
        if type(arg) is Number and self._counts_here(arg):
            return "count", 0, COUNT_TYPE, False, arg.tree(self._counts)
        if type(arg) is Number:  # of a loop around this one, which is not run as a whole
            self.constants.append((int(arg), COUNT_TYPE))
            self._constants.append(_OtherCount(arg))
            return "constant", len(self.constants) - 1, COUNT_TYPE
        if arg.ndim == 1:
            in_one_word(arg.dtype.np_type)
            vector = self._operands[id(arg)] = "vector", len(self.vectors)
            self.vectors.append(arg)
            return vector
        if arg.ndim == 2:
            matrix = arg._matrix if arg._is_transposed else arg
            store = matrix._store
            in_one_word(store.dtype)
            if store.copies > 1 and not numbers_copies(store):
                raise Unfusable("copies of a matrix that is not square, or too many")
            matrices = self._stores
            if store not in matrices:
                matrices.append(store)
            number = matrices.index(store)
            self._matrices.append((matrix, number))
            return "matrix", number, None, arg._is_transposed
        dtype = arg.dtype.np_type
        in_one_word(dtype)
        if id(arg) in self._written:
            variable = self._operands[id(arg)] = "variable", len(self.variables), dtype
            self.variables.append(arg)
            return variable
        content = arg._content
        if type(content) is Number:
            if self._counts_here(content):
                return "count", 0, dtype, False, content.tree(self._counts)
            content = arg._get()
        if content is None:
            raise Unfusable("an empty Scalar")
        self.constants.append((content, dtype))
        self._constants.append(arg)
        return "constant", len(self.constants) - 1, dtype

    def _condition(self, condition: Any) -> Fields:
        if condition is None:  # of a function
            return ("always",)
        if condition.ndim == 2:
            raise Unfusable("the condition is a Matrix")
        known, operand = self._operands, self._operand
        if condition.ndim == 1:
            return "entries", (known.get(id(condition)) or operand(condition))[1]
        if condition._role == "object":
            return "true", (known.get(id(condition)) or operand(condition),)
        return "compare", condition.op.key, tuple([known.get(id(arg)) or operand(arg) for arg in condition.args])


class _OtherCount:
    """A number that is known when this loop runs, like the value of a Scalar."""

    def __init__(self, number: Number) -> None:
        self._number = number

    @property
    def _content(self) -> int:
        return int(self._number)


def _check(kind: Kind, op: TypedOperator, args: Sequence[Any]) -> None:
    """Raise the reason why a step cannot be lowered."""
    if kind == Kind.ROW and args[0]._store.copies > 1:
        raise Unfusable("a row of copies of a matrix")
    if kind == Kind.HEAVIEST_GROUPS:
        store, *beside = args[0]._store, *args[1:3], *args[4:]
        if store.copies > 1 or max(store.nrows, store.ncols) >= INT32_LIMIT or not has_short_rows(store.max_degree):
            raise Unfusable("the heaviest groups of long rows, or of copies of a matrix")
        if any(x is not None and x.dtype.np_type.kind not in "biuf" for x in beside):
            raise Unfusable("groups, handicaps, factors or a diagonal that are no real numbers")
    if op is not None and op.opclass == "Aggregator":
        raise Unfusable("an aggregator")


def lower(program: Program, nested: bool = False) -> Body:
    """A program by numbers; ``nested``: loops may be inside."""
    return Body(program, nested)


def _known_condition(key: Fields, condition: Any) -> Fields:
    """A condition with its operands and its operator."""
    kind, *rest = key
    if kind in ("entries", "always"):
        return kind, *rest
    operands = _operands(rest[-1])
    return (kind, *operands) if kind == "true" else (kind, condition.op, operands)


def located(program: Program, why: str, number: int | None) -> str:
    """A reason, with the line of the node that it is about."""
    return why if number is None else f"line {program.line(program.flat[number])}: {why}"


def _operands(fields: Iterable[Fields]) -> tuple[Operand, ...]:
    return tuple([Operand(*each) for each in fields])


def _mask_use(vector: Fields, kind: type[Mask]) -> MaskUse:
    return MaskUse(vector[1], kind.structure, kind.complement)
