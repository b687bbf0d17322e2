"""Changes of rows: requested, planned by a dry run, confirmed, made."""
