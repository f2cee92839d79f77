"""The planner: pure functions, so every case can be looked at; of products of matrices by form, size and mask."""

from collections.abc import Callable
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, strategies as st

import grblas_gpu as gb
from grblas_gpu import Descriptor, Matrix, Vector, exceptions, explain, generators, select, semiring, trace
from grblas_gpu.backends.protocol import TRANSPOSED_ENTRY
from grblas_gpu.backends.stores.storage import MaskView
from grblas_gpu.ir.descriptor import MXM_STRATEGIES, POLICIES, PULL_STRATEGIES, PUSH_STRATEGIES, descriptor_from_options
from grblas_gpu.plan import rules
from grblas_gpu.plan.dense_rules import MxmFacts, choose
from grblas_gpu.plan.facts import matvec_facts, plan_matvec
from grblas_gpu.plan.rules import CUDA_COSTS, Facts, Plan, choose_matvec, choose_mxm
from grblas_gpu.plan.storage_rules import DENSE_LIMIT, TINY, storage_kind


def facts(**changes: object) -> Facts:
    base = Facts(
        nrows=1000,
        nvals=50_000,
        u_size=1000,
        u_nvals=10,
        u_dense=False,
        u_edges=lambda: 500,
        u_edges_at_most=50_000,
        allowed=900,
        mask_sparse=False,
        terminal=True,
    )
    return base._replace(**changes)  # type: ignore[arg-type]


def test_a_small_frontier_is_pushed_and_a_large_one_pulled() -> None:
    assert choose_matvec(facts(u_edges=lambda: 100)).direction == "push"
    assert choose_matvec(facts(u_nvals=800, u_edges=lambda: 40_000)).direction == "pull"


def test_without_early_exit_a_pull_costs_every_edge() -> None:
    many = facts(u_nvals=800, u_edges=lambda: 20_000, terminal=False)
    assert choose_matvec(many).direction == "push"
    assert choose_matvec(many._replace(terminal=True)).direction == "pull"


def test_a_pull_that_reads_the_mask_finds_more() -> None:
    """Few vertices are left to find, and nearly all of their neighbours were found before."""
    late = facts(u_nvals=400, u_edges=lambda: 2000, allowed=300)
    assert choose_matvec(late).direction == "push"
    assert choose_matvec(late._replace(reused=700)).direction == "pull"


@pytest.mark.parametrize("by_rows", [False, True])
@pytest.mark.parametrize("entries", [300, 3000])
def test_products_without_the_transpose_come_first(by_rows: bool, entries: int) -> None:
    """The transpose is made when products without it have cost as much, unless these are the best ones."""
    n, engine = 3000, Matrix(int, 1, 1).to("cpu")._engine
    rows, cols = np.divmod(np.random.default_rng(1).choice(n * n, 8 * n, replace=False), n)
    A = Matrix.from_coo(rows, cols, 1.0, nrows=n, ncols=n).to("cpu")
    u = Vector.from_coo(range(entries), 1.0, size=n).to("cpu")
    op = semiring.plus_times["FP64"]
    found = []
    for _ in range(200):
        plan, _ = plan_matvec(engine, A._store, u._store, op, None, not by_rows, None, False)
        found.append(plan.direction)
    known = "pull" if by_rows else "push"
    assert found[:3] == [known] * 3
    assert (found[-1] == known) is (by_rows == (entries == n))


def test_few_edges_are_pushed_without_counting_them() -> None:
    """Their bound costs less than the probes of a pull, which other facts cannot reduce."""

    def counted() -> int:
        raise AssertionError

    few = facts(u_edges=counted, u_edges_at_most=2000, terminal=False)
    assert choose_matvec(few).direction == "push"
    with pytest.raises(AssertionError):
        choose_matvec(few._replace(u_edges_at_most=50_000))


