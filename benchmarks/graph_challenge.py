"""The Graph Challenge: anonymized network sensing, sparse deep neural networks, and triangles with trusses.

python -m benchmarks graph_challenge sensing --packets 28 --backend cuda
python -m benchmarks graph_challenge dnn --neurons 65536 --layers 1920 --inputs 60000 --backend cuda
python -m benchmarks graph_challenge subgraphs --scale 20 --backend cuda
References: H. Jananthan et al., Anonymized Network Sensing Graph Challenge, arXiv 2409.08115; J. Kepner et al., Sparse
Deep Neural Network Graph Challenge, arXiv 1909.05631; S. Samsi et al., Static Graph Challenge, HPEC 2017.
"""

import argparse
import importlib.util
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

import grblas_gpu
from grblas_gpu import Matrix, algorithms
from grblas_gpu.bench import graphs
from grblas_gpu.generators.randomness import Stream
from grblas_gpu.generators.structure import engine_array

from . import library_checks, speed_checks
from .common import BenchmarkGraph, Table, WrongResult, compiling, host, parser, report, seconds, spread

ADDRESSES = 2**32
FIRST_WINDOW = 17  # the smallest window has 2**17 packets


# Network sensing --------------------------------------------------------------------------------------------------


def packets(count: int, like: Any) -> tuple[Any, Any]:
    """Sources and destinations of synthetic packets: few addresses have most packets, most have few."""
    numbers = np.arange(count, dtype=np.uint64, like=like)
    found = []
    for purpose in (1, 2):
        share = ((Stream(1, purpose).bits(numbers) >> np.uint64(11)) + np.uint64(1)).astype(np.float64) * 2.0**-53
        found.append(np.minimum(1 / (share * share * share), ADDRESSES - 1.0).astype(np.uint64))
    return found[0], found[1]


def anonymized(addresses: Any, key: int = 0x9E3779B9) -> Any:
    """Addresses after a permutation of all 2**32 that depends on the key: multiplications by odd numbers and shifts."""
    x = addresses.astype(np.uint64)
    for factor in (key | 1, 0x85EBCA6B, 0xC2B2AE35):
        x = (x * np.uint64(factor)) & np.uint64(ADDRESSES - 1)
        x ^= x >> np.uint64(15)
    return x


def sense(gb: Any, sources: Any, destinations: Any) -> dict[str, int]:
    """The statistics of the challenge; ``gb`` is grblas_gpu or graphblas, for which the lines are the same."""
    plus, most, count = gb.monoid.plus, gb.monoid.max, gb.agg.count
    ones = np.zeros(len(sources), np.int64, like=sources) + 1  # CuPy has no ones() like another array
    # traffic_ij = packets from i to j
    traffic = gb.Matrix.from_coo(sources, destinations, ones, nrows=ADDRESSES, ncols=ADDRESSES, dup_op=gb.binary.plus)
    sent, received = traffic.reduce_rowwise(plus).new(), traffic.reduce_columnwise(plus).new()
    fan_out, fan_in = traffic.reduce_rowwise(count).new(), traffic.reduce_columnwise(count).new()
    return {
        "valid packets": traffic.reduce_scalar(plus).new().value,
        "unique links": traffic.nvals,
        "max link packets": traffic.reduce_scalar(most).new().value,
        "unique sources": sent.nvals,
        "max source packets": sent.reduce(most).new().value,
        "max source fan-out": fan_out.reduce(most).new().value,
        "unique destinations": received.nvals,
        "max destination packets": received.reduce(most).new().value,
        "max destination fan-in": fan_in.reduce(most).new().value,
    }


def sensed_by_sorting(sources: Any, destinations: Any) -> dict[str, int]:
    """The same statistics by sorted arrays."""
    links, each = np.unique(sources * np.uint64(ADDRESSES) + destinations, return_counts=True)
    found = [int(each.sum()), len(links), int(each.max())]
    for ends, of_links in ((sources, links >> np.uint64(32)), (destinations, links & np.uint64(ADDRESSES - 1))):
        sizes, fans = (np.unique(x, return_counts=True)[1] for x in (ends, of_links))
        found += [len(sizes), int(sizes.max()), int(fans.max())]
    names = "valid packets,unique links,max link packets"
    names += ",unique sources,max source packets,max source fan-out"
    names += ",unique destinations,max destination packets,max destination fan-in"
    return dict(zip(names.split(","), found, strict=True))


