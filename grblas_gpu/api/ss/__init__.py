"""``v.ss`` and ``A.ss``: what python-graphblas offers of SuiteSparse, for every engine.

Everything here is array code over the entries; ``lines.py`` has the form that the others share.
"""

from .matrix import MatrixStorage
from .vector import VectorStorage

__all__ = ["MatrixStorage", "VectorStorage"]
