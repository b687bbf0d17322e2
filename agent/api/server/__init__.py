"""The server process: uvicorn with limits, and its shutdown."""
