"""Matrices of 2**60 rows and columns, or columns alone, as in python-graphblas: they take memory by their entries."""

import pickle
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import grblas_gpu
from grblas_gpu import Matrix, Vector, binary, monoid, semiring
from grblas_gpu.exceptions import OutOfMemory

N = 2**60
PLACES = np.array([0, 5, 7, 2**31 + 1, 2**40, 2**59, N - 1])


pytestmark = pytest.mark.usefixtures("backend")


def huge(gb, seed: int, dtype=int):
    random = np.random.default_rng(seed)
    rows, cols = PLACES[random.integers(0, 7, 30)], PLACES[random.integers(0, 7, 30)]
    values = random.integers(1, 9, 30)
    return gb.Matrix.from_coo(rows, cols, values, dtype, nrows=N, ncols=N, dup_op=gb.binary.plus)


def some(gb, seed: int):
    values = np.random.default_rng(seed).integers(1, 9, 4)
    return gb.Vector.from_coo(PLACES[[0, 2, 3, 5]], values, size=N)


def wide(gb):
    return gb.Matrix.from_coo([0, 3, 3], [5, 5, N - 1], [1, 2, 3], nrows=4, ncols=N)


def small(gb):
    return gb.Matrix.from_coo([0, 1], [1, 1], [4, 5], nrows=2, ncols=2)


def changed(change, make=lambda gb: huge(gb, 3)):
    """What is left of an object after a change."""

    def run(gb):
        made = make(gb)
        change(gb, made)
        return made

    return run


def changed_vector(change):
    return changed(change, lambda gb: some(gb, 3))


def resized(x, size: int):
    x.resize(size)
    return x


def product(name: str, **more):
    def run(gb):
        ring = getattr(gb.semiring.ss if name.endswith("i") else gb.semiring, name)
        masks = {key: make(gb) for key, make in more.items()}
        return huge(gb, 1).mxm(huge(gb, 2), ring).new(**masks)

    return run


