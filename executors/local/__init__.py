"""What the executors of local files are made of."""
