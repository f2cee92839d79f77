"""All kinds of long work show progress to interactive users, one line at a time."""

import io
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import grblas_gpu as gb
from grblas_gpu import algorithms, generators
from grblas_gpu.foundation import progress

RING = "".join(f"{i} {(i + 1) % 20_000}\n" for i in range(20_000))
WORK = {
    "all shortest paths": lambda A, _: algorithms.apsp(A.dup(int)),
    "communities": lambda A, _: algorithms.louvain(A),
    "betweenness centrality": lambda A, _: algorithms.betweenness_centrality(A, batch=1),
    "closeness": lambda A, _: algorithms.closeness(A, batch=1),
    "reading": lambda _, file: gb.io.mmread(file),
    "parsing <StringIO>": lambda _, file: gb.io.read_edgelist(io.StringIO(RING)),
    "parsing <StringIO>: 0 s": lambda _, file: gb.Graph.read_edgelist(io.StringIO(RING)),
}


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PATIENCE", -1.0)
    monkeypatch.setattr(progress, "INTERVAL", 0.0005)


def until_shown(label: str, work: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> str:
    """What a terminal got; on a busy machine short work may be over before the thread that tells of it begins."""
    for _ in range(50):
        monkeypatch.setattr(sys, "stderr", terminal := Terminal())
        work()
        if label in terminal.getvalue():
            break
    return terminal.getvalue()


@pytest.mark.parametrize("label", WORK)
def test_long_work(label: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    A = generators.watts_strogatz(24, 4)
    gb.io.mmwrite(tmp_path / "g.mtx", A)
    assert label in until_shown(label, lambda: WORK[label](A, tmp_path / "g.mtx"), monkeypatch)
    for stream, progress_shown in ((Terminal(), False), (io.StringIO(), True)):  # switched off, and no terminal
        monkeypatch.setattr(sys, "stderr", stream)
        with gb.config.set(progress=progress_shown):
            WORK[label](A, tmp_path / "g.mtx")
        assert stream.getvalue() == ""


def test_one_line_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    def work() -> None:
        with progress.elapsed("outer"), progress.elapsed("inner"):
            time.sleep(0.01)

    shown = until_shown("outer", work, monkeypatch)
    assert "outer" in shown and "inner" not in shown


def test_a_bar_is_shown_in_place_of_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_tqdm_bar", lambda *_: None)  # ours, where tqdm is not installed
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    with progress.Meter("inner", 3) as meter, progress.elapsed("outer"):
        time.sleep(0.01)
        meter.reach(2)
        time.sleep(0.01)
    assert "inner [####################..........] 2/3" in terminal.getvalue()
    assert "outer" not in terminal.getvalue()


def test_short_work_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PATIENCE", 30.0)
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    algorithms.betweenness_centrality(generators.path(6), batch=1)
    assert terminal.getvalue() == ""
