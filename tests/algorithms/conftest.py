"""Expressions are computed by explicit calls only: automatic computing is off in these tests."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from grblas_gpu import config


@pytest.fixture(autouse=True)
def nothing_computes_itself() -> Iterator[None]:
    with config.set(autocompute=False):
        yield


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What algorithms do with compiled kernels is seen in a twelfth of the quick tests, and in all slow ones."""
    here = str(Path(__file__).parent)
    for item in items:
        parameters = getattr(getattr(item, "callspec", None), "params", {})
        compiled = parameters.get("backend") == "compiled" and str(item.path).startswith(here)
        if compiled and zlib.crc32(item.nodeid.encode()) % 12:
            item.add_marker(pytest.mark.slow)
