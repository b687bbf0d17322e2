"""Fuzzing: cases from Hypothesis and from atheris, checked against properties that must always hold. See
`fuzz/__main__.py`.
"""
