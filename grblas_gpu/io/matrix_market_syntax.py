"""A check of the lines of a Matrix Market file before the fast parser reads them.

The parser reads the longest prefix that is a number and skips the rest of the line: in a file of integers it reads
``2.9`` as 2, and ``0x10`` as 0. One regular expression matches all good lines of a block. Its quantifiers are
possessive, which never go back, so that the match is as fast as a scan, and ends at the first bad line.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ..foundation.border import shown

_INTEGER = rb"[+-]?+[0-9]++"
_NAMED = rb"[iI][nN][fF](?:[iI][nN][iI][tT][yY])?+|[nN][aA][nN]"
_REAL = rb"[+-]?+(?:(?:[0-9]++\.?+[0-9]*+|\.[0-9]++)(?:[eE][+-]?+[0-9]++)?+|" + _NAMED + rb")"
_FIELDS = {b"integer": [_INTEGER], b"unsigned-integer": [_INTEGER], b"real": [_REAL], b"double": [_REAL]}
_FIELDS |= {b"complex": [_REAL, _REAL], b"pattern": []}


class Grammar(NamedTuple):
    """The lines of one kind of file; empty lines are good, too."""

    fields: int
    lines: re.Pattern[bytes]

    def check(self, text: bytes, first_line: int, name: str) -> None:
        """Check complete lines, and raise an error about the first bad one."""
        good = self.lines.match(text)
        end = good.end() if good else 0
        if end < len(text):
            number, line = first_line + text.count(b"\n", 0, end), text[end : text.find(b"\n", end)]
            raise ValueError(f"{name}: Line {number}: expected {self.wanted}, found {shown(line)}")

    @property
    def wanted(self) -> str:
        return {1: "a number", 2: "two numbers", 3: "three numbers", 4: "four numbers"}[self.fields]


def grammar_of(form: bytes, field: bytes) -> Grammar | None:
    """The lines that follow the sizes, or None for files that the reader refuses itself."""
    values = _FIELDS.get(field)
    if values is None or form not in (b"coordinate", b"array"):
        return None
    fields = ([rb"\+?+[0-9]++"] * 2 if form == b"coordinate" else []) + values
    if not fields:
        return None
    line = rb"[ \t\r]++".join(rb"(?:" + each + rb")" for each in fields)
    return Grammar(len(fields), re.compile(rb"(?:[ \t\r]*+(?:" + line + rb"[ \t\r]*+)?+\n)*+"))
