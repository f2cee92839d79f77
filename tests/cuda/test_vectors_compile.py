"""The kernels for vectors, counts and facts about matrices compile for every architecture, with every flag in use."""

from __future__ import annotations

import re

import emulated_cupy
import numpy as np
import nvrtc
import pytest
from emulated_engine import loaded, moved
from random_objects import SIZE, SMALL_KINDS, small_vector

from grblas_gpu import binary, indexunary, select
from grblas_gpu.backends.cuda.runtime import compile as cuda
from grblas_gpu.backends.storage import INDEX, MaskView, MatrixStore

pytestmark = pytest.mark.nvrtc
FILES = {
    "assign_few.cu",
    "matrix_facts.cu",
    "moves.cu",
    "row_offsets.cu",
    "spread_few.cu",
    "step.cu",
    "step_in_place.cu",
}


def programs(engine) -> list[str]:
    """What a covering set of calls would compile."""
    emulated_cupy.sources.clear()
    ops = [binary.minus["INT64"], binary.lt["FP64"], binary.firsti["INT64"], binary.truediv["INT8"]]
    for number, kind in enumerate(SMALL_KINDS):
        x = moved(small_vector(kind, np.int64, 1), engine.to_device)
        for step, other in enumerate(SMALL_KINDS):
            y = moved(small_vector(other, [np.int16, np.float32, bool][step % 3], 2), engine.to_device)
            op = ops[(number + step) % len(ops)]
            engine.vectors.ewise(x, y, op, False)
            engine.vectors.ewise(x, y, op, True, None if step % 2 else (1, 2))
            flags = moved(small_vector(other, np.int8, 3), engine.to_device)
            mask = [None, MaskView(flags, bool(step % 2), bool(number % 2))][step > 0]
            engine.vectors.write(x, y, mask, op if number % 2 else None, step % 2 > 0)
            if mask is not None:
                engine.assign.assign_scalar(engine.vectors.writable(x.copy()), np.int64(3), mask)
            value = [np.float32(2), None, y][(number + step) % 3]
            how = op if number % 2 and value is not None else None, False, False
            engine.assign_few.assign_few(x.copy(), value, list(range(SIZE))[:16], mask, *how)
        engine.vectors.filtered(x, select.valuegt["INT64"], 2, True)
        engine.vectors.filtered(x, indexunary.rowindex["INT64"], 2, False)
    for offset in (np.int32, INDEX):
        a = MatrixStore(3, 3, np.array([0, 1, 2, 3], offset), np.array([0, 1, 2], np.int32), np.ones(3, np.float32))
        a = moved(a, engine.to_device)
        engine.matrix_facts.max_degree(a)
        engine.matrix_facts.same_arrays(a, a)
        for kind in ("sparse", "bitmap"):
            engine.vectors.count_edges(a, moved(small_vector(kind, bool, 4), engine.to_device))
    return list(dict.fromkeys(emulated_cupy.sources))


@pytest.mark.parametrize("thorough", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_kernels_for_vectors_compile(monkeypatch, thorough: bool) -> None:
    with loaded(
        "recorded", monkeypatch, "eager.vectors", "eager.assign", "eager.assign_few", "eager.matrix_facts"
    ) as engine:
        texts = programs(engine)
    assert {found for text in texts for found in re.findall(r'#line 1 ".*/(\w+\.cu)"', text)} >= FILES
    for text, architecture in nvrtc.some_or_all(texts, 6, thorough):
        assert nvrtc.compile_cuda(text, architecture, cuda.OPTIONS)
