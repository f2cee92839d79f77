"""Distributed graphs: the same answers on any number of ranks, and a clear end when a rank fails.

Each job is one launch of ``mpiexec``; tests/helpers/distributed_program.py is what its ranks run.
"""

import doctest
import importlib
import json
import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from mpi_jobs import LAUNCHER, PROGRAM, environment, launch, program

import grblas_gpu as gb
from grblas_gpu import cli
from grblas_gpu.backends.mpi.partition import Block, Line, default_shape
from grblas_gpu.backends.stores.entries import entries
from grblas_gpu.backends.stores.messages import pack, unpack
from grblas_gpu.backends.stores.storage import VectorStore

pytest.importorskip("mpi4py")

MODULES = [PROGRAM.with_name(f"distributed_{name}.py") for name in ("algorithms", "operations", "construction")]
CASES = [name for file in MODULES for name in re.findall(r"^def (case_\w+)", file.read_text("utf-8"), re.MULTILINE)]


# --- the same answers ------------------------------------------------------------------------------------------------


GRIDS = [(1, "1x1"), (2, "1x2"), (3, "3x1"), (4, "2x2"), (6, "2x3"), (9, "3x3")]
RANKS_OF = {"1x2": 2, "1x3": 3, "2x2": 4}
ALL = [pytest.param(ranks, grid, 1, marks=pytest.mark.slow) for ranks, grid in GRIDS]


@pytest.mark.parametrize(("ranks", "grid", "every"), [(4, "2x2", 6), *ALL])
def test_ranks(ranks, grid, every):
    """Every case, with one algorithm of so many; if not all, fewer combinations of others, too."""
    settings = {"GRBLAS_GPU_MPI_GRID": grid, "DISTRIBUTED_EVERY": str(every)}
    done = launch(ranks, sys.executable, str(PROGRAM), **settings)
    assert done.returncode == 0, done.stderr[-4000:]
    assert [line.split()[0] for line in done.stdout.splitlines()] == CASES


PRODUCTS = ("case_masked_updates", "case_one_dimension", "case_rounds_of_products")


@pytest.mark.slow
@pytest.mark.parametrize("grid", ["2x2", "1x3"])
def test_products_compiled(grid):
    """Messages are packed and merged by compiled loops."""
    settings = {"GRBLAS_GPU_CPU_TIER": "numba", "GRBLAS_GPU_MPI_GRID": grid}
    done = launch(RANKS_OF[grid], sys.executable, str(PROGRAM), *PRODUCTS, **settings)
    assert done.returncode == 0, done.stderr[-4000:]


@pytest.mark.slow
@pytest.mark.parametrize(
    "grid, case",
    [
        ("2x2", "case_masked_updates"),
        ("2x2", "case_rounds_of_products"),
        ("2x2", "case_matrix_operations"),
        ("1x2", "case_complex_numbers_and_values_of_users"),
    ],
)
@pytest.mark.emulated
def test_products_emulated(grid, case):
    """... and by the CUDA engine, on ranks that emulate a device each."""
    program = str(PROGRAM.with_name("emulated_ranks.py"))
    settings = {"GRBLAS_GPU_BACKEND": "cuda", "GRBLAS_GPU_MPI_GRID": grid}
    done = launch(RANKS_OF[grid], sys.executable, program, case, **settings)
    assert done.returncode == 0, done.stderr[-4000:]


@pytest.mark.slow
@pytest.mark.parametrize("ranks", [2, 4])
def test_blocks_in_every_form_compiled(ranks):
    """Products of dense blocks by the kernels for them."""
    done = launch(ranks, sys.executable, str(PROGRAM), "case_forms", GRBLAS_GPU_CPU_TIER="numba")
    assert done.returncode == 0, done.stderr[-4000:]


@pytest.mark.gpu
@pytest.mark.parametrize("grid", ["2x2", "1x4"])
def test_ranks_that_share_a_gpu(grid):
    cases = (
        "case_algorithms",
        "case_masked_updates",
        "case_entries_that_move",
        "case_graph500",
        "case_matrix_operations",
        "case_trace",
    )
    settings = {"GRBLAS_GPU_BACKEND": "cuda", "GRBLAS_GPU_MPI_GRID": grid}
    done = launch(4, sys.executable, str(PROGRAM), *cases, **settings)
    assert done.returncode == 0, done.stderr[-4000:]
    assert {line.split()[0] for line in done.stdout.splitlines()} == set(cases)


