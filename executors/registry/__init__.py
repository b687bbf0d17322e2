"""The registry of databases: their names, where they are, and how they are opened."""
