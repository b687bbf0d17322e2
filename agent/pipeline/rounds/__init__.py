"""The rounds of a question: what they share, and how their drafts are voted on or reused."""
