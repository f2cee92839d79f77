"""Nodes and programs as text: handles by number, one operation a line."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .node import Handle, Node
from .ops import CONTROL, WHEN
from .recording import Number

LETTERS = "svA"  # scalar, vector, matrix


class Names:
    """Short names for handles, in the order in which they appear."""

    def __init__(self) -> None:
        self._names: dict[int, str] = {}
        self._handles: list[Handle] = []  # alive, so that identities stay theirs
        self._counts = [0, 0, 0]

    def of(self, x: Any) -> str:
        """An operand as text."""
        if type(x) is Number:
            return str(x.text)
        if getattr(x, "_is_transposed", False):
            return f"{self.of(x._matrix)}'"
        if getattr(x, "parent", None) is not None:
            return self.mask(x)
        if getattr(x, "_engine", None) is None:
            return str(x)
        if x.ndim == 0 and not x.name:  # a literal
            return str(x._content.text if type(x._content) is Number else x._content)
        if id(x) not in self._names:
            self._names[id(x)] = f"{LETTERS[x.ndim]}{self._counts[x.ndim]}"
            self._handles.append(x)
            self._counts[x.ndim] += 1
        return self._names[id(x)]

    def mask(self, mask: Any) -> str:
        return f"{'~' if mask.complement else ''}{self.of(mask.parent)}.{'S' if mask.structure else 'V'}"

    def declared(self) -> str:
        """Every handle with its type and shape."""
        shapes = ["x".join(map(str, x.shape)) for x in self._handles]
        parts = [
            f"{self._names[id(x)]}: {x.dtype}{f'[{shape}]' if shape else ''}"
            for x, shape in zip(self._handles, shapes, strict=True)
        ]
        return ", ".join(parts)


def node_text(node: Node, names: Names) -> str:
    """``v1<~v0.S, replace> += vxm.lor_land[BOOL](v1, A0)``."""
    out = names.of(node.out)
    through = [] if node.mask is None else [names.mask(node.mask)]
    through += ["replace"] if node.replace else []
    target = f"{out}<{', '.join(through)}>" if through else out
    sign = "=" if node.accum is None else f"{node.accum}="
    operator = "" if node.operator is None else f" {node.operator}"
    operands = ", ".join(names.of(x) for x in node.operands if x is not None)
    options = "" if node.descriptor is None else f"  {{{node.descriptor.non_default_fields}}}"
    return f"{target} {sign} {node.op.name}{operator} ({operands}){options}"


def condition_text(condition: Handle, limit: int | None, names: Names) -> str:
    if condition.ndim:
        text = f"{names.of(condition)}.nvals"
    elif condition._role == "object":
        text = names.of(condition)
    else:
        text = f"{condition.op}({', '.join(map(names.of, condition.args))})"
    return text if limit is None else f"{text}, at most {limit} times"


def _body(nodes: Iterable[Node], names: Names) -> list[str]:
    lines = []
    for node in nodes:
        if node.op not in CONTROL:
            lines.append(f"    {node_text(node, names)}")
            continue
        (program,) = node.operands
        word, limit = ("when", None) if node.op is WHEN else ("while", program.limit)
        inside = [f"{word} {condition_text(program.condition, limit, names)}:", *_body(program.nodes, names)]
        lines += [f"    {line}" for line in inside]
    return lines


def program_text(nodes: Iterable[Node], condition: object, limit: int | None) -> str:
    """The whole of a program; golden tests compare it."""
    names = Names()
    head = [] if condition is None else [f"while {condition_text(condition, limit, names)}:"]
    lines = _body(nodes, names) if head else [line.removeprefix("    ") for line in _body(nodes, names)]
    return "\n".join([f"program({names.declared()})", *head, *lines])
