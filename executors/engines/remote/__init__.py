"""A database of another deployment, queried over HTTP."""