def test_rows_that_a_mask_names_are_as_long_as_the_operands() -> None:
    """Ten hubs of 400 edges each, and 40 rows that may be hubs as well."""
    hubs = facts(u_edges=lambda: 4000, allowed=40, terminal=False)
    assert choose_matvec(hubs).direction == "pull"
    assert choose_matvec(hubs._replace(named_rows=True)).direction == "push"
    few = hubs._replace(u_edges=lambda: 500, allowed=8)  # of the mean length
    assert choose_matvec(few._replace(named_rows=True)).direction == choose_matvec(few).direction == "pull"


def test_no_columns_are_made_for_the_rows_of_the_operands_own_entries() -> None:
    few = facts(u_edges=lambda: 100, by_columns=False, spared=10**9)
    assert choose_matvec(few).direction == "push"
    own = few._replace(own_rows=True)
    assert choose_matvec(own) == ("pull.thread", rules.BY_ROWS, True, False, False)
    assert choose_matvec(own._replace(by_columns=True)).direction == "push"


def test_which_rows_are_the_operands_own(backend: str) -> None:
    A = generators.kronecker(8, seed=1).pattern(loops=False)
    A = select.triu(A).new()
    some = Vector.from_coo(range(0, A.nrows, 3), 2, size=A.nrows)
    for mask, expected in ((some.S, rules.BY_ROWS), (some.dup().S, "push"), (~some.S, "push")):
        x = Vector(int, A.nrows)
        with trace() as run:
            x(mask, replace=True, policy="cost") << semiring.plus_pair["INT64"](A @ some)
        assert run.records[0].reason.startswith(expected)


def test_few_open_rows_are_compacted_first() -> None:
    assert choose_matvec(facts(allowed=20), Descriptor(direction="pull")).strategy == "pull.compact"
    assert choose_matvec(facts(mask_sparse=True), Descriptor(direction="pull")).strategy == "pull.compact"
    assert choose_matvec(facts(), Descriptor(direction="pull")).strategy == "pull.thread"


def test_rows_that_are_read_whole_go_by_entries_on_a_device() -> None:
    full = facts(u_nvals=1000, u_dense=True, u_edges=lambda: 50_000, allowed=1000, whole=True)
    assert choose_matvec(full._replace(costs=rules.CUDA_COSTS)).strategy == "pull.edge"
    assert choose_matvec(full._replace(costs=rules.CUDA_COSTS, whole=False)).strategy == "pull.hybrid"
    assert choose_matvec(full._replace(terminal=True)).strategy == "pull.thread"


def an_engine(costs: object, compares_and_swaps: Callable[..., bool]) -> SimpleNamespace:
    return SimpleNamespace(costs=costs, compares_and_swaps=compares_and_swaps, has_columns_on_host=lambda a: False)


def test_which_products_read_whole_rows() -> None:
    engine = an_engine(rules.CUDA_COSTS, lambda monoid: False)
    A, x = generators.uniform_random(50, 8, seed=1), Vector.from_dense([1.0, 2.0] * 25)

    def whole(op: object, u: Vector = x, mask: object = None) -> bool:
        return matvec_facts(engine, A._store, u._store, op, mask, False, None).whole

    assert whole(semiring.plus_times["FP64"]) and whole(semiring.plus_second["FP64"])
    assert not whole(semiring.lor_land["BOOL"]) and not whole(semiring.any_pair["BOOL"])
    assert whole(semiring.min_plus["FP64"])
    one = Vector.from_scalar(2.0, 50)
    assert whole(semiring.plus_times["FP64"], one)
    assert not whole(semiring.min_second["FP64"], one)  # the first product that is found is the minimum
    assert not whole(semiring.plus_times["FP64"], Vector.from_coo([1], [2.0], size=50))
    assert not whole(semiring.plus_times["FP64"], mask=MaskView(x._store, True, False))
    assert not whole(semiring.ss.plus_secondi["INT64"])


