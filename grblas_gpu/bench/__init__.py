"""What ``grblas-gpu bench`` runs: searches and betweenness by this library and by others, verified, timed, reported.

The benchmarks of the repository (``benchmarks/``, not installed) use the same graphs, contenders, checks and tables.
"""
