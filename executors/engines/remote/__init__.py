"""A database of another deployment, asked over HTTP."""
