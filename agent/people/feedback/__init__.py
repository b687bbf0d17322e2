"""Reviews, feedback and saved queries: what users report about answers, and what they store."""
