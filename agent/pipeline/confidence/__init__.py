"""Confidence: the calibrated probability that an answer's rows are right."""
