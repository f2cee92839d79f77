"""NVRTC through ctypes: compiles CUDA C++ on machines without a GPU, a driver or CuPy."""

from __future__ import annotations

import ctypes
import importlib.util
import re
import zlib
from functools import cache
from pathlib import Path

import pytest

ARCHITECTURES = ("sm_80", "sm_89", "sm_90", "sm_100", "sm_120")
USUAL = "sm_90"
#: As parameters of tests: the quick ones compile for one of them.
ONE_OR_ALL = [pytest.param(name, marks=() if name == USUAL else pytest.mark.slow) for name in ARCHITECTURES]
only_ptx = False  # in the quick tests: all that C++ can have wrong is found in half of the time


def some_or_all(programs: list[str], every: int, thorough: bool) -> list[tuple[str, str]]:
    """Programs and architectures: all for one and some for the others; or one of every kernel file, and some more."""
    if thorough:
        chosen = [(text, number, name) for number, text in enumerate(programs) for name in enumerate(ARCHITECTURES)]
        return [(text, name) for text, number, (other, name) in chosen if name == USUAL or number % 5 == other]
    firsts = {tuple(re.findall(r'#line 1 ".*/(\w+\.cu)"', text)): text for text in reversed(programs)}
    return [(text, USUAL) for text in dict.fromkeys([*firsts.values(), *programs[::every]])]


@cache
def library(oldest: bool = False) -> ctypes.CDLL | None:
    """The newest (or oldest) library from the ``nvidia-cuda-nvrtc`` wheels that are installed, or None."""
    spec = importlib.util.find_spec("nvidia")
    folders = [] if spec is None else spec.submodule_search_locations or []
    found = [path for folder in folders for path in Path(folder).glob("*/lib/libnvrtc.so.*")]
    if not found:
        return None
    path = sorted(found, key=lambda path: int(path.suffix[1:]), reverse=not oldest)[0]
    for other in path.parent.glob("libnvrtc-builtins.so.*"):  # not every version finds it by itself
        ctypes.CDLL(str(other))
    return ctypes.CDLL(str(path))


def check(source: str, options: tuple[str, ...], is_loop: bool) -> bool:
    """NVRTC accepts a program: one of its versions, for one architecture, which the text of the program selects.

    The quick tests leave out loops, which take seconds each. The result is whether NVRTC compiled the program.
    """
    if library() is None or (is_loop and only_ptx):
        return False
    number = zlib.crc32(source.encode())
    architecture, oldest = ARCHITECTURES[number % len(ARCHITECTURES)], number % 2 > 0
    return bool(compile_cuda(source, architecture, options, oldest=oldest, ptx=True))


def compile_cuda(
    source: str, architecture: str, options: tuple[str, ...], *, oldest: bool = False, ptx: bool = False
) -> bytes:
    """Machine code of a program, or PTX; a failure raises with the compiler's messages."""
    ptx = ptx or only_ptx
    nvrtc = library(oldest)
    assert nvrtc is not None
    program = ctypes.c_void_p()
    _check(nvrtc.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"program.cu", 0, None, None))
    try:
        arguments = [f"-arch={architecture.replace('sm', 'compute') if ptx else architecture}", *options]
        encoded = (ctypes.c_char_p * len(arguments))(*(argument.encode() for argument in arguments))
        failed = nvrtc.nvrtcCompileProgram(program, len(arguments), encoded)
        if failed:
            raise AssertionError(_text(nvrtc.nvrtcGetProgramLogSize, nvrtc.nvrtcGetProgramLog, program).decode())
        if ptx:
            return _text(nvrtc.nvrtcGetPTXSize, nvrtc.nvrtcGetPTX, program)
        return _text(nvrtc.nvrtcGetCUBINSize, nvrtc.nvrtcGetCUBIN, program)
    finally:
        nvrtc.nvrtcDestroyProgram(ctypes.byref(program))


def _text(size_of: ctypes._NamedFuncPointer, get: ctypes._NamedFuncPointer, program: ctypes.c_void_p) -> bytes:
    size = ctypes.c_size_t()
    _check(size_of(program, ctypes.byref(size)))
    buffer = ctypes.create_string_buffer(size.value)
    _check(get(program, buffer))
    return buffer.raw


def _check(status: int) -> None:
    assert status == 0, f"NVRTC error {status}"
