"""Support of a number: a cell, an aggregate, all records behind the result."""
