"""What carries the frontiers of a search between ranks: chosen once, by what all ranks can do, or forced.

GRBLAS_GPU_MPI_TRANSPORT says ``shared``, ``led``, ``nccl``, ``ipc``, ``cuda-aware`` or ``mpi``; what some rank
cannot do is an error on all of them.
"""

from __future__ import annotations

import os
from typing import Any

from .faults import known_everywhere
from .frontier_exchange import Alone, FrontierExchange, Messages, SharedMemory
from .grid import Grid

ON_HOST, ON_DEVICE = ("shared", "mpi"), ("led", "nccl", "ipc", "cuda-aware", "mpi")  # the best one first


def choose_transport(grid: Grid, on_device: bool) -> str:
    """The name of what these ranks use; collective."""
    wanted = os.environ.get("GRBLAS_GPU_MPI_TRANSPORT", "")
    grid.check_same(transport=wanted, on_device=on_device)
    if grid.size == 1:
        return "alone"
    offered = ON_DEVICE if on_device else ON_HOST
    if wanted and wanted not in offered:
        said = f"GRBLAS_GPU_MPI_TRANSPORT must be one of {', '.join(offered)} on these ranks, not {wanted!r}"
        raise known_everywhere(ValueError(said))
    for name in [wanted] if wanted else offered:
        if grid.everyone.add_up([int(_possible(grid, name))])[0] == grid.size:
            return name
    raise known_everywhere(ValueError(f"GRBLAS_GPU_MPI_TRANSPORT={wanted}: not possible between these ranks"))


def _possible(grid: Grid, name: str) -> bool:
    if name == "mpi":
        return True
    if name == "cuda-aware":
        return grid.everyone.device_memory
    if name == "nccl":
        return _link(grid) is not None
    _, others = grid.on_machine(None)
    if len(others) < grid.size:
        return False
    if name in ("led", "ipc"):
        from .device_frontier_exchange import opens_memory, share_a_device

        return (name == "ipc" or share_a_device(grid)) and opens_memory(grid.everyone)
    return True


def _link(grid: Grid) -> Any:
    """What connects the devices of these ranks by NCCL, made once; collective."""
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

        return NcclMessages(grid.everyone, length, _link(grid), cupy)
    from .device_frontier_exchange import DeviceMessages, HostMessages, OpenMemory

    # Ranks that are led wait in their searches (led_searches.py), but for memory that rank 0 cannot open.
    kinds: dict[str, Any] = {"led": OpenMemory, "ipc": OpenMemory, "cuda-aware": DeviceMessages, "mpi": HostMessages}
    return kinds[name](grid.everyone, length)
