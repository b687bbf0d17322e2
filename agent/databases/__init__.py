"""The databases of the registry for code that awaits, and the supporting rows of an answer."""
