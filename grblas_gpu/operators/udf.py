"""User-defined functions: the types that Numba compiles them for, and their return types."""

from __future__ import annotations

import inspect
import math
import re
import textwrap
from collections.abc import Callable
from functools import cache
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from ..dtypes import ALL_TYPES, BOOL, FP64, INT8, INT64, SUBARRAY, UINT64, DataType, leaves, lookup_dtype
from ..exceptions import UdfParseError
from ..foundation.atomic_updates import completed, imported
from ..foundation.caches import Bounded
from ..foundation.types import Array, Function

Arguments = tuple[DataType, ...]


def check_function(func: object) -> None:
    if not isinstance(func, FunctionType):
        raise TypeError(f"UDF argument must be a function, not {type(func)}")


def _first_lines(reason: str, most: int = 8) -> str:
    """The message of Numba, without colours, empty lines and the end."""
    lines = [line for line in re.sub(r"\x1b\[[0-9;]*m", "", reason).splitlines() if line.strip()]
    return "\n  ".join(lines[:most])


def _shown(func: Callable[..., object]) -> str:
    """The lines of the function, if they are known."""
    try:
        return textwrap.indent(textwrap.dedent(inspect.getsource(func)).rstrip(), "    ")
    except (OSError, TypeError):
        return f"    {func.__name__} (its source text is not available)"


@cache
def _inference() -> Callable[[Callable[..., object], tuple[object, ...]], object]:
    """A function for the return type of others: Numba's compiler up to where types are known, a sixth of the way."""
    from numba.core.compiler import CompilerBase, DefaultPassBuilder, Flags
    from numba.core.compiler_machinery import FunctionPass, register_pass
    from numba.core.registry import cpu_target
    from numba.core.typed_passes import NopythonTypeInference

    @register_pass(mutates_CFG=False, analysis_only=True)
    class Result(FunctionPass):
        _name = "grblas_gpu_return_type"

        def __init__(self) -> None: ...  # abstract in Numba

        def run_pass(self, state: Any) -> bool:
            state.cr = state.return_type
            return False

    class Inference(CompilerBase):
        def define_pipelines(self) -> list[object]:
            passes = DefaultPassBuilder.define_untyped_pipeline(self.state)
            passes.add_pass(NopythonTypeInference, "types")
            passes.add_pass(Result, "the answer")
            passes.finalize()
            return [passes]

    def infer(func: Callable[..., object], signature: tuple[object, ...]) -> object:
        flags: Any = Flags()
        typing, target = cpu_target.typing_context, cpu_target.target_context
        typing.refresh()
        target.refresh()
        flags.nrt = True
        return Inference(typing, target, None, signature, None, flags, {}).compile_extra(func)

    return infer


def _infer(func: Callable[..., object], signature: tuple[object, ...]) -> object:
    return _inference()(func, signature)


