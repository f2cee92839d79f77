"""Programs written for python-graphblas run on this library."""