def sensing(options: argparse.Namespace) -> tuple[Table, list[dict[str, Any]]]:
    """Windows of 2**17 packets and more, each as one hypersparse matrix; python-graphblas runs the same lines."""
    columns = "packets,unique links,ms,M packets/s,python-graphblas ms,speed-up"
    table, rows = Table(f"Network sensing, {options.backend}", columns.split(",")), []
    others = importlib.util.find_spec("graphblas") is not None and not options.alone
    for exponent in range(FIRST_WINDOW, options.packets + 1, options.step):
        plain = packets(2**exponent, engine_array())
        ends = tuple(map(anonymized, plain))
        run = partial(sense, grblas_gpu, *ends)
        with compiling():
            found = run()
        if found != sensed_by_sorting(*ends) or found != sensed_by_sorting(*plain):
            raise WrongResult(f"other statistics than those of sorted arrays: {found}")
        times = spread(seconds(run, options.backend) for _ in range(options.trials))
        theirs = None
        if others:
            import graphblas

            other = partial(sense, graphblas, *map(host, ends))
            if other() != found:
                raise WrongResult("python-graphblas finds other statistics")
            theirs = spread(seconds(other) for _ in range(options.trials))["median"]
        rate = 2**exponent / times["median"]
        rows.append({"part": "sensing", "packets": 2**exponent, "statistics": found, "seconds": times})
        rows[-1] |= {"packets_per_s": rate, "graphblas_s": theirs, "verified": True}
        shown = times["median"] * 1e3, rate / 1e6, theirs and theirs * 1e3, theirs and theirs / times["median"]
        table.add(2**exponent, found["unique links"], *shown)
    table.notes = ["construction and all nine statistics; anonymization is not timed; equal to those of sorted arrays"]
    return table, rows


# Sparse deep neural networks --------------------------------------------------------------------------------------

CONNECTIONS, WEIGHT, LARGEST = 32, 1 / 16, 32.0
PIXELS = 2**24  # generated at a time
Triple = tuple[Any, Any, Any]
BIAS = {1024: -0.3, 4096: -0.35, 16384: -0.4, 65536: -0.45}


