"""Conversations: messages that lean on earlier ones, and sessions as the chat routes show them."""
