"""C++ expressions as operators: types and values are those that a C++ compiler finds."""

from __future__ import annotations

import ctypes
import pickle
import shutil
from typing import Any

import emulated_cupy
import numpy as np
import nvrtc
import pytest

from grblas_gpu import binary, select
from grblas_gpu.backends.cuda.runtime import compile as cuda
from grblas_gpu.dtypes import BOOL, FP32, FP64, INT8, INT32, INT64, REAL_TYPES, UINT8, UINT32, UINT64
from grblas_gpu.errors import UdfParseError
from grblas_gpu.operators import BinaryOp, IndexUnaryOp, SelectOp, UnaryOp
from grblas_gpu.operators.cpp_syntax import parse

needs_compiler = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")

# Over x and y; those of the second list only for integers. C++ defines all of them for the values below.
EXPRESSIONS = [
    "x * x + 1",
    "x - y",
    "-x + +y",
    "x > y ? x - y : y - x",
    "x < y || x == y",
    "!(x >= y) && x != 0",
    "x && !y",
    "y != 0 ? x / y : 0",
    "x / 3 + 7 / 2",
    "x / 2.0",
    "x * 0.5f",
    "x * 2u - 1ll",
    "(x < y) + (x > y) * 2",
    "x > 3 ? true : false",
    "x > 3 ? x : y",
    "x < -1",
    "x < 1 ? 1 : x < 2 ? 2u : 3",
    "(double) x / 4",
    "double(x) + float(y)",
    "static_cast<int>(x) / 2",
    "(unsigned char) (x > 0 ? x : 0)",
    "sqrt(fabs((double) x)) + 1",
    "sqrtf(x < 0 ? 1 : x)",
    "pow(fabs((double) x), 1.5)",
    "fmin(x, 2.5) + fmax(y, 1)",
    "fabs(x) + floor(y / 2.0) + ceil(x * 0.3)",
    "hypot(x, y) + atan2((double) y, (double) x)",
    "isnan((double) x) ? 0 : 1",
    "0x1F + x + 010",
    "18446744073709551615u > 4294967295 ? x : y",
    "- - x",
    "1 - - 1 - x",
]
INTEGER = ["x % (y > 0 ? y : 7)", "x & 12 | y ^ 3", "~x", "(x & 127) << 2", "x >> 1", "x & 1 ? 5 : y << 1 & 255"]
DTYPES = [BOOL, INT8, UINT8, INT32, UINT32, INT64, UINT64, FP32, FP64]
CASES = [
    (text, dtype)
    for text in [*EXPRESSIONS, *INTEGER]
    for dtype in DTYPES
    if text in EXPRESSIONS or dtype.np_type.kind != "f"
]
C_NAMES = dict(zip(DTYPES, "bool int8 uint8 int32 uint32 int64 uint64 float double".split(), strict=True))


def values(dtype: Any) -> tuple[np.ndarray, np.ndarray]:
    small = np.array([0, 1, 2, 3, 5, 7, 10])
    signed = np.array([-1, -2, -3, -7, -10])
    found = small if dtype.np_type.kind in "ub" else np.concatenate([small, signed])
    x, y = np.meshgrid(found.astype(dtype.np_type), found.astype(dtype.np_type))
    return x.ravel().copy(), y.ravel().copy()


@pytest.fixture(scope="module")
def compiled() -> ctypes.CDLL:
    """Every case three times: what C++ makes of it, how large its type is, and what the CUDA engine pastes."""
    lines = ["#include <cmath>", "using namespace std;"]
    ours = []
    for number, (text, dtype) in enumerate(CASES):
        t, op = C_NAMES[dtype], BinaryOp.register_anonymous(text, is_udt=True)[dtype]
        loop = f"(const {t}* px, const {t}* py, {C_NAMES[op.return_type]}* pz, long n)"
        each = "{ for (long p = 0; p < n; ++p) { auto x = px[p]; auto y = py[p]; pz[p] = %s; } }"
        lines.append(f'extern "C" void cpp{number}{loop} {each % f"({text})"}')
        lines.append(f'extern "C" int size{number}() {{ {t} x = 1, y = 1; auto z = ({text}); return sizeof z; }}')
        ours.append(cuda.binary(f"op{number}", op))
        ours.append(f'extern "C" void ours{number}{loop} {each % f"op{number}(x, y)"}')
    program = cuda.render("prelude.cuh", ours)
    names = "int8 uint8 int16 uint16 int32 uint32 int64 uint64".split()
    ctypes_of = "signed char,unsigned char,short,unsigned short,int,unsigned,long long,unsigned long long".split(",")
    head = "".join(f"typedef {c} {name};\n" for c, name in zip(ctypes_of, names, strict=True))
    return Pair(emulated_cupy.build(head + "\n".join(lines)), emulated_cupy.build(program))


