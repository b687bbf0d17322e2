"""The process that serves: uvicorn with bounds, and its end."""
