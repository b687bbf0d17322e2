"""What the HTTP interface is made of."""
