"""Graph algorithms over the public GraphBLAS API, one file each.

The folder lies at the top of the repository and installs as ``grblas_gpu.algorithms``.
"""

from .bfs import bfs
from .dobfs import dobfs

__all__ = ["bfs", "dobfs"]
