"""The pages about the app itself: help, about, privacy."""
