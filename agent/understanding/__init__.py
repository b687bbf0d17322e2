"""The kind of a question, decided before any SQL is written, and the replies that need none."""
