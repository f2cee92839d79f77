"""Runs nodes: operands, operations, products and the write of a result, on any engine."""
