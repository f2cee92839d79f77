"""The program of the ranks in tests/mpi on the emulated CUDA engine: cases of ``distributed_program``."""

import device_arrays
import emulated_cupy
import pytest
from emulated_engine import loaded

from grblas_gpu.backends import registry

emulated_cupy.module = lambda runs=True: device_arrays.module()
with pytest.MonkeyPatch.context() as patch, loaded("emulated", patch, "engine") as emulated:
    registry._engines["cuda"] = emulated.engine.CudaBackend()
    import distributed_program

    distributed_program.main()
