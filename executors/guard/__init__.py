"""The guard: decides whether a statement may run."""
