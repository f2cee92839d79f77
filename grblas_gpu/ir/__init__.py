"""Operations as data: a closed set of ops, nodes, programs, and their text."""
