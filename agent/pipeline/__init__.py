"""The way of a question: candidates, what confirms them, and the choice."""
