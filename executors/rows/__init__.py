"""A module per dialect, with its row of the table in `executors.dialects`."""
