"""Programs in plain terms, for engines that run whole loops: what a body is made of, and what its steps ask for."""