class Pair:
    def __init__(self, *paths: Any) -> None:
        self.libraries = [ctypes.CDLL(str(path)) for path in paths]

    def find(self, name: str) -> Any:
        return next(getattr(library, name) for library in self.libraries if hasattr(library, name))


@needs_compiler
@pytest.mark.parametrize("every", [27, pytest.param(1, marks=pytest.mark.slow)])
def test_values_and_types_are_those_of_cpp(compiled, every):
    """Numba takes a fifth of a second for each case, so the quick test asks it only about some of them."""
    for number, (text, dtype) in enumerate(CASES):
        x, y = values(dtype)
        op = BinaryOp.register_anonymous(text, is_udt=True)[dtype]
        assert compiled.find(f"size{number}")() == op.return_type.np_type.itemsize, (text, op.return_type)
        wanted, pasted = (np.empty(len(x), op.return_type.np_type) for _ in range(2))
        for name, target in (("cpp", wanted), ("ours", pasted)):
            addresses = (ctypes.c_void_p(array.ctypes.data) for array in (x, y, target))
            compiled.find(f"{name}{number}")(*addresses, ctypes.c_long(len(x)))
        tolerance = 1e-6 if op.return_type is FP32 else 1e-14
        if number % every == 0:
            np.testing.assert_allclose(op.numpy(x, y), wanted, rtol=tolerance, err_msg=f"{text} on the CPU")
        np.testing.assert_allclose(pasted, wanted, rtol=tolerance, err_msg=f"{text} on a GPU")


def test_return_types_are_what_users_mean():
    squares = UnaryOp.register_anonymous("x * x + 1")
    assert squares.types == {t: INT8 if t is BOOL else t for t in REAL_TYPES}
    assert set(BinaryOp.register_anonymous("x < y").types.values()) == {BOOL}
    halves = UnaryOp.register_anonymous("x / 2.0").types
    assert halves[INT8] is FP64 and halves[FP32] is FP32
    assert not set(BinaryOp.register_anonymous("x % y").types) & {FP32, FP64}
    exact = BinaryOp.register_anonymous("x * y", is_udt=True)
    assert exact[INT8, FP32].return_type is FP32 and exact[INT8].return_type is INT32
    assert exact[INT8].key != BinaryOp.register_anonymous("x * y")[INT8].key


def test_undefined_in_cpp_is_as_in_the_built_in_operators():
    by, rest = BinaryOp.register_anonymous("x / y"), BinaryOp.register_anonymous("x % y")
    for dtype in (INT32, INT64, UINT32, UINT64):  # smaller ones are computed as INT32
        x = np.array([7, 0, 9], dtype.np_type)
        zero = np.zeros(3, dtype.np_type)
        np.testing.assert_array_equal(by[dtype].numpy(x, zero), binary.cdiv[dtype].numpy(x, zero))
        assert rest[dtype].numpy(x, zero).tolist() == [0, 0, 0]
    low = np.array([np.iinfo(np.int64).min])
    assert by[INT64].numpy(low, np.array([-1])).tolist() == low.tolist()
    assert np.isinf(by[FP64].numpy(np.ones(1), np.zeros(1)))
    assert UnaryOp.register_anonymous("(signed char) x", is_udt=True)[FP64].numpy(np.array([1e9])).tolist() == [127]


def test_indices_and_thunk():
    op = IndexUnaryOp.register_anonymous("x + 10 * i + 100 * j + 1000 * y")
    same = IndexUnaryOp.register_anonymous("x + 10 * row + 100 * col + 1000 * thunk")
    arguments = (np.array([1, 2]), np.array([3, 4]), np.array([5, 6]), np.array([7, 8]))
    assert op[INT64].numpy(*arguments).tolist() == same[INT64].numpy(*arguments).tolist() == [7531, 8642]
    keep = SelectOp.register_anonymous("i - j < 0")
    assert keep[INT64].return_type is BOOL
    with pytest.raises(ValueError, match="BOOL"):
        SelectOp.register_anonymous("x + 1")
    with pytest.raises(UdfParseError, match="`thunk` is not known here"):
        BinaryOp.register_anonymous("x + thunk")


