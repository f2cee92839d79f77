"""The CUDA engine: kernels in CUDA C++, compiled through CuPy when first used."""