REGION = ([0, 7], [5, 9])
CASES = {
    "build": lambda gb: huge(gb, 1),
    "empty": lambda gb: gb.Matrix(int, N, N),
    "dup": lambda gb: huge(gb, 1).dup(float),
    "mxm": product("plus_times"),
    "mxm by places": product("min_secondi"),
    "mxm masked": product("plus_times", mask=lambda gb: huge(gb, 3).S),
    "mxm outside": product("plus_times", mask=lambda gb: ~huge(gb, 3).V),
    "mxm transposed": lambda gb: gb.semiring.min_plus(huge(gb, 1).T @ huge(gb, 2).T).new(),
    "mxm wide": lambda gb: gb.semiring.plus_times(wide(gb) @ huge(gb, 2)).new(),
    "mxm tall": lambda gb: gb.semiring.plus_times(huge(gb, 1) @ wide(gb).T).new(),
    "mxm tall times wide": lambda gb: gb.semiring.plus_times(wide(gb).T @ wide(gb)).new(),
    "mxv": lambda gb: gb.semiring.plus_times(huge(gb, 1) @ some(gb, 2)).new(),
    "mxv masked": lambda gb: gb.semiring.plus_times(huge(gb, 1) @ some(gb, 2)).new(mask=some(gb, 4).S),
    "mxv outside": lambda gb: gb.semiring.plus_times(huge(gb, 1) @ some(gb, 2)).new(mask=~some(gb, 4).S),
    "vxm": lambda gb: gb.semiring.min_plus(some(gb, 2) @ huge(gb, 1)).new(),
    "vxm by places": lambda gb: some(gb, 2).vxm(huge(gb, 1), gb.semiring.ss.min_secondi).new(),
    "vxm wide": lambda gb: gb.Vector.from_coo([3], [2], size=4).vxm(wide(gb), gb.semiring.plus_times).new(),
    "ewise_add": lambda gb: huge(gb, 1).ewise_add(huge(gb, 2), gb.binary.minus).new(),
    "ewise_mult": lambda gb: huge(gb, 1).ewise_mult(huge(gb, 2), gb.binary.minus).new(),
    "ewise_mult by places": lambda gb: huge(gb, 1).ewise_mult(huge(gb, 2), gb.binary.ss.secondj).new(),
    "ewise_union": lambda gb: huge(gb, 1).ewise_union(huge(gb, 2), gb.binary.minus, 1, 2).new(),
    "apply": lambda gb: huge(gb, 1).apply(gb.unary.ainv).new(),
    "apply bound": lambda gb: huge(gb, 1).apply(gb.binary.minus, left=3).new(),
    "apply place": lambda gb: huge(gb, 1).apply(gb.indexunary.rowindex, 2).new(),
    "select place": lambda gb: huge(gb, 1).select(gb.select.tril).new(),
    "select value": lambda gb: huge(gb, 1).select(gb.select.valuegt, 4).new(),
    "extract": lambda gb: huge(gb, 1)[[0, 7, 2**59, 0], [5, N - 1]].new(),
    "extract rows": lambda gb: huge(gb, 1)[[0, 7, 2**59], :].new(),
    "extract columns": lambda gb: huge(gb, 1)[:, [0, 7, 2**59]].new(),
    "extract all": lambda gb: huge(gb, 1)[:, :].new(),
    "extract long slices": lambda gb: huge(gb, 1)[5 : 2**50 : 2, 1:].new(),
    "extract a slice and a list": lambda gb: huge(gb, 1)[: 2**59, [7, 0, 5]].new(),
    "extract a slice of a row": lambda gb: huge(gb, 1)[7, 3:].new(),
    "extract a slice of a column": lambda gb: huge(gb, 1).T[2**40 :: 3, 7].new(),
    "extract a slice of a vector": lambda gb: some(gb, 1)[3 : 2**59 + 1].new(),
    "extract row": lambda gb: huge(gb, 1)[7, :].new(),
    "extract no row": lambda gb: huge(gb, 1)[8, :].new(),
    "extract column": lambda gb: huge(gb, 1)[:, 7].new(),
    "extract transposed": lambda gb: huge(gb, 1).T[[0, 7], :].new(),
    "element": lambda gb: huge(gb, 1)[7, 7].new(),
    "reduce": lambda gb: huge(gb, 1).reduce_scalar(gb.monoid.plus).new(),
    "reduce_rowwise": lambda gb: huge(gb, 1).reduce_rowwise(gb.monoid.plus).new(),
    "reduce_columnwise": lambda gb: huge(gb, 1).reduce_columnwise(gb.monoid.max).new(),
    "reduce by aggregator": lambda gb: huge(gb, 1).reduce_rowwise(gb.agg.mean).new(),
    "transpose": lambda gb: huge(gb, 1).T.new(),
    "transpose wide": lambda gb: wide(gb).T.new(),
    "columns of wide": lambda gb: wide(gb).reduce_columnwise(gb.monoid.plus).new(),
    "count columns of wide": lambda gb: wide(gb).reduce_columnwise(gb.agg.count).new(),
    "diagonal": lambda gb: huge(gb, 1).diag(),
    "diagonal below": lambda gb: huge(gb, 1).diag(-2),
    "diagonal matrix": lambda gb: some(gb, 1).diag(),
    "outer": lambda gb: some(gb, 1).outer(some(gb, 2), gb.binary.times).new(),
    "power": lambda gb: huge(gb, 1).power(3).new(),
    "clear": changed(lambda gb, A: A.clear()),
    "accumulate": changed(lambda gb, A: A(gb.binary.plus).update(huge(gb, 1))),
    "masked": changed(lambda gb, A: A(huge(gb, 2).V).update(huge(gb, 1))),
    "all of it": changed(lambda gb, A: A(~huge(gb, 2).S, gb.binary.plus, replace=True).update(huge(gb, 1))),
    "assign": changed(lambda gb, A: A[REGION].update(small(gb))),
    "assign scalar": changed(lambda gb, A: A[REGION].update(3)),
    "assign accumulated": changed(lambda gb, A: A(gb.binary.plus)[REGION].update(small(gb))),
    "assign submask": changed(lambda gb, A: A[REGION](small(gb).S).update(4)),
    "assign masked": changed(lambda gb, A: A(huge(gb, 2).S).update(5)),
    "assign row": changed(lambda gb, A: A[7, :].update(some(gb, 3))),
    "assign column": changed(lambda gb, A: A[:, 7].update(some(gb, 3))),
    "set an element": changed(lambda gb, A: A.__setitem__((9, 9), 3)),
    "change an element": changed(lambda gb, A: A.__setitem__((7, 7), 3)),
    "delete an element": changed(lambda gb, A: A.__delitem__((7, 7))),
    "delete a column": changed(lambda gb, A: A.__delitem__((slice(None), 7))),
    "fewer of a vector": lambda gb: resized(some(gb, 3), 2**40),
    "a long slice": changed(lambda gb, A: A[5 : 2**50, 7:].update(huge(gb, 1)[5 : 2**50, 7:].new())),
    "a long slice and a list": changed(lambda gb, A: A[[0, 7], 5:].update(huge(gb, 1)[[0, 7], 5:].new())),
    "a long slice accumulated": changed(
        lambda gb, A: A(gb.binary.plus)[5 : 2**50, :].update(huge(gb, 1)[5 : 2**50, :].new())
    ),
    "a long slice masked": changed(
        lambda gb, A: A(~huge(gb, 2).S, replace=True)[5 : 2**50, :].update(huge(gb, 1)[5 : 2**50, :].new())
    ),
    "a long slice through a mask": changed(lambda gb, A: A(huge(gb, 2).V)[5 : 2**50, 3:].update(9)),
    "a long slice with a submask": changed(
        lambda gb, A: A[5 : 2**50, :](huge(gb, 2)[5 : 2**50, :].new().S, replace=True).update(9)
    ),
    "a long slice of a row": changed(lambda gb, A: A(gb.binary.plus)[7, 5:].update(some(gb, 1)[5:].new())),
    "a long slice of a column": changed(lambda gb, A: A[5:, 7].update(some(gb, 1)[5:].new())),
    "delete a long slice": changed(lambda gb, A: A.__delitem__((slice(5, 2**50), slice(None)))),
    "delete some of a row": changed(lambda gb, A: A.__delitem__((7, slice(3, None)))),
    "row through a mask": changed(lambda gb, A: A(some(gb, 2).S)[7, :].update(5)),
    "set the diagonal": changed(lambda gb, A: A.setdiag(some(gb, 1)[: N - 3].new(), 3)),
    "a long slice of a vector": changed_vector(lambda gb, v: v[5:].update(some(gb, 1)[5:].new())),
    "a long slice of a vector masked": changed_vector(
        lambda gb, v: v(~some(gb, 2).S, gb.binary.plus, replace=True)[5:].update(some(gb, 1)[5:].new())
    ),
    "a long slice of a vector through a mask": changed_vector(lambda gb, v: v(some(gb, 2).S)[5:].update(3)),
    "delete a long slice of a vector": changed_vector(lambda gb, v: v.__delitem__(slice(3, None))),
    "mxv of a full vector": lambda gb: gb.semiring.plus_times(huge(gb, 1) @ gb.Vector.from_scalar(1, N)).new(),
    "vxm of a full vector": lambda gb: gb.semiring.min_plus(gb.Vector.from_scalar(1, N) @ huge(gb, 1)).new(),
    "ewise_mult of a full vector": lambda gb: gb.Vector.from_scalar(1, N).ewise_mult(some(gb, 1), gb.binary.plus).new(),
    "kronecker": lambda gb: (
        gb.Matrix.from_coo([0, 2**50], [5, 2**50], [1, 2], nrows=2**58, ncols=2**58)
        .kronecker(small(gb), gb.binary.times)
        .new()
    ),
    "beside a vector": lambda gb: huge(gb, 1).ewise_mult(some(gb, 1), gb.binary.times).new(),
    "reposition": lambda gb: huge(gb, 1).reposition(3, -4).new(),
    "argmin": lambda gb: huge(gb, 1).reduce_rowwise(gb.agg.ss.argmin).new(),
    "variance": lambda gb: huge(gb, 1).reduce_scalar(gb.agg.varp).new(),
    "serialize": lambda gb: gb.Matrix.ss.deserialize(huge(gb, 1).ss.serialize()),
    "export": lambda gb: gb.Matrix.ss.import_any(**huge(gb, 1).ss.export("hypercsr")),
    "from_dcsr": lambda gb: gb.Matrix.from_dcsr([5, 2**50], [0, 1, 3], [2, 3, 2**59], [1, 2, 3], nrows=N, ncols=N),
    "a part of a split": lambda gb: huge(gb, 1).ss.split([[2**59, 2**59], [2**58, N - 2**58]])[0][1],
    "concat": lambda gb: gb.ss.concat([[huge(gb, 1)[: 2**59, : 2**58].new(), huge(gb, 2)[: 2**59, : 2**58].new()]]),
    "fewer rows": changed(lambda gb, A: A.resize(10, N)),
    "fewer of both": changed(lambda gb, A: A.resize(2**31, 2**31)),
}


