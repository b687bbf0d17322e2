"""The last steps of a question: the sentence and the response."""
