"""What a model is shown: templates, context, fences around data, and the search for leaks in what it says."""
