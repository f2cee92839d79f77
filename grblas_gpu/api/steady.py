"""Comparison of the rounds of a loop's body: whether they are one body that an engine can repeat.

A round is a list of nodes. A walk over the nodes gives tokens: facts, which must be equal in all rounds, and handles.
The handles at one place of all rounds form a *column*:

- the same object in every round: it stays as it is;
- an object that each round creates: that of the last round represents all of them;
- an object of an earlier round (``x = (x * 0.5).new()``): the place reads a *carried* handle, which the end of every
  round sets to the new object;
- objects that alternate (``f, g = g, f``): they *rotate*, and one full turn of rounds becomes one body.

Any other difference is visible only to Python, and an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, zip_longest
from math import lcm
from types import CodeType
from typing import Any

import numpy as np

from ..backends.interpreter.run import COMPUTE
from ..backends.stores.counting import every
from ..foundation.types import Handle
from ..ir import ops, recording
from ..ir.node import Node
from ..ir.program import Program
from ..ir.recording import Count, Number
from .mask import Mask
from .rounds import Difference, Round, Token, Tokens, Walk, move, reads
from .scalar import Scalar

MOST_ROUNDS = 8  # the most rounds that are recorded to find out how handles are carried


def _same_contents(x: Handle, y: object) -> bool:
    with recording.paused():
        return bool(x.isequal(y, check_dtype=True))


def _begin_alike(column: Sequence[Any]) -> bool:
    """Whether objects that rounds create start with the same entries; nothing has been computed yet."""
    if isinstance(column[0], Count):
        return True
    if column[0].ndim == 0:
        return all(x._content is None or x._content == column[0]._content for x in column)
    return not any(x._store.nvals for x in column) or all(_same_contents(x, column[0]) for x in column[1:])


def _same_fact(x: Any, y: Any) -> bool:
    if x is y:
        return True
    if getattr(x, "opclass", None) is not None and getattr(y, "opclass", None) is not None:
        return bool(x.key == y.key) or _same_function(getattr(x, "orig_func", None), getattr(y, "orig_func", None))
    if type(x) is not type(y):
        return False
    if hasattr(x, "shape") and hasattr(x, "dtype") and not isinstance(x, np.generic):  # an array of some engine
        return x.shape == y.shape and every(x == y)
    return bool(x == y) or (x != x and y != y)


def _same_function(x: Any, y: Any) -> bool:
    """Whether two functions have the same code and the same captured values."""
    code = getattr(x, "__code__", None)
    if code is None or code != getattr(y, "__code__", None) or x.__defaults__ != y.__defaults__:
        return False
    cells = zip(x.__closure__ or (), y.__closure__ or (), strict=True)
    return all(_same_fact(one.cell_contents, other.cell_contents) for one, other in cells)


@dataclass
class Carried:
    """Places that read an object of an earlier round, or a fixed object from some round on.

    ``initial`` are the objects of the first rounds, before that; ``handle`` holds the object of the current round.
    """

    initial: tuple[Handle, ...]
    source: Any  # the number of a column of created objects, or the fixed object
    handle: Handle
    in_place: bool = False


class Steady:
    """Rounds that form one body, with their columns."""

    def __init__(self, rounds: Sequence[Round]) -> None:
        self.rounds = tuple(rounds)
        self.turned: list[list[Node]] = []  # the nodes of each turn
        self.turns = 1  # rounds until rotating objects are back in place
        self.rotates: Token | None = None  # a place with rotating objects
        self.carried: dict[tuple[int, ...], Carried] = {}
        self._of_place: dict[int, tuple[int, ...]] = {}
        self._made: list[dict[int, int]] = [{} for _ in rounds]  # per round: identity -> number of the column
        self.columns: list[tuple[Any, ...]] = []  # objects that every round creates

    @property
    def is_plain(self) -> bool:
        return not self.carried and self.turns == 1

    def number_of_turn(self, step: int) -> int:
        """The recorded round that represents a step."""
        last = len(self.rounds) - 1
        return last - (last - step) % self.turns

    def substituted(self, round: Round) -> list[Node]:
        """The nodes of a round, with handles at carried places."""
        if not self.carried:
            return list(round.nodes)
        tokens = Tokens(round, self._carried_handle)
        tokens.bindings()
        return list(tokens.nodes(round.nodes))

    # ---- comparison -----------------------------------------------------------------------------------------------

    def note_made(self, column: Sequence[object], node: Node | None) -> None:
        numbers = {found.get(id(x)) for found, x in zip(self._made, column, strict=True)}
        if numbers == {None}:
            for found, x in zip(self._made, column, strict=True):
                found[id(x)] = len(self.columns)
            self.columns.append(tuple(column))
        elif len(numbers) > 1:
            raise Difference(node, "{} is one object in one round and two in another", column[-1])

    def number_of(self, round: int, x: object) -> int | None:
        return self._made[round].get(id(x))

    def note_carried(self, place: int, column: Sequence[Handle], depth: int, source: object) -> None:
        """``place`` reads the ``source`` of ``depth`` rounds ago; one handle per round in between passes it on."""
        key = _key(column[:depth], source)
        self._of_place[place] = key
        for at in range(depth):
            part = tuple(column[at:depth])
            if _key(part, source) not in self.carried:
                with recording.paused():
                    handle = _like(column[-1])
                self.carried[_key(part, source)] = Carried(part, source, handle)

    def _carried_handle(self, place: int) -> Handle | None:
        key = self._of_place.get(place)
        return None if key is None else self.carried[key].handle


def _key(initial: Sequence[object], source: object) -> tuple[int, ...]:
    return (*map(id, initial), source if type(source) is int else id(source))


def _like(x: Handle) -> Handle:
    """An object of the same type and shape, without contents."""
    return x.dup(clear=True, name=x.name)


def _repeats(one: Round, other: Round) -> bool:
    """Whether two rounds are the same nodes on the same objects, which is usual; rounds may use their numbers.

    Tokens, which take far longer to create, compare all other rounds.
    """
    if len(one.nodes) != len(other.nodes) or len(one.bindings) != len(other.bindings):
        return False
    for (path, x), (again, y) in zip(one.bindings, other.bindings, strict=True):
        if x is not y or path != again:
            return False
    for node, repeated in zip(one.nodes, other.nodes, strict=True):
        parts = *node.operands, *node[:3], *node[4:8]
        others = *repeated.operands, *repeated[:3], *repeated[4:8]
        if len(parts) != len(others):
            return False
        for x, y in zip(parts, others, strict=True):
            if x is not y and not _is_repeated(x, y, one, other):
                return False
    return True


def _is_repeated(x: Any, y: Any, one: Round, other: Round) -> bool:
    """Whether two parts of nodes are alike. A function of its own: a local one that calls itself would keep both rounds
    alive until the garbage collector runs."""
    if type(x) is not type(y):
        return False
    if isinstance(x, Mask):
        return x.parent is y.parent
    if isinstance(x, Number):
        return x.counts == (one.count,) and y.counts == (other.count,) and x.text == y.text
    if isinstance(x, np.generic):
        return _same_fact(x, y)
    literal = isinstance(x, Scalar) and one.is_literal(x) and other.is_literal(y)
    same_type = literal and x.dtype == y.dtype
    return same_type and (x._content is y._content or _is_repeated(x._content, y._content, one, other))


def compare(rounds: Sequence[Round], ran: bool = False) -> Steady | None:
    """The common body of these rounds; None if more rounds are needed. Raises :class:`Difference`.

    After the rounds ``ran``, objects no longer have their initial contents, so contents are not compared.
    """
    steady = Steady(rounds)
    if len(rounds) == 1 or (len(rounds) == 2 and _repeats(*rounds)):
        steady.note_made([round.count for round in rounds], None)
        return steady
    loose: list[tuple[int, tuple[Token, ...]]] = []
    for place, tokens in enumerate(zip_longest(*(round.tokens for round in rounds))):
        if len({id(token and token[0]) for token in tokens}) == 1:
            continue  # most places: the same object in all rounds
        last = tokens[-1]
        if None in tokens or any(token.is_handle is not last.is_handle for token in tokens):
            found = next(token for token in tokens[::-1] if token is not None)
            raise Difference(found.node, "Python does another operation here in another round")
        if not last.is_handle:
            for one, other in pairwise(tokens):
                if not _same_fact(one.value, other.value):
                    raise Difference(other.node, _facts(one.value, other.value))
            continue
        column = [token.value for token in tokens]
        if all(id(x) in round.made for x, round in zip(column, rounds, strict=True)):
            steady.note_made(column, last.node)
            if not (ran or _begin_alike(column)):
                raise Difference(last.node, "{} is made of other values in every round", column[-1])
        else:
            loose.append((place, tokens))
    for place, tokens in loose:
        if not ran and not _resolve(steady, place, tokens):
            return None
    return steady


def _resolve(steady: Steady, place: int, tokens: Sequence[Token]) -> bool:
    """Find out how the objects at a place depend on earlier rounds; False if that needs more rounds."""
    rounds, column, node = steady.rounds, [token.value for token in tokens], tokens[-1].node
    if isinstance(column[0], Count):
        raise Difference(node, "the number of another round or loop is used here")
    known = [any(id(x) in round.made for round in rounds) for x in column]
    for depth in range(1, len(column) - 1):
        later = column[depth:]
        made = {steady.number_of(n, x) for n, x in enumerate(later)}
        fixed = all(x is later[0] for x in later) and not known[depth]
        if fixed or (len(made) == 1 and None not in made):
            source = later[0] if fixed else made.pop()
            _check_carried(steady, tokens, depth, source)
            steady.note_carried(place, column, depth, source)
            return True
        if not any(known) and all(x is y for x, y in zip(column, later, strict=False)):
            steady.turns = lcm(steady.turns, depth)
            steady.rotates = steady.rotates or tokens[0]
            if steady.turns > MOST_ROUNDS:
                raise Difference(node, f"objects take turns here, more than {MOST_ROUNDS} of them")
            return True
    if any(id(x) in round.written for x in column for round in rounds):
        return False
    return all(_same_contents(x, column[0]) for x in column[1:])  # new objects with the same contents in every round


def _check_carried(steady: Steady, tokens: Sequence[Token], depth: int, source: object) -> None:
    column, node = [token.value for token in tokens], tokens[-1].node
    kinds = {(type(x), x.dtype, x.shape) for x in column}
    if len(kinds) > 1:
        shown = " and ".join(sorted({f"{x.dtype}{list(x.shape) or ''}" for x in column}))
        raise Difference(node, "{} has other types or shapes in other rounds: " + shown, column[-1])
    written = {key for round in steady.rounds for key in round.written}
    if tokens[-1].written or (type(source) is not int and id(source) in written):
        raise Difference(node, "{} is changed in place here, and the body binds its name to another object", column[-1])


def _facts(one: object, other: object) -> str:
    if isinstance(one, ops.Op) or isinstance(other, ops.Op):
        return f"Python does {one} in one round and {other} in the next"
    return f"{one!r} in one round is {other!r} in the next"


def assemble(steady: Steady, round: Round) -> list[Node]:
    """The nodes of a round as a repeatable body: carried places read their handles, and the end sets the handles.

    A handle and the object that replaces it become one object, if nothing reads the handle after that object's start.
    """
    nodes = steady.substituted(round)
    place = nodes[-1].place if nodes else 0
    at = steady.rounds.index(round)
    moves = []
    for carried in sorted(steady.carried.values(), key=lambda each: -len(each.initial)):
        source = steady.columns[carried.source][at] if type(carried.source) is int else carried.source
        if len(carried.initial) > 1:
            source = steady.carried[_key(carried.initial[1:], carried.source)].handle
        elif type(carried.source) is int and steady.turns == 1 and _alone(steady, carried):
            merged = _in_place(nodes, carried.handle, source)
            if merged is not None:
                nodes, carried.handle, carried.in_place = merged, source, True
                continue
        moves.append(move(carried.handle, source, place))
    return nodes + moves


def _alone(steady: Steady, carried: Carried) -> bool:
    return sum(each.source == carried.source for each in steady.carried.values() if type(each.source) is int) == 1


def _in_place(nodes: list[Node], handle: object, made: object) -> list[Node] | None:
    """``made = f(handle)`` as ``handle << f(handle)``: both become ``made``. None if the handle is read later."""
    writes = [n for n, node in enumerate(nodes) if node.out is made and node.op is not ops.CLEAR]
    first = writes[0] if writes else 0
    write = nodes[first] if writes else None
    if write is None or write.op not in COMPUTE or write.accum is not None:
        return None
    if any(reads(node, handle) for node in nodes[first + 1 :]) or any(reads(node, made) for node in nodes[: first + 1]):
        return None
    merged = _Replace(handle, made)
    before = [merged.node(node) for node in nodes[:first] if node.out is not made]
    return [*before, merged.node(write)._replace(replace=write.mask is not None), *nodes[first + 1 :]]


class _Replace(Walk):
    def __init__(self, old: object, new: object) -> None:
        self._old, self._new = old, new

    def handle(self, x: object, written: bool = False) -> object:
        return self._new if x is self._old else x


def unrolled(steady: Steady, condition: object, limit: int | None, done: object, code: CodeType | None) -> Program:
    """One full turn of rotating objects as one body; ``done`` counts the rounds.

    A round after the first runs if the condition holds. The limit counts whole turns.
    """
    turns, rounds = steady.turns, steady.rounds
    base = Count(rounds[0].count._recorder)
    chosen = [rounds[steady.number_of_turn(turn)] for turn in range(turns)]
    nodes: list[Node] = []
    for turn in reversed(range(turns)):
        round = chosen[turn]
        round.count.derive(base, turns, turn)
        own = assemble(steady, round)
        steady.turned.insert(0, list(own))
        place = own[-1].place if own else 0
        own.append(Node(ops.ASSIGN, done, None, (round.count.number() + 1, None), place=place))
        if nodes:
            inside = Program(tuple(nodes), condition, 1, Count(base._recorder, f"step{90 + turn}"), code)
            own.append(Node(ops.WHEN, None, None, (inside,), place=place))
        nodes = own
    return Program(tuple(nodes), condition, None if limit is None else limit // turns, base, code)
