"""The kernels for products with dense matrices compile for every architecture, with every flag in use."""

from __future__ import annotations

import re

import emulated_cupy
import numpy as np
import nvrtc
import pytest
from emulated_engine import loaded, moved
from mxv_cases import SEMIRINGS
from random_objects import with_degrees

from grblas_gpu.backends.cuda.runtime import compile as cuda
from grblas_gpu.backends.dense_products import Allowed, Side
from grblas_gpu.backends.storage import INDEX, MatrixStore

pytestmark = pytest.mark.nvrtc
FILES = {"mxm_bits.cu", "pack_bits.cu", "scatter_bits.cu", "spmm.cu", "transpose_dense.cu"}
CASES = [("plus_times fp32", 64), ("min_plus", 64), ("any_second", 6), ("plus_pair", 33), ("lor_land", 128)]
CASES += [("plus_firsti1", 3), ("plus_times int8", 64), ("longest_gap", 16)]


def programs(engine) -> list[str]:
    """What a covering set of calls would compile."""
    emulated_cupy.sources.clear()
    bits, spmm = engine.bits, engine.spmm
    for number, (name, columns) in enumerate(CASES):
        op = SEMIRINGS[name]
        flip, full, where = bool(number % 2), number % 3 > 0, number % 3
        host = with_degrees([2, 3], (op.binaryop.type2 if flip else op.binaryop.type).np_type)
        host.indptr = host.indptr.astype(INDEX if number % 2 else np.int32)
        rows = moved(host, engine.to_device)
        dtype = (op.binaryop.type if flip else op.binaryop.type2).np_type
        shape = (columns, 3) if flip else (3, columns)
        flags, values = (engine.to_device(np.ones(3 * columns, kind)) for kind in (bool, dtype))
        dense = MatrixStore.full(*shape, values) if full else MatrixStore.bitmap(*shape, flags, values, 3 * columns)
        lines = (columns, 2) if flip else (2, columns)
        pattern = MatrixStore.bitmap(*lines, flags, flags, 2 * columns)
        allowed = Allowed(where, Side(pattern, flip) if where else None)
        spmm.multiply(rows, Side(dense, flip), op, flip, True, allowed)
        bits.unions(rows, bits.words_of(Side(dense, flip)), allowed)
        bits.scatter(rows, flip, full)
    bits.unpack(bits.pack(engine.to_device(np.ones(6, bool)), 2, 3, True), False)
    return list(dict.fromkeys(emulated_cupy.sources))


def check(monkeypatch: pytest.MonkeyPatch, thorough: bool) -> None:
    modules = ("eager.bits", "eager.spmm")
    with loaded("recorded", monkeypatch, *modules) as engine:
        texts = programs(engine)
    assert {found for text in texts for found in re.findall(r'#line 1 ".*/(\w+\.cu)"', text)} >= FILES
    for text, architecture in nvrtc.some_or_all(texts, 4, thorough):
        nvrtc.compile_cuda(text, architecture, cuda.OPTIONS)


def test_kernels_for_dense_products_compile(monkeypatch: pytest.MonkeyPatch) -> None:
    check(monkeypatch, False)


@pytest.mark.slow
def test_kernels_for_dense_products_compile_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    check(monkeypatch, True)
