"""Stores: vectors and matrices as arrays, their forms, and entries in which definitions are written."""
