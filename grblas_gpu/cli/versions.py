"""Versions, backends, the GPU, memory and optional packages of this machine."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from importlib import metadata, util
from pathlib import Path

from ..backends.machine.kernel_cache import default_folder
from ..backends.registry import NAMES, get_engine
from ..foundation.types import Json
from ..version import __version__

#: Optional packages: the module, its distributions, its purpose, and how to install it.
OPTIONAL = {
    "cupy": ("cupy-cuda13x cupy-cuda12x cupy", "backend cuda", "pip install cupy-cuda13x  (or cupy-cuda12x)"),
    "networkx": ("networkx", "graphs of NetworkX", "pip install networkx"),
    "matplotlib": ("matplotlib", "plots", "pip install matplotlib"),
    "graphblas": ("python-graphblas", "comparison with SuiteSparse:GraphBLAS", "pip install python-graphblas"),
    "mpi4py": ("mpi4py", "distributed graphs", "pip install mpi4py mpich"),
    "pandas": ("pandas", "edge lists as tables", "pip install pandas"),
    "pyarrow": ("pyarrow", "Parquet and Feather files, Arrow tables", "pip install 'grblas_gpu[arrow]'"),
    "polars": ("polars", "tables of Polars", "pip install polars"),
    "h5py": ("h5py", "binsparse files in HDF5", "pip install 'grblas_gpu[files]'"),
    "zarr": ("zarr", "binsparse files in Zarr", "pip install 'grblas_gpu[files]'"),
    "zstandard": ("zstandard", "files compressed by Zstandard", "pip install 'grblas_gpu[files]'"),
    "tqdm": ("tqdm", "detailed progress bars", "pip install tqdm"),
    "igraph": ("igraph", "comparison", "pip install igraph"),
    "networkit": ("networkit", "comparison", "pip install networkit"),
    "cugraph": ("cugraph-cu13 cugraph-cu12", "comparison", "see the RAPIDS installation guide"),
}
GIB = 2**30


def show_versions() -> None:
    """Print versions, backends, the GPU, memory and optional packages: what a bug report should contain.

    ``grblas-gpu info`` prints the same.

    Examples
    --------
    >>> import grblas_gpu as gb
    >>> gb.show_versions()
    grblas_gpu ..., Python ..., numpy ..., scipy ..., numba ...
    """
    print(text(gather()))


def gather() -> dict[str, object]:
    """All facts, as a dictionary for JSON."""
    backends, gpu = {}, None
    for name in NAMES:
        try:
            get_engine(name)
            backends[name] = "ready"
        except RuntimeError as error:
            backends[name] = str(error)
    backends["mpi"] = _mpi()
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


def _mpi() -> str:
    """Whether MPI jobs can run; MPI itself is not started."""
    if util.find_spec("mpi4py") is None:
        return "backend 'mpi' needs mpi4py and an MPI: pip install 'grblas_gpu[mpi]'"
    starter = shutil.which("mpiexec") or shutil.which("mpiexec", path=str(Path(sys.executable).parent))
    version = _package_version("mpi4py")
    if starter is None:
        return f"mpi4py {version}, but no mpiexec: pip install mpich, or install another MPI"
    return f"ready, with mpi4py {version} and {starter}"


def _gpu() -> dict[str, object]:
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


def _installed_version(module: str) -> str:
    versions = map(_package_version, OPTIONAL[module][0].split())
    return next((version for version in versions if version is not None), "")


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) if folder.is_dir() else 0


def text(found: Json) -> str:
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
    there = {module: _installed_version(module) for module, found_here in found["optional"].items() if found_here}
    lines += ["", "optional    " + ", ".join(f"{module} {version}".rstrip() for module, version in there.items())]
    missing = [module for module in found["optional"] if module not in there]
    if missing:
        lines += ["", "not installed (purpose: command):"]
        lines += [f"  {module:12}{OPTIONAL[module][1]}: {OPTIONAL[module][2]}" for module in missing]
    return "\n".join(lines)
