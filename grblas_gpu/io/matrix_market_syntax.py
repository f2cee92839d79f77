"""A check of the lines of a Matrix Market file before the fast parser reads them.

The parser reads the longest prefix that is a number and skips the rest of the line: in a file of integers it reads
``2.9`` as 2, and ``0x10`` as 0. A scan of the characters accepts most text, and is faster than parsing it. The scan
tests which characters occur, which follow each other, and the number of fields per line. Text that the scan does not
accept is checked line by line against the grammar.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from ..foundation.border import shown

_INTEGER = rb"[+-]?[0-9]+"
_NAMED = rb"[iI][nN][fF](?:[iI][nN][iI][tT][yY])?|[nN][aA][nN]"
_REAL = rb"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|" + _NAMED + rb")"
_FIELDS = {b"integer": [_INTEGER], b"unsigned-integer": [_INTEGER], b"real": [_REAL], b"double": [_REAL]}
_FIELDS |= {b"complex": [_REAL, _REAL], b"pattern": []}

# Classes of characters: white space 0, the end of a line 1, digits 2, signs 3, point 4, exponent 5, others 7.
_WHITE, _END, _DIGIT, _SIGN, _POINT, _EXPONENT, _OTHER = 0, 1, 2, 3, 4, 5, 7
_CLASSES = bytearray([_OTHER] * 256)
for _characters, _class in ((b" \t\r", _WHITE), (b"\n", _END), (b"0123456789", _DIGIT), (b"+-", _SIGN), (b".", _POINT)):
    for _character in _characters:
        _CLASSES[_character] = _class
_CLASSES[ord("e")] = _CLASSES[ord("E")] = _EXPONENT
_TABLE = bytes(_CLASSES)

_FOLLOWS = np.zeros((8, 8), bool)  # [a, b]: whether class b may follow class a
for _first, _seconds in {
    _WHITE: (_WHITE, _END, _DIGIT, _SIGN, _POINT),
    _END: (_WHITE, _DIGIT, _SIGN, _POINT),
    _DIGIT: (_WHITE, _END, _DIGIT, _POINT, _EXPONENT),
    _SIGN: (_DIGIT, _POINT),
    _POINT: (_WHITE, _END, _DIGIT, _EXPONENT),
    _EXPONENT: (_DIGIT, _SIGN),
}.items():
    _FOLLOWS[_first, list(_seconds)] = True
_BAD_PAIRS = np.flatnonzero(~_FOLLOWS.reshape(-1))
#: In the points and exponents alone, a pair in one number. With digits as 2, a point without digits.
_TWICE = [bytes(pair) for pair in ((_POINT, _POINT), (_EXPONENT, _POINT), (_EXPONENT, _EXPONENT))]
_BARE = [
    bytes((before, _POINT, behind)) for before in (_WHITE, _END, _SIGN) for behind in (_WHITE, _END, _EXPONENT)
] + [bytes((_EXPONENT, _SIGN, _POINT))]
_DIGITS_AND_SIGNS = bytes((_DIGIT, _SIGN))


class Grammar(NamedTuple):
    """The syntax of a line of entries."""

    fields: int
    reals: bool  # points and exponents may occur
    line: re.Pattern[bytes]

    def check(self, text: bytes, first_line: int, name: str) -> None:
        """Raise ValueError with the number of the first malformed line. The text consists of whole lines."""
        if not self._is_plain(text):
            for number, line in enumerate(text.split(b"\n"), first_line):
                if not self.line.fullmatch(line):
                    raise ValueError(f"{name}: Line {number}: expected {self.wanted}, found {shown(line)}")

    @property
    def wanted(self) -> str:
        return {1: "a number", 2: "two numbers", 3: "three numbers", 4: "four numbers"}[self.fields]

    def _is_plain(self, text: bytes) -> bool:
        """Whether the scan of the characters is sufficient: no empty lines, no names for numbers."""
        kinds = text.translate(_TABLE)
        if any(kind in kinds for kind in ([_OTHER] if self.reals else [_OTHER, _POINT, _EXPONENT])):
            return False
        if self.reals:
            special = kinds.translate(None, _DIGITS_AND_SIGNS)
            if any(pair in special for pair in _TWICE) or any(bare in kinds for bare in _BARE):
                return False
        codes = np.frombuffer(b"\1" + kinds, np.uint8)
        pairs = codes[:-1] * np.uint8(8) + codes[1:]
        if np.bincount(pairs, minlength=64)[_BAD_PAIRS].any():
            return False
        starts = np.flatnonzero((codes[:-1] <= _END) & (codes[1:] > _END))
        ends = np.flatnonzero(codes[1:] == _END)
        if len(starts) != self.fields * len(ends):
            return False
        of_lines = starts.reshape(-1, self.fields)
        return bool((of_lines[1:, 0] > ends[:-1]).all() and (of_lines[:, -1] < ends).all())


def grammar_of(form: bytes, field: bytes) -> Grammar | None:
    """The grammar that a banner announces; None if it announces nothing known."""
    values = _FIELDS.get(field)
    if values is None or form not in (b"coordinate", b"array"):
        return None
    fields = ([rb"\+?[0-9]+"] * 2 if form == b"coordinate" else []) + values
    if not fields:
        return None
    line = rb"[ \t\r]*+" + rb"[ \t\r]++".join(rb"(?:" + each + rb")" for each in fields) + rb"[ \t\r]*+"
    return Grammar(len(fields), field in (b"real", b"double", b"complex"), re.compile(rb"[ \t\r]*+|" + line))
