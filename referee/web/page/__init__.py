"""What the pages of all rooms share: their frame, form fields, charts."""
