"""What the ranks of a job run for tests/mpi: cases of ``distributed_program`` on the CUDA engine, which is emulated."""

from __future__ import annotations

import device_arrays
import emulated_cupy
import pytest
from emulated_engine import loaded

emulated_cupy.module = lambda runs=True: device_arrays.module()
with pytest.MonkeyPatch.context() as patch, loaded("emulated", patch, "engine") as found:
    from grblas_gpu.backends import registry

    registry._engines["cuda"] = found.engine.CudaBackend()
    import distributed_program

    distributed_program.main()
