"""One round of a loop's body: its nodes, the objects that it creates, and tokens of both for comparison."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property, partial
from operator import is_
from typing import Any, NamedTuple

from ..backends.interpreter.run import COMPUTE
from ..foundation.types import Descriptor, Handle
from ..ir import ops, recording
from ..ir.node import Node
from ..ir.recording import Count, Number
from .indexing import Indexes
from .mask import Mask


class Difference(Exception):
    """Two rounds differ at this node of one of them; ``{}`` in ``what`` is the place of the object's name."""

    def __init__(self, node: Node | None, what: str, obj: object = None) -> None:
        super().__init__(what)
        self.node, self._obj = node, obj

    def said(self, spelled: Callable[[object], str]) -> str:
        what = str(self)
        return what if self._obj is None else what.replace("{}", f"`{spelled(self._obj)}`")


class Token(NamedTuple):
    """One place in a round: a fact or a handle."""

    value: Any
    is_handle: bool
    node: Node
    written: bool


#: ``Token(*fields)`` from a tuple of fields, as :data:`~grblas_gpu.ir.node.node_of` creates nodes.
token_of: Callable[[Iterable[object]], Token] = partial(tuple.__new__, Token)


class Round:
    """The recording of one pass through the body."""

    def __init__(self, count: Count) -> None:
        self.count = count
        self.nodes: list[Node] = []
        self.begun: set[int] = set()  # identities of the nodes that create an object
        self.bindings: list[tuple[str, object]] = []  # the objects of names at the start of the round
        self.made: dict[int, Handle | Count] = {id(count): count}  # new objects and counts of loops, by identity
        self.written: dict[int, Handle] = {}

    def begin(self, made: object, place: int) -> None:
        """Note that an object is created here. The node keeps its place until :meth:`complete`."""
        node = Node(ops.CLEAR, made, place=place)
        self.begun.add(id(node))
        self.nodes.append(node)

    def is_literal(self, x: Any) -> bool:
        """Whether this is a Scalar with a value from this round, which the round does not change."""
        return getattr(x, "ndim", None) == 0 and id(x) not in self.written and (id(x) in self.made or not x.name)

    def happened(self) -> list[Node]:
        """The nodes that are still to run: objects that Python created already have their initial contents."""
        return [node for node in self.nodes if id(node) not in self.begun]

    def complete(self, inside: bool) -> None:
        """Give new objects the initial contents that Python gave them: no entries, or the given ones.

        This skips objects that never change, and matrices that the next node overwrites. Later nodes may change objects
        of a loop ``inside`` of another.
        """
        self._compared = len(self.nodes)  # without nodes that the loop appends
        if not self.begun:
            return
        nodes, self.nodes = self.nodes, []
        changed = _outputs(node for node in nodes if id(node) not in self.begun)
        self.written = {key: x for key, x in self.written.items() if key in changed}
        for at, node in enumerate(nodes):
            if id(node) not in self.begun:
                self.nodes.append(node)
                continue
            out = node.out
            if id(out) not in changed and (out.ndim == 0 or not inside):
                continue
            if out.ndim != 1 and _is_overwritten(nodes[at + 1 :], out):
                continue
            if out.ndim == 0 or out._store.nvals:
                with recording.paused():
                    node = move(out, out.dup(name=""), node.place)
            self.nodes.append(node)
        self.begun = set()
        self._compared = len(self.nodes)

    @cached_property
    def tokens(self) -> list[Token]:
        """The tokens of the completed round."""
        walk = Tokens(self)
        walk.bindings()
        walk.nodes(self.nodes[: self._compared])
        return walk.found


def _outputs(nodes: Iterable[Node]) -> set[int]:
    """The identities of the objects that nodes write."""
    found: set[int] = set()
    for node in nodes:
        found |= node.operands[0].written.keys() if node.op in ops.CONTROL else {id(node.out)}
    return found


def _is_overwritten(nodes: Iterable[Node], obj: object) -> bool:
    """Whether the first node that uses an object overwrites it without reading it; that node may be inside of the only
    loop or ``when`` that uses the object."""
    uses = [node for node in nodes if any(x is obj for x in handles_of(node))]
    if not uses:
        return False
    first = uses[0]
    if first.op in ops.CONTROL:
        (program,) = first.operands
        parts = getattr(program.condition, "args", [program.condition])
        return len(uses) == 1 and all(x is not obj for x in parts) and _is_overwritten(program.nodes, obj)
    whole = (first.op in COMPUTE or first.op is ops.ASSIGN) and first.mask is None and first.accum is None
    return whole and first.out is obj and not reads(first, obj)


