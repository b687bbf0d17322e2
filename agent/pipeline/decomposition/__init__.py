"""A question that needs several queries: planned, each part answered by itself, and joined in one answer."""
