"""Ambiguous questions: detected before any SQL is written, and asked back with real choices."""
