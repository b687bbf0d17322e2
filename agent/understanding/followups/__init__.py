"""Messages that lean on earlier ones, rewritten into questions that can be understood alone."""
