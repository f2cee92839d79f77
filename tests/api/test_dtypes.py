"""The data types, alone and against python-graphblas."""

import numpy as np
import pytest

import grblas_gpu as gb


def test_integers_of_an_array_wrap_around(backend):
    graphblas = pytest.importorskip("graphblas")
    values = np.array([-1, 300, 2**40 + 7])
    for dtype in ("UINT8", "INT8", "INT32", "UINT64", "BOOL", "FP32"):
        ours = gb.Vector.from_coo([0, 1, 2], values, dtype)
        theirs = graphblas.Vector.from_coo([0, 1, 2], values, dtype)
        assert ours.to_dict() == theirs.to_dict()
        assert gb.Matrix.from_coo([0, 1, 2], [0, 0, 0], values, dtype).to_coo()[2].tolist() == [
            *theirs.to_dict().values()
        ]


@pytest.mark.parametrize("dtype", ["BOOL", "INT8", "FP32", "FP64"])
def test_ones_are_found_in_the_type_of_the_output(monkeypatch, dtype):
    """``any_pair`` of truth values gives INT64; the engine computes in the output type, without a cast."""
    q, w = gb.Vector.from_coo([0], True, size=3), gb.Vector(dtype, 3)
    A = gb.Matrix.from_coo([0, 0], [1, 2], True, nrows=3, ncols=3)
    requested, engine = [], q._engine
    real = engine.mxv

    def spy(a, u, semiring, *args, **options):
        requested.append(semiring.return_type.name)
        return real(a, u, semiring, *args, **options)

    monkeypatch.setattr(engine, "mxv", spy)
    w << gb.semiring.any_pair(q @ A)
    w(gb.binary.plus) << gb.semiring.any_pair(q @ A)  # what is accumulated has its own type
    assert requested == [dtype, "INT64"]
    assert w.dtype.name == dtype
    assert w.to_dict() == dict.fromkeys([1, 2], True if dtype == "BOOL" else 2)
