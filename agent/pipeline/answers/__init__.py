"""The end of a question: the sentence and the response."""
