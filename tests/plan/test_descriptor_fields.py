"""Every field of a Descriptor has its effect in a single call, and in a loop; where an operation has no use for it, the
trace says so. What products in loops do with the planner's options is in tests/loops (test_descriptor, test_cpu_loops).
"""

from collections.abc import Iterator
from dataclasses import fields

import interpreted_loops
import pytest
from emulated_engine import BACKENDS, backend

import grblas_gpu as gb
from grblas_gpu import Descriptor, Matrix, Vector, binary, generators, monoid, operations, semiring
from grblas_gpu.backends.cpu.fusion import run, tier
from grblas_gpu.ir.descriptor import OPTIONS


@pytest.fixture(params=BACKENDS)
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The name of an engine; on a CPU loops run as a whole, however small, as texts."""
    monkeypatch.setattr(run, "level", lambda program, first, before=0: tier.COMPILE)
    interpreted_loops.interpret(monkeypatch)
    with backend(request.param, monkeypatch) as name, gb.using(name):
        yield name


def once(condition: Vector, in_a_loop: bool):
    """A loop of one step, that runs as a whole where loops can; or no loop."""
    if not in_a_loop:
        yield 0
        return
    rounds = gb.loop(condition, 1)
    for step in rounds:  # noqa: UP028  (`yield from` is no `for` statement, and such a loop is iterated)
        yield step
    assert rounds.mode == "fused" or not condition._engine.runs_loops


#: Options of a product, and what the trace must say of it.
SEEN = {
    "direction": ({"direction": "pull"}, lambda it: it.direction == "pull" and it.reason == "requested by direction="),
    "strategy": (
        {"strategy": "push.sort"},
        lambda it: it.strategy == "push.sort" and it.reason == "requested by strategy=",
    ),
    "policy": ({"policy": "fraction"}, lambda it: it.reason.endswith("of the vertices against 0.1")),
    "switchpoint": (
        {"policy": "switchpoint", "switchpoint": 0.25},
        lambda it: it.strategy == "push.sort" and it.reason.endswith("against switchpoint 0.25"),
    ),
    "deterministic": ({"direction": "push", "deterministic": True}, lambda it: it.strategy == "push.sort"),
    "push_strategy": ({"direction": "push", "push_strategy": "push.scan"}, lambda it: it.strategy == "push.scan"),
    "pull_strategy": ({"direction": "pull", "pull_strategy": "pull.warp"}, lambda it: it.strategy == "pull.warp"),
    "reuse_mask": ({"direction": "pull", "reuse_mask": True}, lambda it: it.input_nvals == 7),  # of the mask
    "edges_before": (
        {"policy": "edge-check", "edges_before": 1},
        lambda it: ", 0.00669 expected next," in it.reason,  # 2 edges now, so 4 of 598
    ),
    "settles_at": ({"settles_at": True}, lambda it: it.direction == "pull" and "in place" in it.reason),
}
BY_ENGINE = {"early_exit", "any_order"}  # what an engine is handed, and no trace of a single product tells
AS_SPECIFIED = {"mask_complement", "mask_structure", "replace", "transpose_first", "transpose_second"}


def test_every_field_is_tried() -> None:
    assert SEEN.keys() | BY_ENGINE == OPTIONS
    assert OPTIONS | AS_SPECIFIED | {"hints"} == {each.name for each in fields(Descriptor)}


def search() -> tuple[Matrix, Vector, Vector]:
    """A graph, what a search has reached last, and all that it has visited: the edges of the others lead on."""
    A = generators.path(300)
    return A, Vector.from_coo([6], [True], size=300), Vector.from_coo(range(7), [True] * 7, size=300)


@pytest.mark.parametrize("field", SEEN)
def test_options_of_a_product(engine: str, field: str) -> None:
    options, holds = SEEN[field]
    A, frontier, visited = search()
    by_default = semiring.lor_land(frontier @ A).new(mask=~visited.S)
    with gb.trace() as trace:
        found = semiring.lor_land(frontier @ A).new(mask=~visited.S, **options)
    (record,) = trace.steps()
    assert holds(record), record
    assert "without effect" not in record.reason
    assert found.isequal(by_default) or field == "settles_at"  # which goes on within a pass
    assert by_default.nvals == 1 and found[7].new().value


def test_an_engine_is_asked_to_read_to_the_end(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    A, frontier, visited = search()
    plans = []
    runs = type(frontier._engine).mxv

    def noted(self, *args, plan, **kwargs):
        plans.append(plan)
        return runs(self, *args, plan=plan, **kwargs)

    monkeypatch.setattr(type(frontier._engine), "mxv", noted)
    for early in (True, False):
        found = semiring.lor_land(frontier @ A).new(mask=~visited.S, direction="pull", early_exit=early)
        assert found.to_dict() == {7: True}
    assert [plan.early_exit for plan in plans] == [True, False]


def numbers() -> tuple[Matrix, Vector, Vector, Vector]:
    A = Matrix.from_coo([0, 0, 1, 2], [1, 2, 2, 0], [1, 2, 3, 4], nrows=3, ncols=3)
    return A, Vector.from_dense([1, 2, 3]), Vector.from_coo([0, 1], [0, 1], size=3), Vector.from_coo([2], [9], size=3)


SPECIFIED: dict[str, dict[int, int]] = {  # what becomes of w<mask> = A u
    "": {1: 9, 2: 9},  # the mask is true at 1
    "mask_complement": {0: 8, 2: 4},
    "mask_structure": {0: 8, 1: 9, 2: 9},
    "replace": {1: 9},
    "transpose_first": {1: 1, 2: 9},
}


@pytest.mark.parametrize("in_a_loop", [False, True])
@pytest.mark.parametrize("field", SPECIFIED)
def test_fields_of_the_specification(engine: str, field: str, in_a_loop: bool) -> None:
    A, u, mask, w = numbers()
    desc = Descriptor(**{field: True}) if field else None
    for _ in once(u, in_a_loop):
        operations.mxv(w, A, u, semiring.plus_times, mask=mask, desc=desc)
    assert w.to_dict() == SPECIFIED[field]


@pytest.mark.parametrize("in_a_loop", [False, True])
def test_a_transposed_second_operand(engine: str, in_a_loop: bool) -> None:
    A, u, _, w = numbers()
    for _ in once(u, in_a_loop):
        operations.vxm(w, u, A, semiring.plus_times, desc=Descriptor(transpose_second=True))
    assert w.to_dict() == {0: 8, 1: 9, 2: 4}


GIVEN = {
    **{name: value for options, _ in SEEN.values() for name, value in options.items()},
    "settles_at": 3,
    "early_exit": False,
    "any_order": True,
}


@pytest.mark.parametrize("in_a_loop", [False, True])
def test_operations_that_have_no_use_for_options_say_so(engine: str, in_a_loop: bool) -> None:
    """They are no error: python-graphblas takes ``axb_method=`` for a sum, too."""
    both = {"settles_at", "strategy", "deterministic"}  # of which any two are an error
    for options in (
        {k: v for k, v in GIVEN.items() if k not in both},
        {"strategy": "push.sort", "deterministic": True},
    ):
        x, total = Vector.from_dense([1, 2, 3]), gb.Scalar(int)
        with gb.trace() as trace:
            for _ in once(x, in_a_loop):
                x(nthreads=2, **options) << binary.plus(x, 1)
                total << x.reduce(monoid.plus)
        assert (x.to_dict(), total.value) == ({0: 2, 1: 3, 2: 4}, 9)
        (record,) = [record for record in trace.records if "without effect" in record.reason]
        for name, value in options.items():
            assert f"{name}={value!r}" in record.reason
        assert "nthreads=2" in record.reason
    assert GIVEN.keys() == OPTIONS
