"""Claims in words: negations, quantifiers, superlatives, comparisons, changes, and unlisted words."""
