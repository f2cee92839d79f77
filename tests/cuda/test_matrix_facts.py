"""What kernels find out about a graph, and copies of it in other forms."""

from __future__ import annotations

import numpy as np
import pytest
from emulated_engine import ENGINES, backend
from loop_cases import graphs

import grblas_gpu as gb
from grblas_gpu import Matrix
from grblas_gpu.backends.stores.matrix_forms import with_form


def facts(A: Matrix) -> list[object]:
    graph, selection, numbers = A.by_degree()
    copies = A.side_by_side(3)
    return [
        *(part.to("cpu").to_dicts() for part in (graph, selection, copies)),
        *(numbers.to("cpu").to_dict(), A.degree_statistics(), copies.nvals, str(graph.to("cpu")._store.indices.dtype)),
    ]


@pytest.mark.parametrize("kind", ENGINES)
@pytest.mark.parametrize("name", ["directed", "kronecker", "star"])
def test_facts(kind: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    A = graphs()[name]
    with gb.using("cpu"):
        expected = facts(A.dup())
    with backend("cuda" if kind == "gpu" else kind, monkeypatch) as engine, gb.using(engine):
        assert facts(A.to(engine)) == expected


@pytest.mark.parametrize("kind", ENGINES)
@pytest.mark.parametrize("dtype", ["BOOL", "INT8", "FP32", "INT64", "FC64"])
@pytest.mark.parametrize(("nrows", "ncols", "nvals"), [(7, 5, 17), (1, 40, 3), (300, 9, 1200), (3, 4, 0)])
def test_bitmaps(kind: str, dtype: str, nrows: int, ncols: int, nvals: int, monkeypatch: pytest.MonkeyPatch) -> None:
    positions = np.random.default_rng(5).permutation(nrows * ncols)[:nvals]
    values = np.arange(nvals) % 100 + 1
    with gb.using("cpu"):
        A = Matrix.from_coo(positions // ncols, positions % ncols, values, dtype, nrows=nrows, ncols=ncols)
    with backend("cuda" if kind == "gpu" else kind, monkeypatch) as engine, gb.using(engine):
        for B in (A, A.pattern()):
            store = B.to(engine)._store
            bitmap = with_form(store, "bitmap")
            listed = with_form(bitmap, "sparse")
            for name in ("indptr", "indices", "stored_values"):
                assert getattr(listed, name).get().tolist() == getattr(store, name).get().tolist()
                assert getattr(listed, name).dtype == getattr(store, name).dtype
            assert int(bitmap.present.get().sum()) == nvals
