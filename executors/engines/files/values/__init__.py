"""Numbers, money and dates as people write them, and the columns that hold them."""
