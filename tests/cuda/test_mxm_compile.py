"""The matrix-matrix kernels compile, for every kind of semiring, mask and index, on machines without a GPU."""

from __future__ import annotations

import numpy as np
import pytest
from nvrtc import ONE_OR_ALL, compile_cuda

from grblas_gpu import semiring
from grblas_gpu.backends.cuda.eager.mxm_operands import EVERYWHERE, INSIDE, OUTSIDE, MatrixMask, PatternOnly, Product
from grblas_gpu.backends.cuda.eager.mxm_programs import KERNELS, Multiplication, RowProducts, sum_bytes, table_slots
from grblas_gpu.backends.cuda.runtime.compile import OPTIONS
from grblas_gpu.backends.stores.storage import MatrixStore

pytestmark = pytest.mark.nvrtc
TYPES = ("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64")
MASKS = {
    "none": (EVERYWHERE, None, 0),
    "structure": (INSIDE, None, 0),
    "values": (INSIDE, "int8", 2),
    "complement": (OUTSIDE, None, 0),
    "iso values": (OUTSIDE, "float64", 1),
}


def matrix(dtype: str, entries: int = 2, column: str = "int32", offset: str = "int64") -> MatrixStore:
    """As much of a matrix as a program depends on."""
    return MatrixStore(1, 9, np.array([0, 2], offset), np.zeros(2, column), np.ones(entries, dtype))


def mask(kind: str, column: str = "int32") -> MatrixMask:
    where, dtype, entries = MASKS[kind]
    if where == EVERYWHERE:
        return MatrixMask()
    return MatrixMask(where, matrix("bool", column=column), None if dtype is None else np.ones(entries, dtype))


#: What is generated for a file besides types and operators.
CONSTANTS: dict[str, dict[str, int]] = {
    "mxm_sorted.cu": {"WIDE_KEYS": False},
    "mxm_masked.cu": {"DOTS": True, "CORNERS": 0},
}


def check(job: Multiplication | RowProducts, *files: str, architecture: str = "sm_90", **constants: int) -> None:
    for file in files:
        if isinstance(job, RowProducts):
            text = job.text()
        else:
            slots = [table_slots(job.column, word) for word in (0, sum_bytes(job.product))]
            given = CONSTANTS | {HASHED: dict(zip(("COUNT_SLOTS", "FILL_SLOTS"), slots, strict=True))}
            text = job.text(file, **(given.get(file, {}) | constants))
        code = compile_cuda(text, architecture, OPTIONS)
        for name in KERNELS[file]:
            assert name.encode() in code


MASKED, SORTED, DENSE, HASHED, GLOBAL = (f"mxm_{name}.cu" for name in ("masked", "sorted", "dense", "hashed", "global"))


@pytest.mark.parametrize("architecture", ONE_OR_ALL)
def test_architectures(architecture):
    a = b = matrix("float64")
    product = Product(a, b, semiring.plus_times["FP64"], True)
    job = Multiplication(a, b, product, mask("structure"), 9)
    check(job, MASKED, HASHED, GLOBAL, architecture=architecture)
    check(Multiplication(a, b, PatternOnly(), mask("structure"), 9), GLOBAL, architecture=architecture)


@pytest.mark.parametrize(
    "kind", [pytest.param(name, marks=() if name == "values" else pytest.mark.slow) for name in MASKS]
)
@pytest.mark.parametrize("column", ["int32", pytest.param("int64", marks=pytest.mark.slow)])
def test_masks_and_indices(kind, column):
    a = b = matrix("int64", column=column)
    allowed, ncols = mask(kind, column), 9 if column == "int32" else 2**40
    job = Multiplication(a, b, Product(a, b, semiring.min_plus["INT64"], True), allowed, ncols)
    check(job, HASHED, GLOBAL, MASKED if allowed.where == INSIDE else DENSE)
    if allowed.where == INSIDE:
        check(job, MASKED, DOTS=False)
    check(job, SORTED, WIDE_KEYS=column == "int64")
    check(Multiplication(a, b, PatternOnly(), allowed, ncols), HASHED)
    check(RowProducts(a, b, allowed), "mxm_bins.cu")


def test_tables_fit_shared_memory():
    for column in ("int32", "int64"):
        for dtype in TYPES:
            a = b = matrix(dtype)
            word = sum_bytes(Product(a, b, semiring.any_first[dtype], True))
            assert table_slots(np.dtype(column), word) * (np.dtype(column).itemsize + word) <= 40 * 1024


@pytest.mark.parametrize("corners", [1, 2])
def test_triangles(corners):
    a = matrix("bool", 1)
    product = Product(a, a, semiring.plus_pair["INT64"], True)
    check(Multiplication(a, a, product, MatrixMask(INSIDE, a), 9), MASKED, CORNERS=corners)
