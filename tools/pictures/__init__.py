"""Pictures of the pages, for the help, the README and whoever works on them; the icons and the display face."""
