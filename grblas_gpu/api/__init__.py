"""The objects and what one may write with them: they check, and make nodes."""
