"""How fast this is, against what, and why. The folder installs as ``grblas_gpu.benchmarks``.

``grblas-gpu bench`` (or ``python -m benchmarks``) compares libraries; ``grblas-gpu bench 004.table2`` (or
``python -m benchmarks.papers 004.table2``) repeats an experiment of a paper; ``overhead.py``, ``first_use.py`` and
``io.py`` measure calls on tiny graphs, the first call of a process, and data on their way in and out.
"""
