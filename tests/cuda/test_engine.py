"""What only a device can show: nothing waits for it, streams and threads share it, and its memory is bounded."""

import numpy as np
import pytest
from running import in_threads

import grblas_gpu as gb
from grblas_gpu import Matrix, Vector, algorithms, binary, generators, monoid, select, semiring, unary
from grblas_gpu.exceptions import OutOfMemory

pytestmark = pytest.mark.gpu


@pytest.fixture
def cupy():
    import cupy

    with gb.using("cuda"):
        yield cupy


def weighted(n: int, seed: int) -> Matrix:
    random = np.random.default_rng(seed)
    rows, cols = random.integers(0, n, 8 * n), random.integers(0, n, 8 * n)
    return Matrix.from_coo(rows, cols, random.random(8 * n).astype(np.float32), nrows=n, ncols=n, dup_op=binary.plus)


def test_a_machine_with_a_device_uses_it() -> None:
    with gb.using("auto"):
        assert Vector(int, 3).backend == "cuda"


# --- sizes stay on the device ----------------------------------------------------------------------------------------


def test_no_operation_reads_a_count(cupy, monkeypatch) -> None:
    """A loop body of a traversal and the vector operations of a solver run without a single answer from the device."""
    from grblas_gpu.backends.cuda.runtime.counters import Counter

    n = 5000
    A = weighted(n, 1)
    structure = generators.uniform_random(n, 8, seed=3)
    A._store.transposed(), structure._store.transposed()
    x, y = Vector.from_dense(np.arange(n, dtype=np.float32)), Vector.from_coo([1, 5, 70], [1.0, 2.0, 3.0], size=n)

    def body() -> list[Vector]:
        levels, frontier = Vector(int, n), Vector.from_coo([3], [True], size=n)
        for depth, direction in enumerate(["push", "pull", "push", "auto", "auto"]):
            levels(frontier.S) << depth
            frontier(~levels.S, replace=True, direction=direction) << semiring.lor_land(frontier @ structure)
        z = Vector(np.float32, n)
        z(binary.plus) << semiring.plus_times(A @ y)
        z(levels.S) << binary.minus(z | x)
        z(~levels.S, binary.max) << z.apply(unary.ainv)
        z << select.value(z > 1.0)
        w = Vector(np.float32, n)
        w(z.V, replace=True) << monoid.min(x & z)
        return [levels, frontier, z, w]

    expected = [v.to("cpu") for v in body()]  # compiles what it needs

    def refuse(*args) -> None:
        raise AssertionError("a number was read from the device")

    monkeypatch.setattr(Counter, "read", refuse)
    found = body()
    monkeypatch.undo()
    for one, other in zip(found, expected, strict=True):
        assert one.to("cpu").isclose(other, rel_tol=1e-6)


def test_counts_are_read_once_for_all(cupy) -> None:
    A = generators.uniform_random(500, 12, seed=1)
    assert A._store.max_degree > 0  # read from the device once
    levels, frontier = Vector(int, 500), Vector.from_coo([3], [True], size=500)
    levels(frontier.S) << 0
    frontier(~levels.S, replace=True) << semiring.lor_land(frontier @ A)
    assert levels._store.known_nvals is None and frontier._store.known_nvals is None
    assert 0 < frontier.nvals < 500
    assert levels._store.known_nvals == 1  # told by the same answer
    assert frontier._store.edges is not None and frontier._store.edges[1].known() is not None


# --- threads, streams ------------------------------------------------------------------------------------------------


def test_threads_and_streams_at_once(cupy) -> None:
    graphs = [generators.kronecker(10, 8, seed=seed) for seed in range(4)]
    with gb.using("cpu"):
        expected = [algorithms.bfs(graph.to("cpu"), 5) for graph in graphs]
    A = weighted(2000, 7)
    x = Vector.from_dense(np.ones(2000, np.float32))
    product = semiring.plus_times(A @ x).new().to("cpu")
    cupy.cuda.runtime.deviceSynchronize()

    def work(number: int) -> None:
        with gb.using("cuda"), cupy.cuda.Stream(non_blocking=True):
            for _ in range(15):
                levels = algorithms.bfs(graphs[number], 5)
                assert levels.to("cpu").isequal(expected[number]), f"levels of graph {number}"
                y = semiring.plus_times(A @ x).new()
                assert y.to("cpu").isclose(product, rel_tol=1e-5), f"product in thread {number}"

    in_threads(work, len(graphs))


