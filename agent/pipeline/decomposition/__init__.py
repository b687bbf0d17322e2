"""Questions that need several queries: planned, answered part by part, and joined in one answer."""
