"""Conversations: the messages of one principal and the service about one database."""
