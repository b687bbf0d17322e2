"""What the OpenAPI description says beyond the shapes of bodies: problems, events, headers, and an example of each."""
