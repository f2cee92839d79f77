"""The public objects and the operations on them: they check arguments and create nodes."""
