"""C++ expressions as trees: arithmetic, comparisons, ``? :``, ``&& || !``, casts and function calls.

Recursive descent with one rule per level: ``choice`` (``? :``), ``chain`` (the binary operators, by precedence),
``prefix`` (signs, ``!``, ``~``, casts) and ``operand``.
"""

from __future__ import annotations

import re
from typing import NamedTuple, NoReturn

from ..errors import UdfParseError

#: Binary operators, those that bind loosest first.
LEVELS: tuple[tuple[str, ...], ...] = (
    ("||",),
    ("&&",),
    ("|",),
    ("^",),
    ("&",),
    ("==", "!="),
    ("<", ">", "<=", ">="),
    ("<<", ">>"),
    ("+", "-"),
    ("*", "/", "%"),
)
#: Names of types, as they are written, to the names of NumPy's types.
TYPES = {"bool": "bool", "char": "int8", "short": "int16", "int": "int32", "long": "int64", "long long": "int64"}
TYPES |= {"unsigned char": "uint8", "unsigned short": "uint16", "unsigned int": "uint32", "unsigned": "uint32"}
TYPES |= {"unsigned long": "uint64", "unsigned long long": "uint64", "signed char": "int8", "size_t": "uint64"}
TYPES |= {f"{name}{end}": name for name in "int8 int16 int32 int64".split() for end in ("", "_t")}
TYPES |= {f"u{name}": f"u{TYPES[name]}" for name in list(TYPES) if name.startswith("int") and name != "int"}
TYPES |= {"float": "float32", "double": "float64"}
_TYPE_WORDS = {word for name in TYPES for word in name.split()}
_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)[a-zA-Z]*)|(?P<name>(?:std::)?[A-Za-z_]\w*)"
    r"|(?P<sign>\|\||&&|==|!=|<=|>=|<<|>>|[-+*/%<>!~&|^?:(),]))"
)
_SHOWN = 500  # characters on either side of an error
_DEEPEST = 50  # of parentheses; the Python form has several for each
_PYTHON = {"**": "write pow(x, y)", "//": "write x / y, which drops the fraction of integers"}


class Node(NamedTuple):
    """``kind`` is one of number, name, call, cast, unary, binary, choice; ``at`` is a position in the text."""

    kind: str
    value: str
    parts: tuple[Node, ...]
    at: int


def refuse(text: str, at: int, reason: str) -> NoReturn:
    """Raise an error about a C++ expression, with the position."""
    shown, first = re.sub(r"\s", " ", text), 0  # on one line, as the mark below it
    if len(shown) > 2 * _SHOWN:
        first = max(0, at - _SHOWN)
        shown = f"{'...' if first else ''}{shown[first : at + _SHOWN]}{'...' if at + _SHOWN < len(text) else ''}"
        first -= 3 * bool(first)
    mark = " " * (at - first)
    raise UdfParseError(f"{reason}, at position {at} of the C++ expression\n    {shown}\n    {mark}^")


def parse(text: str) -> Node:
    """
    >>> parse("x * x + 1").value, parse("-x").kind
    ('+', 'unary')
    """
    return _Parser(text).whole()


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = _tokens(text)
        self.next = 0
        self.depth = 0

    def whole(self) -> Node:
        node = self.choice()
        if self.here()[0]:
            self.unexpected("an operator")
        return node

    def here(self) -> tuple[str, str, int]:
        """Kind, text and position of the next token; the kind is empty at the end."""
        return self.tokens[self.next] if self.next < len(self.tokens) else ("", "", len(self.text))

    def take(self, *wanted: str) -> str | None:
        kind, value, _ = self.here()
        if kind == "sign" and value in wanted:
            self.next += 1
            return value
        return None

    def expect(self, wanted: str) -> None:
        if not self.take(wanted):
            self.unexpected(f"`{wanted}`")

    def unexpected(self, wanted: str) -> NoReturn:
        _, value, at = self.here()
        refuse(self.text, at, f"expected {wanted}, found {f'`{value}`' if value else 'the end'}")

    def choice(self) -> Node:
        at = self.here()[2]
        self.depth += 1
        if self.depth > _DEEPEST:
            refuse(self.text, at, "nested too deeply")
        node = self.chain(0)
        if self.take("?"):
            yes = self.choice()
            self.expect(":")
            node = Node("choice", "?:", (node, yes, self.choice()), at)
        self.depth -= 1
        return node

    def chain(self, level: int) -> Node:
        """Operators of one level group from the left."""
        if level == len(LEVELS):
            return self.prefix()
        node = self.chain(level + 1)
        at = self.here()[2]
        while operator := self.take(*LEVELS[level]):
            node = Node("binary", operator, (node, self.chain(level + 1)), at)
            at = self.here()[2]
        return node

    def prefix(self) -> Node:
        at = self.here()[2]
        signs = []
        while operator := self.take("-", "+", "!", "~"):
            signs.append((operator, at))
            at = self.here()[2]
        start = self.next
        if self.take("(") and (name := self.type_name()) and self.take(")"):
            node = Node("cast", name, (self.prefix(),), at)
        else:
            self.next = start
            node = self.operand()
        for operator, place in reversed(signs):
            node = Node("unary", operator, (node,), place)
        return node

    def operand(self) -> Node:
        kind, value, at = self.here()
        if self.take("("):
            node = self.choice()
            self.expect(")")
            return node
        if kind == "number":
            self.next += 1
            return Node("number", value, (), at)
        if kind != "name":
            self.unexpected("an operand")
        if name := self.type_name():
            self.expect("(")
            return Node("cast", name, self.arguments(1), at)
        self.next += 1
        if value == "static_cast":
            return self.static_cast(at)
        if self.take("("):
            return Node("call", value, self.arguments(), at)
        return Node("name", value, (), at)

    def static_cast(self, at: int) -> Node:
        self.expect("<")
        name = self.type_name()
        if not name:
            self.unexpected("a type")
        self.expect(">")
        self.expect("(")
        return Node("cast", name, self.arguments(1), at)

    def arguments(self, count: int | None = None) -> tuple[Node, ...]:
        if self.take(")"):
            self.next -= 1
            self.unexpected("an operand")
        nodes = [self.choice()]
        while count != len(nodes) and self.take(","):
            nodes.append(self.choice())
        self.expect(")")
        return tuple(nodes)

    def type_name(self) -> str:
        """The NumPy name of a type of one or several words, or nothing."""
        words, start = [], self.next
        while self.here()[0] == "name" and self.here()[1] in _TYPE_WORDS:
            words.append(self.here()[1])
            self.next += 1
        if words and " ".join(words) not in TYPES:
            refuse(self.text, self.tokens[start][2], f"`{' '.join(words)}` is not a type that is known here")
        return TYPES[" ".join(words)] if words else ""


def _tokens(text: str) -> list[tuple[str, str, int]]:
    found = []
    at = 0
    while text[at:].strip():
        start = at + len(text[at:]) - len(text[at:].lstrip())
        if (python := text[start : start + 2]) in _PYTHON:
            refuse(text, start, f"`{python}` means something else in C++: {_PYTHON[python]}")
        match = _TOKEN.match(text, at)
        if match is None:
            refuse(text, start, f"`{text[start]}` has no place here")
        found.append((str(match.lastgroup), match[str(match.lastgroup)], start))
        at = match.end()
    return found
