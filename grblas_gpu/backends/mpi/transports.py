"""What carries the frontiers of a search between ranks: chosen once, by what all ranks can do, or forced.

GRBLAS_GPU_MPI_TRANSPORT says ``shared``, ``led``, ``nccl``, ``ipc``, ``cuda-aware`` or ``mpi``; what some rank
cannot do is an error on all of them.
"""

from __future__ import annotations

import os
from typing import Any

from .attempts import first_reason
from .faults import known_everywhere
from .frontier_exchange import Alone, FrontierExchange, Messages, SharedMemory
from .grid import Grid

ON_HOST, ON_DEVICE = ("shared", "mpi"), ("led", "nccl", "ipc", "cuda-aware", "mpi")  # the best one first


def choose_transport(grid: Grid, on_device: bool) -> tuple[str, str]:
    """The name of what these ranks use, and why nothing better; collective."""
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
    """Why this rank cannot use it, or nothing; collective."""
    if name == "mpi":
        return ""
    if name == "cuda-aware":
        return "" if grid.everyone.device_memory else "MPI does not read the memory of devices"
    if name == "nccl":
        return _link(grid)[1]
    _, others = grid.on_machine(None)
    if len(others) < grid.size:
        return "there are ranks on other machines"
    if name in ("led", "ipc"):
        from .device_frontier_exchange import opens_memory, share_a_device

        if name == "led" and not share_a_device(grid):
            return "ranks do not share a device"
        return "" if opens_memory(grid.everyone) else "cannot open the memory of others"
    return ""


def _link(grid: Grid) -> tuple[Any, str]:
    """What connects the devices of these ranks by NCCL, made once, or why there is none; collective."""
    if "nccl" not in grid.kept:
        import cupy

        from .nccl_frontier_exchange import link_of

        grid.kept["nccl"] = link_of(grid, cupy)
    return grid.kept["nccl"]


def open_exchange(name: str, grid: Grid, engine: Any, length: int) -> FrontierExchange:
    """A place for ranks that bring ``length`` bytes each; collective."""
    if name == "alone":
        return Alone(engine, length)
    if name == "shared":
        return SharedMemory(grid.everyone, length)
    if name == "mpi" and not engine.sizes_on_device:
        return Messages(grid.everyone, length)
    if name == "nccl":
        import cupy

        from .nccl_frontier_exchange import NcclMessages

        return NcclMessages(grid.everyone, length, _link(grid)[0], cupy)
    from .device_frontier_exchange import DeviceMessages, HostMessages, OpenMemory

    # Ranks that are led wait in their searches (led_searches.py), but for memory that rank 0 cannot open.
    kinds: dict[str, Any] = {"led": OpenMemory, "ipc": OpenMemory, "cuda-aware": DeviceMessages, "mpi": HostMessages}
    return kinds[name](grid.everyone, length)
