"""The distributed engine, over the ranks of an MPI job: each rank computes with a local engine."""