# ---- few rows, and more positions than 64 bits can number ----------------------------------------------------------

COLUMNS = np.array([5, 6, 7, 2**31 + 1, 2**59, N - 1])


def few_rows(gb, seed: int, nrows: int = 20):
    random = np.random.default_rng(seed)
    rows, cols = random.integers(0, nrows, 60), COLUMNS[random.integers(0, 6, 60)]
    values = random.integers(1, 9, 60).astype(float)
    return gb.Matrix.from_coo(rows, cols, values, nrows=nrows, ncols=N, dup_op=gb.binary.plus)


def square(gb):
    return gb.Matrix.from_coo(np.arange(19), np.arange(1, 20), 1.5, nrows=20, ncols=20)


def two_rows(gb):
    return gb.Matrix.from_coo([0, 1], [0, 2], [7.0, 8.0], nrows=2, ncols=3)


def some_of(gb, size: int):
    return gb.Vector.from_coo([0, 5, 16], [1.0, 2.0, 3.0], size=size)


def widened(gb):
    A = gb.Matrix.from_coo([0, 16], [5, 5], [1, 2], nrows=20, ncols=10)
    A.resize(20, N)
    return A


def wide_kronecker(gb):
    a = gb.Matrix.from_coo([0, 1, 1], [5, 2**40, 3], [1, 2, 3], nrows=4, ncols=2**41)
    b = gb.Matrix.from_coo([0, 1, 3], [0, 2**17 - 1, 9], [1, 2, 3], nrows=4, ncols=2**17)
    return a.kronecker(b, gb.binary.times).new()


