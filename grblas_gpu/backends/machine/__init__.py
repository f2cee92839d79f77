"""What depends on the machine: free memory, measured constants, compiled kernels on disk."""
