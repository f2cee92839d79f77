"""The verifiers of benchmarks take arrays of a device as those of the host: only calls that CuPy has."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
from device_arrays import DeviceArray

from benchmarks import graph_challenge, speed_checks
from grblas_gpu import algorithms, generators
from grblas_gpu.bench import graph500, graphs
from grblas_gpu.generators import kronecker_graphs

LIKE = DeviceArray(np.zeros(0))
SOURCE = 5


def test_of_trees_and_distances():
    A = generators.kronecker(7, 4)
    on_device = SimpleNamespace(_store=SimpleNamespace(**{k: DeviceArray(getattr(A._store, k)) for k in ARRAYS}))
    structure = on_device._store.indptr, on_device._store.indices
    W = graphs.weighted(A, np.float32, graph500._lengths)
    found = algorithms.sssp(W, SOURCE, predecessors=True)
    parents, distances = (
        DeviceArray(graphs.dense_array(vector, -1, dtype))
        for vector, dtype in ((found.predecessors, np.int64), (found.distances, np.float64))
    )
    graph500.check_tree(on_device, SOURCE, parents, DeviceArray(W._store.values), distances)
    W = graphs.weighted(A, np.uint8, lambda stream, edges: stream.below(255, edges) + np.uint64(1))
    distances = DeviceArray(graphs.dense_array(algorithms.sssp(W, SOURCE), -1, np.float64))
    speed_checks.check_distances(*structure, DeviceArray(W._store.values), distances, SOURCE)
    labels = speed_checks.propagated_labels(*structure, 4)
    assert labels.get().tolist() == algorithms.label_propagation(A, max_iterations=4).to_dense().tolist()


ARRAYS = ("indptr", "indices")


def test_of_generated_data(monkeypatch):
    expected = kronecker_graphs.drawn_degrees(5, 4)
    monkeypatch.setattr(kronecker_graphs, "engine_array", lambda: LIKE)
    assert kronecker_graphs.drawn_degrees(5, 4).get().tolist() == expected.tolist()
    ends = graph_challenge.packets(1000, LIKE)
    hidden = tuple(map(graph_challenge.anonymized, ends))
    assert graph_challenge.sensed_by_sorting(*hidden) == graph_challenge.sensed_by_sorting(*(x.get() for x in ends))
    assert [x.get().tolist() for x in graph_challenge.images(3, 1024, LIKE)] == [
        x.tolist() for x in graph_challenge.images(3, 1024, np.zeros(0))
    ]
