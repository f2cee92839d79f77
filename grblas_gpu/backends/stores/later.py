"""A value that a device is still computing: the first read waits for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...foundation.types import Value


class Later:
    """A number of this type; ``read()``, which an engine defines, waits for it. Every read returns the same."""

    __slots__ = ("dtype",)

    def __init__(self, dtype: np.dtype) -> None:
        self.dtype = dtype

    if TYPE_CHECKING:

        def read(self) -> Value: ...
