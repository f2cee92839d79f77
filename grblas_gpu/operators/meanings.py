"""The meaning of built-in operators in words: for docstrings, ``help()`` and the tables of the reference."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ..foundation.types import Operator
from .tables import Form

#: Tables of words, by the names of operators or by expressions of their tables.
WORDS = tomllib.loads(Path(__file__).with_name("meanings.toml").read_text(encoding="utf-8"))


def meaning(op: Any) -> str:
    """The meaning of an operator; empty for a user-defined one without a docstring.

    >>> from grblas_gpu import agg, binary, semiring
    >>> meaning(binary.minus), meaning(semiring.min_plus), meaning(agg.mean)
    ('x - y', 'smallest x + y', 'mean')
    """
    name = op.name.rpartition(".")[2]
    if op._modname == "agg":
        return WORDS["aggregators"].get(name, "")
    if op._modname == "semiring" and hasattr(op, "monoid"):
        adds, product = WORDS["monoids"].get(op.monoid.name.rpartition(".")[2]), meaning(op.binaryop)
        return f"{adds or f'{op.monoid.name} of'} {product}" if product else ""
    if op._modname == "monoid" and hasattr(op, "binaryop"):
        return meaning(op.binaryop)
    if name in WORDS["by_name"]:
        return WORDS["by_name"][name]
    row = getattr(op, "_row", None)
    if row is None:
        doc = getattr(getattr(op, "orig_func", None) or getattr(op, "func", None), "__doc__", None)
        return doc.strip().partition("\n")[0] if doc else ""
    if not row.forms:
        return WORDS["positions"][row.positional] + (", counted from 1" if row.offset else "")
    source = real_form(row.forms).source
    return WORDS["plainly"].get(source, source.replace("np.", "").replace("math.", ""))


def description(op: Any) -> str:
    """The docstring of an operator.

    >>> from grblas_gpu import semiring
    >>> print(description(semiring.min_plus))
    semiring.min_plus: smallest x + y.
    <BLANKLINE>
    Adds with monoid.min, multiplies with binary.plus.
    x is a value of the left operand, y one of the right operand.
    Types: floats, integers.
    """
    typed = getattr(op, "parent", None)
    if typed is not None:
        return f"{description(typed)}\n\nThis is the operator for {op.type}, which returns {op.return_type}."
    said = [f"{op!r}: {meaning(op) or 'user-defined'}."]
    details = []
    if op._modname == "semiring" and hasattr(op, "monoid"):
        details.append(f"Adds with {op.monoid!r}, multiplies with {op.binaryop!r}.")
    if op._modname in WORDS["letters"]:
        details.append(WORDS["letters"][op._modname])
    types = types_text(op)
    if types:
        details.append(f"Types: {types}.")
    return "\n\n".join([*said, *(["\n".join(details)] if details else [])])


def listing(kind: str, ops: Iterable[tuple[str, Operator]]) -> str:
    """The operators of a namespace: a line for each, with its name and its meaning."""
    lines = [(name, meaning(op)) for name, op in ops]
    width = max((len(name) for name, _ in lines), default=0)
    head = WORDS["letters"].get(kind, "").replace("It keeps", "A selection keeps")
    if not lines:
        return head
    return f"{head}\n\n::\n\n" + "\n".join(f"    {name:{width}}  {text}".rstrip() for name, text in lines)


def real_form(forms: Sequence[Form]) -> Form:
    """The most general form of an operator that is not for complex numbers alone."""
    return next((form for form in reversed(forms) if "complex" not in form.source), forms[-1])


def types_text(op: Any) -> str:
    """The types that an operator takes, and the type that it returns where they differ."""
    if not getattr(op, "types", None):
        return ""
    groups = {"BOOL": "BOOL", "INT": "integers", "UINT": "integers", "FP": "floats", "FC": "complex"}
    taken = {groups[dtype.name.rstrip("0123456789")] for dtype in op.types}
    results = {str(result) for result in op.types.values()}
    text = "all" if taken == set(groups.values()) else ", ".join(sorted(taken))
    return f"{text} → {results.pop()}" if len(results) == 1 and len(op.types) > 1 else text
