"""Columns of numbers from text, some megabytes at a time on all cores: what large edge lists are read with.

A compiled kernel parses blocks of whole lines. It understands integers below 10**18 and decimal numbers. Other lines
stop it, and the message names the first one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache, partial
from itertools import islice
from typing import NamedTuple

import numpy as np

from ..backends.cpu.compile import load
from ..backends.cpu.pool import run, threads
from ..foundation.border import shown
from .text_files import Block, whole_lines

LARGE = 2**18  # characters: loading the compiled parser pays
_NEWLINE = b"\n"

# Eight digits are read as one word, the first digit in its lowest byte. Functions of a text in steps would count its
# references in each call, so the loop over words is part of the kernel.
_SOURCE = '''\
@kernel
def eight(text, p):
    p = U(p)  # Numba looks for negative places otherwise
    low = U(text[p]) | U(text[p + U(1)]) << U(8) | U(text[p + U(2)]) << U(16) | U(text[p + U(3)]) << U(24)
    high = U(text[p + U(4)]) | U(text[p + U(5)]) << U(8) | U(text[p + U(6)]) << U(16) | U(text[p + U(7)]) << U(24)
    return (low | high << U(32)) ^ U(0x3030303030303030)

@kernel
def digits_in(word):
    """How many bytes are digits, before the first other one."""
    other = ((word + U(0x7676767676767676)) | word) & U(0x8080808080808080)
    first = (other & (~other + U(1))) >> U(7)
    return np.int64((first * U(0x0001020304050607)) >> U(56)) if other else 8

@kernel
def number_in(word, digits):
    """The number that the first digits make: pairs of digits, then fours, then all."""
    word = word << U(64 - 8 * digits & 63) if digits else U(0)
    word = word * U(10) + (word >> U(8))
    fours = (word & U(0x000000FF000000FF)) * U(0x000F424000000064)
    return (fours + ((word >> U(16)) & U(0x000000FF000000FF)) * U(0x0000271000000001)) >> U(32)

@kernel
def high_part(a, b):
    """The upper half of a product of 128 bits."""
    half = U(0xFFFFFFFF)
    middle = (a >> U(32)) * (b & half) + ((a & half) * (b & half) >> U(32))
    other = (a & half) * (b >> U(32)) + (middle & half)
    return (a >> U(32)) * (b >> U(32)) + (middle >> U(32)) + (other >> U(32))

@kernel
def nearest(number, exponent, fives):
    """The bits of the double next to number * 10**exponent, or all bits if 128 bits of the power do not tell it, or it
    is tiny or huge. (D. Lemire, Number Parsing at a Gigabyte per Second, 2021)
    """
    if number == U(0) or exponent < -342 or exponent > 308:
        return ~U(0) if number else U(0)
    zeros = 0
    for step in (32, 16, 8, 4, 2, 1):
        if number >> U(64 - step) == U(0):
            number <<= U(step)
            zeros += step
    high, low = high_part(number, fives[exponent + 342, 0]), number * fives[exponent + 342, 0]
    if high & U(0x1FF) == U(0x1FF):
        more = high_part(number, fives[exponent + 342, 1])
        low += more
        high += U(1) if low < more else U(0)
        if low == ~U(0) and (exponent < -27 or exponent > 55):
            return ~U(0)
    shift = (high >> U(63)) + U(9)
    mantissa = high >> shift
    power = (217706 * exponent >> 16) + 1077 + np.int64(shift) - zeros
    if power <= 0 or power >= 2046:
        return ~U(0)
    if low <= U(1) and -4 <= exponent <= 23 and mantissa & U(3) == U(1) and mantissa << shift == high:
        mantissa -= U(1)  # halfway between two doubles
    return ((mantissa + (mantissa & U(1))) >> U(1)) + (U(power - 1) << U(52))

@kernel
def kernel(text, slots, more, separator, whole, real, hard, fives):
    """Rows, hard numbers, and where it stopped (-1: at the end). A slot is -1 (skip) or a column of ``whole``; the
    slot after the last one is ``real``. The host parses hard numbers.
    """
    real_bits = real.view(np.uint64)
    tabs, plain = separator != 9, len(slots) == len(whole) + (len(real) > 0) and separator != 10
    length, row, difficult, p = len(text), 0, 0, 0
    while p < length:
        while plain:  # most lines: numbers without signs and exponents
            field, c, q = 0, 0, p
            while field < len(slots):
                slot, number = slots[U(field)], U(0)
                begin, point = q, 0
                while True:
                    count = 8
                    while count == 8 and q < min(length - 7, begin + 20):
                        word = eight(text, q)
                        count = digits_in(word)
                        number = number * tens[U(count)] + number_in(word, count)
                        q += count
                    if count == 8:
                        break
                    c = text[U(q)]
                    q += 1
                    if c != 46 or point > 0 or slot < len(whole):
                        break
                    point = q
                digits = q - begin - (2 if point else 1)
                if count == 8 or digits == 0 or digits > 19 or (number >> U(63) and slot < len(whole)):
                    break
                if slot < len(whole):
                    whole[U(slot), U(row)] = np.int64(number)
                elif number >> U(53):
                    word = nearest(number, point - q + 1 if point else 0, fives)
                    real_bits[U(row)] = word
                    if word == ~U(0):
                        break
                else:
                    real[U(row)] = np.float64(np.int64(number)) / powers[U(q - 1 - point if point else 0)]
                field += 1
                if c != separator and (c != 9 or separator != 32):
                    break
                while text[U(q)] == 32:
                    q += 1
            if c == 13 and field == len(slots):
                c = text[U(q)]
                q += 1
            if c != 10 or field < len(slots):
                break
            p, row = q, row + 1
            if p == length:
                return row, difficult, -1
        c = text[p]
        if c == 10 or c == 32 or c == 13 or c == 9:
            p += 1
            continue
        start = p
        if c == 35 or c == 37:
            while p < length and text[p] != 10:
                p += 1
            continue
        field = 0
        while True:
            slot = slots[field] if field < len(slots) else -1
            if field >= len(slots) and not more:
                return row, difficult, start
            begin = p
            if slot < 0:
                while p < length and text[p] != 10 and text[p] != separator and not (
                    separator == 32 and (text[p] == 9 or text[p] == 13)
                ):
                    p += 1
            else:
                negative = p < length and text[p] == 45
                if p < length and (text[p] == 45 or text[p] == 43):
                    p += 1
                mantissa, fraction, exponent = np.int64(0), 0, 0
                first = p
                while p < length and text[p] == 48:
                    p += 1
                seen = p - first
                first = p
                while p < length and 48 <= text[p] <= 57:  # may wrap around: then there are too many digits
                    mantissa = mantissa * 10 + np.int64(text[p] - 48)
                    p += 1
                digits = p - first
                seen += digits
                if slot < len(whole):
                    least = negative and mantissa == -mantissa  # -(2**63), or 0
                    if seen == 0 or digits > 19 or (mantissa < 0 and not least):  # beyond 64 bits
                        return row, difficult, start
                    whole[slot, row] = -mantissa if negative else mantissa
                else:
                    if p < length and text[p] == 46:
                        p += 1
                        while p < length and 48 <= text[p] <= 57:
                            if digits < 18:
                                mantissa = mantissa * 10 + np.int64(text[p] - 48)
                                fraction += 1
                            digits += 1 if mantissa else 0
                            seen += 1
                            p += 1
                    simple = seen > 0
                    if simple and p < length and (text[p] == 101 or text[p] == 69):
                        q = p + 1
                        down = q < length and text[q] == 45
                        if q < length and (text[q] == 45 or text[q] == 43):
                            q += 1
                        first = q
                        while q < length and 48 <= text[q] <= 57 and exponent < 10000:
                            exponent = exponent * 10 + np.int64(text[q] - 48)
                            q += 1
                        if q == first:
                            return row, difficult, start
                        p = q
                        exponent = -exponent if down else exponent
                    word = nearest(U(mantissa), exponent - fraction, fives) if simple and digits <= 18 else ~U(0)
                    real_bits[row] = word | (U(1) << U(63) if negative else U(0))
                    if word == ~U(0):  # many digits, or inf and nan
                        while p < length and text[p] != 10 and text[p] != 32 and text[p] != 13 and text[p] != 9:
                            if text[p] == separator:
                                break
                            p += 1
                        hard[difficult, 0], hard[difficult, 1], hard[difficult, 2] = row, begin, p
                        difficult += 1
            field += 1
            before = p
            while p < length and (text[p] == 32 or text[p] == 13 or (tabs and text[p] == 9)):
                p += 1
            if p >= length or text[p] == 10 or text[p] == 35:
                break
            if text[p] == separator:
                p += 1
                while p < length and (text[p] == 32 or text[p] == 13 or (tabs and text[p] == 9)):
                    p += 1
            elif separator != 32 or p == before:
                return row, difficult, start
        for later in range(field, len(slots)):
            if slots[later] >= 0:
                return row, difficult, start
        while p < length and text[p] != 10:
            p += 1
        row += 1
    return row, difficult, -1
'''
_CONSTANTS = f"powers = np.array({[10.0**k for k in range(23)]})\n"
_CONSTANTS += f"tens = np.array({[10**k for k in range(9)]}, np.uint64)\n"


class Fields(NamedTuple):
    """The fields of a line: their names, in the order of the columns wanted, and their places."""

    places: tuple[int, ...]  # of source, target and perhaps weight
    real: bool = False  # whether the last one is a decimal number
    more: bool = False  # whether other fields may follow
    delimiter: str | None = None  # None is white space


class Malformed(ValueError):
    """A line without the wanted numbers."""


def columns(pieces: Iterable[bytes], name: str, fields: Fields, expected: str, skip: int = 0) -> list[np.ndarray]:
    """The wanted columns of all lines, in the order of ``fields.places``, after ``skip`` lines.

    Empty lines, and lines that begin with # or %, are skipped.

    >>> columns([b"# x\\n1 2 0.5\\n3 4", b" 1e2\\n"], "e.txt", Fields((0, 1, 2), real=True), "source target weight")
    [array([1, 3]), array([2, 4]), array([  0.5, 100. ])]
    >>> columns([b"1 2\\n3 x\\n"], "e.txt", Fields((0, 1)), "source target")
    Traceback (most recent call last):
    grblas_gpu.io.number_columns.Malformed: e.txt: line 2: expected source target, found '3 x'
    """
    found = list(parsed_blocks(pieces, name, fields, expected, skip)) or [_parse((1, b"", 0), fields)[0]]
    return [np.concatenate(each) if len(each) > 1 else each[0] for each in zip(*found, strict=True)]


def parsed_blocks(
    pieces: Iterable[bytes], name: str, fields: Fields, expected: str, skip: int = 0
) -> Iterator[list[np.ndarray]]:
    """The columns of some megabytes of lines at a time."""
    for batch in _batches(whole_lines(pieces, name), 2 * threads()):  # bounds the memory of text
        while skip and batch[0][1]:
            line, block, count = batch[0]
            batch[0], skip = (line + 1, block[block.find(_NEWLINE) + 1 :], count - 1), skip - 1
        results = run(partial(_parse, fields=fields), batch)
        for (line, block, _), (parsed, stopped) in zip(batch, results, strict=True):
            if stopped >= 0:
                raise _malformed(block, stopped, line, name, expected)
            yield parsed


def _batches(blocks: Iterator[Block], count: int) -> Iterator[list[Block]]:
    while batch := list(islice(blocks, count)):
        yield batch


def _parse(lines: Block, fields: Fields) -> tuple[list[np.ndarray], int]:
    """The columns of a block, and the place of the first malformed line (-1: there is none)."""
    _, block, rows = lines
    text = np.frombuffer(block, np.uint8)
    slots = np.full(max(fields.places) + 1, -1, np.int64)
    slots[list(fields.places)] = np.arange(len(fields.places))
    whole = np.empty((len(fields.places) - fields.real, rows), np.int64)
    real = np.empty(rows if fields.real else 0, np.float64)
    hard = np.empty((len(real), 3), np.int64)
    separator = ord(fields.delimiter or " ")
    count, difficult, stopped = load(_CONSTANTS + _SOURCE)(
        text, slots, fields.more, separator, whole, real, hard, _fives()
    )
    for row, begin, end in hard[:difficult].tolist():
        field = block[begin:end]
        try:
            real[row] = float(field)
        except ValueError:
            return [], begin
        if b"_" in field:  # Python's own
            return [], begin
    return [*whole[:, :count], *([real[:count]] if fields.real else [])], stopped


@cache
def _fives() -> np.ndarray:
    """The first 128 bits of the powers of ten from 1e-342 to 1e308; below 1e-27 they are rounded up."""
    words = []
    for exponent in range(-342, 309):
        power = 5 ** abs(exponent)
        size = power.bit_length()
        inverse = (1 << size + 127) // power + (exponent >= -27)
        bits = inverse if exponent < 0 else power << 128 >> size
        words.append((bits >> 64, bits & (1 << 64) - 1))
    return np.array(words, np.uint64)


def _malformed(block: bytes, place: int, line: int, name: str, expected: str) -> Malformed:
    start = block.rfind(_NEWLINE, 0, place) + 1
    number = line + block.count(_NEWLINE, 0, start)
    text = block[start : block.find(_NEWLINE, start)].strip()
    return Malformed(f"{name}: line {number}: expected {expected}, found {shown(text)}")


def whole(weights: np.ndarray) -> np.ndarray:
    """Numbers as integers, if all are and none may have been rounded.

    >>> whole(np.array([2.0, 3.0])), whole(np.array([2.0, 1e300]))
    (array([2, 3]), array([2.e+000, 1.e+300]))
    """
    exact = not (weights % 1).any() and bool((np.abs(weights) <= 2**53).all())
    return weights.astype(np.int64) if exact else weights


def first_line(text: bytes | str) -> Sequence[str]:
    """The fields, separated by white space, of the first line that is not a comment."""
    for line in (text.decode("utf-8", "replace") if isinstance(text, bytes) else text).splitlines():
        if line.strip() and line.strip()[0] not in "#%":
            return line.split()
    return ()
