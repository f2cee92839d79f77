"""An engine of engines, over the ranks of an MPI job."""
