"""How values are shown to people, alike in the sentence, in the terminal and on the page."""
