"""Claims that are made in words: denials, quantifiers, superlatives, comparisons, changes, and words nobody checked."""
