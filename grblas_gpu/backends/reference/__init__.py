"""Every operation as plain array code: the readable definition, and the tier that needs no compiler.

Right for small operands and rare combinations, and an independent check of the compiled kernels. Engines are composed
of :data:`DEFINITIONS` and of their kernels (``engine.py``).
"""

from __future__ import annotations

from ..engine import Engine
from .building import Building
from .elements import Elements
from .elementwise import Elementwise
from .extracting import Extracting
from .graphs import Graphs
from .operating import Operating
from .products import Asynchronous, Products
from .writing import Writing

__all__ = ["DEFINITIONS", "Definitions"]

DEFINITIONS = (Operating, Products, Asynchronous, Elementwise, Extracting, Building, Writing, Elements, Graphs)


class Definitions(Engine, definitions=DEFINITIONS):
    """All operations in NumPy, on vectors and CSR."""

    name = "numpy"
