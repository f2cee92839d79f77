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
        "index    0 1    2",
        "value  1.5    2.0",
    ]
    w = Vector.from_coo([0, 2], [0.0, 2], size=3, name="w")
    assert repr(~w.V).splitlines() == [
        '"~w.V"                 nvals  size  dtype  format',
        "ComplementedValueMask",
        "of gb.Vector               2     3   FP64  sparse",
        "-" * 49,
        "index  0 1  2",
        "value  1    0",
    ]
    for mask, cells in ((w.S, "1  1"), (w.V, "0  1"), (~w.S, "0  0"), (~w.V, "1  0")):
        assert repr(mask).splitlines()[-1].split() == ["value", *cells.split()]
        assert [text in mask._repr_html_() for text in (type(mask).__name__, ">2.0<")] == [True, False]
    for size, lines in ((60, 60), (61, 11)):
        assert len(repr(Matrix(int, size, 1)).splitlines()) == 4 + lines
    assert repr(Matrix(int, 2, 3, name="A").T).splitlines()[1].split() == "gb.TransposedMatrix 0 3 2 INT64 csc".split()
    assert repr(Vector.from_scalar(7, 3)).splitlines()[1].endswith("full (iso)")


@pytest.mark.parametrize(
    ("places", "values", "lines"),
    [
        (  # too many rows and columns: the first and last ones
            (range(2), [0, 999]),
            [1.25, 1e7],
            [
                "      0   1   2   3   4   5   6   7   8   9    ... 990 991 992 993 994 995  \\",
                "0    1.25                                      ...                           ",
                "1                                              ...                           ",
                "..    ...  ..  ..  ..  ..  ..  ..  ..  ..  ..  ...  ..  ..  ..  ..  ..  ..   ",
                "998                                            ...                           ",
                "999                                            ...                           ",
                "",
                "    996 997 998         999  ",
                "0                            ",
                "1                10000000.0  ",
                "..   ..  ..  ..         ...  ",
                "998                          ",
                "999                          ",
            ],
        ),
        (  # few of the entries in these rows and columns: a list of the first ones
            (range(0, 300, 100), range(200, 500, 100)),
            [1e-8, 2, 3],
            [
                "   row  col           val",
                "0    0  200  1.000000e-08",
                "1  100  300  2.000000e+00",
                "2  200  400  3.000000e+00",
            ],
        ),
        (
            (range(50, 150, 10), range(100, 200, 10)),
            [1.5, float("nan"), *range(8)],
            [
                "     row  col  val",
                "0     50  100  1.5",
                "1     60  110  NaN",
                "2     70  120  0.0",
                "3     80  130  1.0",
                "...  ...  ...  ...",
            ],
        ),
        (
            (range(100, 103), range(100, 103)),
            [1.25 - 1j, -2, 3.5j],
            [
                "   row  col         val",
                "0  100  100  1.25-1.00j",
                "1  101  101 -2.00+0.00j",
                "2  102  102  0.00+3.50j",
            ],
        ),
    ],
)
def test_parts_of_large_objects(places, values, lines, monkeypatch: pytest.MonkeyPatch) -> None:
    """Recorded from python-graphblas with pandas 2, whose options hold here as well."""
    pandas = pytest.importorskip("pandas")
    monkeypatch.setenv("COLUMNS", "80")
    A = Matrix.from_coo(*places, values, nrows=1000, ncols=1000)
    with pandas.option_context("display.max_columns", 20, "display.max_rows", 9, "display.min_rows", 4):
        assert repr(A).splitlines()[3:] == lines
        assert repr(A).splitlines()[3:] == repr(A.T.new().T).splitlines()[3:]


def test_terminals_show_the_columns_that_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    A = Matrix.from_coo(range(2), [0, 999], [1.25, 1e7], nrows=1000, ncols=1000)
    assert repr(A).splitlines()[3] == "      0   1   2   3   4    ... 995 996 997 998         999"
    del A[1, 999]
    assert len(repr(A).splitlines()) == 4 + 11


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
