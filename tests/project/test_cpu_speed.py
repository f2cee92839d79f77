"""What makes the CPU engine fast is also right, stays within its memory, and is measured on checked results."""

import tracemalloc
from collections.abc import Iterator

import numpy as np
import pytest

import grblas_gpu as gb
from benchmarks import cases_cpu, cpu_speed
from grblas_gpu import Matrix, Vector, algorithms, generators, monoid, select, semiring
from grblas_gpu.api import matrix_preparation
from grblas_gpu.bench import verify
from grblas_gpu.plan import rules


@pytest.fixture
def compiled(set_tier) -> Iterator[None]:
    set_tier("numba")
    with gb.using("cpu"):
        yield


# ---- memory -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [lambda: generators.kronecker(13), lambda: generators.grid_2d(100)])
def test_a_search_needs_less_than_32_bytes_for_each_vertex(compiled, make):
    A = make()
    algorithms.dobfs(A, 1)  # makes what is kept between calls
    tracemalloc.start()
    algorithms.dobfs(A, 1)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak <= 32 * A.nrows


# ---- kernels ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("complement", [False, True])
def test_a_probing_pull_counts_the_edges_of_what_it_finds(compiled, complement):
    A = generators.kronecker(11)
    rng = np.random.default_rng(5)
    u, m = (Vector.from_coo(np.flatnonzero(rng.random(2048) < share), True, size=2048) for share in (0.1, 0.4))
    found = semiring.any_pair(A @ u).new(mask=~m.S if complement else m.S, strategy="pull.thread")
    reached = np.zeros(2048, bool)
    rows, cols, _ = A.to_coo()
    reached[rows[np.isin(cols, u.to_coo()[0])]] = True
    reached &= np.isin(np.arange(2048), m.to_coo()[0]) ^ complement
    assert found.to_coo()[0].tolist() == np.flatnonzero(reached).tolist()
    matrix, edges = found._store.edges
    assert matrix is A._store.indptr
    assert edges.known() == np.bincount(rows, minlength=2048)[reached].sum()
    # A change in place makes the count void.
    found(m.S) << True
    assert found._store.edges is None


@pytest.mark.parametrize("size", [300, 5000, 300_000])
@pytest.mark.parametrize("before", [0, 1, 40, 3000])
@pytest.mark.parametrize("given", [1, 30, 4000])
def test_a_scalar_goes_where_the_mask_says(compiled, size, before, given):
    """Lists into lists, lists into flags, and flags into flags."""
    rng = np.random.default_rng(size + before + given)
    old = rng.choice(size, min(before, size), replace=False)
    at = rng.choice(size, min(given, size), replace=False)
    for complement in (False, True):
        w = Vector.from_coo(old, np.arange(len(old)), int, size=size)
        mask = Vector.from_coo(at, True, size=size)
        expected = dict(zip(old.tolist(), range(len(old)), strict=True))
        expected |= dict.fromkeys(set(range(size)) - set(at.tolist()) if complement else at.tolist(), 7)
        w(~mask.S if complement else mask.S) << 7
        assert w.to_dict() == expected
        assert w.nvals == len(expected)


@pytest.mark.parametrize("name", ["plus", "min", "max", "times", "any", "lor", "land"])
def test_bitmaps_are_reduced_without_their_gaps(compiled, name):
    rng = np.random.default_rng(7)
    size = 300_000  # several chunks
    values = rng.integers(1, 3, size) if name != "lor" else np.zeros(size, int)
    at = np.flatnonzero(rng.random(size) < 0.6)[5:]
    v = Vector.from_coo(at, values[at].astype(bool) if name in ("lor", "land") else values[at], size=size)
    v(v.S) << v  # a bitmap of its own
    assert v._store.present is not None
    found = v.reduce(getattr(monoid, name)).new().value
    if name == "any":
        assert found in (1, 2)
    else:
        op = {"plus": np.add, "min": np.minimum, "max": np.maximum, "times": np.multiply}
        given = v.to_coo()[1]
        assert found == (op[name].reduce(given) if name in op else given.any() if name == "lor" else given.all())


def test_a_selection_that_keeps_everything_is_as_symmetric_as_before(compiled):
    A = generators.kronecker(8)
    assert A.is_symmetric()
    B = select.offdiag(A).new()
    assert B.isequal(A)
    assert B._store._transpose is B._store
    C = select.tril(A, -1).new()
    rows, cols, _ = A.to_coo()
    below = rows > cols
    assert [x.tolist() for x in C.to_coo()[:2]] == [rows[below].tolist(), cols[below].tolist()]
    assert not C.is_symmetric()


def test_a_full_operand_is_pulled_along_stored_rows():
    """To make the columns for one push costs more than everything else."""
    A = Matrix.from_csr(np.arange(5001), np.random.default_rng(1).integers(0, 5000, 5000), True, ncols=5000)
    v = Vector.from_dense(np.arange(5000))
    assert gb.explain(semiring.min_second(A @ v)).direction == "pull"
    facts = rules.Facts(10, 20, 10, 10, True, lambda: 20, 20, 10, False, True)
    assert rules.by_cost(facts._replace(by_columns=False))[0] == "pull"


def test_large_graphs_take_one_source_at_a_time():
    assert generators.path(100).batching().size == 64
    with gb.using("cpu"):
        assert generators.path(100_000).batching() == (1, True)  # as a vector: its loops run as a whole
        assert generators.path(10_000).batching() == (6, True)  # some 2**16 positions, which stay in a cache
        assert generators.complete(1025).batching() == (63, True)  # copies have some 2**26 entries, where they are made


def test_many_searches_of_a_large_graph_with_hubs_are_rows(monkeypatch):
    """Where an engine says so: a device does."""
    A, path = generators.kronecker(12, 8, seed=1), generators.path(5000)
    monkeypatch.setattr(matrix_preparation, "SIDE_BY_SIDE_ENTRIES", 2**10)
    for graph in (A, path):
        monkeypatch.setattr(graph._engine, "costs", rules.CUDA_COSTS)
    assert A.batching() == A.batching(searches=100) == (64, False)
    assert A.batching(searches=8).size != 64
    assert path.batching().size != 64  # long ways: steps have little to do
    monkeypatch.setattr(A._engine, "costs", rules.CUDA_COSTS._replace(dense_rows=64 * 4095))
    assert A.batching().size != 64  # not enough memory


# ---- benchmarks ---------------------------------------------------------------------------------------------------


def test_all_works_have_the_same_results():
    pytest.importorskip("graphblas")
    names = set()
    with gb.using("cpu"):
        for group in cases_cpu.all_works(True, 2):
            for work in group():
                names.add(work.name)
                for given in work.inputs[:1]:
                    work.check(given, work.ours(given), [rival.run(given) for rival in work.rivals])
    for word in ("DOBFS", "grid", "BC", "PageRank", "SSSP", "triangle", "components", "min_max", "select", "10 nodes"):
        assert any(word in name for name in names)


def test_a_wrong_result_is_not_timed():
    work = cases_cpu.Work("wrong", lambda _: 1, [cases_cpu.Rival("right", lambda _: 2, 1.0)], _differs)
    with pytest.raises(verify.WrongResult):
        cpu_speed.measure(work)


def _differs(given, ours, theirs):
    cases_cpu.same(ours, theirs[0])
