"""Batches of sampled neighbourhoods, to train graph neural networks: the arguments and fields of PyG's NeighborLoader.

No other library is needed: arrays are NumPy's, or CuPy's on backend "cuda", unless ``convert`` makes tensors of them.

>>> import numpy as np
>>> from grblas_gpu import generators, sampling
>>> A = generators.complete(9)
>>> loader = sampling.NeighborLoader(A, [3, 2], batch_size=4, y=np.arange(9) % 2)
>>> [batch.y.tolist() == (batch.n_id % 2).tolist() for batch in loader]
[True, True, True]
"""

from ..foundation.suggestions import public_only as _public_only
from .loader import Batch as Batch, NeighborLoader as NeighborLoader

_public_only(globals())
