"""A demo table: a made-up season that fills every page, in a club that ends by itself."""