BLOCK = ([3, 16], [5, 9, 2**59])
FEW_ROWS = {
    "keys that wrap": lambda gb: gb.Matrix.from_coo([0, 16], [5, 5], 1, nrows=20, ncols=N),
    "no duplicates": lambda gb: gb.Matrix.from_coo([16, 0], [5, 5], [1, 2], nrows=20, ncols=N),
    "unordered csr": lambda gb: gb.Matrix.from_csr([0, 2, 4], [7, 5, 2**59, 5], [1, 2, 3, 4], ncols=N),
    "extract rows": lambda gb: few_rows(gb, 1)[[3, 16, 0, 19, 3], :].new(),
    "mxm": lambda gb: gb.semiring.plus_times(square(gb) @ few_rows(gb, 1)).new(),
    "mxm masked": lambda gb: gb.semiring.plus_times(square(gb) @ few_rows(gb, 1)).new(mask=few_rows(gb, 2).S),
    "outer": lambda gb: some_of(gb, 20).outer(some_of(gb, N), gb.binary.times).new(),
    "kronecker": wide_kronecker,
    "resize": widened,
    "assign": changed(lambda gb, A: A[BLOCK].update(two_rows(gb)), lambda gb: few_rows(gb, 1)),
    "write outside": changed(
        lambda gb, A: A(~few_rows(gb, 2).S).update(few_rows(gb, 3).apply(gb.unary.ainv)), lambda gb: few_rows(gb, 1)
    ),
}


