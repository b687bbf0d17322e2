"""One package per engine: its dialect's row, its grammar, its executor; and what servers share, and files."""
