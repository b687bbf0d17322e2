"""What the executors of local files share."""