class Compiled:
    """A user-defined function and the return types found so far; what uses it compiles it.

    ``arguments`` gives the types of all parameters for a data type; ``returns`` is the type of the result, if given.
    """

    def __init__(
        self,
        func: Callable[..., object],
        arguments: Callable[[DataType, DataType], Arguments],
        returns: DataType | None = None,
    ) -> None:
        numba = imported("numba")
        self.func = func
        self.arguments = arguments
        self.returns = returns
        self.dispatcher: Function = numba.njit(func, error_model="numpy")  # x // 0 is 0, as in ufuncs
        exact: dict[tuple[DataType, DataType], DataType | None] = {}
        reasons: dict[tuple[DataType, DataType], str] = {}  # why types did not compile
        known = _content(func), arguments, returns
        exact, reasons = _inferred.get(known) or (exact, reasons)
        self._exact, self._reasons = exact, reasons
        self._adjusted: dict[DataType, DataType | None] = {}
        if known[0] is not None:
            _inferred[known] = self._exact, self._reasons

    def exact(self, dtype: DataType, dtype2: DataType) -> DataType | None:
        """The return type that Numba infers, or None when it cannot compile the function for these types."""
        import numba

        try:
            return self._exact[dtype, dtype2]
        except KeyError:
            pass
        arguments = self.arguments(dtype, dtype2)
        signature = tuple(_parameter(argument) for argument in arguments)
        result: DataType | None
        try:
            result = _returned(completed(_infer, self.func, signature), arguments, self.returns)
        except (numba.TypingError, ValueError) as error:
            self._reasons[dtype, dtype2] = _first_lines(str(error))
            result = None
        self._exact[dtype, dtype2] = result
        return result

    def adjusted(self, dtype: DataType) -> DataType | None:
        """The return type as users mean it: Numba widens INT8 + INT8 to INT64, but an INT8 is expected."""
        if dtype not in self._adjusted:
            self._adjusted[dtype] = self._adjust(dtype, self.exact(dtype, dtype))
        return self._adjusted[dtype]

    def _adjust(self, dtype: DataType, result: DataType | None) -> DataType | None:
        if result is None or result is dtype:
            return result
        if any(family in result.name and family in dtype.name for family in ("INT", "FP", "FC")):
            return dtype
        if dtype is UINT64 and result is FP64 and self.adjusted(INT64) is INT64:
            return dtype
        if dtype is BOOL and result is INT64 and self.adjusted(INT8) is INT8:
            return INT8
        return result

    def check(self) -> DataType:
        """The return type for the first type that compiles."""
        for dtype in ALL_TYPES:
            result = self.adjusted(dtype)
            if result is not None:
                return result
        *_, last = self._reasons.values()
        raise UdfParseError(f"Unable to parse function using Numba: {last}\n{_shown(self.func)}")

    def reason(self, dtype: DataType, dtype2: DataType) -> str:
        """Why the function cannot be compiled for these types, in one line, or nothing."""
        return " ".join(self._reasons.get((dtype, dtype2), "").split())

    def vectorized(self, arguments: Arguments, result: DataType) -> Function:
        """The function on arrays, compiled at the first call."""
        if any(each._is_udt for each in (*arguments, result)):
            return self._loop(arguments, result)
        ufunc: np.ufunc | None = None

        def call(*operands: Array) -> Array:
            nonlocal ufunc
            if ufunc is None:
                ufunc = _ufunc(self.func, arguments, result)
            with np.errstate(all="ignore"):
                return ufunc(*operands, casting="unsafe")

        return call

    def _loop(self, arguments: Arguments, result: DataType) -> Function:
        """On arrays of records, which ufuncs do not take; an array of one element stands for all."""
        import numba

        names = "abcdefg"[: len(arguments)]
        at = ", ".join(f"{name}[k * {name}_step]" for name in names)  # of sub-arrays a row
        steps = ", ".join(f"{name}, {name}_step" for name in names)
        body = f"out[k] = function({at})"
        places = _places(completed(_infer, self.func, tuple(map(_parameter, arguments))), result)
        if places:
            body = f"found = function({at}); " + "; ".join(f"out[k]{to} = found{item}" for to, item in places)
        text = f"def loop({steps}, out):\n    for k in range(len(out)):\n        {body}\n"
        namespace: dict[str, Function] = {"function": self.dispatcher}
        exec(text, namespace)
        loop = numba.njit(namespace["loop"], error_model="numpy")

        def call(*operands: Array) -> Array:
            arrays = [
                np.atleast_1d(operand).astype(each.np_type, copy=False)
                for operand, each in zip(operands, arguments, strict=True)
            ]
            out = np.empty(
                max(len(array) for array in arrays) if all(len(array) for array in arrays) else 0, result.np_type
            )
            given: list[object] = []
            for array, each in zip(arrays, arguments, strict=True):
                array = np.ascontiguousarray(array)
                given += [array if each.subarray is None else array[SUBARRAY], int(len(array) > 1)]
            given.append(out if result.subarray is None else out[SUBARRAY])
            loop(*given) if loop.signatures else completed(loop, *given)
            return out

        return call


#: Types of functions: inference takes a sixth of the time of a compilation.
_inferred = Bounded("types of user-defined functions", 1024)
#: Compiled functions. LLVM never frees machine code, 0.8 MB for each, so equal functions share theirs.
_ufuncs = Bounded("user-defined functions on arrays", 256)


def _ufunc(func: Callable[..., object], arguments: Arguments, result: DataType) -> np.ufunc:
    known = _content(func)
    key = known, arguments, result
    found = None if known is None else _ufuncs.get(key)
    if found is None:
        found = completed(_built, func, result.numba_type(*(argument.numba_type for argument in arguments)))
        if known is not None:
            _ufuncs[key] = found
    return found


def _built(func: Callable[..., object], signature: object) -> np.ufunc:
    from numba.np.ufunc.ufuncbuilder import UFuncBuilder  # numba.vectorize keeps its functions for ever

    builder = UFuncBuilder(func)
    builder.add(signature)
    return builder.build_ufunc()


def _content(func: Callable[..., object]) -> tuple | None:
    """All that the result of a function depends on: equal contents mean equal functions. None if that is unknown.

    >>> a, b, c = ((lambda k: lambda x: x + k)(k) for k in (1, 1, 1.0))
    >>> [_content(other) == _content(a) for other in (a, b, c)]
    [True, True, False]
    """
    code = func.__code__
    cells = [cell.cell_contents for cell in func.__closure__ or ()] + [*(func.__defaults__ or ())]
    names = [func.__globals__[name] for name in code.co_names if name in func.__globals__]
    plain = all(type(x) in (bool, int, float, complex) or x is math or x is np for x in cells + names)
    if not plain or func.__kwdefaults__ or any(isinstance(constant, CodeType) for constant in code.co_consts):
        return None
    values = tuple(repr(value) for value in cells + names)  # 1 and 1.0 are equal, but compile differently
    return code.co_code, repr(code.co_consts), code.co_names, code.co_varnames, code.co_freevars, values