def test_registering():
    made = BinaryOp.register_new("my_cpp", "x * y + x")
    try:
        assert binary.my_cpp is made and made.orig_func == "x * y + x" and made[int].function is None
        assert pickle.loads(pickle.dumps(made)) is made
        again = pickle.loads(pickle.dumps(UnaryOp.register_anonymous("x + 1", "more")))
        assert again.name == "more" and again[int].numpy(np.array([4])).tolist() == [5]
    finally:
        delattr(binary, "my_cpp")
    SelectOp.register_new("my_cpp_upper", "row < col")
    assert select.my_cpp_upper[bool].return_type is BOOL
    parameterized = UnaryOp.register_anonymous(lambda by=2: f"x * {by}", parameterized=True)
    assert parameterized(3)[int].numpy(np.array([4])).tolist() == [12]
    with pytest.raises(TypeError, match=r"must be a function or a C\+\+ expression"):
        UnaryOp.register_anonymous(3)


@pytest.mark.parametrize(
    ("text", "at", "reason"),
    [
        ("", 0, "expected an operand, found the end"),
        ("x +", 3, "expected an operand, found the end"),
        ("x y", 2, "expected an operator, found `y`"),
        ("(x", 2, r"expected `\)`, found the end"),
        ("x ? 1", 5, "expected `:`"),
        ("x ** 2", 2, r"write pow\(x, y\)"),
        ("x // 2", 2, "write x / y"),
        ("x = 3", 2, "`=` has no place here"),
        ("x @ 2", 2, "`@` has no place here"),
        ("x + z", 4, "`z` is not known here"),
        ("x and 1", 2, "expected an operator, found `and`"),
        ("1 + foo(x)", 4, "`foo` is not among the functions"),
        ("pow(x)", 0, "`pow` takes 2 arguments, not 1"),
        ("sqrt()", 5, "expected an operand"),
        ("x + 1f", 4, "`1f` is not a number"),
        ("x + 99999999999999999999", 4, "is not a number that C"),
        ("static_cast<foo>(x)", 12, "expected a type, found `foo`"),
        ("(long double) x", 1, "`long double` is not a type"),
        ("x % 2.5", 2, "`%` takes integers, not FP64"),
        ("1.0 << x", 4, "`<<` takes integers, not FP64"),
        ("~(x * 0.5)", 0, "`~` takes integers, not FP64"),
        ("(" * 60 + "x" + ")" * 60, 50, "nested too deeply"),
        ("+".join(["x"] * 300), 0, "too many operations"),
    ],
)
def test_errors_say_what_and_where(text, at, reason):
    with pytest.raises(UdfParseError, match=f"{reason}.*, at position {at} of") as caught:
        UnaryOp.register_anonymous(text)
    _, shown, mark = str(caught.value).split("\n")
    assert shown == f"    {text}" and mark.index("^") == 4 + at


def test_lines_may_be_broken():
    assert UnaryOp.register_anonymous("x\n  + 1")[int].numpy(np.array([4])).tolist() == [5]
    assert parse("x+1")[:2] == parse("x\n+\t1")[:2]


@pytest.mark.nvrtc
def test_every_expression_compiles_for_the_gpu():
    ops = [BinaryOp.register_anonymous(text, is_udt=True)[dtype] for text, dtype in CASES]
    text = cuda.render("prelude.cuh", [cuda.binary(f"op{number}", op) for number, op in enumerate(ops)])
    assert nvrtc.compile_cuda(text, "sm_90", cuda.OPTIONS)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (" + ".join(["x"] * 20_000), "too many operations"),
        ("-" * 20_000 + "x", "too many operations"),
        ("!" * 20_000 + "x", "too many operations"),
        ("x + 1e999", "`1e999` is not a number that C\\+\\+ has"),
        ("x + 1e39f", "`1e39f` is not a number that C\\+\\+ has"),
    ],
)
def test_long_expressions_and_large_numbers(text: str, reason: str) -> None:
    with pytest.raises(UdfParseError, match=reason) as caught:
        BinaryOp.register_anonymous(text)
    assert len(str(caught.value)) < 3000
