"""Questions answered in the background, stored so that any process can report on them."""
