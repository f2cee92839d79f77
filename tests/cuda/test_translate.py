"""Operators as C++: the built-in ones compute what their definitions say, user-defined functions what Python says."""

import ctypes
import math

import emulated_cupy
import numpy as np
import pytest
from operator_cases import builtin_operators

from grblas_gpu import binary, config, unary
from grblas_gpu.backends.cuda.runtime import compile as cuda, translate
from grblas_gpu.backends.cuda.runtime.translate import Untranslatable
from grblas_gpu.dtypes import FP64, INT8, INT64, UINT64
from grblas_gpu.operators import BinaryOp, UnaryOp, numpy_tables, prelude

FACTOR = 3


def test_the_preludes_have_the_same_helpers():
    ours = {name for name, value in vars(prelude).items() if hasattr(value, "py_func")}
    assert ours == translate.HELPERS


def test_source_expressions():
    assert translate.expression("x + 1") == "py::add(x, int64(1ll))"
    assert translate.expression("-1") == "int64(-1ll)"
    assert translate.expression("not x") == "(!py::truth(x))"
    assert translate.expression("1 <= x < 5") == "(py::le(int64(1ll), x) && py::lt(x, int64(5ll)))"
    assert translate.expression("np.int8(x) // 2") == "py::floor_divide(cast<int8>(x), int64(2ll))"
    assert translate.expression("signed_mod(x, y)") == "py::signed_mod(x, y)"
    assert translate.expression("min(x, y, 3)") == "py::min2(py::min2(x, y), int64(3ll))"
    assert translate.expression("math.floor(x) + np.floor(x)") == "py::add(py::int_floor(x), py::floor(x))"


def test_literals():
    assert translate.literal(-(2**63), np.dtype("int64")) == "int64(limits<int64>::low)"
    assert translate.literal(2**64 - 1, np.dtype("uint64")) == "uint64(18446744073709551615ull)"
    assert translate.literal(math.nan, np.dtype("float32")) == "not_a_number<float>()"
    assert translate.literal(0.1, np.dtype("float64")) == "double(0.1)"
    assert translate.literal(True, np.dtype("bool")) == "true"


# --- every built-in operator -----------------------------------------------------------------------------------------


def probes(dtype: np.dtype) -> np.ndarray:
    if dtype == bool:
        return np.array([False, True])
    if dtype.kind == "f":
        small = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.0, -7.25, 10.0, 100.0, 0.1, 1e-3]
        return np.array([*small, np.inf, -np.inf, np.nan, 1e10, -1e10], dtype)
    if dtype.kind == "c":  # what is special about zero and about poles is left to chance
        parts = np.array([0, 1, -0.5, 2.5, -7.25])
        return np.concatenate([(parts[:, None] + 1j * parts).ravel()[1:], [1.25 - 0.001j, -3 + 1e-3j]]).astype(dtype)
    limits = np.iinfo(dtype)
    small = [0, 1, 2, 3, 5, 7, 8, 31, 64, 100]
    if dtype.kind == "i":
        small += [-1, -2, -3, -7, -100]
    return np.array([*small, limits.max, limits.max - 1, limits.min], dtype)


def host_library(functions: list[str]) -> ctypes.CDLL:
    return ctypes.CDLL(str(emulated_cupy.build(cuda.render("prelude.cuh", functions))))


def loop(number: int, op, make, call: str) -> str:
    x, y, z = (cuda.c_type(t.np_type) for t in (op.type, op.type2, op.return_type))
    return (
        f"{make(f'op{number}', op)}\n"
        f'extern "C" void run{number}(const {x}* x, const {y}* y, {z}* z, int64 n) '
        f"{{ for (int64 p = 0; p < n; ++p) z[p] = op{number}({call}); }}"
    )


