"""One package per engine with its dialect, grammar and executor; and what servers and files share."""
