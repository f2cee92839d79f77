"""Aggregators that users make."""

import graphblas
import numpy as np
import pytest

import grblas_gpu as gb


@pytest.mark.parametrize("dtype", ["INT64", "FP32", "INT8"])
def test_aggregators_of_ones_own(backend: str, dtype: str) -> None:
    """Of every sort, for every reduction, next to python-graphblas."""
    for ours, theirs in zip(own_aggregators(gb), own_aggregators(graphblas), strict=True):
        world = [reductions(library, op, dtype) for library, op in ((gb, ours), (graphblas, theirs))]
        for mine, other in zip(*world, strict=True):
            assert mine.dtype.name == other.dtype.name
            if mine.ndim == 0:
                assert (mine.value is None) == (other.value is None)
                assert mine.is_empty or np.isclose(mine.value, other.value, equal_nan=True)
            else:
                assert mine.to_coo()[0].tolist() == other.to_coo()[0].tolist()
                np.testing.assert_allclose(mine.to_coo()[1], other.to_coo()[1], rtol=1e-6)


def own_aggregators(library):
    agg, binary, monoid, semiring, unary = (
        getattr(library, name) for name in "agg binary monoid semiring unary".split()
    )
    power = {"semiring": semiring.plus_pow, "semiring2": semiring.plus_first}
    return [
        agg.Aggregator(
            "silly", composite=[agg.varp, agg.stdp], finalize=lambda x, y, opts: binary.times(x & y), types=[agg.varp]
        ),
        agg.Aggregator("highest", monoid=monoid.max),
        agg.Aggregator("cubes", **power, initval=3),
        agg.Aggregator("powers", **power, initval=3, switch=True),
        agg.Aggregator("norm", **power, initval=2, finalize=unary.sqrt),
        agg.Aggregator("entries", semiring=semiring.plus_pair, semiring2=semiring.plus_first, any_dtype="INT64"),
        agg.Aggregator(
            "size", semiring=semiring.plus_times, semiring2=semiring.plus_first, initval=1, applybegin=unary.abs
        ),
    ]


def reductions(library, op, dtype: str):
    A = library.Matrix.from_coo([0, 0, 1, 3, 3], [1, 2, 0, 2, 3], [2, -1, 1, 4, 3], dtype, nrows=5, ncols=4)
    v = library.Vector.from_coo([0, 2, 3], [2, -1, 1], dtype, size=5)
    expressions = [A.reduce_rowwise(op), A.reduce_columnwise(op), A.reduce_scalar(op), op(A.T, rowwise=True)]
    expressions += [v.reduce(op), library.Vector(dtype, size=5).reduce(op)]
    return [expression.new() for expression in expressions]


def test_aggregators_that_are_none() -> None:
    for parts in ({}, {"monoid": gb.monoid.plus, "composite": [gb.agg.sum]}, {"composite": [gb.agg.sum]}):
        with pytest.raises(TypeError):
            gb.agg.Aggregator("wrong", **parts)
    with pytest.raises(TypeError, match="semiring2"):
        gb.agg.Aggregator("wrong", semiring=gb.semiring.plus_times)
