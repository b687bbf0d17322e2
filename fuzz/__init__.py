"""Fuzzing: cases from Hypothesis and from atheris, held against what must never happen. See `fuzz/__main__.py`."""
