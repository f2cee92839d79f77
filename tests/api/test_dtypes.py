"""The data types, alone and against python-graphblas."""

import itertools
import pickle

import numpy as np
import pytest

import grblas_gpu as gb
from grblas_gpu import dtypes
from grblas_gpu.dtypes import ALL_TYPES, BOOL, FP32, INT64, UINT64, lookup_dtype, unify

KEYS = [
    *(t.name for t in ALL_TYPES),
    *(t.name.lower() for t in ALL_TYPES),
    *(t.c_type for t in ALL_TYPES),
    *(t.np_type for t in ALL_TYPES),
    *(t.np_type.name for t in ALL_TYPES),
    *(t.np_type.type for t in ALL_TYPES),
    *(t.np_type.str for t in ALL_TYPES),
    *(
        bool,
        int,
        float,
        complex,
        "bool",
        "complex",
        "int",
        "float",
        "FLOAT",
        "double",
        "i4",
        "f4",
        "u1",
        "?",
        "GrB_INT8",
        "<i2",
    ),
]


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_lookup_is_python_graphblas(key):
    gb = pytest.importorskip("graphblas")
    assert lookup_dtype(key).name == gb.dtypes.lookup_dtype(key).name


@pytest.mark.parametrize("key", [object(), 5, "badname", "float16", np.dtype("S5"), {"x": "S5"}])
def test_unknown(key):
    with pytest.raises(ValueError, match="Unknown dtype"):
        lookup_dtype(key)


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


def test_unify_is_python_graphblas():
    gb = pytest.importorskip("graphblas")
    for left, right in itertools.product(ALL_TYPES, ALL_TYPES):
        theirs = gb.dtypes.unify(gb.dtypes.lookup_dtype(left.name), gb.dtypes.lookup_dtype(right.name))
        assert unify(left, right).name == theirs.name
        assert unify(left, right, is_left_scalar=True) is unify(left, right)


def test_comparison():
    assert INT64 == "INT64" == INT64 and int == INT64 and INT64 != FP32 and FP32 != "float"
    with pytest.raises(TypeError):
        assert object() == BOOL
    expected = "BOOL FC32 FC64 FP32 FP64 INT8 INT16 INT32 INT64 UINT8 UINT16 UINT32 UINT64".split()
    assert [t.name for t in sorted(ALL_TYPES)] == expected
    assert BOOL < "FP32"
    with pytest.raises(TypeError):
        assert BOOL < 5


def test_pickle_and_repr():
    for dtype in ALL_TYPES:
        assert pickle.loads(pickle.dumps(dtype)) is dtype
        assert repr(dtype) == dtype.name
    assert dtypes._INDEX is UINT64


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
