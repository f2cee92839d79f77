"""The Python variables that the body of a loop can reach, compared before and after a round.

An engine may run a loop only if a further round would do the same again. Objects of this library are compared by their
operations (:mod:`.rounds`). This module compares numbers, lists, dictionaries, attributes, iterators and random
generators, if the body refers to them by name.
"""

from __future__ import annotations

import dis
import pickle
import random
import re
from collections import deque
from collections.abc import Iterator, Mapping
from types import BuiltinFunctionType, CellType, CodeType, FrameType, FunctionType, MethodType, ModuleType
from typing import NamedTuple

import numpy as np

from ..foundation.caches import Bounded
from ..ir.recording import Number
from .sizes import Size

ACCESS = re.compile("(LOAD|STORE|DELETE)_(?:FAST|NAME|DEREF|GLOBAL)")  # of names; some instructions access two
DEPTH = 4  # of nested containers
MOST_BYTES = 1 << 20  # the largest array whose elements are compared
UNBOUND = ("unbound",)
NUMBERS = (bool, int, float, complex, str, bytes, type(None), np.generic)
FIXED = (ModuleType, type, BuiltinFunctionType)
PLAIN = (*NUMBERS, *FIXED)  # these contain no object of this library
GENERATORS = (random.Random, np.random.Generator, np.random.RandomState)
_LIBRARIES = frozenset(("grblas_gpu", "numpy", "scipy", "cupy", "numba", "graphblas", "networkx"))
_parsed: dict[tuple[int, int], tuple[CodeType, BodyCode | None]] = Bounded("bodies of loops", 1000)


class BodyCode(NamedTuple):
    """The names that the instructions of a loop's body use."""

    names: frozenset[str]  # names that the body, or functions inside of it, read or bind; not the loop's own
    rebound: frozenset[str]  # local names that the body binds before it reads them
    uses_random: bool
    lines: dict[str, int]  # the last line that uses a name


def body_code(frame: FrameType) -> BodyCode | None:
    """The body of the ``for`` statement that now requests an iterator; None for any other caller."""
    key = id(frame.f_code), frame.f_lasti
    found = _parsed.get(key)
    if found is None or found[0] is not frame.f_code:
        found = _parsed[key] = frame.f_code, _parse(frame.f_code, frame.f_lasti)
    return found[1]


def _parse(code: CodeType, offset: int) -> BodyCode | None:
    instructions = [each for each in dis.get_instructions(code) if each.opname != "EXTENDED_ARG"]
    at = next(n for n, each in enumerate(instructions) if each.offset >= offset)
    start = instructions[at + 1]
    if instructions[at].opname != "GET_ITER" or start.opname != "FOR_ITER":
        return None
    body = [each for each in instructions[at + 2 :] if each.offset < start.argval]
    branches = any("JUMP" in each.opname and "IF" in each.opname for each in body)
    accesses = [access for each in body for access in _accesses(each)]
    first: dict[str, str] = {}
    for kind, name in accesses:
        first.setdefault(name, kind)
    names = {*first, *(name for each in body if isinstance(each.argval, CodeType) for name in _names(each.argval))}
    rebound = set() if branches else {name for name, kind in first.items() if kind != "LOAD"}
    texts = {each.argval for each in body if isinstance(each.argval, str)}
    lines = {name: _line(each) for each in body for _, name in _accesses(each)}
    target = {name for _, name in accesses[:1]}
    return BodyCode(frozenset(names - target), frozenset(rebound), "random" in names | texts, lines)


def _line(instruction: dis.Instruction) -> int:
    positions = instruction.positions
    return 0 if positions is None or positions.lineno is None else positions.lineno


def _accesses(instruction: dis.Instruction) -> Iterator[tuple[str, str]]:
    value = instruction.argval
    names = value if isinstance(value, tuple) else (value,)
    yield from zip(ACCESS.findall(instruction.opname), names, strict=False)


def _names(code: CodeType) -> set[str]:
    """All names that a function inside of the body may use."""
    inside = (name for const in code.co_consts if isinstance(const, CodeType) for name in _names(const))
    return {*code.co_names, *code.co_freevars, *inside}


class PythonState:
    """A snapshot of the values that a body can reach by name."""

    def __init__(self, frame: FrameType, code: BodyCode) -> None:
        self._code = code
        self._values = self._now(frame)
        self._fixed = sorted(self._values.keys() - code.rebound)  # names that are bound before a round

    def _now(self, frame: FrameType) -> dict[str, object]:
        known, others = frame.f_locals, frame.f_globals
        values = {}
        for name in self._code.names:
            value = known[name] if name in known else others.get(name, UNBOUND)
            if value is not UNBOUND and (type(value) is Size or not isinstance(value, FIXED)):
                values[name] = _snapshot(value, DEPTH, set())
        if self._code.uses_random:
            values["random"] = random.getstate()
            values["np.random"] = pickle.dumps(np.random.get_state())
        return values

    def bindings(self, frame: FrameType, *, all_names: bool = False) -> list[tuple[str, object]]:
        """The objects of this library that the body can reach, with their spelling; names that the body binds before it
        reads them are left out, except with ``all_names``."""
        known, others = frame.f_locals, frame.f_globals
        chosen = sorted(self._values.keys()) if all_names else self._fixed
        found, inside = [], {}
        for name in chosen:
            value = known[name] if name in known else others.get(name)
            if type(value) is Size:
                continue
            role = getattr(value, "_role", None)
            if role == "object":
                found.append((name, value))
            elif role is None and not isinstance(value, PLAIN):
                inside[name] = value
        if inside:
            found += [(path, x) for path, x in reachable(inside, DEPTH) if getattr(x, "_role", None) == "object"]
        return found

    def line_of(self, path: str) -> int:
        """The last line of the body that uses a variable."""
        return self._code.lines.get(re.split(r"[.\['\s]", path)[0], 0)

    def changed(self, frame: FrameType, *, may_not_run: bool = False) -> tuple[str, str, str] | None:
        """The first change of a round: its spelling in Python, the value before, the value now. None without changes.

        A name that the body binds before it reads it is no change, unless the body ``may_not_run`` at all.
        """
        for name, now in self._now(frame).items():
            before = self._values.get(name, UNBOUND)
            if before is UNBOUND:
                continue
            found = _difference(before, now, name)
            if found is not None and (may_not_run or found[0] != name or name not in self._code.rebound):
                return found
        return None


