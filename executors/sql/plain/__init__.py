"""What the engines' grammars share: a dialect that is read and written plainly, changing nothing on the way."""
