"""Evaluation: questions with known answers are asked, scored and counted."""
