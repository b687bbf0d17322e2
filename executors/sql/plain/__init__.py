"""What the engines' grammars share: a dialect that parses and generates SQL without changing it."""
