"""Work that may not harm this process: it is done in others, which can be ended."""
