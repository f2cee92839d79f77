"""The ranks of a job as a grid: their places, and the checks that all ranks agree."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ... import version
from .faults import RanksDiffer, digest, end_job_on_error, first_difference, known_everywhere, portable, timeout
from .partition import Block, Line, default_shape
from .wire import Traffic, Wire, reads_device_memory

if TYPE_CHECKING:
    from mpi4py.MPI import Comm


Result = TypeVar("Result")


def load_mpi() -> ModuleType:
    """mpi4py's MPI, or an error that says what to install."""
    try:
        from mpi4py import MPI
    except (ImportError, RuntimeError) as error:  # no mpi4py, or no MPI for it
        (reason, *_) = str(error).splitlines()
        raise ImportError(
            f"distributed objects need mpi4py and an MPI library: pip install 'grblas_gpu[mpi]' ({reason})"
        ) from None
    return MPI


class Grid:
    """The ranks of a communicator in rows and columns; rank k is at row k // columns, column k % columns.

    ``shape`` is a wide grid unless it is given (or GRBLAS_GPU_MPI_GRID says ``4x2``); ``(ranks, 1)`` is the 1-D
    partition by rows, ``(1, ranks)`` that by columns. Making a grid is collective, checks that all ranks run the same
    versions with the same settings, and from then on an error on one rank ends the job.

    >>> from grblas_gpu.distributed import Grid
    >>> grid = Grid()
    >>> grid.shape, grid.rank, grid.size
    ((1, 1), 0, 1)
    """

    def __init__(self, comm: Comm | None = None, shape: tuple[int, int] | None = None) -> None:
        if comm is None:
            comm = load_mpi().COMM_WORLD
        end_job_on_error(comm)
        comm = comm.Dup()  # separates our messages from the user's
        self.traffic = Traffic()
        device_memory = reads_device_memory(comm)
        self.everyone = Wire(comm, self.traffic, device_memory)
        self.rank, self.size = self.everyone.rank, self.everyone.size
        wanted = shape if shape is not None else shape_from_environment()
        self._check_alike(wanted)
        self.shape = default_shape(self.size) if wanted is None else wanted
        down, across = self.shape
        if down * across != self.size or down < 1:
            said = f"a grid of {down} x {across} needs {down * across} ranks; there are {self.size}"
            raise known_everywhere(ValueError(said))
        self.i, self.j = divmod(self.rank, across)
        self.row = Wire(comm.Split(self.i, self.j), self.traffic, device_memory)
        self.column = Wire(comm.Split(self.j, self.i), self.traffic, device_memory)

    def _check_alike(self, shape: tuple[int, int] | None) -> None:
        self.check_same(
            grblas_gpu=version.__version__,
            python=platform.python_version(),
            numpy=np.__version__,
            byte_order=sys.byteorder,
            grid=shape,
            timeout=timeout(),
        )

    def __repr__(self) -> str:
        return f"Grid({self.shape[0]} x {self.shape[1]}, rank {self.rank} of {self.size})"

    # ---- ownership ----------------------------------------------------------------------------------------------

    def line(self, size: int) -> Line:
        """A dimension of this size, partitioned for this grid."""
        return Line(size, *self.shape)

    def rows_of(self, size: int) -> Block:
        """The rows of this rank's block of a matrix with ``size`` rows."""
        return Block([self.line(size).row_block(self.i)])

    def columns_of(self, size: int) -> Block:
        """The columns of this rank's block of a matrix with ``size`` columns."""
        return Block(self.line(size).column_pieces(self.j))

    # ---- agreement ----------------------------------------------------------------------------------------------

    def check_same(self, **described: object) -> None:
        """Raise an error on every rank, unless all ranks have the same values.

        >>> Grid().check_same(scale=18, seed=1)
        """
        if self.size == 1:
            return
        # The checksum is short; ranks exchange the values only if it differs.
        sums = self.everyone.gather_small(np.array([digest(sorted(described.items()))], np.int64))
        if (sums != sums[0]).any():
            difference = first_difference(self.everyone.gather_objects(described))
            raise known_everywhere(RanksDiffer(f"the ranks of this job differ in {difference}"))

    def check_same_arrays(self, what: str, *arrays: object) -> None:
        """Raise an error on every rank, unless all ranks have equal arrays."""
        if self.size == 1:
            return
        sums = self.everyone.gather_small(np.array([digest(*arrays)], np.int64))[:, 0]
        if (sums != sums[0]).any():
            rank = int(np.flatnonzero(sums != sums[0])[0])
            said = f"{what}: rank {rank} was given other entries than rank 0; all ranks must give the same"
            raise known_everywhere(RanksDiffer(said))

    def together(self, work: Callable[[], Result]) -> Result:
        """``work()`` on every rank; if it fails on one, it fails on all of them, with that rank's error."""
        import pickle

        error: BaseException | None = None
        result: Any = None
        try:
            result = work()
        except Exception as raised:
            error = raised
        if self.size > 1 and self.everyone.add_up([int(error is not None)])[0]:
            errors = self.everyone.gather_objects(portable(error))
            if error is None:
                rank = next(rank for rank, data in enumerate(errors) if data)
                other = pickle.loads(errors[rank])
                other.add_note(f"raised on rank {rank}")
                raise known_everywhere(other)
            raise known_everywhere(error)
        if error is not None:
            raise error
        return result

    def on_machine(self, thing: object) -> tuple[int, list[Any]]:
        """The number of this rank on its machine, and an object from each rank of the machine."""
        shared = self.everyone.comm.Split_type(load_mpi().COMM_TYPE_SHARED)
        things = Wire(shared).gather_objects(thing)
        place = shared.Get_rank()
        shared.Free()
        return place, things


def shape_from_environment() -> tuple[int, int] | None:
    """GRBLAS_GPU_MPI_GRID as rows and columns."""
    text = os.environ.get("GRBLAS_GPU_MPI_GRID", "")
    return parse_shape(text) if text else None


def parse_shape(text: str) -> tuple[int, int]:
    """
    >>> parse_shape("4x2")
    (4, 2)
    """
    down, _, across = text.lower().partition("x")
    if not (down.isdigit() and across.isdigit()):
        raise ValueError(f"a grid is given as ROWSxCOLUMNS, 4x2 for example, not {text!r}")
    return int(down), int(across)
