"""User-defined types on the CUDA engine: C++ structs, functions of users on them, and how they get there and back.

What operations give is compared with python-graphblas in tests/api/test_records.py and test_subarrays.py.
"""

import emulated_engine
import numpy as np
import pytest

import grblas_gpu as gb
from grblas_gpu import Matrix, Scalar, Vector, binary, dtypes, indexunary, monoid, select, semiring, unary
from grblas_gpu.backends.cuda.fusion.emit_one_step import operator_pieces
from grblas_gpu.backends.cuda.runtime import compile as cuda, structs
from grblas_gpu.exceptions import UdfParseError

INNER = np.dtype([("z", np.complex64), ("on", np.bool_)])
#: Packed: on a device nothing may be where the host has it.
PACKED = np.dtype(
    [
        ("a", np.int8),
        ("b", np.float64),
        ("class", np.uint16),
        ("in", INNER),
        ("é", np.int16, (2, 3)),
        ("many", INNER, (2,)),
    ]
)
FIELD = "class"


@pytest.fixture(params=[emulated_engine.ENGINES[1], pytest.param("cuda", marks=emulated_engine.ENGINES[0].marks)])
def backend(request, monkeypatch: pytest.MonkeyPatch):
    with emulated_engine.backend(request.param, monkeypatch) as name:
        yield name


