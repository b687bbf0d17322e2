"""What one person and the service have said to each other about one database."""
