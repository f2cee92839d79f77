"""Errors between ranks: clear messages, and the end of the whole job instead of an endless wait."""

from __future__ import annotations

import os
import pickle
import sys
import time
import traceback
import zlib
from types import TracebackType
from typing import TYPE_CHECKING

import numpy as np

from ...exceptions import GraphblasException

if TYPE_CHECKING:
    from mpi4py.MPI import Comm

DEFAULT_TIMEOUT = 120.0  # seconds
MOMENT = 0.2  # seconds for a launcher to forward the output before it ends the job
PATIENCE = 5.0  # seconds until a rank ends the job itself, if rank 0 has not


class PeerTimeout(GraphblasException):
    """A rank waited longer than GRBLAS_GPU_MPI_TIMEOUT seconds for the others.

    >>> from grblas_gpu.distributed import PeerTimeout
    >>> print(PeerTimeout("alltoallv: no answer"))
    alltoallv: no answer
    """


class RanksDiffer(GraphblasException):
    """The ranks of a job have different versions, settings or inputs.

    >>> from grblas_gpu.distributed import RanksDiffer
    >>> print(RanksDiffer("version: rank 0 has 1, rank 1 has 2"))
    version: rank 0 has 1, rank 1 has 2
    """


def timeout() -> float:
    """The seconds that a rank waits for the others: GRBLAS_GPU_MPI_TIMEOUT, else 120."""
    text = os.environ.get("GRBLAS_GPU_MPI_TIMEOUT", "")
    try:
        seconds = float(text) if text else DEFAULT_TIMEOUT
    except ValueError:
        raise ValueError(f"GRBLAS_GPU_MPI_TIMEOUT must be a number of seconds, not {text!r}") from None
    if not seconds > 0:
        raise ValueError(f"GRBLAS_GPU_MPI_TIMEOUT must be more than 0 seconds, not {text!r}")
    return seconds


def first_difference(described: list[dict[str, object]]) -> str:
    """The first item on which the ranks differ, or an empty string.

    >>> first_difference([{"version": "1", "seed": 3}, {"version": "1", "seed": 4}])
    'seed: rank 0 has 3, rank 1 has 4'
    """
    for name, value in described[0].items():
        for rank, other in enumerate(described):
            if other.get(name) != value:
                return f"{name}: rank 0 has {value!r}, rank {rank} has {other.get(name)!r}"
    return ""


def digest(*parts: object) -> int:
    """A checksum of arguments that should be equal on all ranks.

    >>> digest(1, "a", np.arange(3)) == digest(1, "a", np.arange(3))
    True
    """
    value = 0
    for part in parts:
        if isinstance(part, np.ndarray) and part.dtype.names:  # padding between fields is undefined
            value = digest(value, str(part.dtype), *(part[name] for name in part.dtype.names))
        elif isinstance(part, np.ndarray):
            stored = part[:1] if part.size and part.strides and not any(part.strides) else part
            data = np.ascontiguousarray(stored).view(np.uint8).data
            value = zlib.crc32(data, zlib.crc32(f"{part.dtype}{part.shape}".encode(), value))
        else:
            value = zlib.crc32(repr(part).encode(), value)
    return value


def portable(error: BaseException | None) -> bytes:
    """An exception as bytes for other ranks; only its text, if it cannot be pickled."""
    if error is None:
        return b""
    try:
        data = pickle.dumps(error)
        pickle.loads(data)
    except Exception:  # an exception's own pickling may raise anything
        data = pickle.dumps(RuntimeError(f"{type(error).__name__}: {error}"))
    return data


def known_everywhere(error: BaseException) -> BaseException:
    """Mark an error that every rank raises: one of them is enough to report it."""
    error.__dict__["everywhere"] = True
    return error


def end_job_on_error(comm: Comm) -> None:
    """An uncaught exception on one rank prints its traceback and ends all ranks, with exit code 1."""
    before = sys.excepthook
    if comm.Get_size() == 1 or getattr(before, "ends_job", False):
        return

    def report_and_abort(kind: type[BaseException], error: BaseException, where: TracebackType | None) -> None:
        if getattr(error, "everywhere", False) and comm.Get_rank() != 0:
            time.sleep(PATIENCE)  # all ranks have this error, and rank 0 reports it
        abort(comm, "".join(traceback.format_exception(kind, error, where)))

    report_and_abort.__dict__["ends_job"] = True
    sys.excepthook = report_and_abort


def abort(comm: Comm, text: str) -> None:
    """Print the reason to standard error, and end the job."""
    marked = "".join(f"[rank {comm.Get_rank()}] {line}\n" for line in text.rstrip().splitlines())
    sys.stdout.flush()
    sys.stderr.flush()
    os.write(2, marked.encode())  # in one call, so that the lines of several ranks do not mix
    time.sleep(MOMENT)
    comm.Abort(1)
