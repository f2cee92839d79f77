"""What kernels find out about a graph: its vertices by degree, the spread of degrees, and copies along the diagonal."""

from __future__ import annotations

import pytest
from emulated_engine import ENGINES, backend
from loop_cases import graphs

import grblas_gpu as gb
from grblas_gpu import Matrix


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
