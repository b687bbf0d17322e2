"""Row-level security: which rows of a table a principal may see."""
