"""Seeing what happens: records of operations, their table and their plot."""
