"""Whole loops as one kernel: lower, analyse, schedule, emit, run."""
