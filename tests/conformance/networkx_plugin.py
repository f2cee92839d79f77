"""pytest plugin: records what became of every test of NetworkX, and where the calls of our functions ran."""

import json
import logging
import os
from collections import Counter
from pathlib import Path

import pytest

import grblas_gpu  # noqa: F401  (this one, before the folder of NetworkX comes first on the path)
from _nx_grblas_gpu import FUNCTIONS

outcomes: dict[str, str] = {}
here: Counter[str] = Counter()
left: Counter[str] = Counter()
running = ""


def module_of(nodeid: str) -> str:
    path, _, test = nodeid.partition("::")
    return path[path.rfind("networkx/") :] + ("::" + test if test else "")


class Counting(logging.Handler):
    """NetworkX logs every call: where it runs, or that a backend could not run it."""

    def emit(self, record: logging.LogRecord) -> None:
        template = str(record.msg)
        names = [value for value in record.args or () if isinstance(value, str) and value in FUNCTIONS]
        if not names:
            return
        if template.startswith("Using backend"):
            here[running] += 1
        elif "alling back" in template:
            left[running] += 1
            here[running] -= "raised when calling" in template  # it was counted when the call began


def pytest_configure() -> None:
    logger = logging.getLogger("networkx.utils.backends")
    logger.setLevel(logging.DEBUG)
    logger.propagate = False
    logger.addHandler(Counting())


def pytest_runtest_setup(item: pytest.Item) -> None:
    global running
    running = module_of(item.nodeid).partition("::")[0]


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    name = module_of(report.nodeid)
    if report.failed:
        outcomes[name] = "failed"
    elif report.skipped:
        outcomes[name] = "skipped"
    elif report.when == "call":
        outcomes.setdefault(name, "passed")


def pytest_sessionfinish() -> None:
    found = {"outcomes": outcomes, "here": here, "left": left}
    Path(os.environ["NETWORKX_SUITE_RESULT"]).write_text(json.dumps(found))
