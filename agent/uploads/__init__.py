"""Data that callers bring while the service runs: taken, kept, shown to who brought it, and removed again."""
