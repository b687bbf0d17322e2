"""The index: Chroma in a folder or on a server, its revisions and vectors."""
