"""Charts: whether one helps, which one, and its Vega-Lite specification."""
