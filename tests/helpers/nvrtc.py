"""Programs that tests compile with NVRTC, and the architectures that they compile for."""

import zlib

from grblas_gpu.backends.cuda.runtime.nvrtc import compile_program, library as library
from grblas_gpu.exceptions import JitError

ARCHITECTURES = ("sm_80", "sm_89", "sm_90", "sm_100", "sm_120")
USUAL = "sm_90"
only_ptx = False  # in the quick tests: PTX finds all C++ errors in half of the time


def check(source: str, options: tuple[str, ...], is_loop: bool) -> bool:
    """Check that NVRTC accepts a program; its text selects one version and one architecture.

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
    chosen = architecture.replace("sm", "compute") if ptx or only_ptx else architecture
    try:
        return compile_program(source, chosen, options, oldest=oldest)
    except JitError as error:
        raise AssertionError(str(error)) from None
