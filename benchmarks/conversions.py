"""How long data takes to get in and out: a graph of a million edges between this library and others, and files.

    python -m benchmarks conversions                      # the best of 3
    python -m benchmarks conversions --edges 100000 --repeat 5

What is promised: a NetworkX graph of a million edges in less than 3 s, a SciPy CSR in less than 50 ms.
"""

import re
import tempfile
from collections.abc import Callable
from functools import partial

import networkx as nx
import numpy as np

import grblas_gpu as gb
from grblas_gpu import io
from grblas_gpu.io.formats import FORMATS

from .common import Table, parser, seconds


def random_graph(vertices: int, edges: int) -> tuple[gb.Matrix, nx.DiGraph]:
    """The same directed, weighted graph twice."""
    draw = np.random.default_rng(1)
    keys = draw.choice(vertices * vertices, edges, replace=False)
    rows, cols, weights = keys // vertices, keys % vertices, draw.random(edges)
    G = nx.empty_graph(vertices, nx.DiGraph)
    G.add_weighted_edges_from(zip(rows.tolist(), cols.tolist(), weights.tolist(), strict=True))
    return gb.Matrix.from_coo(rows, cols, weights, nrows=vertices, ncols=vertices), G


def main(arguments: list[str] | None = None) -> int:
    options = parser("conversions", __doc__, "only", edges=1_000_000, vertices=100_000, repeat=3).parse_args(arguments)
    A, G = random_graph(options.vertices, options.edges)
    csr, csc, coo = (io.to_scipy_sparse(A, format) for format in ("csr", "csc", "coo"))
    with tempfile.TemporaryDirectory() as folder:
        market, text, npz, own = (f"{folder}/a.{kind}" for kind in ("mtx", "txt", "npz", "grb"))
        tasks: dict[str, Callable[[], object]] = {
            "from_networkx": lambda: io.from_networkx(G),
            "from_networkx, no weights": lambda: io.from_networkx(G, weight=None),
            "Graph.from_networkx": lambda: gb.Graph.from_networkx(G),
            "to_networkx": lambda: io.to_networkx(A),
            "from_scipy_sparse csr": lambda: io.from_scipy_sparse(csr),
            "from_scipy_sparse csr, shared": lambda: io.from_scipy_sparse(csr, copy=False),
            "from_scipy_sparse csc": lambda: io.from_scipy_sparse(csc),
            "from_scipy_sparse coo": lambda: io.from_scipy_sparse(coo),
            "to_scipy_sparse csr": lambda: io.to_scipy_sparse(A),
            "to_scipy_sparse csr, shared": lambda: io.to_scipy_sparse(A, copy=False),
            "mmwrite": lambda: io.mmwrite(market, A),
            "mmread": lambda: io.mmread(market),
            "write_edgelist": lambda: io.write_edgelist(text, A),
            "read_edgelist": lambda: io.read_edgelist(text),
            "save_npz": lambda: io.save_npz(npz, A, compressed=False),
            "load_npz": lambda: io.load_npz(npz),
            "save": lambda: io.save(own, A),
            "load": lambda: io.load(own),
            "load, mapped": lambda: io.load(own, mmap=True),
        }
        whole = A.apply("times", 1000).new(int)  # some formats store integers only
        tables = A.to_arrow()
        for name, each in FORMATS.items():
            path = f"{folder}/whole{each.suffixes.split()[-1]}"
            tasks[f"write {name}"] = partial(io.write, path, whole)
            tasks[f"read {name}"] = partial(io.read, path)
        tasks["Graph.from_arrow"] = lambda: gb.Graph.from_arrow(tables, 0, 1, 2)
        tasks["Matrix.from_arrow"] = lambda: gb.Matrix.from_arrow(tables)
        table = Table(f"{options.vertices} vertices, {options.edges} edges, best of {options.repeat}", ["task", "ms"])
        for name, run in tasks.items():
            if re.search(options.only, name):
                table.add(name, min(seconds(run) for _ in range(options.repeat)) * 1e3)
    print(table)
    return 0
