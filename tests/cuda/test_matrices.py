"""Operations on whole matrices on a device against the definitions in NumPy, for every form of the output step."""

from __future__ import annotations

import numpy as np
import pytest

import grblas_gpu as gb
from grblas_gpu import Matrix, Vector, agg, binary, indexunary, monoid, select, semiring

pytestmark = pytest.mark.gpu
SHAPES = [(5, 7), (300, 300), (4000, 3), (3, 5000), (1500, 1500)]
DTYPES = ["FP32", "INT64", "BOOL"]
BACKENDS = ("numpy", "cuda")


def random_arrays(rng: np.random.Generator, nrows: int, ncols: int, dtype: str) -> tuple:
    """Coordinates with rows of very different lengths; now and then one value for all, or no entry."""
    count = int(rng.choice([0, 3, 200, 20_000], p=[0.1, 0.2, 0.3, 0.4]))
    rows = (rng.random(count) ** 3 * nrows).astype(np.int64)
    keys = np.unique(rows * ncols + rng.integers(0, ncols, count))
    values = rng.integers(0, 5, len(keys))
    if rng.random() < 0.3:
        values[:] = 3
    return keys // ncols, keys % ncols, values.astype(bool) if dtype == "BOOL" else values


def both(make):
    """The same object on both engines."""
    made = []
    for backend in BACKENDS:
        with gb.using(backend):
            made.append(make())
    return made


def matrices(rng: np.random.Generator, shape: tuple[int, int], dtype: str) -> list[Matrix]:
    rows, cols, values = random_arrays(rng, *shape, dtype)
    if len(values) and rng.random() < 0.3:
        return both(lambda: Matrix.from_coo(rows, cols, values[0].item(), dtype, nrows=shape[0], ncols=shape[1]))
    return both(lambda: Matrix.from_coo(rows, cols, values, dtype, nrows=shape[0], ncols=shape[1]))


def same(expected, found) -> None:
    assert found.to("numpy").isequal(expected, check_dtype=True)
    assert found.nvals == expected.nvals


def expressions(rng: np.random.Generator, A: Matrix, B: Matrix, index):
    """Expressions whose results have the shape of their operands."""
    n = A.nrows
    other = Vector.from_coo(index[0], index[2], "INT64", size=n)
    return {
        "add": lambda: A.ewise_add(B, binary.second),
        "mult": lambda: A.ewise_mult(B, binary.first),
        "union": lambda: A.ewise_union(B, binary.minus, 1, 2) if A.dtype.name != "BOOL" else A.ewise_add(B, binary.lor),
        "positional": lambda: A.ewise_mult(B, binary.firsti),
        "equal patterns": lambda: A.ewise_add(A.apply(binary.pair, right=1).new(), binary.second),
        "tril": lambda: A.select(select.tril, 1),
        "value": lambda: A.select("==", 3 if A.dtype.name != "BOOL" else True),
        "select by mask": lambda: A.select(B.S),
        "apply": lambda: A.apply(binary.second, right=1),
        "scale rows": lambda: semiring.max_second(other.diag() @ A),
        "rows": lambda: A[index[3], :],
    }


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
def test_expressions_and_their_output(shape, dtype) -> None:
    rng = np.random.default_rng(len(dtype) * shape[0] + shape[1])
    for _ in range(3):
        ours, theirs = matrices(rng, shape, dtype), matrices(rng, shape, dtype)
        outputs, masks = matrices(rng, shape, "FP64"), matrices(rng, shape, "INT8")
        kept = np.flatnonzero(rng.random(shape[0]) < 0.5)
        weights = rng.integers(1, 5, len(kept))
        index = (kept, None, weights, rng.permutation(shape[0]))
        made = []
        for position, backend in enumerate(BACKENDS):
            with gb.using(backend):
                made.append(expressions(rng, ours[position], theirs[position], index))
        for name in made[0]:
            kind = rng.choice(["none", "S", "V", "~S", "~V", "self"])
            accum = [None, binary.plus, binary.second, binary.gt][rng.integers(4)]
            replace = kind != "none" and bool(rng.integers(2))
            results = []
            for position, backend in enumerate(BACKENDS):
                with gb.using(backend):
                    out, mask = outputs[position].dup(), masks[position]
                    given = {
                        "none": None,
                        "S": mask.S,
                        "V": mask.V,
                        "~S": ~mask.S,
                        "~V": ~mask.V,
                        "self": outputs[position].S,
                    }[str(kind)]
                    out(mask=given, accum=accum, replace=replace) << made[position][name]()
                    results.append(out)
            assert results[1].to("numpy").isequal(results[0], check_dtype=True), (name, kind, accum, replace)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_scalars_through_masks(shape) -> None:
    rng = np.random.default_rng(shape[0])
    for turn in range(12):
        outputs, masks = matrices(rng, shape, "INT64"), matrices(rng, shape, "INT8")
        for position, backend in enumerate(BACKENDS):
            with gb.using(backend):
                C, M = outputs[position], masks[position] if turn % 3 else outputs[position].dup()
                mask = M.V if turn % 2 else M.S
                C(mask=mask, accum=[None, binary.plus][turn % 4 // 2], replace=turn % 5 == 0) << 7
        same(*outputs)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_reductions_transposes_and_products(shape) -> None:
    rng = np.random.default_rng(shape[1])
    for dtype in ("INT64", "FP64"):
        A = matrices(rng, shape, dtype)
        x = both(lambda: Vector.from_dense(np.arange(shape[1]) % 7 + 1.0))
        for compute in (
            lambda A, x: A.reduce_rowwise(monoid.plus).new(),
            lambda A, x: A.reduce_columnwise(monoid.max).new(),
            lambda A, x: A.reduce_rowwise(agg.count).new(),
            lambda A, x: A.reduce_columnwise(agg.count).new(),
            lambda A, x: A.T.new(),
            lambda A, x: semiring.plus_times(A @ x).new(),
            lambda A, x: semiring.min_plus(A @ x).new(),
            lambda A, x: semiring.plus_times(A @ x.diag()).new(),
            lambda A, x: A[:, [shape[1] - 1, 0]].new(),
            lambda A, x: A.apply(indexunary.colindex, 2).new(),
            lambda A, x: x.diag().diag(),
            lambda A, x: A.diag(3),
            lambda A, x: A.kronecker(A[:3, :2].new(), binary.minus).new(),
            lambda A, x: A[shape[0] // 4 : shape[0] // 2, :].new(),
            lambda A, x: gb.ss.concat([[A, A], [A, A]]),
        ):
            results = []
            for position, backend in enumerate(BACKENDS):
                with gb.using(backend):
                    results.append(compute(A[position], x[position]))
            same(*results)
