"""The shared base of the engines' grammars, which parse and generate SQL without changing it."""
