"""What kind of question it is, decided before any SQL is written, and the replies that need none."""