def run(library: ctypes.CDLL, number: int, op, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    z = np.empty(len(x), op.return_type.np_type)
    addresses = [ctypes.c_void_p(array.ctypes.data) for array in (x, y, z)]
    getattr(library, f"run{number}")(*addresses, ctypes.c_int64(len(x)))
    return z


@pytest.mark.gxx
def test_built_in_operators_compute_what_their_definitions_say():
    """On all pairs of values with something special about them, floats to within a few units."""
    compare([(kind, op) for kind, op in builtin_operators() if op.positional is None])


@pytest.mark.gxx
@pytest.mark.parametrize(
    "dtype", ["INT8", *(pytest.param(t, marks=pytest.mark.slow) for t in ("BOOL", "UINT16", "FP32"))]
)
def test_functions_of_numpy_compute_what_numba_says(dtype: str) -> None:
    tables = {unary: numpy_tables.UNARY_ALIASES, binary: numpy_tables.BINARY_ALIASES}
    with config.set(mapnumpy=False):
        ops = [getattr(namespace.numpy, name) for namespace, names in tables.items() for name in names]
        ops.remove(binary.numpy.power)  # Numba's raises an error for the lowest exponent
    compare([(op._modname, op[dtype]) for op in ops if dtype in op])


def compare(ops) -> None:
    makers = {"unary": (cuda.unary, "x[p]"), "binary": (cuda.binary, "x[p], y[p]")}
    makers["indexunary"] = (cuda.index_unary, "x[p], p, 2 * p, y[p]")
    library = host_library([loop(number, op, *makers[kind]) for number, (kind, op) in enumerate(ops)])
    wrong = []
    for number, (kind, op) in enumerate(ops):
        x, y = (grid.ravel().copy() for grid in np.meshgrid(probes(op.type.np_type), probes(op.type2.np_type)))
        if kind == "unary":
            expected = op.numpy(x)
        elif kind == "binary":
            expected = op.numpy(x, y)
        else:
            i = np.arange(len(x))
            expected = op.numpy(x, i, 2 * i, y)
        got = run(library, number, op, x, y)
        if got.dtype.kind == "f":
            tolerance = 3e-6 if got.dtype == np.float32 else 1e-13
            same = np.isclose(got, expected, rtol=tolerance, atol=1e-40, equal_nan=True)
        elif got.dtype.kind == "c":  # one part may be lost beside the other
            tolerance = 2e-5 if got.dtype == np.complex64 else 1e-12
            poles = ~np.isfinite(expected)
            same = np.isclose(got, expected, rtol=tolerance, atol=tolerance / 100) | (poles & ~np.isfinite(got))
        else:
            same = got == expected
        if not same.all():
            worst = np.flatnonzero(~same)[0]
            wrong.append((op, x[worst], y[worst], got[worst], expected[worst], int((~same).sum())))
    assert not wrong, "\n".join(map(str, wrong))


# --- user-defined functions ------------------------------------------------------------------------------------------


def collatz(x):
    """The next number."""
    if x % 2 == 0:
        return x // 2
    return 3 * x + 1


def clamp(x, y):
    low, high = -y, y
    if low > high:
        low, high = high, low
    result = x
    if x < low:
        result = low
    elif x > high:
        result = high
    return result


def steps(x, y):
    z: float = x * 2.0
    z += y
    z **= 2
    return math.sqrt(z) if z > 1.0 and not y else float(FACTOR)


def bits(x, y):
    return (x & 12) | (y ^ 3) << 1


def nested(x, y):
    big = max(x, y, 2)
    if big > 5:
        if x > y:
            return big - 1
    else:
        big *= 2
    return min(big, 100) - (x if x else -y)


def power(x, y):
    return abs(x) ** 3 + round(y / 4) % 7 - int(x / 3)


def made_with(shift):
    return lambda x, y: x * shift + y


BINARY = [clamp, steps, bits, nested, power, made_with(5), lambda x, y: (x + y) / 2]


@pytest.mark.gxx
@pytest.mark.parametrize("dtype", [INT64, FP64])
def test_user_defined_functions_compute_what_python_does(dtype):
    unary = [UnaryOp.register_anonymous(collatz)[dtype]]
    chosen = [function for function in BINARY if dtype is INT64 or function is not bits]
    binary = [BinaryOp.register_anonymous(function)[dtype] for function in chosen]
    texts = [loop(0, unary[0], cuda.unary, "x[p]")]
    texts += [loop(number, op, cuda.binary, "x[p], y[p]") for number, op in enumerate(binary, 1)]
    library = host_library(texts)
    values = np.arange(-8, 9).astype(dtype.np_type) * (1 if dtype is INT64 else 0.75)
    x, y = (grid.ravel().copy() for grid in np.meshgrid(values, values))
    for number, (function, op) in enumerate(zip([collatz, *chosen], [*unary, *binary], strict=True)):
        arguments = [x.tolist()] if number == 0 else [x.tolist(), y.tolist()]
        expected = np.array([function(*each) for each in zip(*arguments, strict=True)])
        got = run(library, number, op, x, y)
        np.testing.assert_allclose(got, expected.astype(got.dtype), rtol=1e-14, err_msg=function.__name__)


@pytest.mark.gxx
def test_narrow_integers_wrap_around():
    ops = [BinaryOp.register_anonymous(made_with(5))[INT8], BinaryOp.register_anonymous(made_with(5))[UINT64]]
    library = host_library([loop(number, op, cuda.binary, "x[p], y[p]") for number, op in enumerate(ops)])
    x = np.array([100, -128, 7], np.int8)
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(run(library, 0, ops[0], x, x), x * np.int8(6))
        x = np.array([2**63, 2**64 - 1, 7], np.uint64)
        np.testing.assert_array_equal(run(library, 1, ops[1], x, x), x * np.uint64(6))


@pytest.mark.gxx
def test_casts_saturate():
    texts = []
    for number, name in enumerate(["int8", "uint8", "int64", "uint64", "bool"]):
        head = f'extern "C" void to{number}(const double* x, {name}* z, int64 n)'
        texts.append(f"{head} {{ for (int64 p = 0; p < n; ++p) z[p] = cast<{name}>(x[p]); }}")
    library = host_library(texts)
    x = np.array([np.nan, np.inf, -np.inf, 300.7, -300.7, 5.9, -5.9, 1e30])
    expected = {
        "int8": [0, 127, -128, 127, -128, 5, -5, 127],
        "uint8": [0, 255, 0, 255, 0, 5, 0, 255],
        "int64": [0, 2**63 - 1, -(2**63), 300, -300, 5, -5, 2**63 - 1],
        "uint64": [0, 2**64 - 1, 0, 300, 0, 5, 0, 2**64 - 1],
        "bool": [True] * 8,
    }
    for number, (name, values) in enumerate(expected.items()):
        z = np.empty(len(x), name)
        getattr(library, f"to{number}")(*(ctypes.c_void_p(a.ctypes.data) for a in (x, z)), ctypes.c_int64(len(x)))
        np.testing.assert_array_equal(z, np.array(values, name), err_msg=name)


# --- what cannot be translated ---------------------------------------------------------------------------------------


def looping(x):
    while x > 1:
        x = x - 1
    return x


def calling(x):
    return np.linalg.norm(x)


def forgetful(x):  # noqa: RET503
    if x > 1:
        return x


def indexing(x):
    return [x, x][0]


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (looping, r"`while x > 1:` \(While\) has no translation"),
        (calling, "`np.linalg.norm` is not among the functions"),
        (forgetful, "ends without a return"),
        (indexing, r"`\[x, x\]\[0\]` \(Subscript\) has no translation"),
    ],
)
def test_the_reason_is_given(function, reason):
    with pytest.raises(Untranslatable, match=reason):
        translate.body(function, ["x"], np.dtype("float64"))


def test_functions_are_shown_as_they_are_written():
    assert translate.shown(looping).splitlines()[:2] == ["    def looping(x):", "        while x > 1:"]
    first, second = (lambda x: x + 1), (lambda x: x + 2)
    assert [translate.shown(each) for each in (first, second)] == ["    lambda x: x + 1", "    lambda x: x + 2"]
    assert translate.shown(eval("lambda x: x + 1")) == "    <lambda>: no source text"


def test_parameters_are_counted():
    with pytest.raises(Untranslatable, match="it takes 1 parameters, the operator has 2"):
        translate.body(collatz, ["x", "y"], np.dtype("int64"))


def test_a_function_without_source_says_so():
    function = eval("lambda x: x + 1")
    with pytest.raises(Untranslatable, match="its source text is not available"):
        translate.body(function, ["x"], np.dtype("int64"))
