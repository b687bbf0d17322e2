"""Whether a result answers the question, and what runs beside the judge."""
