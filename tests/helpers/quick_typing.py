"""Numba's type inference with a memory, for the quick tests: they compile thousands of kernels from an empty cache.

For every ``+`` and ``[]`` Numba tries all definitions of the operator, dozens of them, although the same types were
there a line before; that is a sixth of the time to compile a kernel. What it found for some types stays right.
"""

from __future__ import annotations

import operator
from typing import Any

OPERATORS = {each for each in vars(operator).values() if callable(each)}


def install() -> None:
    from numba.core.types.functions import BaseFunction

    resolve = BaseFunction.get_call_type
    found: dict[Any, Any] = {}

    def get_call_type(self: Any, context: Any, args: Any, kws: Any) -> Any:
        if kws or self.typing_key not in OPERATORS:
            return resolve(self, context, args, kws)
        key = (self, args)
        signature = found.get(key)
        if signature is None:
            signature = found[key] = resolve(self, context, args, kws)
        return signature

    BaseFunction.get_call_type = get_call_type
