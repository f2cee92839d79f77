"""Whole loops as one compiled function: analyse, emit, run.

A recording becomes a :class:`~grblas_gpu.backends.programs.lower.Body`. Its key finds the compiled function, or the
facts about its vectors (:class:`~.analyse.Analysis`) and the text make it.
"""
