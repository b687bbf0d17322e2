"""The shapes of request and response bodies, and of streamed events."""
