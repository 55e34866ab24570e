"""The hands that players enter on their own phones."""
