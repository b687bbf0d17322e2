"""The sentence against its question: what it omits, exchanges or swaps, and what it says is counted."""
