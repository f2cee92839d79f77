"""One program of every kernel for whole matrices, against the definitions: on a GPU where there is one, or emulated."""

from __future__ import annotations

import numpy as np
from emulated_engine import engine_fixture, moved
from random_objects import definitions, same, valued_matrix

from grblas_gpu import binary, monoid, select, semiring
from grblas_gpu.backends.stores.storage import MaskView, MatrixStore

MODULES = "building extracting gathering matrices matrix_facts operating selecting mxm_operands".split()


engine = engine_fixture(*(f"eager.{name}" for name in MODULES))


def test_select(engine) -> None:
    a = valued_matrix(np.random.default_rng(1), 300, 40, np.float64, 0.3)
    result = engine.selecting.select(moved(a, engine.to_device), select.tril["FP64"], -20)
    same(moved(result, engine.to_host), definitions.select(a, select.tril["FP64"], -20))


def test_write(engine) -> None:
    rng = np.random.default_rng(2)
    c, t, m = (valued_matrix(rng, 60, 90, np.int64, 0.5) for _ in range(3))
    op = binary.minus["INT64"]
    c_there, t_there, m_there = (moved(each, engine.to_device) for each in (c, t, m))
    result = engine.matrices.write(c_there, t_there, MaskView(m_there, False, True), op, False)
    same(moved(result, engine.to_host), definitions.write(c, t, MaskView(m, False, True), op, False))
    assert engine.matrices.write(c_there, t_there, MaskView(t_there, True, False), None, True) is t_there


def test_scalar_through_a_mask(engine) -> None:
    rng = np.random.default_rng(3)
    c, m = (valued_matrix(rng, 60, 90, np.int64, 0.5) for _ in range(2))
    there = moved(c, engine.to_device)
    for mask in (m, c):
        on_device = there if mask is c else moved(m, engine.to_device)
        result = engine.matrices.assign_scalar(there, np.int64(7), MaskView(on_device, True, False), None, False)
        expected = definitions.assign(c, np.int64(7), (None, None), MaskView(mask, True, False), None, False, False)
        same(moved(result, engine.to_host), expected)
        assert (result.indices is there.indices) == (mask is c)  # nothing but a value is new


def test_scaled_rows(engine) -> None:
    rng = np.random.default_rng(4)
    b = valued_matrix(rng, 50, 90, np.float64, 0.4)
    a = MatrixStore(50, 50, np.arange(51), np.arange(50, dtype=np.int32), rng.random(50))
    there = moved(b, engine.to_device)
    typed = semiring.plus_times["FP64"]
    result = engine.gathering.scaled(moved(a, engine.to_device), there, typed, engine.mxm_operands.MatrixMask())
    assert result.indices is there.indices
    same(moved(result, engine.to_host), definitions.mxm(a, b, typed, None, plan=None))


def test_coordinates(engine) -> None:
    rng = np.random.default_rng(5)
    rows, cols, values = rng.integers(0, 40, 6000), rng.integers(0, 30, 6000), rng.integers(-9, 9, 6000)
    op, to = monoid.plus["INT64"], engine.to_device
    given = (to(rows), to(cols), to(values), op, engine.operating.reduce_runs)
    expected = definitions.build_matrix(40, 30, rows, cols, values, op)
    same(moved(engine.building.build_matrix(40, 30, *given), engine.to_host), expected)
