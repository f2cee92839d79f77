"""LDBC Graphalytics: its six kernels on a data set, checked against the reference outputs by the specification's rules.

A data set NAME consists of NAME.properties, NAME.v, NAME.e and reference outputs NAME-BFS, NAME-PR and so on. Rules:
levels and communities are equal (exact), ranks, coefficients and distances differ by at most 0.01 % (epsilon),
components are the same sets of vertices (equivalence). Reading is not timed.
Reference: A. Iosup et al., The LDBC Graphalytics Benchmark, arXiv 2011.15028.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from .. import FP32, Matrix, Vector, algorithms
from ..foundation.types import Json, Value
from ..io.text_graphs import properties_of, read_ldbc
from .harness import compiling, spread
from .machine import seconds
from .verify import WrongResult

EPSILON = 1e-4
UNREACHABLE = np.iinfo(np.int64).max


@dataclass
class Dataset:
    """A graph, the identifiers of its vertices in ascending order, and the parameters of the kernels."""

    name: str
    A: Matrix
    ids: np.ndarray
    directed: bool
    parameters: dict[str, str]  # "bfs.source-vertex": "1" and so on

    def source(self, kernel: str) -> int:
        """The number of the kernel's source vertex."""
        found = int(self.parameters[f"{kernel}.source-vertex"])
        number = int(np.searchsorted(self.ids, found))
        if number == len(self.ids) or self.ids[number] != found:
            raise ValueError(f"{self.name}: {kernel}.source-vertex {found} is not a vertex")
        return number

    @property
    def edges(self) -> int:
        """The number of edges, each direction of an undirected one not counted twice."""
        return self.A.nvals if self.directed else self.A.nvals // 2


class Kernel(NamedTuple):
    """How a kernel runs, the type and missing value of its output, whether it has identifiers, and its rule."""

    run: Callable[[Dataset], Vector]
    dtype: type
    rule: Callable[[np.ndarray, np.ndarray], np.ndarray]
    missing: Value = 0
    of_ids: bool = False


def differ(found: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """Vertices whose values are not the same.

    >>> differ(np.array([1, 2]), np.array([1, 3])).tolist()
    [False, True]
    """
    return found != expected


def differ_much(found: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """Vertices whose values differ by more than 0.01 % of the expected one.

    >>> differ_much(np.array([1.00009, 1.0002, np.inf]), np.array([1.0, 1.0, np.inf])).tolist()
    [False, True, False]
    """
    with np.errstate(invalid="ignore"):  # infinity minus infinity
        near = np.isfinite(expected) & (abs(found - expected) <= EPSILON * expected)
    return ~(near | (found == expected))


def split_differently(found: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """Vertices of a set that is no set of the expected partition.

    >>> split_differently(np.array([7, 7, 9]), np.array([1, 1, 1])).tolist()
    [True, True, True]
    """
    _, here = np.unique(found, return_inverse=True)
    _, there = np.unique(expected, return_inverse=True)
    both = np.unique(np.stack([here, there]), axis=1)
    wrong = [np.bincount(part)[number] > 1 for part, number in zip(both, (here, there), strict=True)]
    return wrong[0] | wrong[1]


KERNELS = {
    "bfs": Kernel(lambda data: algorithms.bfs(data.A, data.source("bfs")), np.int64, differ, UNREACHABLE),
    "pr": Kernel(
        lambda data: algorithms.pagerank(
            data.A,
            float(data.parameters["pr.damping-factor"]),
            iterations=int(data.parameters["pr.num-iterations"]),
            weighted=False,
            dtype=FP32,  # sums are FP64, so errors stay far below the rule's 1e-4
        ),
        np.float64,
        differ_much,
    ),
    "wcc": Kernel(lambda data: algorithms.connected_components(data.A), np.int64, split_differently, of_ids=True),
    "cdlp": Kernel(
        lambda data: algorithms.label_propagation(data.A, max_iterations=int(data.parameters["cdlp.max-iterations"])),
        np.int64,
        differ,
        of_ids=True,
    ),
    "lcc": Kernel(lambda data: algorithms.clustering(data.A, either=True), np.float64, differ_much),
    "sssp": Kernel(lambda data: algorithms.sssp(data.A, data.source("sssp")), np.float64, differ_much, np.inf),
}


def datasets(folder: str | Path, backend: str | None = None) -> Iterator[Dataset]:
    """The data sets of a folder, on the engine ``backend`` or the default one.

    Parameters
    ----------
    folder : str or Path
        Contains files NAME.properties, NAME.v and NAME.e.
    backend : str, optional
        The engine of the matrices.
    """
    found = sorted(Path(folder).glob("*.properties"))
    if not found:
        raise FileNotFoundError(f"{folder}: no file NAME.properties of a Graphalytics data set")
    for path in found:
        graph = read_ldbc(path)
        ids, A = np.asarray(graph.labels, np.int64), graph.matrix
        if (np.diff(ids) < 0).any():  # ties between labels are broken by identifiers
            order = np.argsort(ids)
            ids, A = ids[order], A[order, order].new()
        A = A if backend is None else A.to(backend)
        yield Dataset(path.stem, A, ids, graph.directed, properties_of(path))


def kernels_of(data: Dataset) -> list[str]:
    """The kernels that the properties of a data set list, in our order."""
    listed = {name.strip() for name in data.parameters["algorithms"].split(",")}
    return [name for name in KERNELS if name in listed]


def output(data: Dataset, name: str, result: Vector) -> np.ndarray:
    """A result as the specification has it: a value for every vertex, identifiers in place of numbers."""
    kernel = KERNELS[name]
    values = result.to_dense(fill_value=kernel.missing, dtype=kernel.dtype)
    return data.ids[values] if kernel.of_ids else values


def reference(path: str | Path, name: str, ids: np.ndarray) -> np.ndarray:
    """The values of a reference output, in the order of ``ids``."""
    rows = np.loadtxt(path, dtype=[("vertex", np.int64), ("value", KERNELS[name].dtype)], ndmin=1)
    rows.sort(order="vertex")
    if not np.array_equal(rows["vertex"], ids):
        raise WrongResult(f"{path}: has other vertices than the graph")
    return rows["value"]


def check(data: Dataset, name: str, found: np.ndarray, expected: np.ndarray) -> None:
    """Raise WrongResult if an output breaks the rule of its kernel."""
    wrong = np.flatnonzero(KERNELS[name].rule(found, expected))
    if len(wrong):
        first = wrong[0]
        said = f"vertex {data.ids[first]} has {found[first]} instead of {expected[first]}"
        raise WrongResult(f"{name} on {data.name}: {said} ({len(wrong)} of {len(found)} vertices are wrong)")


def measure(data: Dataset, name: str, trials: int = 3, expected: np.ndarray | None = None) -> Json:
    """Time a kernel, the first call and ``trials`` more, and check its output if there is an expected one."""
    run = partial(finished, KERNELS[name].run, data)
    with compiling():
        first = seconds(run)
    found = spread(seconds(run) for _ in range(trials))
    if expected is not None:
        check(data, name, output(data, name, KERNELS[name].run(data)), expected)
    sizes = {"vertices": len(data.ids), "edges": data.edges}
    rate = sum(sizes.values()) / found["median"]
    row = {"graph": data.name, "kernel": name, **sizes, "first_s": first, "seconds": found, "evps": rate}
    return row | {"validated": expected is not None}


def finished(run: Callable[[Dataset], Vector], data: Dataset) -> None:
    run(data).nvals  # waits for the device
