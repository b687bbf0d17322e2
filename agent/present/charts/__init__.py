"""Charts: whether one says more than the rows, which, and its Vega-Lite specification."""
