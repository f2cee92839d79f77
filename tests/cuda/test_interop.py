"""Arrays on a CUDA device, given to objects and taken from them without a trip through the host."""

import emulated_engine
import numpy as np
import pytest
from exchanged import Exchanged

import grblas_gpu as gb
from grblas_gpu import Matrix, Vector, binary, io


class Foreign:
    """An array of another library that offers CUDA's array interface and nothing else."""

    def __init__(self, array, read_only: bool = False) -> None:
        self.array = array
        self.read_only = read_only

    @property
    def __cuda_array_interface__(self) -> dict:
        interface = dict(self.array.__cuda_array_interface__)
        return interface | {"data": (interface["data"][0], self.read_only)}


@pytest.fixture
def cupy():
    import cupy

    with gb.using("cuda"):
        yield cupy


@pytest.fixture
def csr(cupy):
    return cupy.array([0, 2, 2, 3], np.int32), cupy.array([1, 2, 0], np.int32), cupy.array([5.0, 6.0, 7.0])


def address(array) -> int:
    return array.data.ptr


class TestOnADevice:
    pytestmark = pytest.mark.gpu

    @pytest.mark.parametrize("wrap", [lambda x: x, Foreign, Exchanged])
    def test_csr_is_shared(self, csr, wrap):
        a = Matrix.from_csr(*map(wrap, csr), ncols=3)
        assert [address(x) for x in a.device_arrays().values()] == [address(x) for x in csr]
        assert a.to_dicts() == {0: {1: 5.0, 2: 6.0}, 2: {0: 7.0}}

    def test_read_only_values_are_copied(self, csr):
        indptr, indices, values = csr
        a = Matrix.from_csr(indptr, indices, Foreign(values, read_only=True), ncols=3)
        a[0, 1] << 9
        assert values.get().tolist() == [5.0, 6.0, 7.0]
        assert a[0, 1].new().value == 9

    def test_dense(self, cupy):
        values = cupy.array([4.0, 0.0, 6.0])
        v = Vector.from_dense(values)
        assert address(v.device_arrays()["values"]) == address(values)
        assert Vector.from_dense(values, missing_value=0).to_dict() == {0: 4.0, 2: 6.0}
        square = cupy.array([[0, 5], [6, 0]])
        for given in (square, cupy.asfortranarray(square)):
            assert Matrix.from_dense(given, missing_value=0).to_dicts() == {0: {1: 5}, 1: {0: 6}}
        full = Matrix.from_dense(square)
        assert address(full.device_arrays()["values"]) == address(square)
        assert address(io.to_array(full, copy=False)) == address(square) != address(io.to_array(full))
        assert address(cupy.from_dlpack(io.to_array(full, copy=False))) == address(square)
        assert address(cupy.from_dlpack(full)) == address(square)
        assert address(cupy.from_dlpack(v)) == address(io.to_array(v, copy=False)) == address(values)
        np.testing.assert_array_equal(np.from_dlpack(v, device="cpu"), values.get())

    def test_out_are_numpy_arrays(self, csr):
        a = Matrix.from_csr(*csr, ncols=3)
        v = Vector.from_dense(csr[2])
        for array in (*a.to_csr(), *a.to_csc(), *a.to_coo(), a.to_dense(0), *v.to_coo(), v.to_dense()):
            assert type(array) is np.ndarray

    @pytest.mark.parametrize(
        "make, error",
        [
            (lambda cupy: Vector.from_coo(cupy.array([-1]), 1), OverflowError),
            (lambda cupy: Vector.from_coo(cupy.array([1.5]), 1), ValueError),
            (lambda cupy: Vector.from_coo(cupy.array([5]), 1, size=3), gb.exceptions.IndexOutOfBound),
            (lambda cupy: Vector.from_coo(cupy.array([1, 1]), cupy.array([1, 2])), ValueError),
            (lambda cupy: Matrix.from_csr(cupy.array([0, 2, 1]), cupy.array([0]), 1), gb.exceptions.InvalidObject),
            (lambda cupy: Matrix.from_csr(cupy.array([0, 2]), cupy.array([0, 0]), 1), gb.exceptions.InvalidValue),
        ],
    )
    def test_bad_input(self, cupy, make, error):
        with pytest.raises(error):
            make(cupy)


@pytest.mark.emulated
def test_full_objects_are_exchanged_where_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    with emulated_engine.backend("emulated", monkeypatch) as name, gb.using(name):
        for x in (Vector.from_dense([1.5, 2.5]), Matrix.from_dense([[1, 2], [3, 4]])):
            assert x.__dlpack_device__() == (2, 0)
            assert address(io.to_array(x, copy=False)) == address(x.device_arrays()["values"])
            with pytest.raises(BufferError, match="Unsupported device"):
                np.from_dlpack(x)
            np.testing.assert_array_equal(np.from_dlpack(x, device="cpu"), x.to_dense())  # a copy
            with pytest.raises(TypeError, match="converted to a numpy array"):
                Vector.from_dense(x)  # an object is an operand, not an array of the device


class OnDevice:
    """The interface of a device array; its data must not be read here."""

    __cuda_array_interface__ = None


class OnDeviceByDlpack:
    def __dlpack_device__(self) -> tuple[int, int]:
        return 2, 0


@pytest.mark.parametrize("name", ["cpu", "numpy"])
@pytest.mark.parametrize("kind", [OnDevice, OnDeviceByDlpack])
def test_other_backends_say_what_to_do(name, kind):
    array = kind()
    with gb.using(name):
        for attempt in (
            lambda: Vector.from_coo(array, 1),
            lambda: Vector.from_coo([0], array),
            lambda: Vector.from_dense(array),
            lambda: Vector(int, 3).build(array, [1]),
            lambda: Matrix.from_csr(array, [0], 1),
            lambda: Matrix.from_dense(array),
            lambda: Matrix.from_edgelist(array),
        ):
            with pytest.raises(TypeError, match=rf"{kind.__name__} .*{name}.*\.get\(\), or use backend \"cuda\""):
                attempt()


@pytest.mark.gpu
@pytest.mark.parametrize("wrapped", [lambda x: x, Foreign, Exchanged], ids=["cupy", "interface", "dlpack"])
def test_arrays_on_the_device_are_indices(cupy, wrapped) -> None:
    v, A = Vector.from_dense([5, 6, 7]), Matrix.from_dense([[1, 2], [3, 4]])
    index = wrapped(cupy.array([2, 0, -1]))
    assert v[index].new().to_dense().tolist() == [7, 5, 7]
    v(binary.plus)[index] << 1
    assert v.to_dense().tolist() == [6, 6, 9]
    assert A[wrapped(cupy.array([1], np.int32)), :].new().to_dense().tolist() == [[3, 4]]
    with pytest.raises(gb.exceptions.IndexOutOfBound):
        v[wrapped(cupy.array([0, 3]))].new()
    with pytest.raises(TypeError, match="Invalid dtype for index"):
        v[wrapped(cupy.array([0.0, 1.0]))]
