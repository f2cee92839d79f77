"""Expressions are computed by explicit calls only: automatic computing is off in these tests."""

from collections.abc import Iterator

import pytest

from grblas_gpu import config


@pytest.fixture(autouse=True)
def nothing_computes_itself() -> Iterator[None]:
    with config.set(autocompute=False):
        yield
