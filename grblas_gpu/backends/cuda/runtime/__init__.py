"""Memory, compilation, launches and counters of a CUDA device."""
