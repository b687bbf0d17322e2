"""Access: how callers are identified, what they may do and how often, and from which origins."""
