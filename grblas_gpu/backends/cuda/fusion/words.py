"""Numbers as the words that a kernel is given, and back."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np


def bits(value: Any, dtype: np.dtype) -> int:
    """A number as a word.

    >>> bits(1.5, np.dtype("float64")) == 0x3ff8000000000000, bits(True, np.dtype(bool))
    (True, 1)
    """
    if dtype.kind == "f":
        form = "<d" if dtype.itemsize == 8 else "<f"
        return int.from_bytes(struct.pack(form, value), "little", signed=dtype.itemsize == 8)
    number = int(value)
    return number - 2**64 if number >= 2**63 else number


def from_bits(word: int, dtype: np.dtype) -> np.generic:
    """The number in a word.

    >>> from_bits(bits(-2, np.dtype("int8")), np.dtype("int8"))
    np.int8(-2)
    """
    raw = (word & (2**64 - 1)).to_bytes(8, "little")
    return np.frombuffer(raw[: dtype.itemsize], dtype)[0]
