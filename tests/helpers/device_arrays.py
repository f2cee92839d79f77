"""A stricter emulation of CuPy's arrays: they are not NumPy arrays, and do not mix with them.

Arrays of ``emulated_cupy`` derive from NumPy's, so they pass as arrays of the host, and calls that CuPy refuses
succeed. These follow NumPy's protocols only, as CuPy's do; kernels run in the same emulation.
"""

from types import ModuleType

import cupy_calls
import emulated_cupy
import numpy as np


def bare(x):
    """The NumPy array behind an emulated one."""
    if isinstance(x, DeviceArray):
        return x.emulated
    if isinstance(x, (tuple, list)):
        return type(x)(map(bare, x))
    return {name: bare(each) for name, each in x.items()} if isinstance(x, dict) else x


def dressed(x):
    if isinstance(x, (np.ndarray, np.generic)):
        return DeviceArray(np.asarray(x))
    return tuple(map(dressed, x)) if isinstance(x, tuple) else x


def refuse_host(*operands) -> None:
    for each in operands:
        if isinstance(each, (list, tuple)):
            refuse_host(*each)
        elif isinstance(each, np.ndarray) and each.ndim:
            raise TypeError("Unsupported type <class 'numpy.ndarray'>")  # as in CuPy


class DeviceArray:
    def __init__(self, shape, dtype=float, memory=None) -> None:
        if isinstance(shape, np.ndarray):
            self.emulated = shape
        elif memory is None:
            self.emulated = emulated_cupy.unwritten(shape, dtype)
        else:
            self.emulated = np.ndarray(shape, dtype, memory)
        if self.dtype.kind not in "?biufc":
            raise ValueError(f"Unsupported dtype {self.dtype}")

    def __array__(self, *args, **kwargs):
        raise TypeError("Implicit conversion to a NumPy array is not allowed. Please use `.get()`")

    def __array_function__(self, function, types, args, kwargs):
        if any(each not in (DeviceArray, np.ndarray) for each in types):
            return NotImplemented
        name = function.__name__
        cupy_calls.check(name, args, kwargs, lambda x: isinstance(x, DeviceArray))
        if name not in cupy_calls.FROM_THE_HOST:
            refuse_host(*args, *kwargs.values())
        return dressed(emulated_cupy.NEW.get(name, function)(*bare(args), **bare(kwargs)))

    def __array_ufunc__(self, ufunc, method: str, *inputs, **kwargs):
        if method != "__call__":
            raise NotImplementedError(f"{ufunc.__name__}.{method} is not listed as supported by CuPy")
        refuse_host(*inputs)
        return dressed(getattr(ufunc, method)(*bare(inputs), **bare(kwargs)))

    def __getitem__(self, index):
        return dressed(self.emulated[bare(index)])

    def __setitem__(self, index, value) -> None:
        refuse_host(value)
        index = bare(index)
        if getattr(index, "dtype", None) == bool and index.ndim != self.ndim:
            raise TypeError("flags for some axes only")
        self.emulated[index] = bare(value)

    def __getattr__(self, name: str):
        """All other methods and attributes of arrays."""
        if name.startswith("__") or name in cupy_calls.NO_ATTRIBUTES or name in cupy_calls.SLOW:
            raise AttributeError(name)
        found = getattr(self.emulated, name)
        if not callable(found):
            return dressed(found)

        def method(*args, **kwargs):
            refuse_host(*args)
            return dressed(found(*bare(args), **bare(kwargs)))

        return method

    def __len__(self) -> int:
        return len(self.emulated)

    def __bool__(self) -> bool:
        return bool(self.emulated)

    def __int__(self) -> int:
        return int(self.emulated)

    def __float__(self) -> float:
        return float(self.emulated)

    def get(self) -> np.ndarray:
        return self.emulated.copy()

    def set(self, array: np.ndarray) -> None:
        assert type(array) is np.ndarray and array.shape == self.shape and array.dtype == self.dtype
        self.emulated[...] = array

    @property
    def __cuda_array_interface__(self):
        interface = self.emulated.__array_interface__
        return {**interface, "data": (interface["data"][0], False), "version": 3}  # CuPy has no read-only arrays

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        if dl_device != (1, 0):
            raise BufferError("Unsupported device in DLTensor.")  # as NumPy about memory of a device
        return self.get().__dlpack__(max_version=max_version)

    def __dlpack_device__(self) -> tuple[int, int]:
        return 2, 0

    @property
    def data(self):
        return emulated_cupy.Pointer(self.emulated)

    __hash__ = object.__hash__


def _operator(name: str):
    def method(self: DeviceArray, *others):
        refuse_host(*others)
        found = getattr(self.emulated, name)(*bare(others))
        if name.startswith("__i") and name != "__invert__":
            return self
        return found if found is NotImplemented else dressed(found)

    return method


for _name in "add sub mul floordiv truediv mod and or xor lshift rshift".split():
    for _form in ("", "r", "i"):
        setattr(DeviceArray, f"__{_form}{_name}__", _operator(f"__{_form}{_name}__"))
for _name in "lt le gt ge eq ne neg invert abs".split():
    setattr(DeviceArray, f"__{_name}__", _operator(f"__{_name}__"))


_module = emulated_cupy.module


def module() -> ModuleType:
    """The emulated module ``cupy``."""
    cupy = _module()

    def made(function):
        return lambda *args, **kwargs: DeviceArray(np.asarray(function(*bare(args), **bare(kwargs))))

    for name in "arange argsort ascontiguousarray".split():
        setattr(cupy, name, made(getattr(np, name)))
    cupy.asarray = lambda x, *args, **kwargs: made(np.asarray if isinstance(x, DeviceArray) else emulated_cupy.asarray)(
        x, *args, **kwargs
    )
    for name, function in emulated_cupy.NEW.items():
        setattr(cupy, name, made(function))
    cupy.asnumpy = bare
    cupy.ndarray = DeviceArray
    return cupy
