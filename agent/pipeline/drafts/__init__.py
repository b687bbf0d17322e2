"""Draft queries: generated, reused, planned, and grouped by their rows."""
