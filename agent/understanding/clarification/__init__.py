"""Questions that can be read in several ways: found before any SQL is written, and asked back with real choices."""
