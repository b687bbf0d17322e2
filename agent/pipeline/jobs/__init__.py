"""Questions that are answered in the background: kept in the state store, so that any process can tell of them."""
