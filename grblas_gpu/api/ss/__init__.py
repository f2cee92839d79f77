"""``v.ss`` and ``A.ss``: the SuiteSparse interface of python-graphblas, for every engine.

All modules are array code over the entries; ``lines.py`` has their common representation.
"""

from .matrix import MatrixStorage
from .vector import VectorStorage

__all__ = ["MatrixStorage", "VectorStorage"]
