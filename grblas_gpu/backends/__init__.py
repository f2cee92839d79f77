"""The engines: one protocol, one set of stores, a folder for each."""