def test_a_push_sorts_where_sums_would_wait_for_each_other() -> None:
    """By compare-and-swap, and many of them for one row: the more, the sooner; a few, or by an instruction, never."""

    def strategy(edges: int, hottest: float, costs: rules.Costs = rules.CUDA_COSTS, nvals: int = 2**27) -> str:
        known = facts(u_nvals=edges, u_edges=lambda: edges, u_edges_at_most=edges, nvals=nvals, terminal=False)
        return choose_matvec(
            known._replace(nrows=2**24, u_size=2**24, allowed=2**24, hottest=hottest, costs=costs)
        ).strategy

    assert strategy(2**17, 0.0) == strategy(2**17, 2**-16) == strategy(2**6, 1.0) == "push.scatter"
    assert strategy(2**17, 1.0) == strategy(2**17, 2**-4) == "push.sort"
    assert strategy(2**17, 1.0, rules.CPU_COSTS) == "push.scatter"
    push = Descriptor(direction="push")
    assert choose_matvec(facts(hottest=1.0, costs=rules.CUDA_COSTS), push).strategy == "push.scatter"


def test_which_sums_wait_for_each_other() -> None:
    A, u = generators.star(600), Vector.from_coo([3], [2.0], size=600)
    for transposed in (False, True):
        for op, hottest in ((semiring.plus_times["FP64"], 0.0), (semiring.times_plus["FP64"], 599 / 1198)):
            engine = an_engine(rules.CUDA_COSTS, lambda monoid: monoid.name == "times")
            A._store._transpose = None  # known, or counted
            assert matvec_facts(engine, A._store, u._store, op, None, transposed, None).hottest == hottest
    engine = an_engine(rules.CPU_COSTS, lambda monoid: True)
    assert not matvec_facts(engine, A._store, u._store, op, None, True, None).hottest


def test_a_deterministic_push_sorts() -> None:
    assert choose_matvec(facts(), Descriptor(direction="push", deterministic=True)).strategy == "push.sort"


@pytest.mark.parametrize("strategy", PUSH_STRATEGIES + PULL_STRATEGIES)
def test_a_strategy_can_be_forced(strategy: str) -> None:
    plan = choose_matvec(facts(), Descriptor(strategy=strategy, early_exit=False))
    assert (plan.strategy, plan.early_exit) == (strategy, False)
    assert plan.direction == strategy.split(".")[0]


def test_strategies_of_the_other_product_are_refused() -> None:
    with pytest.raises(ValueError, match="matrix-matrix"):
        choose_matvec(facts(), Descriptor(strategy="mxm.gustavson"))
    with pytest.raises(ValueError, match="matrix-vector"):
        choose_mxm(1, 1, 1, None, Descriptor(strategy="push.sort"))
    with pytest.raises(ValueError, match="needs a mask"):
        choose_mxm(1, 1, 1, None, Descriptor(strategy="mxm.masked_dot"))


def test_the_papers_rules() -> None:
    def direction(policy: str, **changes: object) -> str:
        return choose_matvec(facts(**changes), Descriptor(policy=policy)).direction

    assert direction("switchpoint", u_nvals=9) == "push"
    assert direction("switchpoint", u_nvals=11) == "pull"
    assert direction("switchpoint", u_nvals=8, u_dense=True, edges_before=7) == "pull"  # hysteresis: it grows
    assert direction("switchpoint", u_nvals=8, u_dense=True, edges_before=11) == "push"
    assert direction("switchpoint", u_nvals=11, edges_before=12) == "push"  # it becomes less
    assert direction("edge-check", u_edges=lambda: 4_999) == "push"
    assert direction("edge-check", u_edges=lambda: 5_000) == "pull"
    assert direction("fraction", u_nvals=99) == "push"
    assert direction("fraction", u_nvals=100) == "pull"
    assert direction("edges", u_edges=lambda: 900) == "push"  # 45,000 open edges / 48 = 937
    assert direction("edges", u_edges=lambda: 1000) == "pull"
    assert direction("edges", u_nvals=49, u_dense=True) == "push"  # 1000 / 20 = 50
    assert direction("edges", u_nvals=51, u_dense=True) == "pull"