def test_a_program_for_one_machine(capsys):
    """It knows nothing of ranks: only the backend is another one."""
    text = """
import grblas_gpu as gb
from grblas_gpu import cli
from grblas_gpu import Matrix, Vector, algorithms, generators, semiring
A = generators.kronecker(7, seed=2)
levels = algorithms.bfs(A, 5)
paths = semiring.plus_times(Matrix.from_coo([0, 1, 2], [1, 2, 0], [1, 2, 3]) @ Vector.from_dense([1, 10, 100])).new()
print(gb.Vector(int, 1).backend.replace("mpi", "") + f"{levels.nvals} {levels.reduce().new().value} {paths.to_dict()}")
"""
    found = launch(2, *program(text), GRBLAS_GPU_BACKEND="mpi:2x1:numpy")
    assert found.returncode == 0, found.stderr
    exec(text, {})
    line = capsys.readouterr().out.strip().removeprefix("cpu")
    assert found.stdout.count(line) == 2, found.stdout


# --- the command line ------------------------------------------------------------------------------------------------


def test_graph500_command(capsys):
    """The same graph and the same trees as of one process; and as many messages as the scaling model says."""
    command = "graph500 --scale 12 --roots 4 --json".split()
    done = launch(4, sys.executable, "-m", "grblas_gpu.cli", *command, "--grid", "2x2")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert (result["ranks"], result["grid"], result["vertices"], result["validated"]) == (4, [2, 2], 4096, True)
    assert len(result["seconds"]) == 4
    assert 0 < result["min_teps"] <= result["harmonic_mean_teps"] <= result["max_teps"]
    assert all(level["bytes_most"] > 0 for level in result["levels"])
    cli.main([*command, "--grid", "1x1"])  # one process alone needs no mpiexec
    other = json.loads(capsys.readouterr().out)
    for name in ("entries", "roots", "edges", "depths"):
        assert other[name] == result[name]
    # One of these searches: messages exactly, bytes roughly.
    scaling = importlib.import_module("docs.scaling_model")
    row = scaling.summary(result)
    fit, grid = scaling.Fit(0.5, 6.0, row["listed"], row["pulls"], row["levels"]), scaling.Grid(2, 2, "products")
    assert row["messages"] == scaling.messages(grid, fit) - scaling.reductions(grid, fit)
    assert 0.5 < row["bytes"] / scaling.bytes_per_vertex(grid, fit, 2, 2) < 2
    assert 0.3 < row["results"] < 0.8


def test_graph500_command_in_words():
    done = launch(2, sys.executable, "-m", "grblas_gpu.cli", "graph500", "--scale", "6", "--roots", "2", "--levels")
    assert done.returncode == 0, done.stderr
    assert len(re.findall(r"^median teps +\S+$", done.stdout, re.MULTILINE)) == 1  # rank 0 speaks for all
    assert re.search(r"level +direction +frontier", done.stdout)


def test_graph500_command_fails_as_a_whole():
    done = launch(2, sys.executable, "-m", "grblas_gpu.cli", "graph500", "--scale", "6", "--grid", "3x1")
    assert done.returncode != 0
    assert "a grid of 3 x 1 needs 3 ranks; there are 2" in done.stderr


# --- faults ----------------------------------------------------------------------------------------------------------

SEARCHES = """
import os
import grblas_gpu as gb
from grblas_gpu import cli
from grblas_gpu import algorithms
from grblas_gpu.distributed import DistMatrix
A = DistMatrix.kronecker(7)
for number in range(100000):
    algorithms.bfs(A, number % 100)
    if number == 5:
        print("searching", flush=True)
        os.environ["GRBLAS_GPU_MPI_TIMEOUT"] = TIMEOUT
"""
NEVER = 1000  # seconds: a job that ends before has not ended because the others were tired of waiting


def failing(what: str, timeout: int = NEVER, ranks: int = 2, options: tuple[str, ...] = ()):
    """A job whose rank 1 does something else in the middle of a search, when all has been loaded; how it ended."""
    text = f"TIMEOUT = '{timeout}'\n{SEARCHES}    if number == 7 and RANK == 1:\n        {what}\n"
    done = launch(ranks, *program(text), options=options)
    assert done.returncode != 0
    return done


def test_a_rank_that_raises_ends_the_job():
    assert "[rank 1] RuntimeError: out of luck" in failing("raise RuntimeError('out of luck')").stderr


