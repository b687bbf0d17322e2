"""Draft queries: generated, reused, planned, and grouped by the rows they give."""
