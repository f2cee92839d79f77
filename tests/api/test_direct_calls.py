"""What calls do without: a store that is thrown away, an object for a number. They mean the same as before."""

import numpy as np
import pytest

import grblas_gpu as gb
from grblas_gpu import Matrix, Scalar, Vector, binary

TYPES = ["BOOL", "INT8", "UINT64", "FP32", "FP64", "FC64"]


def test_copies_make_no_empty_store(backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    v, A = Vector.from_coo([0, 2], [1.5, 2.5], size=4), Matrix.from_coo([0, 1], [0, 1], [3, 4])
    engine = type(v._engine)

    def made(*_):
        raise AssertionError("an unneeded store")

    with monkeypatch.context() as patched:
        patched.setattr(engine, "empty_vector", made)
        patched.setattr(engine, "empty_matrix", made)
        copies = v.dup(), v.dup(int, name="whole"), A.dup(), A.dup(float), A.diag(), A.diag(dtype=float)
    assert [str(each.dtype) for each in copies] == "FP64 INT64 INT64 FP64 INT64 FP64".split()
    assert copies[1].name == "whole" and copies[1].to_dict() == {0: 1, 2: 2}
    assert copies[4].to_dict() == {0: 3, 1: 4}
    copies[0][0] << 7
    copies[2][0, 0] << 7
    assert v.to_dict() == {0: 1.5, 2: 2.5} and A[0, 0].new().value == 3
    assert v.dup(clear=True).nvals == 0 and v.dup(mask=~v.S).nvals == 0
    with pytest.raises(ValueError, match="Unknown dtype"):
        v.dup("FP99")
    with pytest.raises(ValueError, match="unknown descriptor option"):
        v.dup(sideways=True)


@pytest.mark.parametrize("literal", [True, 3, -3, 300, 2**62 + 1, 2.5, 1e300, 1 + 2j])
@pytest.mark.parametrize("dtype", TYPES)
def test_a_number_is_assigned_as_a_scalar_is(backend: str, dtype: str, literal) -> None:
    scalar = Scalar.from_value(literal)
    for region in ([1, 3], slice(1, 3)):
        for accum in (None, binary.second):
            found, expected = Vector(dtype, 5), Vector(dtype, 5)
            for v, value in (found, literal), (expected, scalar):
                v[1] << 1
                v(accum=accum)[region] << value
            assert found.isequal(expected, check_dtype=True)
    A, B = Matrix(dtype, 3, 3), Matrix(dtype, 3, 3)
    A[[0, 2], :] << literal
    B[[0, 2], :] << scalar
    assert A.isequal(B, check_dtype=True)


def test_numbers_beyond_64_bits_and_records(backend: str) -> None:
    v = Vector("UINT64", 4)
    with pytest.raises(OverflowError, match="does not fit INT64"):
        v[[0, 1]] << 2**63
    v[[0, 1]] << Scalar.from_value(2**63, "UINT64")
    assert v.to_dict() == {0: 2**63, 1: 2**63}
    point = gb.dtypes.register_anonymous({"x": np.int64, "y": np.float64})
    w = Vector(point, 3)
    w[[0, 2]] << 4
    assert w[2].new().value.item() == (4, 4.0)


def test_positions_of_short_lists(backend: str) -> None:
    v = Vector.from_dense(np.arange(5.0))
    assert v[[-1, 0, -5]].new().to_dense().tolist() == [4, 0, 0]
    assert v[np.array([-1, 0], np.int8)].new().to_dense().tolist() == [4, 0]
    assert v[[np.int64(2), 1]].new().to_dense().tolist() == [2, 1]
    for wrong, error in ([0, 5], gb.exceptions.IndexOutOfBound), ([-6, 0], IndexError):
        for index in (wrong, np.array(wrong)):
            with pytest.raises(error, match="out of range"):
                v[index] << 1
    with pytest.raises(TypeError, match="Invalid dtype for index: bool"):
        v[[True, False]] << 1
    assert v.to_dense().tolist() == [0, 1, 2, 3, 4]
