"""Code that the executors of local files share."""
