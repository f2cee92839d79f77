"""Parts of matrices and vectors by the CUDA engine's kernels against the definitions: on a GPU, or emulated."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from emulated_engine import ENGINES, loaded, moved
from matrix_cases import same, valued_matrix, with_degrees
from vector_cases import definitions

from grblas_gpu.backends.storage import INDEX, MatrixStore


@pytest.fixture(params=ENGINES)
def engine(request, monkeypatch) -> Iterator[Any]:
    with loaded(request.param, monkeypatch, "eager.extracting") as found:
        yield found


def one_value(a: MatrixStore) -> MatrixStore:
    return MatrixStore(a.nrows, a.ncols, a.indptr, a.indices, a.values[: min(1, a.nvals)])


@pytest.mark.parametrize("offsets", [np.int32, INDEX])
def test_rows_that_follow_each_other(engine, offsets: Any) -> None:
    random = valued_matrix(np.random.default_rng(1), 300, 40, np.float32, 0.1)
    for a in (random, one_value(random), with_degrees([0, 0, 3, 0, 700, 0]), with_degrees([0, 0])):
        a.indptr = a.indptr.astype(offsets)
        there = moved(a, engine.to_device)
        for first, stop in [(0, a.nrows), (1, 2), (a.nrows // 3, a.nrows - 1), (1, 1), (a.nrows, a.nrows)]:
            result = moved(engine.extracting.rows_between(there, first, stop), engine.to_host)
            same(result, definitions.extract_matrix(a, np.arange(first, stop), None))
            assert len(result.values) <= max(1, a.nvals) and not (a.iso and len(result.values) > 1)
