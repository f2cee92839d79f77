"""How fast this is, against what, and why: ``python -m benchmarks NAME``, from the root of the repository.

``cases.toml`` and ``cases_*.py`` are the table of what is measured, the harness is ``grblas_gpu.bench``, ``papers/``
has a script for each paper, and ``docs/pages.py`` makes pages of the documentation from ``results/``.
"""