@pytest.mark.parametrize("rows", ["many", "few"])
@pytest.mark.parametrize("run", [*CASES.values(), *FEW_ROWS.values()], ids=[*CASES, *(f"few: {x}" for x in FEW_ROWS)])
def test_as_python_graphblas(run, rows: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also what the same calls do with matrices of few rows, of which some are errors."""
    graphblas = pytest.importorskip("graphblas")
    if rows == "few":
        monkeypatch.setitem(globals(), "huge", lambda gb, seed, dtype=int: few_rows(gb, seed))
    try:
        expected = run(graphblas)
    except graphblas.exceptions.GraphblasException as error:
        assert rows == "few"
        with pytest.raises(getattr(grblas_gpu.exceptions, type(error).__name__)):
            run(grblas_gpu)
        return
    found = run(grblas_gpu)
    assert found.shape == expected.shape and found.dtype.name == expected.dtype.name
    if not hasattr(expected, "to_coo"):
        assert found.value == expected.value
        return
    for ours, theirs in zip(found.to_coo(), expected.to_coo(), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_slices_from_the_end() -> None:
    """In steps, too: python-graphblas looks at every position of these."""
    A, v = Matrix.from_coo([0, 5], [7, N - 1], [1, 2], nrows=N, ncols=N), Vector.from_coo([1, N - 1], [3, 4], size=N)
    assert A[::-1, ::-1].new().to_dicts() == {N - 6: {0: 2}, N - 1: {N - 8: 1}}
    assert v[::-2].new().to_dict() == {0: 4, N // 2 - 1: 3}
    assert Vector.from_scalar(7, N)[1:].new().size == N - 1
    A[::-1, ::-1] << Matrix.from_coo([3, 4], [4, 5], [8, 9], nrows=N, ncols=N)
    v[1::2] << Vector.from_coo([2], [6], size=N // 2)
    assert A.to_dicts() == {N - 5: {N - 6: 9}, N - 4: {N - 5: 8}} and v.to_dict() == {5: 6}


def test_files(tmp_path: Path) -> None:
    A, v = huge(grblas_gpu, 1), some(grblas_gpu, 1)
    io = grblas_gpu.io
    io.save(tmp_path / "a.grb", A)
    io.save(tmp_path / "v.grb", v)
    io.save_npz(tmp_path / "a.npz", A)
    io.mmwrite(tmp_path / "a.mtx", A)
    assert io.load(tmp_path / "v.grb").isequal(v) and pickle.loads(pickle.dumps(v)).isequal(v)
    for there in (io.load(tmp_path / "a.grb"), io.load_npz(tmp_path / "a.npz"), io.mmread(tmp_path / "a.mtx")):
        assert there.isequal(A) and there.ss.format == "hypercsr"
    assert pickle.loads(pickle.dumps(A)).isequal(A) and io.to_scipy_sparse(A, "coo").nnz == A.nvals


def test_memory_follows_entries() -> None:
    """An operation on a hypersparse matrix takes less than some hundred bytes for each of its entries."""
    random = np.random.default_rng(1)
    rows, cols, values = random.integers(0, N, 5000), random.integers(0, N, 5000), random.random(5000)
    A = Matrix.from_coo(rows, cols, values, nrows=N, ncols=N)
    assert A._store.form == "hypersparse"
    assert A.ss.nbytes <= 8 * (4 * 5000 + 1)

    def work(A: Matrix) -> None:
        B = A.T.new()
        B(binary.plus) << A
        C = semiring.plus_times(A @ B).new()
        C(A.S) << 1.0
        assert C.reduce_rowwise(monoid.plus).new().nvals > 0

    work(A.dup())  # which may load kernels, and what compiles them
    tracemalloc.start()
    work(A)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 5000 * 2000


@pytest.mark.parametrize(
    "run",
    [
        lambda A: A.to_dense(0),
        lambda A: A[:, :].update(1),
        lambda A: A(~A.S).update(1),
        lambda A: A[[0, 1], :].update(1),
        lambda A: Vector.from_scalar(1, N).outer(Vector.from_scalar(1, N)).new(),
        lambda A: A.to_csr(),
        lambda A: A[1:, :].update(1),
        lambda A: A(~A.S)[1:, :].update(1),
        lambda A: A.ss.export("csr"),
        lambda A: A.ss.export("bitmapc"),
        lambda A: Vector.from_scalar(1, N).ewise_add(Vector.from_coo([0], [1], size=N)).new(),
        lambda A: Vector.from_coo([0], [1], size=N)[3:].update(1),
        lambda A: Vector.from_coo([0], [1], size=N).ss.export("bitmap"),
        lambda A: A.by_degree(),
        lambda A: grblas_gpu.io.to_scipy_sparse(A, "csr"),
    ],
)
def test_what_cannot_be_stored(run) -> None:
    A = huge(grblas_gpu, 1)
    before = A.dup()
    with pytest.raises(OutOfMemory):
        run(A)
    assert A.isequal(before)


def test_one_value_for_more_positions_than_can_be_counted_says_so() -> None:
    with pytest.raises(OutOfMemory, match=f"has {N * N:,} positions, more than the {N:,} .*name the positions"):
        Matrix.from_scalar(1, N, N)
    assert Matrix.from_scalar(1, 2**30, 2**30).nvals == N


def test_a_loop() -> None:
    """Run by single calls: a search of a graph of which three vertices have an edge."""
    A = Matrix.from_coo([0, 5, 2**59], [5, 2**59, N - 1], True, nrows=N, ncols=N)
    levels, frontier = Vector(int, N), Vector.from_coo([0], [True], size=N)
    for depth in grblas_gpu.loop(frontier):
        levels(frontier.S) << depth
        frontier(~levels.S, replace=True) << semiring.lor_land(frontier @ A)
    assert levels.to_dict() == {0: 0, 5: 1, 2**59: 2, N - 1: 3}
