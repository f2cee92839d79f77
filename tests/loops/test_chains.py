"""Steps of a loop that run in one pass: which they are, and that they do what they do one after another."""

import importlib

import pytest
from chain_bodies import CHAINS
from emulated_engine import CUDA, FewBlocks
from loop_cases import check_fused, graphs, made_of, same, wide
from loop_programs import gather, inside, operation, product, random_body, scatter, total

import grblas_gpu as gb
from grblas_gpu import Matrix

EMULATED, ON_A_GPU = 8, 13  # scales of graphs: several blocks of either have their positions


@pytest.fixture(autouse=True)
def short_lists(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many vectors have too many entries for their lists."""
    if "to_device" in request.fixturenames:
        request.getfixturevalue("to_device")
        run, workspace = (importlib.import_module(f"{CUDA}.fusion.{name}") for name in ("run", "workspace"))
        monkeypatch.setattr(run, "_programs", {})
        monkeypatch.setattr(workspace, "LEAST_LIST", 4)


@pytest.fixture
def wide_graph(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Matrix:
    """Several blocks have its positions, so that it shows where one reads what another has not written yet: emulated
    ones go as far as they can before the next one begins."""
    monkeypatch.setattr(FewBlocks, "blocks", 3)
    return wide(ON_A_GPU if request.node.callspec.params["to_device"] == "gpu" else EMULATED)


# g++ takes two seconds and more for each of these programs: the quick tests see a few of them.
@pytest.mark.parametrize(
    ("name", "direction"),
    [
        pytest.param(name, direction, marks=pytest.mark.slow if (number + other) % 2 else ())
        for number, name in enumerate(CHAINS)
        for other, direction in enumerate(("push", "pull"))
    ],
)
def test_a_chain_is_its_steps(to_device, name: str, direction: str) -> None:
    check_fused(CHAINS[name], graphs()["directed"], to_device, runs=2, direction=direction)


@pytest.mark.parametrize(
    ("name", "result"),
    [
        pytest.param(name, result, marks=pytest.mark.slow if result or name == "accumulated" else ())
        for name, results in (("relaxed", 3), ("buckets", 3), ("made_inside", 3), ("accumulated", 4))
        for result in range(results)
    ],
)
def test_what_nobody_sees_is_not_written(to_device, monkeypatch: pytest.MonkeyPatch, name: str, result: int) -> None:
    """A function that returns one of its vectors: of the others, chains write what they need themselves."""
    run = importlib.import_module(f"{CUDA}.fusion.run")
    texts, kernel_of = [], run.kernel_of
    monkeypatch.setattr(run, "kernel_of", lambda body: texts.append(kernel_of(body)) or texts[-1])
    monkeypatch.setattr(run, "_programs", {})
    A, body = graphs()["directed"], CHAINS[name]
    with gb.using("cpu"):
        expected = body(A, 5)[1][result]
    B, function = to_device(A), gb.program(lambda A: body(A, 5)[1][result])
    assert [same(expected, function(B)) for _ in range(2)] == [True, True]
    assert len(texts) == 1 and (", without s" in texts[0].text) == ((name, result) != ("accumulated", 1))


# --- any steps at all ------------------------------------------------------------------------------------------------


def trials(quick: int, end: int) -> pytest.MarkDecorator:
    """Seeds from ``first`` to before ``end``: one at a time in the quick tests, three in the slow ones."""
    slow = (pytest.param(first, min(first + 3, end), marks=pytest.mark.slow) for first in range(quick, end, 3))
    return pytest.mark.parametrize(("first", "end"), [*((seed, seed + 1) for seed in range(quick)), *slow])


KINDS_OF_STEPS = {
    "positions": [operation],
    "products and sums": [operation, operation, product, total],
    "gathers and scatters": [operation, product, total, gather, scatter, gather, scatter],
    "loops and decisions": [operation, product, total, gather, scatter, inside, inside],
}


@pytest.mark.parametrize("kinds", KINDS_OF_STEPS)
@trials(3, 60)
def test_any_steps(to_device, wide_graph: Matrix, kinds: str, first: int, end: int) -> None:
    """What cannot be fused is repeated."""
    modes = compare(to_device, wide_graph, (first, end), KINDS_OF_STEPS[kinds])
    assert kinds != "positions" or set(modes) == {"fused"}


@trials(2, 30)
def test_any_result_of_a_function(to_device, wide_graph: Matrix, first: int, end: int) -> None:
    """The other vectors are not read after the loop."""
    A = wide_graph
    for seed in chosen(A, first, end):
        text, body = random_body(seed, [operation, operation, product, gather, inside])
        with gb.using("cpu"):
            expected = body(A)[1]
        at = seed % len(expected)
        function = gb.program(lambda A, body=body, at=at: body(A)[1][at])
        assert same(expected[at], function(to_device(A))), text


@pytest.mark.parametrize(
    ("first", "end"), [(0, 1), *(pytest.param(k, k + 10, marks=pytest.mark.slow) for k in range(1, 500, 10))]
)
def test_any_program_from_its_recording(backend: str, first: int, end: int) -> None:
    """On every engine: as a program, and iterated; one of ten on a GPU, whose compiler takes seconds for most."""
    A = graphs()["directed"].to(backend)
    for seed in range(first, end, 10 if backend == "cuda" else 1):
        text, body = random_body(seed, [operation, product, total, gather, scatter, inside])
        with gb.config.set(loops="iterated"):
            _, results, expected = body(A)
        with gb.config.set(loops="recorded"):
            _, found, scalar = body(A)
        assert [x.isclose(y) for x, y in zip(results, found, strict=True)] == [True] * len(found), text
        assert scalar.is_empty == expected.is_empty and (scalar.is_empty or same(expected, scalar)), text


def chosen(A: Matrix, first: int, end: int) -> range:
    """All of some seeds where blocks are emulated. On a GPU, which has the larger graph, one of them: compilers take
    longer."""
    return range(first, end, 1 if A.nrows == 2**EMULATED else end - first)


def compare(to_device, A: Matrix, seeds: tuple[int, int], kinds_of_steps) -> list[str]:
    """Bodies of such steps on the device and on the CPU, which iterates: how they ran."""
    modes = []
    for seed in chosen(A, *seeds):
        text, body = random_body(seed, kinds_of_steps)
        with gb.using("cpu"):
            _, results, expected = body(A)
        loop, found, scalar = body(to_device(A))
        assert [same(x, y) for x, y in zip(results, found, strict=True)] == [True] * len(found), text
        assert scalar.is_empty == expected.is_empty and (scalar.is_empty or same(expected, scalar)), text
        modes.append(loop.mode)
    return modes


# --- their text ------------------------------------------------------------------------------------------------------


@pytest.fixture
def schedules(monkeypatch: pytest.MonkeyPatch):
    """The schedule of every body."""
    return made_of(CHAINS, monkeypatch, lambda passes, body: passes.schedule(passes.analyse(body)))


def test_which_steps_are_a_chain(schedules) -> None:
    lengths = {name: [len(chain) for chain in schedule.chains] for name, schedule in schedules.items()}
    assert lengths["relaxed"] == [1, 3]
    assert lengths["buckets"] == [1, 1, 4]
    assert lengths["accumulated"] == [1, 7]
    assert lengths["by_position"] == [1, 4, 1, 2]
    assert lengths["levels_backward"] == [4, 1, 2]
    assert lengths["two_sizes"] == [1, 2, 1]
    assert lengths["other_entries"] == [1, 1, 1, 1, 2]
    assert lengths["rows"] == [1, 2, 1, 1, 1]
    assert lengths["complements"] == [1, 1, 1]
    assert lengths["made_inside"] == [1, 5, 1]
