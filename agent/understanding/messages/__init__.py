"""What kind of message a text is, and the replies that need no query."""
