"""Planner constants that were measured on this machine (``grblas-gpu calibrate``), kept with the cache of kernels.

Only ratios matter to the planner, so the time of a probe stands for its usual cost, and the others follow. Implausible
numbers are ignored: a damaged file costs speed, never a result.
"""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ...plan.rules import CPU_COSTS, CUDA_COSTS, Costs
from .kernel_cache import base_folder

FILE = "costs.json"
DEFAULTS = {"cpu": CPU_COSTS, "cuda": CUDA_COSTS}
LEAST, MOST = 0.01, 1000.0  # the range of a plausible cost
_current = dict(DEFAULTS)


class Seconds(NamedTuple):
    """Measured seconds per item: an edge pushed, a row read, an edge probed; in masked products of matrices a product,
    and an entry that a dot product reads; and an entry that a device reads over the bus."""

    push_edge: float
    pull_row: float
    pull_probe: float
    mxm_product: float
    dot_entry: float
    bus_entry: float = 0.0


def costs_from(seconds: Seconds, default: Costs) -> dict[str, float]:
    """The costs that follow from measured times.

    >>> costs_from(Seconds(5e-9, 1e-9, 4e-9, 6e-9, 3e-9), CPU_COSTS)
    {'push_edge': 2.5, 'pull_row': 0.5, 'pull_probe': 2.0, 'mxm_product': 2.0}
    """
    unit = seconds.pull_probe / default.pull_probe
    found = {
        "push_edge": seconds.push_edge / unit,
        "pull_row": seconds.pull_row / unit,
        "pull_probe": default.pull_probe,
        "mxm_product": seconds.mxm_product / seconds.dot_entry,
    }
    if seconds.bus_entry:
        found["bus_entry"] = seconds.bus_entry / unit
    return {name: float(f"{min(max(cost, LEAST), MOST):.4g}") for name, cost in found.items()}


def with_costs(default: Costs, given: object) -> Costs:
    """The default, updated with the plausible ones of the given costs.

    >>> with_costs(CPU_COSTS, {"push_edge": 4.0, "pull_row": "much", "pull_probe": -1, "speed": 3}).push_edge
    4.0
    >>> with_costs(CPU_COSTS, [1, 2]) == CPU_COSTS
    True
    """
    if not isinstance(given, Mapping):
        return default
    names = ("push_edge", "pull_row", "pull_probe", "mxm_product", "bus_entry")
    numbers = {name: given[name] for name in names if type(given.get(name)) in (int, float)}
    believed: dict[str, Any] = {name: float(cost) for name, cost in numbers.items() if LEAST <= cost <= MOST}
    return default._replace(**believed)


def costs_of(backend: str) -> Costs:
    """The costs that the planner uses on this backend now."""
    return _current[backend]


def start(backend: str) -> Costs:
    """The costs for a backend that is being started."""
    kept = _kept()
    if any(name.partition(":")[0] == backend for name in kept):
        _current[backend] = with_costs(DEFAULTS[backend], kept.get(f"{backend}:{hardware(backend)}"))
    return _current[backend]


def hardware(backend: str) -> str:
    """The hardware of a backend: costs measured on other hardware do not apply."""
    if backend == "cpu":
        return f"{platform.machine()}, {os.cpu_count()} cores"
    import cupy

    return str(cupy.cuda.runtime.getDeviceProperties(cupy.cuda.runtime.getDevice())["name"].decode())


def keep(backend: str, costs: Mapping[str, float]) -> Path:
    """Keep costs for processes that start later."""
    return _write({**_kept(), f"{backend}:{hardware(backend)}": dict(costs)})


def forget(backend: str) -> Path:
    """Back to the defaults."""
    own = f"{backend}:{hardware(backend)}"
    return _write({name: costs for name, costs in _kept().items() if name != own})


def _kept() -> dict[str, object]:
    try:
        found = json.loads((base_folder() / FILE).read_text())
    except (OSError, ValueError, RuntimeError):  # no file, a damaged one, no home
        return {}
    return found if isinstance(found, dict) else {}


def _write(kept: Mapping[str, object]) -> Path:
    file = base_folder() / FILE
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    partial = file.with_name(f".{FILE}.{os.getpid()}")
    partial.write_text(json.dumps(kept, indent=1) + "\n")
    partial.replace(file)
    return file
