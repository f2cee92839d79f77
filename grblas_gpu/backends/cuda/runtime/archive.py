"""Machine code that was compiled ahead of time: one archive per architecture, made by ``grblas-gpu kernels build``.

An archive is a zip file. Its members are named by the hash of a program and its options, so that a changed kernel is
not found and compiles as usual. A process loads archives only from files that no other user can write. A damaged
archive counts as absent. CuPy's own kernels are in it as CuPy caches them, for one version of CuPy and NVRTC.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import importlib.util
import os
import warnings
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from ....version import __version__
from ...machine import kernel_cache
from .nvrtc import OF_CUPY, OPTIONS, compile_program
from .turns import turn

PLACES = "GRBLAS_GPU_KERNELS"  # files or folders, in place of the usual ones; empty for none
RECORDED = "GRBLAS_GPU_RECORD_KERNELS"  # a folder, to which processes write the programs that they use
PACKAGE = "grblas_gpu_kernels_"  # and an architecture: the module of a package that has its archive
CUPY = "cupy-"  # and an architecture: the folder of CuPy's kernels
DATE = (1980, 1, 1, 0, 0, 0)  # of all members: equal programs give equal archives
DAMAGED = (zipfile.BadZipFile, zlib.error, OSError, EOFError, NotImplementedError, RuntimeError)


def name_of(architecture: str) -> str:
    """
    >>> name_of("sm_90")
    'kernels-sm_90.zip'
    """
    return f"kernels-{architecture}.zip"


def member(text: str) -> str:
    """The name of a program: whatever its machine code depends on, besides the architecture."""
    return hashlib.sha256("\0".join((*OPTIONS, *OF_CUPY, text)).encode()).hexdigest()


def find(text: str, architecture: str) -> bytes | None:
    """The machine code of a program, if an archive or the user's cache has it; none if it is in CuPy's cache."""
    name = member(text)
    for found in _open(architecture):
        try:
            return found.read(name)
        except KeyError:
            continue
        except DAMAGED:
            break
    return kernel_cache.read(on_disk(text, architecture))


def from_cupy(architecture: str, cache: Path) -> list[tuple[str, bytes]]:
    """Members of an archive: what CuPy's cache has of its own kernels."""
    found = ((path.name, path.read_bytes()) for path in sorted(cache.glob("*.cubin")))
    return [(f"{CUPY}{architecture}/{name}", content) for name, content in found if b"cupy_" in content]


def lend_to_cupy(architecture: str) -> None:
    """Copy its kernels to CuPy's cache, where it looks for them under these names."""
    with contextlib.suppress(*DAMAGED):
        cache = Path(os.environ.get("CUPY_CACHE_DIR") or Path.home() / ".cupy" / "kernel_cache")
        for found in _open(architecture):
            for name in found.namelist():
                path = cache / name.rpartition("/")[2]
                if name.startswith(f"{CUPY}{architecture}/") and not path.exists():
                    cache.mkdir(parents=True, exist_ok=True)
                    partial = path.with_suffix(f".{os.getpid()}")
                    partial.write_bytes(found.read(name))
                    os.replace(partial, path)


def on_disk(text: str, architecture: str) -> str:
    """The name of a program in the user's cache."""
    return f"{architecture}-{member(text)}.cubin"


def keep(text: str, architecture: str, library: str) -> None:
    """Compile a program for the user's cache, unless another process has done so."""
    with turn(text):
        if kernel_cache.read(on_disk(text, architecture)) is None:
            code = compile_program(text, architecture, (*OPTIONS, *OF_CUPY), path=library)
            kernel_cache.write(on_disk(text, architecture), code)


def note(text: str, architecture: str) -> None:
    """CuPy has the optimized machine code of a program in its cache, where other processes find it."""
    if os.environ.get("CUPY_CACHE_IN_MEMORY") != "1":
        kernel_cache.write(on_disk(text, architecture), b"")


def _open(architecture: str) -> tuple[zipfile.ZipFile, ...]:
    return _opened(architecture, os.environ.get(PLACES))


@cache
def _opened(architecture: str, places: str | None) -> tuple[zipfile.ZipFile, ...]:
    found = []
    for path in _files(architecture, places):
        try:
            if not path.is_file():
                continue
            if not kernel_cache.trusted_file(path):
                warnings.warn(
                    f"{path} is not used: others may write to it; chmod go-w it and its folders", stacklevel=2
                )
                continue
            found.append(zipfile.ZipFile(path))
        except DAMAGED as error:
            warnings.warn(f"{path} is not used: {error}", stacklevel=2)
    return tuple(found)


def _files(architecture: str, places: str | None) -> Iterator[Path]:
    """Where an archive may be: in the places of the environment; else in a package, or the user's cache folder."""
    name = name_of(architecture)
    if places is not None:
        for place in filter(None, places.split(os.pathsep)):
            yield Path(place, name) if Path(place).is_dir() else Path(place)
        return
    spec = importlib.util.find_spec(PACKAGE + architecture)
    for folder in (spec.submodule_search_locations or []) if spec is not None else []:
        yield Path(folder, name)
    yield kernel_cache.base_folder() / name


def write(path: Path, members: Iterable[tuple[str, bytes]]) -> None:
    """A zip file with these members, complete or not there at all. Equal members give an equal file."""
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as file:
            for name, content in sorted(members):
                info = zipfile.ZipInfo(name, DATE)
                info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, 0o600 << 16
                file.writestr(info, content)
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)


def wheel_name(architecture: str) -> str:
    """The name of the package that has an archive, as pip expects it.

    >>> wheel_name("sm_90").startswith("grblas_gpu_kernels_sm_90-")
    True
    """
    return f"{PACKAGE}{architecture}-{__version__}-py3-none-any.whl"


def write_wheel(path: Path, architecture: str, archive: Path) -> None:
    """A package for pip that contains an archive: a module without code, and the metadata that a wheel must have."""
    module, content = PACKAGE + architecture, archive.read_bytes()
    folder = f"{module}-{__version__}.dist-info"
    about = f"Metadata-Version: 2.1\nName: {module.replace('_', '-')}\nVersion: {__version__}\n"
    about += f"Summary: CUDA kernels of grblas_gpu {__version__} for {architecture}\n"
    files = {
        f"{module}/__init__.py": b"",
        f"{module}/{name_of(architecture)}": content,
        f"{folder}/METADATA": about.encode(),
        f"{folder}/WHEEL": b"Wheel-Version: 1.0\nGenerator: grblas_gpu\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    rows = [f"{name},sha256={_digest(data)},{len(data)}" for name, data in files.items()]
    write(path, [*files.items(), (f"{folder}/RECORD", "\n".join([*rows, f"{folder}/RECORD,,\n"]).encode())])


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def record(text: str) -> None:
    """Write the program to the folder of the environment, if there is one."""
    folder = os.environ.get(RECORDED)
    if folder:
        path = Path(folder, f"{member(text)}.cu")
        if not path.exists():
            partial = path.with_suffix(f".{os.getpid()}")
            partial.write_text(text)
            os.replace(partial, path)
