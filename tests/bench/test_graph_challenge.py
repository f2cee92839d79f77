"""The Graph Challenge: statistics of packets, inference, triangles and trusses, each against another method."""

import networkx as nx
import numpy as np
import pytest
from scipy import sparse

import grblas_gpu as gb
from benchmarks import __main__ as program, graph_challenge as challenge
from grblas_gpu.generators.structure import engine_array


def test_statistics_of_packets(backend):
    sources, destinations = np.array([1, 1, 1, 7, 9], np.uint64), np.array([2, 2, 3, 2, 2**32 - 1], np.uint64)
    found = challenge.sense(gb, sources, destinations)
    assert list(found.values()) == [5, 4, 2, 3, 3, 2, 3, 3, 2]
    assert found == challenge.sensed_by_sorting(sources, destinations)
    random = tuple(map(challenge.anonymized, challenge.packets(3000, np.empty(0))))
    assert challenge.sense(gb, *random) == challenge.sensed_by_sorting(*random)


def test_python_graphblas_runs_the_same_lines():
    graphblas = pytest.importorskip("graphblas")
    ends = challenge.packets(1000, np.empty(0))
    assert challenge.sense(graphblas, *ends) == challenge.sense(gb, *ends)
    Y = graphblas.Matrix.from_coo([0, 1], [3, 4], np.ones(2, np.float32), nrows=3, ncols=1024)
    layers = [graphblas.Matrix.from_coo(*triple, nrows=1024, ncols=1024) for triple in challenge.radix_net(1024)]
    assert challenge.infer(graphblas, Y, layers, 0.0).tolist() == [0, 1]


def test_anonymization_is_a_permutation():
    some = np.arange(0, 2**32, 4099, dtype=np.uint64)
    hidden = challenge.anonymized(some)
    assert len(np.unique(hidden)) == len(some) and hidden.max() < 2**32
    assert (hidden != challenge.anonymized(some, key=77)).mean() > 0.99


@pytest.mark.parametrize("neurons", [1024, 4096])
def test_radix_nets(neurons):
    """Every neuron has 32 connections each way, and after the layers of all strides it reaches every neuron."""
    reach = sparse.eye_array(neurons, format="csr")
    for rows, cols, weights in challenge.radix_net(neurons):
        assert (np.bincount(rows) == 32).all() and (np.bincount(cols) == 32).all() and (weights == 1 / 16).all()
        W = sparse.csr_array((np.ones(len(rows)), (rows, cols)), (neurons, neurons))
        assert W.nnz == 32 * neurons
        reach = ((reach[:4] @ W) > 0).astype(float)
    assert reach.nnz == 4 * neurons


def test_inference(backend):
    pixels = challenge.images(40, 1024, np.empty(0))
    ones = np.ones(len(pixels[0]), np.float32)
    triples = challenge.repeated(challenge.radix_net(1024), 6)
    layers = [gb.Matrix.from_coo(*triple, nrows=1024, ncols=1024) for triple in triples]
    Y = gb.Matrix.from_coo(*pixels, ones, nrows=40, ncols=1024)
    before = Y.dup()
    stacked = [sparse.csr_array((x, (i, j)), (1024, 1024)) for i, j, x in triples]
    expected = challenge.inferred_by_scipy(sparse.csr_array((ones, pixels), (40, 1024)), stacked, -0.3)
    assert 0 < len(expected) < 40
    assert challenge.infer(gb, Y, layers, -0.3).tolist() == expected.tolist()
    assert Y.isequal(before)


@pytest.mark.slow
@pytest.mark.usefixtures("to_device")
def test_inference_on_a_device():
    """On a GPU where there is one, otherwise on the emulated CUDA engine."""
    pixels = challenge.images(10, 1024, engine_array())
    ones = np.zeros(len(pixels[0]), np.float32, like=pixels[0]) + np.float32(1)
    triples = challenge.repeated(challenge.radix_net(1024), 2)
    layers = [gb.Matrix.from_coo(*triple, nrows=1024, ncols=1024) for triple in triples]
    found = challenge.infer(gb, gb.Matrix.from_coo(*pixels, ones, nrows=10, ncols=1024), layers, -0.3)
    stacked = [sparse.csr_array((x, (i, j)), (1024, 1024)) for i, j, x in triples]
    start = sparse.csr_array((challenge.host(ones), tuple(map(challenge.host, pixels))), (10, 1024))
    assert challenge.host(found).tolist() == challenge.inferred_by_scipy(start, stacked, -0.3).tolist()


def test_trusses_of_scipy():
    G = nx.gnp_random_graph(60, 0.2, seed=1)
    for k in (3, 4, 5):
        S = sparse.csr_array(nx.to_scipy_sparse_array(G, dtype=np.int64))
        assert challenge.truss_by_scipy(S, k) == 2 * nx.k_truss(G, k).number_of_edges()


SMALL = "--backend cpu --packets 17 --alone --layers 4 --inputs 20 --scale 7 --trials 1".split()


def test_program(capsys):
    assert program.main(["graph_challenge", *SMALL]) == 0
    out = capsys.readouterr().out
    assert "131,072" in out and " yes" in out and "5-truss" in out and out.count("commit ") == 3
    with pytest.raises(SystemExit):
        program.main(["graph_challenge", "chess"])


@pytest.mark.parametrize(
    ("part", "check", "wrong"),
    [
        ("sensing", "sensed_by_sorting", {}),
        ("dnn", "inferred_by_scipy", np.array([1])),
        ("subgraphs", "truss_by_scipy", 2),
    ],
)
def test_differences_are_errors(monkeypatch, part, check, wrong):
    monkeypatch.setattr(challenge, check, lambda *_: wrong)
    with pytest.raises(challenge.WrongResult):
        program.main(["graph_challenge", part, *SMALL])


def test_files_of_the_challenge(tmp_path, capsys):
    """Layers, images and categories as the challenge distributes them, numbers from 1 on."""
    pixels = challenge.images(20, 1024, np.empty(0))
    ones = np.ones(len(pixels[0]), np.float32)
    layers = challenge.repeated(challenge.radix_net(1024), 3)

    def write(path, rows, cols, values):
        path.parent.mkdir(exist_ok=True)
        np.savetxt(path, np.stack([rows + 1, cols + 1, values], axis=1), fmt="%d\t%d\t%g")

    write(tmp_path / "sparse-images-1024.tsv", *pixels, ones)
    for number, layer in enumerate(layers):
        write(tmp_path / "neuron1024" / f"n1024-l{number + 1}.tsv", *layer)
    stacked = [sparse.csr_array((x, (i, j)), (1024, 1024)) for i, j, x in layers]
    size = int(pixels[0].max()) + 1
    truth = challenge.inferred_by_scipy(sparse.csr_array((ones, pixels), (size, 1024)), stacked, -0.3)
    words = ["graph_challenge", "dnn", *SMALL, "--layers", "3", "--folder", str(tmp_path)]
    categories = tmp_path / "neuron1024-l3-categories.tsv"
    np.savetxt(categories, truth + 1, fmt="%d")
    assert program.main(words) == 0
    assert " yes" in capsys.readouterr().out
    np.savetxt(categories, truth[1:] + 1, fmt="%d")
    with pytest.raises(challenge.WrongResult, match="which differ"):
        program.main(words)
