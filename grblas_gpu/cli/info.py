"""``grblas-gpu info``: versions, engines, GPU, memory, cache; what is missing and how to get it."""

from __future__ import annotations

import argparse
import os
import platform
from importlib import metadata, util
from pathlib import Path
from typing import Any

from .options import add_command, show

# What is optional: the module, what it is good for, how to get it.
OPTIONAL = {
    "cupy": ("backend cuda", "pip install 'grblas_gpu[cuda13x]'  (or cuda12x)"),
    "networkx": ("graphs of NetworkX", "pip install 'grblas_gpu[networkx]'"),
    "matplotlib": ("plots of traces", "pip install 'grblas_gpu[plot]'"),
    "graphblas": ("comparison with SuiteSparse:GraphBLAS", "pip install 'grblas_gpu[compare]'"),
    "mpi4py": ("several machines", "pip install 'grblas_gpu[mpi]'"),
    "pandas": ("edge lists as tables", "pip install pandas"),
    "tqdm": ("progress bars with more in them", "pip install tqdm"),
    "igraph": ("comparison", "pip install igraph"),
    "networkit": ("comparison", "pip install networkit"),
    "cugraph": ("comparison", "see the RAPIDS installation guide"),
}
GIB = 2**30


def add_commands(commands: Any) -> None:
    add_command(commands, "info", run, "versions, backends, GPU, memory, cache; what is missing", backends=())


def run(options: argparse.Namespace) -> int:
    found = gather()
    show(options, found, _text(found))
    return 0


def gather() -> dict[str, Any]:
    """Everything, for people and programs."""
    from .. import __version__
    from ..backends.kernel_cache import default_folder
    from ..backends.registry import NAMES, get_engine

    backends, gpu = {}, None
    for name in NAMES:
        try:
            get_engine(name)
            backends[name] = "ready"
        except RuntimeError as error:
            backends[name] = str(error)
    if backends["cuda"] == "ready":
        gpu = _gpu()
    cache = default_folder().parent
    return {
        "version": __version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / GIB, 1),
        "packages": {name: _package_version(name) for name in ("numpy", "scipy", "numba")},
        "backends": backends,
        "default_backend": get_engine(os.environ.get("GRBLAS_GPU_BACKEND", "auto")).name,
        "gpu": gpu,
        "cache": {"folder": str(cache), "mib": round(_size(cache) / 2**20, 1)},
        "optional": {module: util.find_spec(module) is not None for module in OPTIONAL},
    }


def _gpu() -> dict[str, Any]:
    import cupy

    properties = cupy.cuda.runtime.getDeviceProperties(0)
    free, total = cupy.cuda.runtime.memGetInfo()
    return {
        "name": properties["name"].decode(),
        "compute_capability": f"{properties['major']}.{properties['minor']}",
        "memory_gib": round(total / GIB, 1),
        "free_gib": round(free / GIB, 1),
        "cuda_runtime": cupy.cuda.runtime.runtimeGetVersion(),
        "cupy": cupy.__version__,
    }


def _package_version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) if folder.is_dir() else 0


def _text(found: dict[str, Any]) -> str:
    packages = ", ".join(f"{name} {version}" for name, version in found["packages"].items())
    lines = [
        f"grblas_gpu {found['version']}, Python {found['python']}, {packages}",
        f"machine     {found['system']}, {found['cores']} cores, {found['memory_gib']} GiB",
        f"cache       {found['cache']['folder']} ({found['cache']['mib']} MiB)",
        "",
        *(
            f"backend {name:6}{state}{'  (default)' if name == found['default_backend'] else ''}"
            for name, state in found["backends"].items()
        ),
    ]
    if found["gpu"]:
        gpu = found["gpu"]
        lines.append(
            f"gpu           {gpu['name']}, {gpu['free_gib']} of {gpu['memory_gib']} GiB free, "
            f"compute capability {gpu['compute_capability']}, CUDA {gpu['cuda_runtime']}, CuPy {gpu['cupy']}"
        )
    missing = [module for module, there in found["optional"].items() if not there]
    if missing:
        lines += ["", "not installed, and what it would be good for:"]
        lines += [f"  {module:12}{OPTIONAL[module][0]}: {OPTIONAL[module][1]}" for module in missing]
    return "\n".join(lines)
