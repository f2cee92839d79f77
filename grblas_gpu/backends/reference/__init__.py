"""Every operation as plain array code: the readable definition, and the tier that needs no compiler.

Right for small operands and rare combinations, and an independent check of the compiled kernels. An engine derives
from :class:`Definitions` and overrides what must be fast.
"""

from __future__ import annotations

from .asynchronous import Asynchronous
from .building import Building
from .elementwise import Elementwise
from .extracting import Extracting
from .graphs import Graphs
from .writing import Writing

__all__ = ["Definitions"]


class Definitions(Asynchronous, Elementwise, Extracting, Building, Writing, Graphs):
    """The whole Backend protocol in NumPy."""

    name = "numpy"