def test_the_rule_on_edges_tells_growth_from_decline() -> None:
    def direction(edges: int, before: int, vertices: int) -> str:
        known = facts(u_edges=lambda: edges, u_nvals=vertices, u_dense=True)
        return choose_matvec(known, Descriptor(policy="edges", edges_before=before)).direction

    assert direction(1_000, 50, 30) == "pull"  # growing: 937 edges are many, whatever the storage
    assert direction(900, 50, 30) == "push"
    assert direction(1_000, 5_000, 51) == "pull"  # declining: 50 vertices are few
    assert direction(1_000, 5_000, 49) == "push"


def test_edge_check_looks_ahead() -> None:
    def strategy(edges: int, before: int, **options: bool) -> str:
        desc = Descriptor(policy="edge-check", edges_before=before, **options)
        return choose_matvec(facts(u_edges=lambda: edges), desc).strategy

    assert strategy(500, 0) == "push.scatter"  # nothing to compare with
    assert strategy(500, 400) == "push.scatter"  # 625 expected next, of 50,000
    assert strategy(500, 50) == "push.scan"  # 5,000 expected next
    assert strategy(500, 50, deterministic=True) == "push.sort"
    assert strategy(5_000, 5_000) == "pull.thread"


def test_explain_says_what_runs(backend: str) -> None:
    A = generators.kronecker(9)
    source = int(A.to_coo()[0][0])
    frontier = Vector.from_coo([source], [True], size=A.nrows)
    levels = frontier.dup(int)
    while frontier.nvals:
        for policy in POLICIES:
            plan = explain(semiring.any_pair(frontier @ A), ~levels.S, policy=policy)
            with trace() as t:
                semiring.any_pair(frontier @ A).new(mask=~levels.S, policy=policy)
            record = t.records[0]
            assert (plan.strategy, plan.direction, plan.reason) == (record.strategy, record.direction, record.reason)
            assert plan.edges == record.input_edges
        frontier(~levels.S, replace=True) << semiring.any_pair(frontier @ A)
        levels(frontier.S) << 1


def test_explain_of_other_products() -> None:
    A = generators.path(5)
    v = Vector.from_coo([0], [1], size=5)
    assert explain(semiring.any_pair(A @ v), strategy="push.sort").strategy == "push.sort"
    assert explain(semiring.any_pair(A.T @ v), policy="fraction").direction == "pull"
    assert explain(v @ A).edges == 1
    plan = explain(semiring.plus_pair(A @ A.T), A.S, strategy="mxm.masked_dot")
    assert (plan.strategy, plan.direction, plan.edges) == ("mxm.masked_dot", "mxm", None)
    with pytest.raises(TypeError, match="expected a product"):
        explain(v.apply("one"))
    with pytest.raises(exceptions.DimensionMismatch, match="mask"):
        explain(v @ A, Vector(bool, 4).S)
    with pytest.raises(ValueError, match="unknown policy"):
        explain(v @ A, policy="luck")


counts = st.integers(0, 10**6)


@given(counts, counts, counts, counts, counts, st.booleans(), st.booleans(), st.booleans(), st.sampled_from(POLICIES))
def test_every_fact_gives_a_known_strategy_and_a_reason(
    nrows: int,
    nvals: int,
    u_nvals: int,
    edges: int,
    allowed: int,
    dense: bool,
    sparse: bool,
    terminal: bool,
    policy: str,
) -> None:
    known = Facts(nrows, nvals, nrows, u_nvals, dense, lambda: edges, nvals, allowed, sparse, terminal)
    for desc in (None, Descriptor(policy=policy)):
        plan = choose_matvec(known, desc)
        assert plan.strategy in PUSH_STRATEGIES + PULL_STRATEGIES
        assert plan.reason


def test_mxm_takes_dot_products_when_the_mask_is_small() -> None:
    assert choose_mxm(10_000, 10_000, 100, 50).strategy == "mxm.masked_dot"
    assert choose_mxm(10_000, 10_000, 100, 10**7).strategy == "mxm.gustavson"
    assert choose_mxm(10_000, 10_000, 100, None).strategy == "mxm.gustavson"
    assert {choose_mxm(1, 1, 1, 1, Descriptor(strategy=s)).strategy for s in MXM_STRATEGIES} == set(MXM_STRATEGIES)


