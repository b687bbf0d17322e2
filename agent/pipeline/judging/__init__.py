"""Judges whether a result answers the question, and runs side tasks next to the judge."""
