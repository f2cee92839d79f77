"""Every allocation of an operation fails in turn: OutOfMemory, and its objects are as they were."""

import contextlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import pytest
from emulated_engine import backend
from failing_device import failing_emulation, failing_pool
from failing_numpy import failing
from fault_operations import MATRICES, VECTORS, Operation, matrix, same, vector
from library_algorithms import ALGORITHMS, bipartite_part, upper_part

import grblas_gpu as gb
from grblas_gpu import Matrix, Vector, algorithms, binary, generators, semiring
from grblas_gpu.exceptions import OutOfMemory

N = 3000
SMALL = 24
MANY = 10**9
FEW = 300  # positions, for an emulation
FILLS = (0, 20, 400, 2900, N)  # a list, flags, and an entry everywhere
MAKING = {
    "from_coo": lambda: Vector.from_coo([3, 1, 2], [1, 2, 3]),
    "from_dense": lambda: Vector.from_dense([1.0, 2.0, 3.0]),
    "from_coo of a Matrix": lambda: Matrix.from_coo([0, 1, 1], [1, 0, 2], [1.0, 2.0, 3.0]),
    "from_csr": lambda: Matrix.from_csr([0, 1, 3], [1, 0, 2], [1.0, 2.0, 3.0]),
    "from_dicts": lambda: Matrix.from_dicts({0: {1: 2.0}, 1: {0: 3.0}}),
}
READING = {
    "to_coo": lambda A, v: (A.to_coo(), v.to_coo()),
    "to_dense": lambda A, v: v.to_dense(0.0),
    "to_csc": lambda A, v: A.to_csc(),
    "to_dicts": lambda A, v: (A.to_dicts(), v.to_dict()),
    "dup": lambda A, v: (A.dup(), v.dup(int)),
    "isequal": lambda A, v: (A.isequal(A.dup()), v.isclose(v.dup())),
    "an element": lambda A, v: (A[7, 8].new(), v[3].new(), A.get(1, 1)),
    "reduce": lambda A, v: (A.reduce_scalar("plus").new(), v.reduce("max").new()),
}
Failing = Callable[[int], AbstractContextManager[Any]]


@pytest.fixture(autouse=True)
def kept_on_the_device() -> Iterator[None]:
    with gb.config.set(spill="never"):
        yield


@pytest.fixture(params=["numba", "numpy"])
def tier(request: pytest.FixtureRequest, set_tier: Callable[[str], None]) -> str:
    set_tier(request.param)
    return request.param


def check(run: Operation, given, fail: Failing = failing) -> int:
    """How many allocations failed."""
    expected = [x.dup() for x in given]
    run(*expected)
    after = 0
    while True:
        objects = [x.dup() for x in given]
        with fail(after) as allocations:
            try:
                run(*objects)
                wanted = expected
            except OutOfMemory as error:
                wanted = given
                assert all(word in str(error) for word in (" free", " takes less")), error
        assert same(objects, wanted), after
        if allocations.left >= 0:  # none failed
            return after
        after += 1


def check_vectors(name: str, fills: tuple[int, ...], fail: Failing = failing) -> int:
    return sum(
        check(VECTORS[name], [vector(1, N, w), vector(2, N, u), vector(3, N, m)], fail)
        for w in fills
        for u in fills[1:]
        for m in fills[1:]
    )


@pytest.mark.parametrize("name", VECTORS)
def test_vectors(tier: str, name: str) -> None:
    check_vectors(name, (20, 2900) if tier == "numba" else (0, 400))


@pytest.mark.parametrize("name", MATRICES)
def test_matrices(tier: str, name: str) -> None:
    check(MATRICES[name], [matrix(N), vector(1, N, 2900), vector(2, N, 400)])


@pytest.mark.parametrize(
    "form", ["bitmap", *(pytest.param(x, marks=pytest.mark.slow) for x in ("full", "hypersparse"))]
)
@pytest.mark.parametrize("name", MATRICES)
def test_forms(name: str, form: str) -> None:
    """Bitmap and full matrices may change in place, but only once nothing can fail."""
    A = matrix(SMALL)
    if form == "full":
        A = A.ewise_union(Matrix.from_scalar(0.0, SMALL, SMALL), "plus", 0.0, 0.0).new()
    given = [A.to(form=form), vector(1, SMALL, SMALL - 3), vector(2, SMALL, 7)]
    assert given[0].dup()._store.form == form
    check(MATRICES[name], given)


@pytest.mark.parametrize("name", READING)
def test_reading(tier: str, name: str) -> None:
    check(READING[name], [matrix(N), vector(1, N, 2900)])


@pytest.mark.parametrize("name", MAKING)
def test_making(tier: str, name: str) -> None:
    check(lambda *nothing: MAKING[name](), [])


