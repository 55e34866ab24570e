"""Make releases: cut a version, build what is published, list the licences of what servers install."""
