"""The one door: whether a statement may run."""
