"""What a dialect's row holds, and the table of them."""
