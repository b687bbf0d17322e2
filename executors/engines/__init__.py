"""One package per engine with its dialect, grammar and executor, and packages with code for all servers or files."""
