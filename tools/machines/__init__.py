"""Try what hosts do on machines made for it: the image, the compose file, and the guide's own words on a new machine.

Run ``python3 -m tools.machines``, as root or as a user who may run podman. It is no part of ``python3 run test``: it
downloads a Debian and the packages that servers need, takes minutes, and needs rights that few machines of CI give.
"""
