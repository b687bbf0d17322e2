"""Documents, and the readers that create them from files."""
