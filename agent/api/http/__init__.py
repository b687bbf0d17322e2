"""What all routes share: authentication, errors, streams, versions."""
