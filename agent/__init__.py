"""The agent: a question comes in, a proved answer goes out."""

__version__ = "0.1.0"
