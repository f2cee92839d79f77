"""The kernels for whole matrices compile for every architecture, with every flag in use."""

from __future__ import annotations

import re

import emulated_cupy
import numpy as np
import nvrtc
import pytest
from emulated_engine import loaded, moved
from mxv_cases import SEMIRINGS
from random_objects import with_degrees

from grblas_gpu import binary, indexunary, monoid, select, semiring
from grblas_gpu.backends.cuda.runtime import compile as cuda
from grblas_gpu.backends.storage import INDEX, MaskView, MatrixStore, VectorStore
from grblas_gpu.errors import IndexOutOfBound

pytestmark = pytest.mark.nvrtc
FILES = {
    "blend.cu",
    "assign_block.cu",
    "build.cu",
    "diagonal.cu",
    "gather_rows.cu",
    "kronecker_product.cu",
    "merge_matrices.cu",
    "pull_balanced.cu",
    "reduce_rows.cu",
    "positions.cu",
    "row_offsets.cu",
    "take_positions.cu",
}
MODULES = "assign_block building extracting gathering kronecker_product masks matrices merging mxm_operands".split()
MODULES += "mxv_balanced mxv_product positions rows selecting transpose".split()


def programs(engine) -> list[str]:
    """What a covering set of calls would compile."""
    emulated_cupy.sources.clear()
    everywhere = engine.mxm_operands.MatrixMask()
    for dtype, offsets in (("FP32", np.int32), ("INT64", INDEX)):
        kind, wide = monoid.plus[dtype].type.np_type, dtype == "INT64"
        host = with_degrees([2, 3], kind)
        host.indptr = host.indptr.astype(offsets)
        x = moved(host, engine.to_device)
        one = MatrixStore(x.nrows, x.ncols, x.indptr, x.indices, x.values[:1])
        factor = moved(with_degrees([1, 1], kind), engine.to_device)
        engine.rows.reduce_rows(x, monoid.plus[dtype])
        engine.selecting.select(one if wide else x, select.tril[dtype], 1)
        op = binary.minus[dtype]
        mask = engine.mxm_operands.resolve(MaskView(x, wide, not wide))
        engine.selecting.inside(x, mask)
        engine.selecting.blended(x, one, mask)
        engine.merging.merge(x, one, None if wide else op, engine.merging.WRITE, kind, mask=mask, replace=wide)
        engine.merging.merge(x, one, op, engine.merging.UNION, np.dtype(np.float64), (1, 2) if wide else None)
        engine.merging.merge(one, one, op, engine.merging.INTERSECTION, kind)
        engine.extracting.rows_at(x, engine.to_device(np.array([1, 0])))
        engine.extracting.rows_between(x, 0, 1)
        engine.extracting.diagonal(one if wide else x, 1)
        engine.extracting.diagonal(moved(with_degrees([10, 10], kind), engine.to_device), 1)
        engine.rows.count_rows(x)
        engine.kronecker_product.kronecker_product(x, one if wide else factor, binary.minus[dtype])
        engine.assign_block.assign_block(x, one if wide else kind.type(1), range(1, 2), None if wide else range(1, 2))
        engine.assign_block.assign_block(one, x, engine.to_device(np.array([1, 0])), None)
        engine.positions.checked_positions(engine.to_device(np.array([1, 0], offsets)), 2)
        flags = engine.to_device(np.ones(2, bool)) if wide else None
        u = VectorStore(2, engine.to_device(np.ones(2, kind)), present=flags, nvals=2)
        engine.positions.taken(u, engine.to_device(np.array([1, 0])))
        engine.positions.taken_if_inside(u, engine.to_device(np.array([1, 0], np.uint64 if wide else np.int32)))
        typed = semiring.plus_times[dtype]
        factor._is_diagonal = wide
        engine.gathering.scaled(factor, x, typed, everywhere)
    engine.gathering.scaled(x, factor, typed, everywhere)
    engine.selecting.apply_index(x, indexunary.rowindex["INT64"], 1)
    engine.selecting.flagged(x, engine.to_device(np.zeros(5, bool)))
    engine.selecting.renamed(x, engine.to_device(np.zeros(3, np.int32)), 3)
    for name in ("plus_times", "min_plus", "plus_gap"):
        typed = SEMIRINGS[name]
        a = moved(with_degrees([2, 3], typed.binaryop.type.np_type), engine.to_device)
        u = VectorStore(3, engine.to_device(np.ones(3, typed.binaryop.type2.np_type)))
        found = engine.mxv_product.product_of(a, u, typed, len(name) % 2 > 0, True)
        assert engine.mxv_balanced.suits(found, a, u, engine.masks.NO_MASK)
        engine.mxv_balanced.pull_balanced(found, a, u, a.indptr, engine.workspace.current())
    coordinates = engine.to_device(np.array([1, 0]))
    with pytest.raises(IndexOutOfBound):  # every number that is read is 1, that of positions outside too
        engine.building.build_matrix(2, 2, coordinates, coordinates, coordinates, None, None)
    engine.transpose.transpose(moved(with_degrees([2, 3], np.float32), engine.to_device))
    return list(dict.fromkeys(emulated_cupy.sources))


@pytest.mark.parametrize("thorough", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_kernels_for_matrices_compile(monkeypatch, thorough: bool) -> None:
    modules = [f"eager.{name}" for name in MODULES]
    with loaded("recorded", monkeypatch, *modules, "runtime.workspace") as engine:
        texts = programs(engine)
    assert {found for text in texts for found in re.findall(r'#line 1 ".*/(\w+\.cu)"', text)} >= FILES
    for text, architecture in nvrtc.some_or_all(texts, 12, thorough):
        assert nvrtc.compile_cuda(text, architecture, cuda.OPTIONS)
