"""The club of the JSON interface's tests, for those of pages too."""

from tests.web.api.conftest import club, new_club, other_club

__all__ = ["club", "new_club", "other_club"]
