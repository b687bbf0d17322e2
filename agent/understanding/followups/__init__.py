"""Follow-ups, rewritten into questions that can be understood alone."""