def _snapshot(value: object, depth: int, seen: set[int]) -> object:
    """A snapshot to compare with a later one of the same value. That of a container is a dict of its parts."""
    kind = type(value)
    if kind is Size:  # the same in all rounds
        return value
    if getattr(kind, "_role", None) is not None:
        return kind, getattr(value, "dtype", None), getattr(value, "shape", None)  # compared by operations
    if isinstance(value, FIXED):  # without attributes: reading those of modules may create them
        return kind
    if isinstance(value, NUMBERS):
        return kind, value if value == value else repr(value)
    if isinstance(value, Number):
        return kind, value.text, value.counts
    if getattr(value, "parent", None) is not None:
        return kind, getattr(value, "dtype", None), getattr(value, "shape", None)
    if isinstance(value, GENERATORS):
        return kind, pickle.dumps(value)
    if isinstance(value, np.ndarray):
        return (
            (kind, value.shape, value.dtype.str, value.tobytes()) if value.nbytes <= MOST_BYTES else (kind, value.shape)
        )
    if depth == 0 or id(value) in seen:
        return kind
    seen.add(id(value))
    parts = _parts(value, kind)
    if parts is not None:
        return {key: _snapshot(part, depth - 1, seen) for key, part in parts.items()}
    return object() if hasattr(kind, "__next__") else kind  # the state of an iterator is unknown


def _parts(value: object, kind: type) -> Mapping[str, object] | None:
    """The parts of a container, by their suffix in Python: ``[0]``, ``.name``."""
    if isinstance(value, FIXED) or getattr(value, "_role", None) is not None:
        return None
    if isinstance(value, (list, tuple, deque)):
        return {f"[{n}]": part for n, part in enumerate(value)}
    if isinstance(value, dict):
        return {f"[{key!r}]": part for key, part in list(value.items())}
    if isinstance(value, (set, frozenset)):
        return dict.fromkeys(map(repr, value), True)
    if kind.__module__.partition(".")[0] in _LIBRARIES:
        return None
    if isinstance(value, FunctionType):
        if (value.__module__ or "").partition(".")[0] in _LIBRARIES:
            return None
        cells = zip(value.__code__.co_freevars, value.__closure__ or (), strict=False)
        inside = {f"'s {name}": value.__globals__.get(name) for name in _names(value.__code__)}
        return inside | {f"'s {name}": _content(cell) for name, cell in cells}
    if isinstance(value, MethodType):
        return {".__self__": value.__self__, ".__func__": value.__func__}
    attributes = getattr(value, "__dict__", None)
    return {f".{name}": part for name, part in list(attributes.items())} if isinstance(attributes, dict) else None


def reachable(names: Mapping[str, object], depth: int = 1) -> Iterator[tuple[str, object]]:
    """Names with their values, then the parts of the values, as Python spells them; each value once."""
    level, seen = list(names.items()), set()
    for _ in range(depth + 1):
        yield from level
        parts = [
            (name + key, part) for name, value in level for key, part in (_parts(value, type(value)) or {}).items()
        ]
        level = [(name, part) for name, part in parts if id(part) not in seen]
        seen |= {id(part) for _, part in level}


def _content(cell: CellType) -> object:
    try:
        return cell.cell_contents
    except ValueError:  # not bound yet
        return None


def _difference(before: object, now: object, path: str) -> tuple[str, str, str] | None:
    if before is now:
        return None
    if isinstance(before, dict) and isinstance(now, dict):
        for key in (*before, *(key for key in now if key not in before)):
            if key not in before or key not in now:
                return path, f"{len(before)} parts", f"{len(now)} parts"
            found = _difference(before[key], now[key], path + key)
            if found is not None:
                return found
        return None
    return None if before == now else (path, _shown(before), _shown(now))


def _shown(snapshot: object) -> str:
    if isinstance(snapshot, tuple) and len(snapshot) == 2 and not isinstance(snapshot[1], bytes):
        return repr(snapshot[1])[:40]
    if isinstance(snapshot, tuple) and len(snapshot) == 3 and snapshot[1] is not None and isinstance(snapshot[0], type):
        return f"a {snapshot[0].__name__} of {snapshot[1]}"
    kind = snapshot[0] if isinstance(snapshot, tuple) else snapshot
    return f"a {kind.__name__}" if isinstance(kind, type) else "something else"
