"""Fitting the confidence to questions with known answers."""
