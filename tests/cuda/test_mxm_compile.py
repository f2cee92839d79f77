"""The matrix-matrix kernels compile, for every kind of semiring, mask and index, on machines without a GPU."""

from __future__ import annotations

import numpy as np
import pytest
from nvrtc import ONE_OR_ALL, compile_cuda

from grblas_gpu import Monoid, binary, operators, semiring
from grblas_gpu.backends.cuda.eager.mxm_operands import EVERYWHERE, INSIDE, OUTSIDE, MatrixMask, PatternOnly, Product
from grblas_gpu.backends.cuda.eager.mxm_programs import Program, Programs, slots_per_table, sum_bytes
from grblas_gpu.backends.cuda.runtime.compile import OPTIONS
from grblas_gpu.backends.storage import MatrixStore
from grblas_gpu.operators import builtin, registry

pytestmark = pytest.mark.nvrtc
TYPES = ("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64")
QUICK_TYPES = ("int8", "float64")
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


def check(program: Program, architecture: str = "sm_90") -> None:
    code = compile_cuda(program.text(), architecture, OPTIONS)
    for name in program.kernels:
        assert name.encode() in code


@pytest.mark.parametrize("architecture", ONE_OR_ALL)
def test_architectures(architecture):
    a = b = matrix("float64")
    programs = Programs(a, b, mask("structure"), 9)
    product = Product(a, b, semiring.plus_times["FP64"], True)
    for program in (
        programs.dot(product),
        programs.divide(8),
        programs.count(),
        programs.fill(product),
        programs.giant(product),
        programs.giant(PatternOnly()),
    ):
        check(program, architecture)


@pytest.mark.parametrize(
    "kind", [pytest.param(name, marks=() if name == "values" else pytest.mark.slow) for name in MASKS]
)
@pytest.mark.parametrize("column", ["int32", pytest.param("int64", marks=pytest.mark.slow)])
def test_masks_and_indices(kind, column):
    a = b = matrix("int64", column=column)
    programs = Programs(a, b, mask(kind, column), 9 if column == "int32" else 2**40)
    product = Product(a, b, semiring.min_plus["INT64"], True)
    all_of_them = [
        programs.bins(),
        programs.divide(0),
        programs.count(),
        programs.giant(product),
        programs.fill(product),
        programs.fill(PatternOnly()),
        programs.small(product),
    ]
    if mask(kind).where == INSIDE:
        all_of_them += [programs.dot(product), programs.masked_rows(product)]
    else:
        all_of_them += [programs.dense_count(), programs.dense_fill(product)]
    for program in all_of_them:
        check(program)


def test_narrow_offsets():
    a, b = matrix("int64", offset="int32"), matrix("int64")
    for first, second in ((a, b), (b, a)):
        pattern = MatrixMask(INSIDE, first)
        programs = Programs(first, second, pattern, 9)
        product = Product(first, second, semiring.plus_times["INT64"], True)
        for program in (programs.divide(0), programs.count(), programs.fill(product)):
            check(program)
        for program in (programs.giant(product), programs.dot(product)):
            check(program)


@pytest.mark.parametrize(
    "dtype", [pytest.param(name, marks=() if name in QUICK_TYPES else pytest.mark.slow) for name in TYPES]
)
def test_types(dtype):
    a = b = matrix(dtype)
    programs = Programs(a, b, mask("structure"), 9)
    for typed in (
        (semiring.lor_land, semiring.any_first) if dtype == "bool" else (semiring.plus_times, semiring.min_plus)
    ):
        product = Product(a, b, typed[dtype], True)
        check(programs.dot(product))
        check(programs.fill(product))
    check(programs.giant(product))


@pytest.mark.parametrize(
    "name",
    [
        "any_pair",
        "min_firsti",
        *(pytest.param(n, marks=pytest.mark.slow) for n in ("max_firstj1", "min_secondi", "any_secondj", "bor_band")),
    ],
)
def test_structure_positions_and_bits(name):
    a, b = matrix("uint32"), matrix("uint32", 1)
    dtype = "UINT32" if name == "bor_band" else "INT64"
    typed = getattr(semiring, name)[dtype]
    programs = Programs(a, b, mask("structure"), 9)
    product = Product(a, b, typed, True)
    assert product.structure == (name == "any_pair")
    check(programs.dot(product))
    check(programs.fill(Product(a, b, typed, False)))


def test_user_defined_semiring():
    larger = binary.register_anonymous(lambda x, y: x if x > y else y)
    weighted = operators.Semiring.register_anonymous(Monoid.register_anonymous(larger, 0), binary.minus)
    a = b = matrix("float32")
    product = Product(a, b, weighted["FP32"], True)
    programs = Programs(a, b, mask("values"), 9)
    check(programs.dot(product))
    check(programs.fill(product))


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow if number % 4 else ())
        for number, name in enumerate(builtin.rows("monoid"))
    ],
)
def test_every_monoid(name):
    made = operators.Semiring.register_anonymous(registry.builtin("monoid", name), binary.first)
    dtype = next(dtype for dtype in ("FP64", "INT64", "UINT64", "BOOL") if dtype in made)
    a = b = matrix("int32")
    check(Programs(a, b, mask("none"), 9).fill(Product(a, b, made[dtype], True)))


def test_tables_fit_shared_memory():
    for column in ("int32", "int64"):
        for dtype in TYPES:
            a = b = matrix(dtype)
            word = sum_bytes(Product(a, b, semiring.any_first[dtype], True))
            warp, block = slots_per_table(np.dtype(column), word)
            assert block == 8 * warp
            assert block * (np.dtype(column).itemsize + word) <= 40 * 1024


@pytest.mark.parametrize("corners", [1, 2])
def test_triangles(corners):
    a = matrix("bool", 1)
    product = Product(a, a, semiring.plus_pair["INT64"], True)
    check(Programs(a, a, MatrixMask(INSIDE, a), 9).dot(product, corners))
