"""The CUDA engine's modules, on a GPU where there is one and otherwise on ``emulated_cupy``."""

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace

import device_arrays
import emulated_cupy
import numpy as np
import pytest
from hardware import has_gpu

import grblas_gpu as gb
from grblas_gpu.backends import registry
from grblas_gpu.backends.stores.storage import MaskView, MatrixStore, VectorStore

CUDA = "grblas_gpu.backends.cuda"
GPU = has_gpu()
ENGINES = [pytest.param("gpu", marks=pytest.mark.gpu), pytest.param("emulated", marks=pytest.mark.emulated)]
#: Numbers of blocks that an emulation has in turn; a GPU has its own.
BLOCKS = [3] if GPU else [1, 3]
#: For tests of many programs: g++ takes seconds for each.
SLOW_ENGINES = [ENGINES[0], pytest.param("emulated", marks=[*ENGINES[1].marks, pytest.mark.slow])]


@contextmanager
def loaded(kind: str, monkeypatch: pytest.MonkeyPatch, *modules: str):
    """The named modules of the engine, and functions that copy arrays and stores to it and back.

    ``there`` copies to it, ``here`` back; ``run`` calls a function with copies of its operands, and copies the result.

    ``kind`` is "gpu", "emulated", or "recorded": nothing runs, and programs are only noted.
    """
    if kind != "gpu":
        monkeypatch.setitem(sys.modules, "cupy", emulated_cupy.module(runs=kind == "emulated"))
        _forget(monkeypatch)
    cupy = importlib.import_module("cupy")
    if kind != "gpu":
        monkeypatch.setattr(importlib.import_module(f"{CUDA}.fusion.compiled"), "Launcher", FewBlocks)
    if kind == "emulated":  # rows have smaller parts, see emulated_cupy.SMALLER
        monkeypatch.setattr(importlib.import_module(f"{CUDA}.fusion.workspace"), "LEAST_PART", 2)

    def to_device(x):
        return None if x is None else cupy.asarray(np.ascontiguousarray(x))

    def to_host(x):
        return None if x is None else (x.get() if hasattr(x, "get") else np.array(x))

    yield SimpleNamespace(
        name=kind,
        to_device=to_device,
        to_host=to_host,
        there=lambda x: moved(x, to_device),
        here=lambda x: moved(x, to_host),
        run=lambda function, *given: moved(function(*(moved(x, to_device) for x in given)), to_host),
        **{name.rpartition(".")[2]: importlib.import_module(f"{CUDA}.{name}") for name in modules},
    )
    if kind != "gpu":
        _forget(monkeypatch)


def engine_fixture(*modules: str, params=ENGINES):
    """The fixture of a test file: these modules of the engine, as :func:`loaded` gives them."""

    @pytest.fixture(params=params)
    def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch):
        with loaded(request.param, monkeypatch, *modules) as found:
            yield found

    return engine


class FewBlocks:
    """Launches the kernel of a loop with alternating small numbers of blocks; by default one, the fastest."""

    blocks = 1

    def __init__(self, kernel, threads: int, blocks: int, cluster: int) -> None:
        self._kernel = kernel

    def launch(self, words: memoryview, parameters: int, work: int, scratch, hubs: bool) -> None:
        words_type = np.dtype([("word", np.int64, (len(words),))])
        self._kernel((self.blocks,), (emulated_cupy.THREADS,), (np.frombuffer(bytes(words), words_type),))


#: For tests of the public API that use :func:`backend`.
BACKENDS = [
    "cpu",
    pytest.param("numpy", marks=pytest.mark.slow),
    ENGINES[1],
    pytest.param("cuda", marks=ENGINES[0].marks),
]


@contextmanager
def backend(kind: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The name of an engine for the public API; "emulated" is "cuda", with arrays that are not NumPy's."""
    if kind != "emulated":
        yield kind
        return
    monkeypatch.setattr(emulated_cupy, "module", lambda runs: device_arrays.module())
    with loaded("emulated", monkeypatch, "engine") as found:
        monkeypatch.setitem(registry._engines, "cuda", found.engine.CudaBackend())
        yield "cuda"


@pytest.fixture(name="backend", params=BACKENDS)
def backends(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Run a test with each of these engines as default, in place of the common fixture."""
    with backend(request.param, monkeypatch) as name, gb.using(name):
        yield name


def _forget(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith(CUDA)]:
        monkeypatch.delitem(sys.modules, name)


def moved(x, to):
    """A copy elsewhere of a store, a mask or an array; anything else is as it was."""
    if isinstance(x, MaskView):
        return x._replace(store=moved(x.store, to))
    if type(x) is MatrixStore:
        result = MatrixStore(x.nrows, x.ncols, to(x.indptr), to(x.indices), to(x.values))
        result.max_degree = x.max_degree
        return result
    if type(x) is VectorStore:
        indices, present = to(x.indices), to(x.present)
        return VectorStore(x.size, to(x.values), indices=indices, present=present, nvals=x.nvals, ordered=x.ordered)
    return to(x) if getattr(x, "ndim", 0) else x
