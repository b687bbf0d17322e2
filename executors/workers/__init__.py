"""Worker processes for work that must not harm this process; they can be ended."""
