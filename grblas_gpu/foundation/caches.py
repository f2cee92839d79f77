"""Caches with bounds, whose sizes :func:`grblas_gpu.config.caches` reports."""

from __future__ import annotations

from typing import Any, NamedTuple


class Size(NamedTuple):
    """The number of entries of a cache, and its bound."""

    entries: int
    most: int


class Bounded(dict[Any, Any]):
    """A dictionary of at most ``most`` entries: a new entry replaces the oldest one.

    >>> squares = Bounded("squares of a doctest", 2)
    >>> for x in range(4):
    ...     squares[x] = x * x
    >>> squares, sizes()["squares of a doctest"]
    ({2: 4, 3: 9}, Size(entries=2, most=2))
    """

    def __init__(self, name: str, most: int) -> None:
        super().__init__()
        self.most = most
        _caches[name] = self

    def __setitem__(self, key: object, value: object) -> None:
        while len(self) >= self.most and key not in self:
            self.pop(next(iter(self), None), None)
        super().__setitem__(key, value)


_caches: dict[str, Bounded] = {}


def sizes() -> dict[str, Size]:
    """The sizes of all caches by name."""
    return {name: Size(len(cache), cache.most) for name, cache in sorted(_caches.items())}
