"""``gb.Recorder``: python-graphblas's list of calls, as a view of a trace."""

from __future__ import annotations

from collections.abc import Iterator

from .records import Trace, current


class Recorder:
    """A list of the operations that ran. python-graphblas lists calls of the C library instead.

    ``max_rows`` limits the printed lines. :func:`grblas_gpu.trace` has more detail.

    >>> import grblas_gpu as gb
    >>> v = gb.Vector.from_coo([0, 1], [1, 2])
    >>> with gb.Recorder() as recorder:
    ...     total = v.reduce().new()
    >>> recorder.data
    ['reduce -> 1']
    """

    def __init__(self, *, start: bool = True, max_rows: int | None = 20) -> None:
        self.max_rows = max_rows
        self._trace = Trace()
        self._started = False
        if start:
            self.start()

    @property
    def data(self) -> list[str]:
        """A line for each operation: its name, its strategy if there is a choice, and how many entries came out."""
        return [" ".join(filter(None, (r.op, r.strategy, f"-> {r.output_nvals}"))) for r in self._trace.records]

    @property
    def is_recording(self) -> bool:
        """Whether operations are recorded now, and by this recorder."""
        return self._started and current() is self._trace

    def start(self) -> None:
        """Start to record; earlier records stay."""
        if not self._started:
            self._trace.__enter__()
            self._started = True

    def stop(self) -> None:
        """Record no more."""
        if self._started:
            self._trace.__exit__()
            self._started = False

    def clear(self) -> None:
        """Delete all records."""
        self._trace.records.clear()

    def __enter__(self) -> Recorder:
        self.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self.stop()

    def __iter__(self) -> Iterator[str]:
        return iter(self.data)

    def __len__(self) -> int:
        return len(self._trace.records)

    def __repr__(self) -> str:
        lines = self.data
        if self.max_rows is not None and len(lines) > self.max_rows:
            hidden = f"... {len(lines) - self.max_rows} more; set `max_rows` to see more (or less) ..."
            lines = [*lines[: self.max_rows // 2], hidden, *lines[len(lines) - (self.max_rows + 1) // 2 :]]
        state = "recording" if self.is_recording else "not recording"
        head = f"gb.Recorder ({state})"
        return "\n".join([head, "-" * len(head), *(f"  {line}" for line in lines)])
