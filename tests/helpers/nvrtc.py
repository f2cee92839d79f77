"""Programs that tests compile with NVRTC, and the architectures that they compile for."""

from __future__ import annotations

import re

import pytest

from grblas_gpu.backends.cuda.runtime.nvrtc import compile_program
from grblas_gpu.backends.cuda.runtime.nvrtc import library as library
from grblas_gpu.errors import JitError

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


def compile_cuda(source: str, architecture: str, options: tuple[str, ...], *, oldest: bool = False) -> bytes:
    """Machine code of a program, or ``only_ptx``; a failure raises with the compiler's messages."""
    chosen = architecture.replace("sm", "compute") if only_ptx else architecture
    try:
        return compile_program(source, chosen, options, oldest=oldest)
    except JitError as error:
        raise AssertionError(str(error)) from None
