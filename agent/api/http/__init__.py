"""What all routes share: who calls, errors, streams, versions."""
