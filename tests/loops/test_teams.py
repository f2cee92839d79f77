"""A cluster goes on alone with loops whose vectors are on short lists, and gives back what it did."""

import importlib

import emulated_engine
import pytest
from chain_bodies import CHAINS
from emulated_engine import GPU
from gather_bodies import GATHERS
from loop_bodies import BODIES
from loop_cases import check_fused, graphs, made_of, same
from nested_bodies import NESTED

import grblas_gpu as gb
from grblas_gpu import Matrix, Scalar, Vector, algorithms, binary, generators, monoid, select, semiring


def buckets(A: Matrix, source: int):
    """Delta-stepping: the loop inside goes by lists, what is around it by all positions."""
    distances = Vector.from_coo([source], [0], int, size=A.nrows)
    waiting, bucket = distances.dup(), distances.dup(clear=True)
    lowest, limit, width = Scalar.from_value(0), Scalar(int), Scalar.from_value(5)
    loop = gb.loop(waiting)
    for _ in loop:
        limit << binary.plus(lowest & width)
        bucket << select.valuele(waiting, limit)
        for _ in gb.loop(bucket):
            nearer = semiring.min_plus[int](bucket @ A).new()
            known = binary.le(distances & nearer).new()
            bucket(~known.V, replace=True) << nearer
            distances(bucket.S) << bucket
            bucket << select.valuele(bucket, limit)
        waiting << select.valuegt(distances, limit)
        lowest << waiting.reduce(monoid.min)
    return loop, distances


def only_scalars(A: Matrix, source: int):
    """Between two rounds of the loop inside there is nothing that needs all blocks."""
    seen, frontier = Vector(bool, A.nrows), Vector.from_coo([source], [True], size=A.nrows)
    rounds, one = Scalar.from_value(0), Scalar.from_value(1)
    loop = gb.loop(frontier)
    for _ in loop:
        rounds << binary.plus(rounds & one)
        for _ in gb.loop(frontier, 6):
            seen(frontier.S) << True
            frontier(~seen.S, replace=True) << semiring.any_pair[bool](frontier @ A)
    return loop, seen


@pytest.fixture(params=[3] if GPU else [pytest.param(2, marks=pytest.mark.slow), 3])
def many_blocks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, to_device):
    """On the emulator several blocks that wait for each other, of which one is a cluster; on a GPU there always are."""
    monkeypatch.setattr(emulated_engine.FewBlocks, "blocks", request.param)
    return to_device


def team_of(text: str) -> str:
    """The line that says whether a cluster may go on."""
    return next(line.strip() for line in text.splitlines() if "bool small" in line)


def test_when_a_cluster_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    bodies = {"levels": BODIES["levels"], "buckets": buckets, "only scalars": only_scalars}
    clusters = made_of(bodies, monkeypatch, lambda passes, body: passes.kernel_of(body).shape[2])
    assert clusters == {"levels": 8, "buckets": 1, "only scalars": 8}
    made = made_of(bodies, monkeypatch, lambda passes, body: team_of(passes.kernel_of(body).text))
    assert "SMALL_ENTRIES" in made["levels"]
    assert made["buckets"] == "bool small = goes_on && (false);"
    assert "(S.part == 1 && " in made["only scalars"] and "LONGEST_SHARED" in made["only scalars"]


def test_clusters_are_left_out_where_rows_are_long(to_device, monkeypatch: pytest.MonkeyPatch) -> None:
    """A loop inside runs on in shared memory or not at all, and that goes by the matrix."""
    compiled = importlib.import_module(f"{emulated_engine.CUDA}.fusion.compiled")
    launched, launcher = [], compiled.Compiled.launcher
    monkeypatch.setattr(
        compiled.Compiled, "launcher", lambda self, teams, short: launched.append(teams) or launcher(self, teams, short)
    )
    with gb.using("cpu"):
        path, star = generators.path(40), generators.star(40)
        expected = [only_scalars(graph, 3)[1] for graph in (path, star, path)]
    for graph, seen in zip((path, star, path), expected, strict=True):
        assert only_scalars(to_device(graph), 3)[1].to("cpu").isequal(seen)
    assert launched == [True, False, True]


@pytest.mark.parametrize("body", [buckets, only_scalars])
def test_results_are_the_same(many_blocks, body) -> None:
    """Rounds enough for changes of teams: to the cluster and back, several times."""
    for name, source in (("path", 0), ("directed", 5)):
        A = graphs()[name].dup(int)
        with gb.using("cpu"), gb.config.set(loops="iterated"):
            expected, wanted = body(A, source)
        loop, found = body(many_blocks(A), source)
        assert (loop.mode, loop.steps) == ("fused", expected.steps)
        assert found.to("cpu").isequal(wanted, check_dtype=True)


EVERY_BODY = {**BODIES, **CHAINS, **GATHERS, **NESTED}
QUICK = {"levels", "parents", "components", "phases"}


@pytest.mark.emulated  # on a GPU there always are several: tests of these bodies show it
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in EVERY_BODY]
)
def test_blocks_that_wait_for_each_other(many_blocks, name: str) -> None:
    for graph in ("directed", "path"):
        check_fused(EVERY_BODY[name], graphs()[graph], many_blocks)


@pytest.mark.parametrize(("entries", "teams"), [(2**26, True), (1, False)])
def test_large_graphs_have_all_blocks(many_blocks, monkeypatch: pytest.MonkeyPatch, entries: int, teams: bool) -> None:
    """Clusters leave some processors idle: graphs with long rows and many entries run without them."""
    with gb.using("cpu"):
        A = generators.kronecker(7, 8)
        expected, B = algorithms.bfs(A, 3), many_blocks(A)
    one_run = importlib.import_module("grblas_gpu.backends.cuda.fusion.one_run")
    compiled = importlib.import_module("grblas_gpu.backends.cuda.fusion.compiled")
    monkeypatch.setattr(compiled, "FOR_ALL_BLOCKS", entries)
    launched = []
    launcher = one_run.Compiled.launcher

    def noted(self, with_teams: bool, short_rows: bool):
        launched.append(with_teams)
        return launcher(self, with_teams, short_rows)

    monkeypatch.setattr(one_run.Compiled, "launcher", noted)
    assert same(expected, algorithms.bfs(B, 3))
    assert launched == [teams]