def packed(count: int, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    found = np.zeros(count, PACKED)
    found["a"], found["b"], found["class"] = rng.integers(-9, 9, count), rng.random(count), rng.integers(0, 9, count)
    found["in"]["z"], found["in"]["on"] = rng.random(count) + 1j, rng.random(count) < 0.5
    found["é"] = rng.integers(-99, 99, (count, 2, 3))
    found["many"]["z"] = rng.random((count, 2))
    return found


def test_layout() -> None:
    aligned = structs.on_device(PACKED)
    assert aligned.itemsize > PACKED.itemsize and aligned["in"].itemsize == 12 and aligned.names == PACKED.names
    assert structs.on_device(aligned) == aligned
    assert cuda.c_type(PACKED) == cuda.c_type(aligned) != cuda.c_type(INNER)


UNARY = [
    lambda p: p["b"] + p["a"],
    lambda p: p.b * p[FIELD],
    lambda p: p["in"]["z"].real,
    lambda p: 2 if p["in"].on else p["é"][1, -1],
    lambda p: p["é"].sum() + np.max(p["é"]) - p["é"].min(),
    lambda p: p["many"][1]["z"].real,
    lambda p: p[0] - p[FIELD],
]
BINARY = [lambda p, q: p if p["b"] < q["b"] else q, lambda p, q: np.sqrt(p["b"] * q["b"]), lambda p, q: q["in"]]


def operators():
    udt = dtypes.register_anonymous(PACKED, "PackedOfTests")
    made = [("unary", unary.register_anonymous(each, is_udt=True)[udt]) for each in UNARY]
    made += [("binary", binary.register_anonymous(each, is_udt=True)[udt]) for each in BINARY]
    made += [("unary", unary.identity[udt]), ("unary", unary.one[udt])]
    return made + [("binary", getattr(binary, name)[udt]) for name in ("first", "second", "eq", "ne", "pair")]


def test_programs_without_records_do_not_read_them() -> None:
    assert "cells" not in cuda.render("step.cu", operator_pieces(unary.abs["FP64"], 1))


def test_there_and_back(backend: str) -> None:
    values = packed(20)
    with gb.using(backend):
        v = Vector.from_coo(np.arange(0, 40, 2), values, PACKED, size=40)
        A = Matrix.from_coo(np.arange(20) // 3, np.arange(20), values, PACKED, nrows=20, ncols=20)
        for x in (v, A, v.to("cpu").to(backend), A.to("cpu").to(backend), A.T.new().T.new(), A.to(form="bitmap")):
            assert x.backend == backend
            assert x.to_coo()[-1].tobytes() == values.tobytes()
        assert np.array(v[4].new().value, PACKED) == values[2] and v[5].new().is_empty
        v[5] = values[7]
        assert np.array(v[5].new().value, PACKED) == values[7] and v.nvals == 21


@pytest.mark.parametrize("number", range(len(UNARY) + len(BINARY) + 7))
def test_functions(backend: str, number: int) -> None:
    kind, op = operators()[number]
    u, v = (Vector.from_dense(packed(9, seed)) for seed in (1, 2))
    x, y = u.to(backend), v.to(backend)
    found, expected = (op(x).new(), op(u).new()) if kind == "unary" else (op(x & y).new(), op(u & v).new())
    assert found.backend == backend and found.dtype is expected.dtype
    shown, right = found.to_coo()[-1], expected.to_coo()[-1]
    if right.dtype.kind == "V":
        assert shown.tobytes() == right.tobytes()
    else:
        np.testing.assert_allclose(shown, right, rtol=1e-6)


def test_operations(backend: str) -> None:
    """With positions, thunks of either kind, a user's monoid and semiring, duplicates, and forms of all sorts."""
    udt = dtypes.register_anonymous(PACKED, "PackedOfTests")
    lower = binary.register_anonymous(lambda p, q: p if p["b"] < q["b"] else q, is_udt=True)
    top = np.zeros(1, PACKED)
    top["b"] = 2
    lowest = monoid.register_anonymous(lower, top[0])
    ring = semiring.register_anonymous(lowest, lower)
    near = select.register_anonymous(lambda p, i, j, t: p["b"] > t and i < 8, is_udt=True)
    shifted = indexunary.register_anonymous(lambda p, i, j, q: p["class"] + i - q["a"], is_udt=True)
    rows, cols = np.random.default_rng(3).integers(0, 12, (2, 60))

    def compute(name: str):
        with gb.using(name):
            A = Matrix.from_coo(rows, cols, packed(60), udt, nrows=12, ncols=12, dup_op=lower)
            u = Vector.from_coo(range(0, 12, 2), packed(6, 4), udt, size=12)
            w = u.dup()
            w(A[3, :].new().S, lower) << ring(A @ u)
            C = A.dup()
            C(A.T.new().S, replace=True) << ring(A @ A)
            D = A.dup()
            D[[1, 3], :] << A[[5, 2], :]
            return [
                *(w, C, D, ring(u @ A), ring(A @ A.T), lowest(A | A.T), lower(A & A.T), A.reduce_rowwise(lowest)),
                *(
                    A.reduce_columnwise(lowest),
                    u.reduce(lowest),
                    A.reduce_scalar(lowest),
                    near(A, Scalar.from_value(0.4)),
                    shifted(u, packed(1)[0]),
                ),
                *(
                    A.T,
                    A[::-1, 2:5],
                    A.diag(),
                    u.diag(),
                    u.ewise_mult(u, binary.eq),
                    u.outer(u, lower),
                    A.kronecker(A, lower),
                ),
                *(
                    ring(A.to(form="bitmap") @ u),
                    A.ss.flatten(),
                    u.ewise_union(w, lower, packed(1, 8)[0], packed(1, 9)[0]),
                ),
            ]

    for number, (found, expected) in enumerate(zip(compute(backend), compute("cpu"), strict=True)):
        found, expected = (x.new() if hasattr(x, "new") else x for x in (found, expected))
        same = found == expected if isinstance(found, Scalar) else found.isequal(expected.to(backend), check_dtype=True)
        assert same, number


def test_types_of_one_name(backend: str) -> None:
    """A name is no more than what is printed: kernels know a type by its fields."""
    of_y = unary.register_anonymous(lambda p: p["y"], is_udt=True)
    with gb.using(backend):
        for fields in ([("x", np.int64), ("y", np.int64)], [("y", np.int64), ("x", np.int64)]):
            values = np.array([(1, 2), (3, 4)], fields)
            found = of_y(Vector.from_dense(values, dtype=dtypes.register_anonymous(values.dtype, "OneName"))).new()
            assert found.to_dense().tolist() == values["y"].tolist()


def test_what_has_no_translation(backend: str) -> None:
    """An error that shows the function, and nothing changed."""
    sums = unary.register_anonymous(lambda p: np.linalg.norm(p["é"].astype(np.float64)), is_udt=True)
    product = binary.register_anonymous(lambda x, y: np.hypot(x, y), is_udt=True)
    with gb.using(backend):
        u = Vector.from_dense(packed(3))
        with pytest.raises(UdfParseError, match=r'needs a translation to C\+\+.*\n? .*backend "cpu"'):
            sums(u).new()
        v = Vector.from_dense(np.ones((4, 3)))
        with pytest.raises(UdfParseError, match="The compiler says"):
            product(v & v).new()
        assert u.to_coo()[-1].tobytes() == packed(3).tobytes()


def test_loops_run_node_by_node(backend: str) -> None:
    lower = binary.register_anonymous(lambda p, q: p if p["b"] < q["b"] else q, is_udt=True)
    with gb.using(backend):
        u, v = (Vector.from_dense(packed(5, seed)) for seed in (1, 2))
        left = Vector.from_coo(range(3), [3, 3, 3], size=3)
        with gb.trace() as trace:
            for _ in gb.loop(left):
                u << lower(u & v)
                left << select.valuegt(binary.minus(left, 1), 0)
        first, second = packed(5, 1), packed(5, 2)
        expected = np.where(first["b"] < second["b"], first, second)
        assert u.to_coo()[-1].tobytes() == expected.tobytes() and left.nvals == 0
    assert any("user-defined type" in record.reason for record in trace.records)


def test_trace(backend: str) -> None:
    u = Vector.from_dense(packed(3)).to(backend)
    with gb.trace() as trace:
        binary.eq(u & u).new()
    assert any("records of a user-defined type" in record.reason for record in trace.records)
