"""Programs in plain terms, for engines that run whole loops: the parts of a body, and the requests of its steps."""
