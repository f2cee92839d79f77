"""No expression of ours computes itself by accident: here nothing does unless it is asked to."""

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
    """What algorithms do with compiled kernels is seen in an eighth of the quick tests, and in all slow ones."""
    for item in items:
        here = Path(__file__).parent in item.path.parents
        parameters = getattr(getattr(item, "callspec", None), "params", {})
        if here and parameters.get("backend") == "compiled" and zlib.crc32(item.nodeid.encode()) % 8:
            item.add_marker(pytest.mark.slow)
