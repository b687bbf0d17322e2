"""Documents, and the readers that make them of files."""
