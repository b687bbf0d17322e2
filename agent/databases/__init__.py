"""Async access to the databases of the registry, and the supporting rows of an answer."""