def test_an_operation_runs_on_the_current_stream(cupy) -> None:
    x, y = Vector.from_dense(np.ones(100)), Vector.from_dense(np.ones(100))
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        z = x.ewise_add(y, binary.plus).new()
        total = z.reduce(monoid.plus).new()
    stream.synchronize()
    assert total.value == 200.0


# --- memory ----------------------------------------------------------------------------------------------------------


def test_out_of_memory_says_what_and_changes_nothing(cupy) -> None:
    n = 2**20
    pool = cupy.get_default_memory_pool()
    A = generators.uniform_random(n, 4, seed=1)
    x, y = Vector.from_dense(np.ones(n)), Vector.from_coo([3], [2.0], size=n)
    y << semiring.plus_times(A @ x)
    before = y.to("cpu")
    pool.free_all_blocks()
    pool.set_limit(size=pool.total_bytes() + 2**20)
    hog = []
    try:
        with pytest.raises(cupy.cuda.memory.OutOfMemoryError):
            while True:
                hog.append(cupy.empty(2**18, np.uint8))
        gb.config.set(spill="never")
        with pytest.raises(OutOfMemory, match=r"[\d,]+ bytes.*[\d,]+ bytes are free"):
            y << semiring.plus_times(A @ x)
        with pytest.raises(OutOfMemory):
            Vector.from_dense(np.ones(2**19))
        with pytest.raises(OutOfMemory):
            x.dup()
    finally:
        gb.config.set(spill="auto")
        pool.set_limit(size=0)
        del hog
    assert y.to("cpu").isequal(before)
    y << semiring.plus_times(A @ x)
    assert y.to("cpu").isequal(before)


def used_by(cupy, run) -> int:
    """The memory that a pool of its own had to get from the device."""
    from grblas_gpu.backends.cuda.runtime import workspace as scratch

    pool = cupy.cuda.MemoryPool()
    scratch.forget()
    with cupy.cuda.using_allocator(pool.malloc):
        kept = run()
        cupy.cuda.runtime.deviceSynchronize()
        total = int(pool.total_bytes())
        del kept
        scratch.forget()
    return total


def test_a_graph_takes_four_bytes_an_edge(cupy) -> None:
    with gb.using("cpu"):
        A = generators.kronecker(14, 16)
    n, m = A.nrows, A.nvals
    B = A.to("cuda")
    assert sum(array.nbytes for array in B.device_arrays().values()) == 4 * m + 4 * (n + 1) + 1  # and one value


@pytest.mark.parametrize("algorithm", [algorithms.bfs, algorithms.dobfs])
def test_a_search_takes_sixteen_bytes_a_vertex(cupy, algorithm) -> None:
    with gb.using("cpu"):
        A = generators.kronecker(18, 8)
        source = int(np.argmax(np.diff(A._store.indptr)))
    B = A.to("cuda")
    algorithm(B, source).nvals  # compiles, and makes what belongs to the matrix
    used = used_by(cupy, lambda: algorithm(B, source))
    assert used <= 16 * A.nrows + 2**20


@pytest.mark.slow
def test_more_entries_than_32_bits_count(cupy) -> None:
    """Vertex i leads to the next 2049 ones: more than 2**31 entries, and the levels are known."""
    reach, n = 2049, 2**20 + 4096
    if cupy.cuda.runtime.memGetInfo()[0] < 60 * 2**30:
        pytest.skip("needs 60 GiB of free device memory")
    whole = n - reach
    steps = cupy.arange(1, reach + 1, dtype=np.int32)
    indices = cupy.empty(whole * reach + reach * (reach - 1) // 2, np.int32)
    cupy.add(cupy.arange(whole, dtype=np.int32)[:, None], steps, out=indices[: whole * reach].reshape(whole, reach))
    tail = np.concatenate([np.arange(i + 1, n, dtype=np.int32) for i in range(whole, n)])
    indices[whole * reach :] = cupy.asarray(tail)
    degrees = np.minimum(reach, n - 1 - np.arange(n))
    indptr = cupy.asarray(np.concatenate([[0], np.cumsum(degrees)]))
    A = Matrix.from_csr(indptr, indices, True, ncols=n, dtype=bool)
    assert A.nvals >= 2**31 and A._store.indptr.dtype == np.int64
    expected = -(-np.arange(n) // reach)
    for algorithm in (algorithms.bfs, algorithms.dobfs):
        np.testing.assert_array_equal(algorithm(A, 0).to_dense(), expected)
    w = Vector(bool, n)
    w(direction="push") << semiring.lor_land(Vector.from_coo([n - 10], [True], size=n) @ A)
    assert w.nvals == 9
