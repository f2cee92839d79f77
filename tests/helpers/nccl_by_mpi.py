"""A stand-in for ``cupy`` in jobs of ranks without devices: arrays are NumPy's, and NCCL's calls are carried by MPI.

It implements the calls as CuPy documents them, checks their use, and fails on request.
"""

from __future__ import annotations

import itertools
import sys
import threading
from types import SimpleNamespace

import emulated_cupy
from mpi4py import MPI

UINT8 = 1
ID_BYTES = 128
_tags = itertools.count(1000)  # in step on all ranks


class NcclError(RuntimeError):
    """As NCCL's."""


class Nccl:
    """The module ``cupy.cuda.nccl`` of one rank."""

    NCCL_UINT8, NcclError = UINT8, NcclError

    def __init__(self, available: bool = True, fails: str = "", carries: bool = True, stuck: bool = False) -> None:
        self.available, self._fails, self._carries, self._stuck = available, fails, carries, stuck
        self.aborted = 0
        self.groups: list[list[tuple[str, int, int]]] = []  # calls of each group: name, bytes, the other rank
        self._open = None
        self._stream = []
        self.lost = False
        self._tag = next(_tags)

    def get_unique_id(self) -> tuple[int, ...]:
        self._may_fail("get_unique_id")
        return (7,) * ID_BYTES

    def groupStart(self) -> None:
        assert self._open is None
        self._open = []
        self.groups.append([])

    def _may_fail(self, call: str) -> None:
        if self._fails == call:
            raise NcclError("unhandled system error")

    def groupEnd(self) -> None:
        self._may_fail("groupEnd")
        assert self._open is not None
        self._stream += [start() for start in self._open] if self._carries else []
        self._open = None

    def NcclCommunicator(self, size: int, unique: tuple[int, ...], rank: int):
        world = MPI.COMM_WORLD
        assert (size, rank) == (world.Get_size(), world.Get_rank())
        assert unique == (7,) * ID_BYTES
        self._may_fail("NcclCommunicator")
        if self._stuck:  # another rank is missing
            threading.Event().wait()

        def call(kind: str, start):
            def later(address: int, count: int, datatype: int, peer: int, stream: int) -> None:
                assert self._open is not None, "outside of a group"
                assert (datatype, stream) == (UINT8, STREAM)
                memory = MPI.memory.fromaddress(address, count)
                self.groups[-1].append((kind, count, peer))
                self._open.append(lambda: start([memory, MPI.BYTE], peer, self._tag))

            return later

        return SimpleNamespace(
            send=call("send", world.Isend),
            recv=call("recv", world.Irecv),
            check_async_error=self._check,
            abort=self._abort,
        )

    def _abort(self) -> None:
        self.aborted += 1
        self.lost = True

    def _check(self) -> None:
        if self.lost:
            raise NcclError("remote process exited or there was a network error")

    @property
    def done(self) -> bool:
        self._stream = [request for request in self._stream if not request.Test()]
        return not self._stream


STREAM = 42


def cupy_with(nccl: Nccl, device: str):
    """The module ``cupy`` of a rank with this device, whose stream is the one of ``nccl``."""

    class Stream:
        ptr = STREAM

        def __init__(self, non_blocking: bool = False) -> None:
            self.non_blocking = non_blocking

        def __enter__(self) -> None:
            assert self.non_blocking

        def __exit__(self, *error: object) -> None:
            pass

        @property
        def done(self) -> bool:
            return nccl.done

    cupy = emulated_cupy.module(runs=False)
    cuda = cupy.cuda
    cuda.get_current_stream, cuda.Stream, cuda.Memory = Stream, Stream, emulated_cupy.alloc
    cuda.runtime.deviceGetPCIBusId = lambda number: device
    cuda.runtime.setDevice = [0].index  # the only device
    cuda.runtime.CUDARuntimeError, cuda.runtime.ipcGetMemHandle = CUDARuntimeError, _no_handle
    return cupy


class CUDARuntimeError(RuntimeError):
    """As CuPy's."""


def _no_handle(address: int) -> bytes:
    raise CUDARuntimeError("cudaErrorNotSupported: operation not supported")


def install(nccl: Nccl | None, device: str) -> None:
    """From now on ``import cupy`` and ``from cupy.cuda import nccl`` find these; None: CuPy without the latter."""
    cupy = cupy_with(Nccl() if nccl is None else nccl, device)
    sys.modules["cupy"], sys.modules["cupy.cuda"] = cupy, cupy.cuda
    if nccl is not None:
        cupy.cuda.nccl = nccl


def uninstall() -> None:
    del sys.modules["cupy"], sys.modules["cupy.cuda"]
