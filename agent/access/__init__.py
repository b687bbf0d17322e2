"""Who may ask what: how callers are known, how much they may ask, and from which pages."""