def test_mxm_counts_what_dot_products_read() -> None:
    """Ordered by degree, the columns of L are long and its rows are short: L L' is for dot products, L L is not."""
    graph = generators.kronecker(9, 16).by_degree().graph
    L = select.tril(graph, -1).new()
    for known in (False, True):  # the transpose, and so the lengths of columns
        if known:
            assert L.T.new().nvals == L.nvals
        assert explain(semiring.plus_pair(L @ L.T), L.S).strategy == "mxm.masked_dot"
        assert explain(semiring.plus_pair(L @ L), L.S).strategy == "mxm.gustavson"
        assert explain(semiring.plus_pair(L.T @ L), L.S).strategy == "mxm.gustavson"


def test_dot_products_are_estimated_from_some_entries() -> None:
    L = select.tril(generators.kronecker(10, 16), -1).new()
    mask = L.dup()
    columns = np.bincount(L.to_coo()[1], minlength=L.ncols)
    exact = columns[mask.to_coo()[1]].sum()
    engine = L._engine
    unknown = engine.estimate_dots(L._store, L._store, mask._store) - TRANSPOSED_ENTRY * L.nvals
    L._store.transposed()
    known = engine.estimate_dots(L._store, L._store, mask._store)
    assert 0.5 * exact < unknown < 2 * exact
    assert 0.8 * exact < known < 1.25 * exact
    assert engine.estimate_dots(L._store, L._store, Matrix(bool, L.nrows, L.ncols)._store) == 0


@given(st.integers(0, 1000), st.sampled_from(["sparse", "bitmap", "full"]))
def test_storage_has_hysteresis(nvals: int, kind: str) -> None:
    better = storage_kind(nvals, 1000, kind)
    assert storage_kind(nvals, 1000, better) == better  # a second look changes nothing
    assert nvals != 1000 or better == "full"
    assert storage_kind(nvals, TINY, kind) == kind  # not worth a conversion
    assert storage_kind(nvals, DENSE_LIMIT * 2, "sparse") == "sparse"


def test_descriptor_refuses_what_it_does_not_know() -> None:
    for bad in ({"direction": "sideways"}, {"strategy": "magic"}, {"policy": "luck"}, {"switchpoint": 2}):
        with pytest.raises(ValueError):
            Descriptor(**bad)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="unknown descriptor option: threads"):
        descriptor_from_options({"threads": 4})
    assert descriptor_from_options({}) is None
    assert descriptor_from_options({"nthreads": None, "sort": False}) is None
    assert descriptor_from_options({"direction": "pull"}) is descriptor_from_options({"direction": "pull"})


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("any_pair", [1, 2], True),
        ("lor_land", [True, False], True),
        ("min_plus", [1, 2], False),  # the least number is a terminal value that no row reaches
        ("min_first", 3, True),  # one value: the first is as good as all
        ("plus_first", 3, False),
    ],
)
def test_rows_end_early_where_a_value_is_final(name: str, values: list[int] | int, expected: bool) -> None:
    A = Matrix.from_coo([0, 1], [1, 0], [1, 2])
    u = Vector.from_coo([0, 1], values)
    op = getattr(semiring, name)[u.dtype, A.dtype] if name != "lor_land" else semiring.lor_land[bool]
    found = matvec_facts(A._engine, A._store, u._store, op, None, True, None)
    assert found.terminal is expected


N, M = 10**6, 3 * 10**7
SEARCHES = MxmFacts(64, N, N, 10**6, M, products=lambda: 3e7)


def strategy(facts: MxmFacts, **options: object) -> str:
    return choose(facts, Descriptor(**options) if options else None).strategy


def test_dense_factors_are_read_by_rows() -> None:
    assert strategy(SEARCHES._replace(a_dense=True)) == "mxm.spmm"
    assert strategy(SEARCHES._replace(a_dense=True, pattern=True)) == "mxm.bits"
    assert strategy(MxmFacts(N, N, 64, M, 64 * N, b_dense=True)) == "mxm.spmm"
    assert strategy(MxmFacts(50, 50, 50, 2500, 2500, a_dense=True, b_dense=True, blas=True)) == "mxm.blas"
    assert strategy(MxmFacts(50, 50, 50, 2500, 2500, a_dense=True, b_dense=True)) == "mxm.spmm"


