"""Whole loops as one kernel: lower, analyse, schedule, emit, run.

A recording becomes a :class:`~.lower.Body`, whose key finds the program; or makes it: what holds of its vectors
(:class:`~.analyse.Analysis`), the order of passes and grid barriers (:class:`~.schedule.Schedule`), and the text.
"""
