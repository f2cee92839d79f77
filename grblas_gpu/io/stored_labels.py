"""Labels of nodes as bytes and back, without pickle: loading an untrusted file can only create values."""

from __future__ import annotations

import json

import numpy as np


def labels_to_bytes(labels: list) -> np.ndarray | None:
    """Labels in JSON as an array of bytes; None if every label is the number of its node.

    Text, numbers, None and tuples of these can be stored; other labels raise TypeError.

    >>> bytes(labels_to_bytes(["ann", ("x", 1)]))
    b'["ann",{"tuple":["x",1]}]'
    >>> labels_to_bytes([0, 1, 2]) is None
    True
    """
    if all(type(label) is int and label == i for i, label in enumerate(labels)):
        return None
    text = json.dumps([_plain(label) for label in labels], separators=(",", ":"), ensure_ascii=False)
    return np.frombuffer(text.encode(), np.uint8)


def labels_from_bytes(array: np.ndarray) -> list:
    """The stored labels; ValueError if they cannot be read.

    >>> labels_from_bytes(labels_to_bytes(["ann", ("x", 1)]))
    ['ann', ('x', 1)]
    """
    stored = json.loads(array.tobytes().decode())
    if not isinstance(stored, list):
        raise ValueError("labels are not a list")
    return [_restored(label) for label in stored]


def _plain(label: object) -> object:
    label = label.item() if isinstance(label, np.generic) else label
    if isinstance(label, tuple):
        return {"tuple": [_plain(part) for part in label]}
    if label is None or isinstance(label, (str, int, float)):
        return label
    raise TypeError(
        f"save: a label must be text, a number, None or a tuple of these; got {label!r} of type {type(label).__name__}"
    )


def _restored(label: object) -> object:
    if isinstance(label, dict):
        (parts,) = label.values()
        return tuple(_restored(part) for part in parts)
    if isinstance(label, list):
        raise ValueError("a label is a list")
    return label
