"""Whole loops as one compiled function: analyse, emit, run.

A recording becomes a :class:`~grblas_gpu.backends.programs.lower.Body`, whose key finds the function; or makes it: what
holds of its vectors (:class:`~.analyse.Analysis`), and the text.
"""
