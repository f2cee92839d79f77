"""One program of every kernel for whole matrices, against the definitions: on a GPU where there is one, or emulated."""

import numpy as np
from emulated_engine import engine_fixture
from random_objects import definitions, same, valued_matrix

from grblas_gpu import binary, monoid, select, semiring
from grblas_gpu.backends.stores.storage import MaskView, MatrixStore

MODULES = "building extracting gathering matrices matrix_facts operating selecting mxm_operands".split()


engine = engine_fixture(*(f"eager.{name}" for name in MODULES))


def test_select(engine) -> None:
    a = valued_matrix(np.random.default_rng(1), 300, 40, np.float64, 0.3)
    op = select.tril["FP64"]
    same(engine.run(engine.selecting.select, a, op, -20), definitions.select(a, op, -20))


def test_write(engine) -> None:
    rng = np.random.default_rng(2)
    c, t, m = (valued_matrix(rng, 60, 90, np.int64, 0.5) for _ in range(3))
    op = binary.minus["INT64"]
    c_there, t_there, m_there = (engine.there(each) for each in (c, t, m))
    result = engine.matrices.write(c_there, t_there, MaskView(m_there, False, True), op, False)
    same(engine.here(result), definitions.write(c, t, MaskView(m, False, True), op, False))
    assert engine.matrices.write(c_there, t_there, MaskView(t_there, True, False), None, True) is t_there


def test_scalar_through_a_mask(engine) -> None:
    rng = np.random.default_rng(3)
    c, m = (valued_matrix(rng, 60, 90, np.int64, 0.5) for _ in range(2))
    there = engine.there(c)
    for mask in (m, c):
        on_device = there if mask is c else engine.there(m)
        result = engine.matrices.assign_scalar(there, np.int64(7), MaskView(on_device, True, False), None, False)
        expected = definitions.assign(c, np.int64(7), (None, None), MaskView(mask, True, False), None, False, False)
        same(engine.here(result), expected)
        assert (result.indices is there.indices) == (mask is c)  # nothing but a value is new


def test_scaled_rows(engine) -> None:
    rng = np.random.default_rng(4)
    b = valued_matrix(rng, 50, 90, np.float64, 0.4)
    a = MatrixStore(50, 50, np.arange(51), np.arange(50, dtype=np.int32), rng.random(50))
    there = engine.there(b)
    typed = semiring.plus_times["FP64"]
    result = engine.gathering.scaled(engine.there(a), there, typed, engine.mxm_operands.MatrixMask())
    assert result.indices is there.indices
    same(engine.here(result), definitions.mxm(a, b, typed, None, plan=None))


def test_coordinates(engine) -> None:
    rng = np.random.default_rng(5)
    rows, cols, values = rng.integers(0, 40, 6000), rng.integers(0, 30, 6000), rng.integers(-9, 9, 6000)
    given = 40, 30, rows, cols, values, monoid.plus["INT64"]
    result = engine.run(engine.building.build_matrix, *given, engine.operating.reduce_runs)
    same(result, definitions.build_matrix(*given))
