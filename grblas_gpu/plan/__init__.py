"""Which strategy, and why: pure functions of facts."""
