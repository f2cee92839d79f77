"""The environment of a measurement: machine, versions, commit, and the copy rate of memory."""

from __future__ import annotations

import ctypes
import os
import platform
import subprocess
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib import metadata
from pathlib import Path

import numpy as np

from ..foundation.types import Json

PACKAGES = (
    "grblas_gpu numpy scipy numba python-graphblas suitesparse-graphblas networkx igraph networkit "
    "cupy-cuda12x cupy-cuda13x cugraph-cu12 cugraph-cu13"
).split()
HOST_BYTES, DEVICE_BYTES = 2**27, 2**30  # copied to measure the rate: far more than caches hold
COPY_TRIALS = 7


def describe() -> Json:
    """The description of the environment in a result file."""
    return {"machine": machine(), "versions": versions(), "commit": commit(), "date": time.strftime("%Y-%m-%d")}


def machine_text(about: Json) -> str:
    """Commit and device of a result.

    >>> machine_text({"commit": None, "machine": {"gpu": None, "cpu": "some CPU", "cores": 2}})
    'commit unknown, some CPU, 2 cores'
    """
    machine = about["machine"]
    device = machine["gpu"] or f"{machine['cpu']}, {machine['cores']} cores"
    return f"commit {(about['commit'] or 'unknown')[:12]}, {device}"


def machine() -> Json:
    found: Json = {
        "cpu": cpu_name(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "gpu": None,
    }
    if has_cuda():
        import cupy

        properties = cupy.cuda.runtime.getDeviceProperties(0)
        found["gpu"] = properties["name"].decode()
        found["gpu_memory_gib"] = round(properties["totalGlobalMem"] / 2**30, 1)
        found["cuda_runtime"] = cupy.cuda.runtime.runtimeGetVersion()
    return found


def cpu_name() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def versions() -> dict[str, str]:
    found = {}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found


def commit() -> str | None:
    """The commit of the source tree, with a + if files were changed since; None where there is no tree.

    ``GRBLAS_GPU_COMMIT`` names the commit of a copied tree, which has no or an old Git state.
    """
    if "GRBLAS_GPU_COMMIT" in os.environ:
        return os.environ["GRBLAS_GPU_COMMIT"]

    def git(*arguments: str) -> str:
        command = ["git", "-C", str(Path(__file__).resolve().parent), *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    try:
        return git("rev-parse", "HEAD") + ("+" if git("status", "--porcelain") else "")
    except (OSError, subprocess.CalledProcessError):
        return None


def energy() -> float | None:
    """Joules that the first GPU has used since its driver was loaded, by NVML; None where there is no such counter."""
    try:
        nvml = ctypes.CDLL("libnvidia-ml.so.1")
    except OSError:
        return None
    device, millijoules = ctypes.c_void_p(), ctypes.c_ulonglong()
    failed = (
        nvml.nvmlInit_v2()
        or nvml.nvmlDeviceGetHandleByIndex_v2(0, ctypes.byref(device))
        or nvml.nvmlDeviceGetTotalEnergyConsumption(device, ctypes.byref(millijoules))
    )
    return None if failed else millijoules.value / 1e3


@cache
def has_cuda() -> bool:
    try:
        import cupy

        return cupy.cuda.runtime.getDeviceCount() > 0
    except Exception:  # no CuPy, no driver, no device
        return False


def synchronize(backend: str) -> None:
    """Wait until the device is idle."""
    if backend == "cuda":
        import cupy

        cupy.cuda.runtime.deviceSynchronize()


def seconds(
    run: Callable[[], object], backend: str = "host", clock: Callable[[], float] = time.perf_counter, times: int = 1
) -> float:
    """Seconds per call, over several calls, including the wait for the result."""
    start = clock()
    for _ in range(times):
        run()
    synchronize(backend)
    return (clock() - start) / times


@cache
def copy_rate(backend: str) -> float:
    """Bytes per second that a copy reads and writes, in the memory of that backend; the best of several."""
    return device_copy_rate() if backend == "cuda" else host_copy_rate()


def host_copy_rate() -> float:
    """All cores copy, each its part."""
    source, target = np.ones(HOST_BYTES, np.uint8), np.zeros(HOST_BYTES, np.uint8)
    count = min(16, os.cpu_count() or 1)
    cuts = [HOST_BYTES * k // count for k in range(count + 1)]
    parts = [slice(start, stop) for start, stop in zip(cuts[:-1], cuts[1:], strict=True)]
    with ThreadPoolExecutor(count) as pool:

        def copy() -> None:
            list(pool.map(lambda part: np.copyto(target[part], source[part]), parts))

        return 2 * HOST_BYTES / min(seconds(copy) for _ in range(COPY_TRIALS))


def device_copy_rate() -> float:
    import cupy

    source, target = cupy.ones(DEVICE_BYTES, cupy.uint8), cupy.zeros(DEVICE_BYTES, cupy.uint8)
    synchronize("cuda")
    return 2 * DEVICE_BYTES / min(seconds(lambda: cupy.copyto(target, source), "cuda") for _ in range(COPY_TRIALS))
