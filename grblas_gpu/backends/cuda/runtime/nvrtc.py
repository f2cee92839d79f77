"""NVRTC by itself: compiles a program for any architecture, on machines without a GPU, a driver or CuPy.

CuPy compiles for the device that it finds. This module compiles ahead of time, with the options that CuPy passes.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import importlib.util
from collections.abc import Callable
from functools import cache
from pathlib import Path

from ....exceptions import JitError

OPTIONS = ("-std=c++17",)
#: A third of the time of a loop, and half of that in further threads; larger, slower code.
QUICK = ("--Ofast-compile=max", "--split-compile=16")
OF_CUPY = ("-ftz=true", "--device-as-default-execution-space")  # CuPy adds these to the options of a RawModule
MISSING = "NVRTC is not installed: `pip install nvidia-cuda-nvrtc-cu12` (CUDA 12) or `nvidia-cuda-nvrtc` (CUDA 13)"


@cache
def library(oldest: bool = False) -> ctypes.CDLL | None:
    """The newest (or oldest) library of the ``nvidia-cuda-nvrtc`` wheels, else that of the system; or None."""
    spec = importlib.util.find_spec("nvidia")
    folders = [] if spec is None else spec.submodule_search_locations or []
    found = [path for folder in folders for path in Path(folder).glob("*/lib/libnvrtc.so.*")]
    if not found:
        of_system = ctypes.util.find_library("nvrtc")
        return None if of_system is None else ctypes.CDLL(of_system)
    return _opened(sorted(found, key=lambda path: int(path.suffix[1:]), reverse=not oldest)[0])


def _opened(path: Path) -> ctypes.CDLL:
    for other in path.parent.glob("libnvrtc-builtins.so.*"):  # some versions do not find it by themselves
        ctypes.CDLL(str(other))
    return ctypes.CDLL(str(path))


@cache
def of_cupy() -> str | None:
    """The library that CuPy uses in this process, if the system says which."""
    import cupy

    try:
        cupy.cuda.nvrtc.getVersion()  # loads it
        lines = Path("/proc/self/maps").read_text().splitlines()
    except Exception:  # it is not installed, or there is no such file
        return None
    return next((line[line.index("/") :] for line in lines if "/libnvrtc.so" in line), None)


def version(oldest: bool = False) -> str:
    """The version of the library, as "12.9"."""
    major, minor = ctypes.c_int(), ctypes.c_int()
    _check(_loaded(oldest).nvrtcVersion(ctypes.byref(major), ctypes.byref(minor)))
    return f"{major.value}.{minor.value}"


def compile_program(
    text: str, architecture: str, options: tuple[str, ...], *, oldest: bool = False, path: str = ""
) -> bytes:
    """Machine code for "sm_90", PTX for "compute_90"; a failure raises JitError with the compiler's messages.

    Several threads may compile at once, each on a core of its own.
    """
    nvrtc = _opened(Path(path)) if path else _loaded(oldest)
    program = ctypes.c_void_p()
    _check(nvrtc.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"program.cu", 0, None, None))
    try:
        arguments = [f"-arch={architecture}", *options]
        encoded = (ctypes.c_char_p * len(arguments))(*(argument.encode() for argument in arguments))
        if nvrtc.nvrtcCompileProgram(program, len(arguments), encoded):
            log = _output(nvrtc.nvrtcGetProgramLogSize, nvrtc.nvrtcGetProgramLog, program)
            raise JitError(log.rstrip(b"\0").decode())
        if architecture.startswith("compute"):
            return _output(nvrtc.nvrtcGetPTXSize, nvrtc.nvrtcGetPTX, program)
        return _output(nvrtc.nvrtcGetCUBINSize, nvrtc.nvrtcGetCUBIN, program)
    finally:
        nvrtc.nvrtcDestroyProgram(ctypes.byref(program))


def _loaded(oldest: bool) -> ctypes.CDLL:
    found = library(oldest)
    if found is None:
        raise JitError(MISSING)
    return found


def _output(size_of: Callable[..., int], get: Callable[..., int], program: ctypes.c_void_p) -> bytes:
    size = ctypes.c_size_t()
    _check(size_of(program, ctypes.byref(size)))
    buffer = ctypes.create_string_buffer(size.value)
    _check(get(program, buffer))
    return buffer.raw


def _check(status: int) -> None:
    if status:
        raise JitError(f"NVRTC fails with error {status}")
