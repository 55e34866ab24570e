"""What people read and write: sentences by key, problems field by field, and checks of any text."""
