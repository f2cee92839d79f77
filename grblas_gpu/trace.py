"""Seeing what happens: ``with gb.trace() as t:`` records every operation, its strategy and the reason for it."""

from __future__ import annotations

import time
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass
class Record:
    """One operation as it ran."""

    op: str
    seconds: float
    output_nvals: int
    strategy: str = ""
    reason: str = ""
    direction: str = ""
    input_nvals: int | None = None
    input_edges: int | None = None
    mask_nvals: int | None = None


class Trace:
    """Collects records while its ``with`` block is active; printing it shows a table.

    >>> import grblas_gpu as gb
    >>> v = gb.Vector.from_coo([0, 1], [1, 2])
    >>> with gb.trace() as t:
    ...     total = v.reduce().new()
    >>> [record.op for record in t.records]
    ['reduce']
    """

    def __init__(self) -> None:
        self.records: list[Record] = []

    def __enter__(self) -> Trace:
        self._token = _current.set(self)
        return self

    def __exit__(self, *exc: object) -> None:
        _current.reset(self._token)

    def __str__(self) -> str:
        head = ("op", "strategy", "input", "edges", "mask", "output", "ms", "reason")
        rows = [
            (
                r.op,
                r.strategy,
                _number(r.input_nvals),
                _number(r.input_edges),
                _number(r.mask_nvals),
                _number(r.output_nvals),
                f"{r.seconds * 1e3:.3f}",
                r.reason,
            )
            for r in self.records
        ]
        widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
        return "\n".join("  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)) for row in [head, *rows])


def _number(value: int | None) -> str:
    return "" if value is None else str(value)


_current: ContextVar[Trace | None] = ContextVar("grblas_gpu_trace", default=None)
current = _current.get
clock = time.perf_counter


def trace() -> Trace:
    """Record every operation of a ``with`` block.

    >>> from grblas_gpu import Matrix, Vector
    >>> A, v = Matrix.from_dense([[1, 2], [3, 4]]), Vector.from_dense([1, 10])
    >>> with trace() as t:
    ...     w = v.vxm(A).new(strategy="push.sort")
    >>> [(r.op, r.strategy, r.input_nvals, r.output_nvals) for r in t.records]
    [('vxm', 'push.sort', 2, 2)]
    """
    return Trace()