def test_a_killed_rank_ends_the_job(tmp_path):
    """Killed from outside, in the middle."""
    assert LAUNCHER is not None
    text = f"import os\nTIMEOUT = '{NEVER}'\nopen(f'{tmp_path}/{{RANK}}', 'w').write(str(os.getpid()))\n" + SEARCHES
    job = subprocess.Popen(
        [LAUNCHER, "-n", "2", *program(text)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    guard = threading.Timer(240, job.kill)
    guard.start()
    try:
        assert job.stdout is not None
        seen = ""
        while seen.count("searching") < 2:
            line = job.stdout.readline()
            assert line, job.communicate()[1]
            seen += line
        os.kill(int((tmp_path / "1").read_text()), signal.SIGKILL)
        job.communicate(timeout=100)
        assert job.returncode != 0
    finally:
        guard.cancel()
        job.kill()


def test_a_peer_that_answers_no_more_is_noticed():
    """Stopped, it is as good as dead, and no launcher can tell."""
    done = failing("import signal; os.kill(os.getpid(), signal.SIGSTOP)", timeout=5)
    wanted = r"\[rank 0\] .*PeerTimeout: .* waited \d+ s for the others: one of them is dead, stuck"
    assert re.search(wanted, done.stderr), done.stderr


def test_a_dead_peer_is_noticed_by_a_launcher_that_does_not_clean_up():
    failing("import signal; os.kill(os.getpid(), signal.SIGKILL)", 5, options=("-disable-auto-cleanup",))


# --- what is brought together ----------------------------------------------------------------------------------------


def test_what_gathers_is_listed():
    """The page names every operation that the trace may warn of."""
    root = Path(gb.__file__).parent
    sources = "".join(path.read_text(encoding="utf-8") for path in (root / "backends" / "mpi").glob("*.py"))
    names = set(re.findall(r'(?:gathered|warn_of_gathering|part_by_part)\("(\w+)"', sources))
    page = (root.parent / "docs" / "distributed.md").read_text(encoding="utf-8")
    (row,) = [line for line in page.splitlines() if "**gathered**" in line]
    assert len(names) > 9
    assert names == set(re.findall(r"`(\w+)`", row.partition("| **gathered**")[0]))


# --- arithmetic without messages -------------------------------------------------------------------------------------

grids = st.tuples(st.integers(1, 5), st.integers(1, 5))


@given(st.integers(0, 60), grids)
def test_every_index_has_one_place(size, shape):
    down, across = shape
    line = Line(size, down, across)
    index = np.arange(size)
    owners = line.owner(index)
    for rank in range(line.ranks):
        low, high = line.chunk(rank)
        assert (owners[low:high] == rank).all()
    rows = np.concatenate([np.arange(*line.row_block(i)) for i in range(down)])
    assert rows.tolist() == index.tolist()
    blocks = [Block(line.column_pieces(j)) for j in range(across)]
    assert sorted(np.concatenate([block.to_global(np.arange(block.size)) for block in blocks])) == index.tolist()
    for j, block in enumerate(blocks):
        mine = index[owners % across == j]
        assert block.to_local(mine).tolist() == list(range(block.size))
        assert block.to_global(np.arange(block.size)).tolist() == mine.tolist()


@given(st.integers(1, 3000))
def test_grids_have_a_place_for_every_rank(ranks):
    down, across = default_shape(ranks)
    assert down * across == ranks
    assert 4 * down + across <= min(4 * ranks + 1, 4 + ranks)  # no worse than one row or one column of ranks


@given(
    st.integers(0, 70),
    st.floats(0, 1),
    st.sampled_from(["bool", "int8", "int64", "float32", "float64"]),
    st.sampled_from(["each", "one", "none"]),
)
def test_packed_entries_come_back(length, fill, dtype, kind):
    random = np.random.default_rng(length)
    keys = np.flatnonzero(random.random(length) < fill)
    values = random.integers(0, 99, len(keys)).astype(dtype)
    values = values if kind == "each" else np.ones_like(values)
    stored = values if kind == "each" else values[:1]
    sent = pack(VectorStore(length, stored, indices=keys), None if kind == "none" else stored.dtype)
    found, got = entries(unpack(sent, length, stored.dtype))
    assert found.tolist() == keys.tolist()
    assert got.tolist() == values.tolist()
    # No more than a list or a bit map would take.
    of_values = 0 if kind == "none" else (1 if kind == "one" else len(keys)) * stored.dtype.itemsize
    assert len(sent) <= 8 + min(2 * len(keys), -(-length // 8)) + (8 if kind == "each" else 0) + of_values + 16


# --- the scaling model of docs/ --------------------------------------------------------------------------------------


def test_examples_of_the_model():
    model = importlib.import_module("docs.scaling_model")
    assert doctest.testmod(model).failed == 0
    engine = importlib.import_module("grblas_gpu.backends.mpi.searches")
    assert engine.MOST_RANKS == model.MOST_RANKS  # of ranks that search by bits on any grid