def radix_net(neurons: int) -> Iterator[Triple]:
    """The layers that repeat: neuron i leads to i + j s for 32 numbers j, with strides s = 1, 32, ...; all weights are
    1 / 16."""
    strides = [min(stride, neurons // CONNECTIONS) for stride in (32**k for k in range(6)) if stride < neurons]
    rows, weights = np.repeat(np.arange(neurons), CONNECTIONS), np.full(neurons * CONNECTIONS, WEIGHT, np.float32)
    for stride in strides:
        yield rows, (rows + np.tile(np.arange(CONNECTIONS) * stride, neurons)) % neurons, weights


def repeated(layers: Iterable[Any], depth: int) -> list[Any]:
    """The layers, from the first one again after the last, up to this depth."""
    return list(islice(cycle(layers), depth))


def images(inputs: int, neurons: int, like: Any) -> tuple[Any, Any]:
    """Rows and columns of random images; the share of set pixels differs, and all layers keep a quarter of the images.

    A layer doubles a share and subtracts the bias: shares above the bias grow, others vanish.
    """
    found, most = [], int(-BIAS[neurons] * 4 / 3 * 1000)
    for start in range(0, inputs * neurons, PIXELS):
        cells = np.arange(start, min(start + PIXELS, inputs * neurons), dtype=np.uint64, like=like)
        share = Stream(1, 3).below(most, cells // np.uint64(neurons))
        found.append(cells[Stream(1, 4).below(1000, cells) < share].astype(np.int64))
    pixels = np.concatenate(found)
    return pixels // neurons, pixels % neurons


def infer(gb: Any, Y: Any, layers: list[Any], bias: float) -> Any:
    """The rows that are not empty after all layers; ``gb`` is grblas_gpu or graphblas.

    Invariant: row i of Y belongs to image ``names[i]``. Images without activations stay so, and leave Y.
    """
    names = None
    for number, W in enumerate(layers, 1):
        # Y = min(max(Y W + bias, 0), 32), at the entries of Y W
        Y = gb.semiring.plus_times(Y @ W).new()
        Y << gb.binary.plus(Y, np.float32(bias))
        Y << gb.select.valuegt(Y, 0)
        Y << gb.binary.min(Y, np.float32(LARGEST))
        # active_i = whether row i has entries
        active = Y.reduce_rowwise(gb.monoid.any).new()
        if number == len(layers) or active.nvals < Y.nrows:
            rows = active.to_coo(values=False)[0]
            Y, names = Y[rows, :].new(), rows if names is None else names[rows]
    return names


def inferred_by_scipy(Y: Any, layers: list[Any], bias: float) -> np.ndarray:
    for W in layers:
        Y = sparse.csr_array(Y @ W)
        Y.data = np.clip(Y.data + np.float32(bias), 0, np.float32(LARGEST))
        Y.eliminate_zeros()
    return np.flatnonzero(np.diff(Y.indptr))


def table_file(path: Path) -> Triple:
    """The columns of a file of the challenge, in which numbers begin with 1."""
    rows, cols, values = np.loadtxt(path, ndmin=2, unpack=True)
    return rows.astype(np.int64) - 1, cols.astype(np.int64) - 1, values.astype(np.float32)


def dnn(options: argparse.Namespace) -> tuple[Table, list[dict[str, Any]]]:
    """Inference; TeraEdges/s are inputs times connections over seconds. --folder reads the challenge's files."""
    n, depth, inputs, folder = options.neurons, options.layers, options.inputs, options.folder
    if folder:
        pixels = table_file(folder / f"sparse-images-{n}.tsv")
        inputs = int(pixels[0].max()) + 1
        triples: Iterator[Triple] = (
            table_file(folder / f"neuron{n}" / f"n{n}-l{layer + 1}.tsv") for layer in range(depth)
        )
    else:
        places = images(inputs, n, engine_array())
        pixels = (*places, np.zeros(len(places[0]), np.float32, like=places[0]) + np.float32(1))
        triples = radix_net(n)
    Y = Matrix.from_coo(*pixels, nrows=inputs, ncols=n)
    layers = repeated((Matrix.from_coo(*triple, nrows=n, ncols=n) for triple in triples), depth)
    run = partial(infer, grblas_gpu, Y, layers, BIAS[n])
    with compiling():
        found = host(run())
    expected = None
    if folder:
        expected = np.loadtxt(folder / f"neuron{n}-l{depth}-categories.tsv", dtype=np.int64, ndmin=1) - 1
    elif n * CONNECTIONS * depth <= options.check * CONNECTIONS:
        stacked = repeated((sparse.csr_array((x, (i, j)), (n, n)) for i, j, x in radix_net(n)), depth)
        start = sparse.csr_array((host(pixels[2]), (host(pixels[0]), host(pixels[1]))), (inputs, n))
        expected = inferred_by_scipy(start, stacked, BIAS[n])
    if expected is not None and not np.array_equal(found, expected):
        raise WrongResult(f"{len(found)} categories, which differ from the {len(expected)} expected ones")
    times = spread(seconds(run, options.backend) for _ in range(options.trials))
    rate = inputs * sum(W.nvals for W in layers) / times["median"] / 1e12
    row = {"part": "dnn", "neurons": n, "layers": depth, "inputs": inputs, "seconds": times, "categories": len(found)}
    row |= {"teraedges_per_s": rate, "verified": expected is not None}
    table = Table(
        f"Sparse DNN, {options.backend}", "neurons,layers,inputs,categories,s,TeraEdges/s,verified".split(",")
    )
    shown = "yes" if expected is not None else "no"
    table.add(n, depth, inputs, len(found), times["median"], rate, shown)
    table.notes = ["images are random, unless --folder has those of the challenge"]
    return table, [row]


# Subgraphs --------------------------------------------------------------------------------------------------------


def truss_by_scipy(S: Any, k: int) -> int:
    """The entries of the k-truss, by products of all that is left."""
    while True:
        support = (S @ S).multiply(S).tocsr()
        kept = sparse.csr_array((support.data >= k - 2, support.indices, support.indptr), S.shape).astype(np.int64)
        kept.eliminate_zeros()
        if kept.nnz == S.nnz:
            return S.nnz
        S = kept


def subgraphs(options: argparse.Namespace) -> tuple[Table, list[dict[str, Any]]]:
    """Triangles and k-trusses from an adjacency matrix in memory; all preparation of the graph is timed."""
    graph = graphs.kronecker(options.scale)
    if options.file:
        graph = BenchmarkGraph(options.file, lambda: grblas_gpu.io.mmread(options.file).pattern(undirected=True))
    A = graph.matrix(options.backend)
    edges = A.nvals // 2
    table = Table(f"Subgraphs, {options.backend}", "graph,work,edges,result,s,M edges/s".split(","))
    rows = []
    works = {"triangles": lambda: algorithms.triangle_count(A.dup())}
    for k in (3, 4, 5):
        works[f"{k}-truss"] = partial(lambda k: algorithms.k_truss(A.dup(), k), k)
    for name, run in works.items():
        with compiling():
            found = run()
        result = found if isinstance(found, int) else found.nvals // 2
        if isinstance(found, int):
            expected = int(speed_checks.count_triangles(*speed_checks.by_degree(A._store.indptr, A._store.indices)))
        elif edges <= options.check:
            ones = sparse.csr_array(library_checks.as_scipy(A).astype(np.int64))
            expected = truss_by_scipy(ones, int(name[0])) // 2
            library_checks.truss(found.to("cpu"), int(name[0]))
        else:
            expected = result
            library_checks.truss(found.to("cpu"), int(name[0]))
        if result != expected:
            raise WrongResult(f"{name}: {result} instead of {expected}")
        times = spread(seconds(run, options.backend) for _ in range(options.trials))
        rate = edges / times["median"]
        rows.append({"part": "subgraphs", "graph": graph.name, "work": name, "edges": edges, "result": result})
        rows[-1] |= {"seconds": times, "edges_per_s": rate, "verified": True}
        table.add(graph.name, name, edges, result, times["median"], rate / 1e6)
    table.notes = ["result: triangles, or edges of the truss"]
    return table, rows


PARTS = {"sensing": sensing, "dnn": dnn, "subgraphs": subgraphs}


def main(arguments: list[str] | None = None) -> int:
    own: dict[str, Any] = {
        "packets": {"type": int, "default": 20, "help": "the largest window has 2**PACKETS packets"},
        "step": {"type": int, "default": 1, "help": "of the exponents of windows"},
        "alone": {"action": "store_true", "help": "without python-graphblas"},
        "neurons": {"type": int, "default": 1024, "choices": tuple(BIAS)},
        "layers": 120,
        "inputs": {"type": int, "default": 1000, "help": "random images; the challenge has 60,000"},
        "folder": {"type": Path, "help": "of the challenge's images, layers and categories"},
        "scale": {"type": int, "default": 14, "help": "of a Kronecker graph for subgraphs"},
        "file": {"help": "a Matrix Market file for subgraphs"},
        "check": {"type": int, "default": 10**6, "help": "compare with SciPy up to so many edges; 0: never"},
        "trials": 3,
    }
    command = parser("graph_challenge", __doc__, "backend", "out", **own)
    command.add_argument("parts", nargs="*", metavar="PART", help=f"some of {', '.join(PARTS)}; all by default")
    options = command.parse_args(arguments)
    if unknown := [part for part in options.parts if part not in PARTS]:
        command.error(f"no part called {', '.join(unknown)}; there are: {', '.join(PARTS)}")
    with grblas_gpu.using(options.backend):
        for part in options.parts or PARTS:
            table, rows = PARTS[part](options)
            report(options.out, f"graph_challenge_{part}", table, rows)
    return 0
