"""The hardware of this machine."""

from functools import cache


@cache
def has_gpu() -> bool:
    """Whether CuPy is installed and finds a CUDA device."""
    try:
        import cupy

        return cupy.cuda.runtime.getDeviceCount() > 0
    except Exception:  # no CuPy, no driver, or no device
        return False
