"""Complex numbers on the CUDA engine: operators compile, and every operation gives what the definitions give."""

from functools import partial
from types import SimpleNamespace

import emulated_engine
import numpy as np
import pytest

import grblas_gpu as gb
from grblas_gpu import Matrix, Vector, binary, monoid, select, semiring, unary
from grblas_gpu.backends.cuda.fusion.emit_one_step import operator_pieces
from grblas_gpu.backends.cuda.runtime import compile as cuda
from grblas_gpu.backends.forms.every_form import NumpyBackend
from grblas_gpu.backends.stores.entries import cast

REFERENCE = NumpyBackend()


def test_programs_without_complex_numbers_do_not_read_them() -> None:
    assert "complex_power" not in cuda.render("step.cu", operator_pieces(unary.abs["FP64"], 1))


engine = emulated_engine.engine_fixture("engine", "eager.operating", params=emulated_engine.SLOW_ENGINES)


def graph(seed: int, dtype: str, n: int = 23) -> Matrix:
    rng = np.random.default_rng(seed)
    rows, cols = rng.integers(0, n, (2, 90))
    values = rng.integers(-4, 5, 90) + 1j * rng.integers(-4, 5, 90)
    return Matrix.from_coo(rows, cols, values, dtype, nrows=n, ncols=n, dup_op=binary.plus)


def vector(seed: int, dtype: str, n: int = 23) -> Vector:
    rng = np.random.default_rng(seed)
    index = rng.permutation(n)[:15]
    return Vector.from_coo(index, rng.integers(-4, 5, 15) + 1j * rng.integers(-4, 5, 15), dtype, size=n)


def same(found, expected) -> None:
    if found is None or isinstance(found, (np.generic, complex)):
        np.testing.assert_allclose(found, expected, rtol=1e-5)
        return
    found_rows, found_cols, found_values = REFERENCE.tuples(found)
    rows, cols, values = REFERENCE.tuples(expected)
    np.testing.assert_array_equal(found_rows, rows)
    np.testing.assert_array_equal(found_cols, cols)
    assert found_values.dtype == values.dtype
    np.testing.assert_allclose(found_values, values, rtol=1e-5)


@pytest.mark.parametrize("dtype", ["FC32", "FC64"])
def test_operations(engine, dtype: str) -> None:
    device = engine.engine.CudaBackend()
    a, b, u, v = graph(1, dtype), graph(2, dtype), vector(3, dtype), vector(4, dtype)
    real = Vector.from_coo(range(0, 23, 2), np.arange(12) - 5.5, size=23)
    np_type = a.dtype.np_type

    def check(name: str, *arguments, **options) -> None:
        given = [argument._store if hasattr(argument, "_store") else argument for argument in arguments]
        found = engine.run(partial(getattr(device, name), **options), *given)
        same(found, getattr(REFERENCE, name)(*given, **options))

    plan = SimpleNamespace(strategy="pull.hybrid", early_exit=False, deterministic=False)
    for ring in (semiring.plus_times, semiring.any_second, semiring.times_plus, semiring.plus_absfirst):
        check("mxv", a, u, ring[dtype], None, transposed=False, flip=False, plan=plan)
        check("mxv", a, u, ring[dtype], None, transposed=True, flip=True, plan=plan)
    check("mxm", a, b, semiring.plus_times[dtype], None, plan=plan)
    check("inner", u, v, semiring.plus_times[dtype])
    check("outer", u, v, binary.times[dtype])
    check("kronecker", graph(5, dtype, 4), graph(6, dtype, 3), binary.minus[dtype])
    for x, y in ((a, b), (u, v), (u, real)):
        check("ewise_mult", x, y, binary.minus[dtype])
        check("ewise_add", x, y, binary.times[dtype])
        check("ewise_union", x, y, binary.minus[dtype], np_type.type(1j), np_type.type(2))
    for op in (unary.abs, unary.conj, unary.exp, unary.carg, unary.creal, unary.isnan):
        check("apply", a, op[dtype])
        check("apply", u, op[dtype])
    check("apply_bind", u, binary.truediv[dtype], np_type.type(1 + 1j), "right")
    check("apply_bind", real, binary.cmplx["FP64"], np.float64(2), "left")
    check("select", a, select.valuene[dtype], np_type.type(1 + 1j))
    check("select", a, select.tril[dtype], 0)
    check("reduce_scalar", a, monoid.plus[dtype])
    check("reduce_scalar", u, monoid.times[dtype])
    check("reduce_rowwise", a, monoid.plus[dtype])
    check("transpose", a)
    for wanted in ("BOOL", "INT8", "FP32", "FC32", "FC64"):
        check("cast", u, gb.dtypes.lookup_dtype(wanted).np_type)
    check("extract_vector", u, np.array([3, 1, 1, 20]))
    check("extract_row", a, 3, None)
    check("extract_column", a, 3, None)
    check("diagonal", a, 0)
    check("diagonal_matrix", u, 1)
    check("write", u, v, None, binary.plus[dtype], False)
    check("write", a, b, None, binary.minus[dtype], False)
    check("assign", u, np_type.type(3j), (None,), None, None, False, False)


def test_cast_of_arrays() -> None:
    z = np.array([1.5 + 2j, -300 - 1j, np.nan, 0])
    assert cast(z, np.dtype(np.int8)).tolist() == [1, -128, 0, 0]
    assert cast(z, np.dtype(bool)).tolist() == [True, True, True, False]
