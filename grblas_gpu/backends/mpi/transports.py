"""Selection of the transport for the frontiers of a search: once, by the abilities of all ranks, or forced.

GRBLAS_GPU_MPI_TRANSPORT is ``shared``, ``led``, ``ipc``, ``cuda-aware`` or ``mpi``. By default, ranks use
the first one that all of them can use.
"""

from __future__ import annotations

import os

import numpy as np

from ...foundation.types import Engine
from .faults import known_everywhere
from .grid import Grid
from .host_transports import Messages, SharedMemory, Transport
from .wire import Wire

ON_HOST, ON_DEVICE = ("shared", "mpi"), ("led", "ipc", "cuda-aware", "mpi")  # the best one first


def choose_transport(grid: Grid, on_device: bool) -> tuple[str, str]:
    """The name of the transport, and why better ones are unavailable; an error on all ranks or none. Collective."""
    wanted = os.environ.get("GRBLAS_GPU_MPI_TRANSPORT", "")
    grid.check_same(transport=wanted, on_device=on_device)
    if grid.size == 1:
        return "alone", ""
    offered = ON_DEVICE if on_device else ON_HOST
    if wanted and wanted not in offered:
        said = f"GRBLAS_GPU_MPI_TRANSPORT must be one of {', '.join(offered)} on these ranks, not {wanted!r}"
        raise known_everywhere(ValueError(said))
    refused: list[str] = []
    for name in [wanted] if wanted else offered:
        reason = first_reason(grid.everyone, _refusal(grid, name))
        if not reason:
            return name, ", ".join(refused)
        refused.append(f"not {name} ({reason})")
    said = f"GRBLAS_GPU_MPI_TRANSPORT={wanted}: {', '.join(refused)}"
    raise known_everywhere(ValueError(said))


def _refusal(grid: Grid, name: str) -> str:
    """The reason why this rank cannot use the transport, or an empty string; collective."""
    if name == "mpi":
        return ""
    if name == "cuda-aware":
        return "" if grid.everyone.device_memory else "MPI does not read the memory of devices"
    if len(grid.on_machine(None)[1]) < grid.size:
        return "there are ranks on other machines"
    if name in ("led", "ipc"):
        from .cuda_ipc import opens_memory
        from .local_engine import device_name

        if name == "led" and len(set(grid.on_machine(device_name())[1])) > 1:
            return "ranks do not share a device"
        return "" if opens_memory(grid.everyone) else "cannot open the memory of others"
    return ""


def open_transport(name: str, grid: Grid, engine: Engine, length: int) -> Transport:
    """Open the transport for ``length`` bytes of each rank; collective."""
    wire = grid.everyone
    if name == "shared":
        return SharedMemory(wire, length)
    if name in ("led", "ipc"):  # "led" comes here only if rank 0 cannot open some memory
        from .cuda_ipc import OpenMemory

        return OpenMemory(wire, length)
    bits = engine.array(np.zeros((2, wire.size * length), np.uint8))
    return Messages(wire, bits, by_host=name == "mpi" and engine.sizes_on_device)


def first_reason(wire: Wire, reason: str) -> str:
    """The first reason that is not empty, with the number of its rank unless all ranks agree; collective."""
    reasons = wire.gather_objects(reason)
    if len(set(reasons)) == 1:
        return reason
    return next(f"rank {rank}: {each}" for rank, each in enumerate(reasons) if each)
