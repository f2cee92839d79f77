"""The local engine of a rank: on its share of the machine's cores, or on a GPU of its own."""

from __future__ import annotations

import os
from collections.abc import Callable

from ..cpu.pool import set_threads
from ..protocol import Backend
from .grid import Grid


def local_engine_of(name: str | None, grid: Grid, get_engine: Callable[[str], Backend]) -> Backend:
    """The engine of the parts: the named one, or that of GRBLAS_GPU_BACKEND, or the best one."""
    if name is None:
        name = os.environ.get("GRBLAS_GPU_BACKEND", "auto")
        name = "auto" if name.startswith("mpi") else name
    if name.startswith("mpi"):
        raise ValueError(f"the parts of distributed objects need an engine of one machine, not {name!r}")
    cores = tuple(sorted(os.sched_getaffinity(0)))
    place, others = grid.on_machine(cores)
    take_device(name, place)
    share_cores(cores, others)
    return get_engine(name)


def take_device(name: str, place: int) -> None:
    """Select a GPU for each rank of a machine, in turn; ranks share GPUs if there are fewer."""
    if name not in ("auto", "cuda"):
        return
    try:
        import cupy

        count = cupy.cuda.runtime.getDeviceCount()
    except Exception:  # no CuPy, or no device: the engine reports this when it is used
        return
    if count > 1:
        cupy.cuda.Device(place % count).use()


def device_name() -> str:
    """The name of this rank's CUDA device, unique on its machine."""
    import cupy

    runtime = cupy.cuda.runtime
    return str(runtime.deviceGetPCIBusId(runtime.getDevice()))


def share_cores(cores: tuple[int, ...], others: list[tuple[int, ...]]) -> None:
    """Use as many threads as this rank has cores, unless GRBLAS_GPU_THREADS sets the number."""
    if len(others) > 1 and "GRBLAS_GPU_THREADS" not in os.environ:
        set_threads(max(1, len(cores) // others.count(cores)))
