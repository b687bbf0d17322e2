"""A change of rows: asked for, planned by a dry run, confirmed, made."""
