"""The harness of ``grblas-gpu bench``: verifies, times and reports searches and betweenness of several libraries.

The benchmarks of the repository (``benchmarks/``, not installed) use the same graphs, contenders, checks and tables.
"""
