"""The registry of databases: which there are, where they are, and how they are opened."""
