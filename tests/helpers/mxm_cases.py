"""Matrix-matrix products as an engine sees them, next to the definition."""

from typing import NamedTuple

import numpy as np
from random_objects import same_product

from grblas_gpu.backends.reference import Definitions
from grblas_gpu.backends.stores.storage import INDEX, MaskView, MatrixStore
from grblas_gpu.plan.rules import Plan


class Case(NamedTuple):
    """``t<mask> = a b``, as an engine sees it."""

    a: MatrixStore
    b: MatrixStore
    semiring: object
    mask: MaskView | None = None


def moved(store: MatrixStore, to, offsets=INDEX) -> MatrixStore:
    indptr = to(store.indptr.astype(offsets))
    return MatrixStore(store.nrows, store.ncols, indptr, to(store.indices), to(store.values))


def run(engine, case: Case, strategy: str, **options) -> MatrixStore:
    a, b = moved(case.a, engine.to_device, np.int32), moved(case.b, engine.to_device)
    mask = case.mask
    if mask is not None:
        mask = MaskView(moved(mask.store, engine.to_device, np.int32), mask.structure, mask.complement)
    result = engine.mxm(a, b, case.semiring, mask, plan=Plan(strategy, "", **options))
    return moved(result, lambda x: x.get())


def check(engine, case: Case, strategy: str, **options) -> MatrixStore:
    result = run(engine, case, strategy, **options)
    expected = Definitions().mxm(*case, plan=Plan(strategy, ""))
    assert result.indptr.dtype in (INDEX, np.int32)
    same_product(result, expected, case.semiring)
    if case.semiring.monoid.any_value:  # any of the products is right: here, a value of the right factor or 1
        assert set(result.values.tolist()) <= set(case.b.values.astype(result.dtype).tolist()) | {1}
    return result