GENERATORS: dict[str, Callable[[], Any]] = {
    "grid": lambda: generators.grid_2d(5, 4),
    "kronecker": lambda: generators.kronecker(4),
    "random": lambda: generators.uniform_random(20, 40),
    "delaunay": lambda: generators.delaunay(20),
    "edges": lambda: generators.star_edges(9),
}


@pytest.mark.parametrize("name", GENERATORS)
def test_generators(name: str) -> None:
    """Their arrays are made outside of operations."""
    assert check(lambda *nothing: GENERATORS[name](), []) > 3


def check_algorithm(name: str, most: int, fail: Failing = failing) -> int:
    """How many allocations failed: about as many as asked for, spread over the call, because there are hundreds."""
    given = upper_part(bipartite_part(matrix(SMALL)))
    run = {"betweenness_centrality": algorithms.betweenness_centrality, **ALGORITHMS}[name]
    run(given.dup())  # imports what it needs
    with fail(MANY) as allocations:
        run(given.dup())
    count = MANY - allocations.left
    places = range(3, count, max(1, count // most))
    for after in places:
        A = given.dup()
        with fail(after), contextlib.suppress(OutOfMemory):  # or the call does without an optional array
            run(A)
        assert A.isequal(given)
    return len(places)


@pytest.mark.parametrize("name", [*ALGORITHMS, "betweenness_centrality"])
def test_algorithms(name: str) -> None:
    check_algorithm(name, 3)


@pytest.mark.slow
def test_ten_thousand(tier: str) -> None:
    failed = sum(check_vectors(name, FILLS) for name in VECTORS)
    for w in (20, 2900):
        failed += sum(check(run, [matrix(N), vector(1, N, w), vector(2, N, 400)]) for run in MATRICES.values())
    print(f"{failed} allocations failed, {tier} tier")
    assert failed > 5000


# --- on a device -----------------------------------------------------------------------------------------------------


LOOPS: dict[str, Operation] = {
    "search": lambda A, w, u: w << algorithms.bfs(A, 1),
    "search over and over": lambda A, w, u: _iterated(A, w),
    "search in both directions": lambda A, w, u: w << algorithms.dobfs(A, 1),
}
PREPARING: dict[str, Operation] = {
    "by degree": lambda A, w, u: A.by_degree(),
    "pattern and symmetry": lambda A, w, u: (A.pattern(), A.is_symmetric()),
    "transpose": lambda A, w, u: A.T.new(),
    "product with the transpose": lambda A, w, u: w << semiring.plus_times(A.T @ u),
}
ON_A_DEVICE = "betweenness_centrality closeness clustering connected_components core_number k_truss label_propagation"
ON_A_DEVICE += " louvain maximal_independent_set maximum_flow minimum_spanning_forest pagerank sssp"
ON_A_DEVICE += " strongly_connected_components triangle_count vertex_colouring"
#: Each kernel of these takes g++ a second; the other cases are marked slow.
QUICK = ["set an element", "assign a region"]


def _iterated(A: Matrix, w: Vector) -> None:
    """w += A w / 16, three times, as one loop."""
    y = Vector(w.dtype, w.size)
    for _ in gb.loop(w, 3):
        y << semiring.plus_times(A @ w)
        w(binary.plus) << y.apply(binary.times, right=0.0625)


@pytest.mark.gpu
def test_two_thousand_on_a_device() -> None:
    """All of them are OutOfMemory: anything else is not caught above."""
    with gb.using("cuda"):
        failed = sum(check_vectors(name, (20, 2900), failing_pool) for name in VECTORS)
        for w in (20, 2900):
            objects = [matrix(N), vector(1, N, w), vector(2, N, 400)]
            failed += sum(check(run, objects, failing_pool) for run in (MATRICES | LOOPS | PREPARING).values())
        failed += sum(check(run, [matrix(N), vector(1, N, 2900)], failing_pool) for run in READING.values())
        failed += sum(check_algorithm(name, 60, failing_pool) for name in ON_A_DEVICE.split())
    print(f"{failed} allocations failed")
    assert failed > 2000


@pytest.mark.emulated
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in VECTORS]
)
def test_vectors_on_an_emulated_device(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with backend("emulated", monkeypatch) as cuda, gb.using(cuda):
        for fill in (4, 280):
            given = [vector(1, FEW, fill), vector(2, FEW, 30), vector(3, FEW, 250)]
            check(VECTORS[name], given, failing_emulation)


@pytest.mark.slow
@pytest.mark.emulated
@pytest.mark.parametrize("name", [*MATRICES, *LOOPS, *PREPARING])
def test_matrices_on_an_emulated_device(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with backend("emulated", monkeypatch) as cuda, gb.using(cuda):
        given = [matrix(FEW), vector(1, FEW, 280), vector(2, FEW, 30)]
        check((MATRICES | LOOPS | PREPARING)[name], given, failing_emulation)
