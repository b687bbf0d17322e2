"""Worker processes for work that must not harm this process. They can be terminated."""
