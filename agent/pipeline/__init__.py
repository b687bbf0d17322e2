"""The path of a question: candidates, their evidence, and the choice."""