def _parameter(dtype: DataType) -> object:
    """The argument of a function for a value: for a sub-array an array of Numba."""
    import numba

    if dtype.subarray is None:
        return dtype.numba_type
    return numba.types.Array(numba.from_dtype(dtype.subarray.base), len(dtype.subarray.shape), "C")


def _items(found: object, place: str = "") -> list[tuple[str, object]]:
    """What is in a tuple, and in tuples in it: how to get it, and its type."""
    import numba

    if not isinstance(found, numba.types.BaseTuple):
        return [(place, found)]

    kinds: Any = found
    return [item for n, each in enumerate(kinds) for item in _items(each, f"{place}[{n}]")]


def _places(found: object, dtype: DataType) -> list[tuple[str, str]]:
    """Where in a record the items of a returned tuple belong; nothing if it is no tuple, or does not fit.

    Tuples may be nested or flat; an array, a list or one number for all fills a field that is an array.
    """
    return _matched(_items(found), dtype) or _matched(_items(found), dtype, spread=True)


def _matched(items: list[tuple[str, object]], dtype: DataType, spread: bool = False) -> list[tuple[str, str]]:
    """``spread``: a number is for all elements of an array."""
    import numba

    number = numba.types.Number | numba.types.Boolean
    whole = numba.types.Array | numba.types.List | (number if spread else numba.types.Array)
    places: list[tuple[str, str]] = []
    if items[0][0] == "":
        return []
    for path, kind in leaves(dtype.np_type, dtype.subarray is None):
        to = "".join(f"[{key!r}]" for key in path)
        if kind.subdtype is not None and items and isinstance(items[0][1], whole):
            places.append((f"{to}[:]", items.pop(0)[0]))
            continue
        for inner, _ in leaves(kind):
            if not items or not isinstance(items[0][1], number):
                return []
            places.append((to + "".join(f"[{key!r}]" for key in inner), items.pop(0)[0]))
    return [] if items else places


def _holds(dtype: DataType, found: Any) -> bool:
    """Whether values of a type can be written as those of a data type."""
    import numba

    if isinstance(found, numba.types.BaseTuple):
        return dtype.subarray is None and bool(_places(found, dtype))
    if isinstance(found, numba.types.Record):
        return found == dtype.numba_type
    if isinstance(found, numba.types.Array):
        return dtype.subarray is not None and found.ndim <= len(dtype.subarray.shape)
    return isinstance(found, numba.types.Number | numba.types.Boolean) and (
        not dtype._is_udt or dtype.subarray is not None
    )


def _returned(found: object, arguments: Arguments, given: DataType | None = None) -> DataType:
    """The type of a result, which may be given; an array has the shape of the arguments of as many dimensions."""
    import numba

    if given is not None:
        if not _holds(given, found):
            raise ValueError(f"it returns {found}, which cannot be written as ret_dtype={given}")
        return given
    if isinstance(found, numba.types.BaseTuple):
        records = [each for each in arguments if each._is_udt]
        for each in records:
            if _places(found, each):
                return each
        expected = [
            f"{len(leaves(each.np_type))} for {each}"
            if each.subarray is None
            else f"array UDTs of shape {each.subarray.shape} are returned as a numpy array"
            for each in dict.fromkeys(records)
        ]
        said = f"it returns a tuple of length {len(found)}, {found}"
        raise ValueError(f"{said}; expected {' or '.join(expected) or 'a number'}")
    if isinstance(found, (numba.types.NoneType, numba.types.StringLiteral, numba.types.UnicodeType)):
        what = "nothing: is there a `return`?" if isinstance(found, numba.types.NoneType) else "text"
        raise ValueError(f"it returns {what}")  # for NumPy, these are names of FP64
    if not isinstance(found, numba.types.Array):
        return lookup_dtype(found)
    arrays = [each.subarray.shape for each in arguments if each.subarray is not None]
    shapes = {shape for shape in arrays if len(shape) == found.ndim}
    if isinstance(found, numba.types.NestedArray):  # a field of a record
        shapes = {found.shape}
    if len(shapes) != 1:
        raise ValueError(
            f"{found} matches {'more than one' if shapes else 'no'} input array UDT; ret_dtype names its type"
        )
    return lookup_dtype(np.dtype((numba.np.numpy_support.as_dtype(found.dtype), shapes.pop())))
