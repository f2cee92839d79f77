"""A run of the tests on a GPU, noted in ``tests/gpu_record.json``: in one go, or, where time is short, in several."""

import os

import gpu_record
import pytest
from hardware import has_gpu

WORKER = "PYTEST_XDIST_WORKER"  # set in each of several processes: the first one writes the record


def pytest_configure(config: pytest.Config) -> None:
    mode = config.getoption("--gpu-record")
    if mode in ("all", "rest") and WORKER not in os.environ:
        gpu_record.begin(anew=mode == "all")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--gpu-record") == "rest":
        done = gpu_record.done()
        items[:] = [item for item in items if item.nodeid not in done]


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when == "call" and report.passed and WORKER not in os.environ:
        gpu_record.note_passed(report.nodeid)


def pytest_terminal_summary(terminalreporter, exitstatus: int, config: pytest.Config) -> None:
    mode, stats = config.getoption("--gpu-record"), terminalreporter.stats
    passed = [report.nodeid for report in stats.get("passed", [])]
    if not has_gpu():
        terminalreporter.write_line("no record: CuPy finds no CUDA device here", red=True)
    elif mode == "again":
        record = gpu_record.repeat(passed)
        terminalreporter.write_line(f"tests/gpu_record.json: {record['tests']}, again: {record['again']}")
    elif exitstatus not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        terminalreporter.write_line("no record: this was interrupted; --gpu-record=rest goes on", red=True)
    elif config.option.keyword:
        terminalreporter.write_line("no record: these were not all of the tests", red=True)
    else:
        counts = {kind: len(stats.get(kind, [])) for kind in ("passed", "failed", "error", "skipped")}
        counts["passed"] += len(gpu_record.done()) if mode == "rest" else 0
        failing = [report.nodeid for kind in ("failed", "error") for report in stats.get(kind, [])]
        record = gpu_record.write(counts, gpu_record.device(), failing=failing)
        terminalreporter.write_line(f"tests/gpu_record.json: {record['device']['name']}, {counts}")
