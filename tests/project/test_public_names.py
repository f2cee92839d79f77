"""What has a name in python-graphblas has it here, on objects and on expressions: no program stops at a missing one."""

import graphblas
import pytest

import grblas_gpu as gb

C_LIBRARY = {"gb_obj", "gb_name", "cfunc_name"}
#: What is different, by docs/differences.md, or says how a C function is called.
NOT_HERE = {
    "A.ss": {"pack_hyperhash", "unpack_hyperhash"},
    "v()": {"kwargs", "opts"},
    "gb.exceptions": {"check_status_carg", "GrB_NO_VALUE", "GrB_SUCCESS"},
} | {key: {"at", "bt"} for key in ("v.apply(unary.abs)", "A.apply(unary.abs)", "v.reduce()")}
EXPRESSIONS = (
    "v A s A.T v.S ~v.V v() v.apply(unary.abs) v[:] v[0] v&v v|v A@v v@v v.reduce() A.apply(unary.abs) A[:,:] A&A A@A "
    "v.ss A.ss gb gb.ss gb.io gb.dtypes gb.exceptions binary.plus binary.plus['INT64'] unary.abs['FP64'] "
    "monoid.plus['INT64'] semiring.plus_times['INT64'] agg.sum agg.sum['INT64'] select.tril indexunary.rowindex "
    "gb.dtypes.INT64"
).split()


def names(library, expression: str) -> set[str]:
    v = library.Vector.from_coo([0, 1], [1, 2])
    A = library.Matrix.from_coo([0, 1], [0, 1], [1, 2])
    known = {"gb": library, "v": v, "A": A, "s": library.Scalar.from_value(1)}
    known |= {name: getattr(library, name) for name in "unary binary monoid semiring agg select indexunary".split()}
    return {name for name in dir(eval(expression, known)) if not name.startswith("_")}


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_nothing_is_missing(expression: str) -> None:
    missing = names(graphblas, expression) - names(gb, expression) - C_LIBRARY
    here = {name for name in missing if expression == "gb" and hasattr(gb, name)}  # found, but not shown
    assert missing - here == NOT_HERE.get(expression, set())


def test_storage_of_an_expression() -> None:
    v = gb.Vector.from_coo([0, 1], [1, 2])
    assert (v + v).ss.nbytes > 0 and list((v * v).ss.itervalues()) == [1, 4]
