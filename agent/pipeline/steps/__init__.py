"""The single steps of a question. None of them knows of the rounds that call it."""