class Walk:
    """Visits all handles and facts of nodes in a fixed order; returns the nodes with handles replaced by ``handle``."""

    def handle(self, x: object, written: bool = False) -> Any:
        return x

    def fact(self, x: object) -> None:
        """Visit a part of a node that is not a handle."""

    def nodes(self, nodes: Iterable[Node]) -> tuple[Node, ...]:
        return tuple([self.node(node) for node in nodes])

    def node(self, node: Node) -> Node:
        self.fact(node.op)
        if node.op in ops.CONTROL:
            (program,) = node.operands
            self.fact(program.limit)
            self.handle(program.count)
            condition, nodes = self.condition(program.condition), self.nodes(program.nodes)
            return node._replace(operands=(program._replace(condition=condition, nodes=nodes),))
        self.fact(node.operator)
        self.fact(node.accum)
        self.fact(node.replace)
        self._descriptor(node.descriptor)
        operands = tuple([self.operand(x) for x in node.operands])
        mask = None if node.mask is None else self.operand(node.mask)
        out = self.handle(node.out, True)
        if out is node.out and mask is node.mask and all(map(is_, operands, node.operands)):
            return node
        return node._replace(operands=operands, mask=mask, out=out)

    def _descriptor(self, descriptor: Descriptor | None) -> None:
        self.fact(None if descriptor is None else descriptor.key)
        number = getattr(getattr(descriptor, "settles_at", None), "number", None)
        for count in () if number is None else number.counts:
            self.handle(count)

    def condition(self, condition: Any) -> object:
        if condition is None or condition._role != "expression":
            return condition if condition is None else self.operand(condition)
        self.fact(condition.op)
        args = [self.operand(arg) for arg in condition.args]
        if all(x is y for x, y in zip(args, condition.args, strict=True)):
            return condition
        return type(condition)(condition.method_name, condition.ir_op, args, op=condition.op)

    def operand(self, x: Any) -> object:
        if type(x) is Number:
            self._number(x)
        elif isinstance(x, Mask):
            self.fact(type(x))
            parent = self.handle(x.parent)
            return x if parent is x.parent else type(x)(parent)
        elif isinstance(x, Indexes):
            for axis in x.axes:
                self.fact((axis.size, axis.dimsize, axis.positions))
                index = axis.given if axis.given is not None else axis._index
                if self.operand(index) is not index:
                    raise Difference(None, "an object that other rounds replace is an index")
        elif getattr(x, "_is_transposed", False):
            self.fact("transposed")
            matrix = self.handle(x._matrix)
            return x if matrix is x._matrix else matrix.T
        elif getattr(x, "_engine", None) is not None and hasattr(x, "_role"):
            return self.handle(x)
        else:
            self.fact(x)
        return x

    def _number(self, x: Number) -> None:
        self.fact(x.text)
        for count in x.counts:
            self.handle(count)


class Tokens(Walk):
    """The tokens of a round. A Scalar that the round creates and never changes is a fact: its value.

    ``instead`` returns the handle for the number of a place, or None.
    """

    def __init__(self, round: Round, instead: Callable[[int], object] = lambda place: None) -> None:
        self._round, self._instead = round, instead
        self.found: list[Token] = []
        self._node: Node

    def bindings(self) -> None:
        """Add names of objects as places: the object of a name that changes in every round is carried."""
        self._node = self._round.nodes[0] if self._round.nodes else Node(ops.CLEAR, None)
        for path, x in self._round.bindings:
            self.fact(path)
            self.found.append(token_of((x, True, self._node, False)))

    def node(self, node: Node) -> Node:
        self._node = node
        return super().node(node)

    def fact(self, x: object) -> None:
        self.found.append(token_of((x, False, self._node, False)))

    def handle(self, x: Any, written: bool = False) -> object:
        if self._round.is_literal(x):
            self.fact(x.dtype)
            if type(x._content) is Number:
                self._number(x._content)
            else:
                self.fact(x._content)
            return x
        instead = self._instead(len(self.found))
        self.found.append(token_of((x, True, self._node, written)))
        return x if instead is None else instead


def move(out: Handle, source: object, place: int) -> Node:
    """``out = source``, for two objects of the same kind."""
    if out.ndim:
        return Node(ops.COPY, out, None, (source,), place=place)
    return Node(ops.ASSIGN, out, None, (source, None), place=place)


class _Handles(Walk):
    def __init__(self) -> None:
        self.read: list[object] = []
        self.written: list[object] = []

    def handle(self, x: object, written: bool = False) -> object:
        (self.written if written else self.read).append(x)
        return x


def reads(node: Node, obj: object) -> bool:
    """Whether a node, or one inside of it, reads an object."""
    walk = _Handles()
    walk.node(node)
    return any(x is obj for x in walk.read)


def handles_of(node: Node) -> list[object]:
    """All objects that a node reads or writes."""
    walk = _Handles()
    walk.node(node)
    return walk.read + walk.written
