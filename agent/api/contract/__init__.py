"""What the OpenAPI description adds to the schemas of bodies: problems, events, headers, and examples."""
