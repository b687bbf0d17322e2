"""The schemas of request and response bodies, and of streamed events."""
