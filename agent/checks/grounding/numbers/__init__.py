"""Numbers and dates as people write them, in figures and in words, and the display of values."""