def test_which_factor_is_the_dense_one() -> None:
    assert SEARCHES._replace(a_dense=True).left_is_dense
    assert SEARCHES.left_is_dense  # both are sparse: the thinner one
    assert not SEARCHES._replace(b_dense=True).left_is_dense
    assert not SEARCHES._replace(a_dense=True, b_dense=True).left_is_dense


def test_few_rows_do_not_make_a_dense_result() -> None:
    assert strategy(MxmFacts(N, 100, 100, 50, 10_000, b_dense=True)) == "mxm.gustavson"


def test_a_sparse_mask_is_worth_dot_products() -> None:
    full = MxmFacts(N, 64, N, 64 * N, 64 * N, a_dense=True, b_dense=True, blas=True, mask_nvals=M)
    assert strategy(full) in ("mxm.masked_dot", "mxm.gustavson")  # a full result would be 8 TB
    dense = SEARCHES._replace(a_dense=True, mask_nvals=1000, mask_dense=True)
    assert strategy(dense) == "mxm.spmm"  # as words it costs nothing


def test_two_sparse_factors_by_cost() -> None:
    few = SEARCHES._replace(pattern=True, a_nvals=64, products=lambda: 2e3)
    many = few._replace(a_nvals=10**6, products=lambda: 3e7)
    assert strategy(few) == "mxm.gustavson"
    assert strategy(many) == "mxm.bits"
    assert strategy(few._replace(costs=CUDA_COSTS)) == "mxm.bits"  # tables take longer to make
    assert strategy(few._replace(mask_dense=True)) == "mxm.bits"  # and so does a list of a dense mask
    assert strategy(many._replace(nrows=N)) == "mxm.gustavson"  # as many words as vertices
    assert strategy(SEARCHES._replace(costs=CUDA_COSTS)) == "mxm.spmm"
    assert strategy(SEARCHES) == "mxm.gustavson"
    assert "dense rows" in choose(many).reason


def test_asked_for() -> None:
    assert strategy(SEARCHES, strategy="mxm.spmm") == "mxm.spmm"
    assert strategy(SEARCHES._replace(a_dense=True), strategy="mxm.gustavson") == "mxm.gustavson"
    with pytest.raises(ValueError, match="pattern"):
        choose(SEARCHES, Descriptor(strategy="mxm.bits"))
    with pytest.raises(ValueError, match="full"):
        choose(SEARCHES, Descriptor(strategy="mxm.blas"))
    with pytest.raises(ValueError, match="matrix-vector"):
        choose(SEARCHES, Descriptor(strategy="push.sort"))
    with pytest.raises(ValueError, match="shape"):
        choose(SEARCHES, Descriptor(strategy="mxm.sort"))


def test_what_an_engine_has_for_a_shape() -> None:
    shaped = SEARCHES._replace(shaped=lambda: ("mxm.sort", "long rows"))
    assert choose(shaped) == Plan("mxm.sort", "long rows")
    assert strategy(shaped, strategy="mxm.sort") == "mxm.sort"
    assert strategy(shaped, strategy="mxm.gustavson") == "mxm.gustavson"
    with pytest.raises(ValueError, match="shape"):
        choose(shaped, Descriptor(strategy="mxm.scale"))


def test_explained_and_traced(backend: str) -> None:
    A = generators.kronecker(8, 8, seed=1)
    X = Matrix.from_dense([[1.0, 2.0, 3.0]] * A.nrows)
    X._store = X._engine.with_form(X._store, "full")
    product = semiring.plus_times(A @ X)
    assert gb.explain(product).strategy == "mxm.spmm"
    with gb.trace() as told:
        product.new()
    assert [(record.strategy, record.reason) for record in told.records] == [("mxm.spmm", "the right factor is dense")]
