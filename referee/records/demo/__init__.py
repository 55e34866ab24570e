"""A demo table: made-up matches that fills every page, in a club that ends by itself."""
