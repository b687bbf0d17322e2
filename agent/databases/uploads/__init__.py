"""Uploads: data that callers send while the service runs, visible to their owner only."""
