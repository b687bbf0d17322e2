"""A small shop to try Plumbline on: `python -m samples.make_shop` makes it."""
