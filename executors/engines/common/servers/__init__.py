"""Database servers: their drivers, catalogues and errors."""
