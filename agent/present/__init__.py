"""How values are shown: the same in the sentence, in the terminal and on the page."""
