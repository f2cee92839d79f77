"""A NumPy for the modules of the package in which one allocation fails."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest

ALLOCATING = "arange argsort array asarray bincount concatenate empty flatnonzero full ones repeat unique zeros".split()
ALLOCATING += "argpartition ascontiguousarray cumsum diff full_like insert lexsort nonzero sort tile zeros_like".split()


class FailingNumpy:
    def __init__(self, left: int) -> None:
        self.left = left

    def __getattr__(self, name: str):
        found = getattr(np, name)
        return self._counted(found) if name in ALLOCATING else found

    def _counted(self, function):
        def call(*args, **kwargs):
            self.left -= 1
            if self.left == -1:
                raise MemoryError("as requested")
            return function(*args, **kwargs)

        return call


@contextmanager
def failing(after: int) -> Iterator[FailingNumpy]:
    """Make the allocation after ``after`` others fail."""
    numpy = FailingNumpy(after)
    modules = [module for name, module in sys.modules.items() if name.startswith("grblas_gpu.")]
    with pytest.MonkeyPatch.context() as patch:
        for module in modules:
            if getattr(module, "np", None) is np:
                patch.setattr(module, "np", numpy)
        yield numpy
