"""Values of user-defined types are not on a device: CuPy has no arrays of records. Every way in says so."""

from __future__ import annotations

from typing import Any

import emulated_engine
import numpy as np
import pytest

from grblas_gpu import Matrix, Vector, binary

POINT = np.dtype([("x", np.int32), ("y", np.float64)], align=True)


@pytest.mark.parametrize("values", [np.zeros(2, POINT), np.zeros((2, 3))], ids=["records", "arrays"])
def test_refused(values: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    v = Vector.from_coo([0, 3], values, size=5)
    A = Matrix.from_coo([0, 3], [1, 2], values, nrows=5, ncols=5)
    stored, index = v._store.values, np.array([0, 3])
    with emulated_engine.loaded("recorded", monkeypatch, "engine") as found:
        engine = found.engine.CudaBackend()
        for way in (
            lambda: engine.adopt(v._store),
            lambda: engine.adopt(A._store),
            lambda: engine.empty_vector(5, v.dtype.np_type),
            lambda: engine.empty_matrix(5, 5, v.dtype.np_type),
            lambda: engine.build_vector(5, index, stored, None),
            lambda: engine.build_matrix(5, 5, index, index, stored, None),
            lambda: engine.ewise_mult(v._store, v._store, binary.first[v.dtype]),
        ):
            with pytest.raises(TypeError, match="records of a user-defined type are not on backend 'cuda'"):
                way()
