"""pytest plugin: installs the alias before the tests' conftest is imported, and records what became of every item."""

import json
import os
import tomllib
from pathlib import Path

import alias
import pytest

FOLDER = alias.install()
# The options that python-graphblas's own repository adds to pytest, with fixed values instead of random ones.
OPTIONS: dict[str, object] = {"backend": alias.BACKEND, "blocking": True, "runslow": True}
OPTIONS |= {"record": False, "mapnumpy": False, "randomly": False}
SCOPE = tomllib.loads((Path(__file__).parent / "out_of_scope.toml").read_text())

_raises = pytest.raises


def raises(*expected, match=None, **options):
    """``match="XXX"``, always beside "TODO", stands for a message to come: that there is an error is checked.

    python-graphblas really says "XXX" there; the report names the tests that pass with another message.
    """
    if match == "XXX":
        any_message.add(short(os.environ["PYTEST_CURRENT_TEST"].rpartition(" ")[0]))
        match = None
    return _raises(*expected, match=match, **options)


pytest.raises = raises  # type: ignore[assignment]

outcomes: dict[str, dict[str, str]] = {}
any_message: set[str] = set()
ANY_MESSAGE = 'with a message of its own where python-graphblas says "XXX"'


def pytest_addoption(parser: pytest.Parser) -> None:
    for name, value in OPTIONS.items():
        parser.addoption(f"--{name}", default=value)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: python-graphblas runs these on demand; we always do")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if os.environ.get("CONFORMANCE_ALL"):
        return
    for item in items[:]:
        name = short(item.nodeid)
        reason = SCOPE["items"].get(name) or SCOPE["items"].get(name.split("[")[0])
        if reason is not None:
            outcomes[short(item.nodeid)] = {"outcome": "out of scope", "why": reason}
            items.remove(item)


@pytest.hookimpl(trylast=True)
def pytest_collection_finish(session: pytest.Session) -> None:
    """python-graphblas's conftest turns its own default off."""
    if os.environ.get("CONFORMANCE_AUTOCOMPUTE"):
        import graphblas

        graphblas.config.set(autocompute=True)


def pytest_collectreport(report: pytest.CollectReport) -> None:
    if report.failed:
        failed(report)
    elif report.skipped:
        outcomes[short(report.nodeid)] = {"outcome": "skipped", "why": skip_reason(report)}


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    name = short(report.nodeid)
    if report.failed:
        failed(report)
    elif report.skipped:
        outcomes[name] = {"outcome": "skipped", "why": skip_reason(report)}
    elif report.when == "call":
        outcomes.setdefault(name, {"outcome": "passed", "why": ANY_MESSAGE if name in any_message else ""})


def pytest_sessionfinish() -> None:
    Path(os.environ["CONFORMANCE_RESULT"]).write_text(json.dumps(outcomes, indent=1))


def short(nodeid: str) -> str:
    return nodeid.rpartition("/")[2] if "::" not in nodeid else nodeid[nodeid.rfind("/", 0, nodeid.index("::")) + 1 :]


def failed(report: pytest.TestReport | pytest.CollectReport) -> None:
    text = report.longreprtext
    outcomes[short(report.nodeid)] = {"outcome": "failed", "why": last_line(text), "text": text}


def skip_reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    if isinstance(report.longrepr, tuple):
        return report.longrepr[2].removeprefix("Skipped: ")
    return str(getattr(report, "wasxfail", "") or report.longrepr)


def last_line(text: str) -> str:
    errors = [line[1:].strip() for line in text.splitlines() if line.startswith("E ")]
    return errors[0] if errors else text.strip().splitlines()[-1]
