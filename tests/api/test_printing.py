"""What objects and expressions print: python-graphblas's headings, and with autocompute what an expression gives."""

import numpy as np
import pytest

import grblas_gpu as gb
from grblas_gpu import Matrix, Scalar, Vector, binary, unary


def test_objects() -> None:
    v = Vector.from_coo([0, 2], [1.5, 2], size=3, name="v")
    assert repr(v).splitlines() == [
        '"v"        nvals  size  dtype  format',
        "gb.Vector      2     3   FP64  sparse",
        "-------------------------------------",
        "index    0  1    2",
        "value  1.5     2.0",
    ]
    w = Vector.from_coo([0, 2], [0.0, 2], size=3, name="w")
    assert repr(~w.V).splitlines() == [
        '"~w.V"                 nvals  size  dtype  format',
        "ComplementedValueMask",
        "of gb.Vector               2     3   FP64  sparse",
        "-" * 49,
        "index  0  1  2",
        "value  1     0",
    ]
    for mask, cells in ((w.S, "1  1"), (w.V, "0  1"), (~w.S, "0  0"), (~w.V, "1  0")):
        assert repr(mask).splitlines()[-1].split() == ["value", *cells.split()]
        assert [text in mask._repr_html_() for text in (type(mask).__name__, ">2.0<")] == [True, False]
    for size, lines in ((60, 60), (61, 11)):
        assert len(repr(Matrix(int, size, 1)).splitlines()) == 4 + lines
    assert repr(Matrix(int, 2, 3, name="A").T).splitlines()[1].split() == "gb.TransposedMatrix 0 3 2 INT64 csc".split()


def test_expressions_are_shown_with_what_they_give() -> None:
    """Scalars to the letter; python-graphblas needs an old pandas for more."""
    graphblas = pytest.importorskip("graphblas")
    texts = []
    for library in (gb, graphblas):
        v = library.Vector.from_dense([1, 2, 3], name="v")
        with library.config.set(autocompute=True):
            texts.append([repr(v.reduce()), repr(v[1]), repr(v @ v), v.reduce().value])
    assert texts[0] == texts[1] and '"Result"   value  dtype\ngb.Scalar      6  INT64' in texts[0][0]
    v = Vector.from_dense([1, 2, 3], name="v")
    assert '"Result"   nvals' in repr(v.apply(unary.ainv)) and "Result" not in repr(v & v)
    assert "gb.VectorExpression" in v.apply(unary.ainv)._repr_html_()
    with gb.config.set(autocompute=False):
        assert "Result" not in repr(v.apply(unary.ainv))


def test_nothing_is_computed_while_a_loop_is_recorded() -> None:
    left, seen = Vector.from_dense([1, 1], name="left"), []
    for _ in gb.loop(left):
        seen.append((repr(left), repr(binary.minus(left, 1)), repr(Scalar(int, name="s"))))
        left << gb.select.valuegt(binary.minus(left, 1), 0)
    (vector, expression, scalar) = seen[0]
    assert "nvals" not in vector and "Result" not in expression and "value" not in scalar


def test_slices() -> None:
    """In the text of an expression, and as the key that an index stands for."""
    v, array = Vector.from_dense(np.arange(7), name="v"), np.arange(7)
    for start in (None, 0, 2, 6, -3):
        for stop in (None, 0, 2, 7, -1):
            for step in (None, 1, 2, -1, -3):
                key = v[start:stop:step].resolved_indexes.py_indices
                assert array[key].tolist() == array[start:stop:step].tolist()
    with gb.config.set(autocompute=False):
        for text in ("v[1:3]", "v[::2]", "v[::-1]", "v[:]", "v[5:2:-1]"):
            assert text in repr(eval(text))
