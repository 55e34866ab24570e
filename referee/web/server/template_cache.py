"""Keep compiled templates beside the installation, so that a start does not compile them again."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from jinja2 import Environment
from jinja2.bccache import Bucket, FileSystemBytecodeCache

from referee.web.server.private_files import is_ours


class TemplateCache(FileSystemBytecodeCache):
    """Compiled templates in a folder that only its owner may enter; where it cannot be written, none are kept.

    A template that has changed is compiled again: jinja2 compares the text it was made from.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.directory = str(folder)
        self.pattern = "%s"

    def get_bucket(self, environment: Environment, name: str, filename: str | None, source: str) -> Bucket:
        """Give the place of a template's code, which depends on how blanks are trimmed too."""
        trimmed = f"{environment.trim_blocks}{environment.lstrip_blocks}{environment.optimized}"
        return super().get_bucket(environment, f"{name}|{trimmed}", filename, source)

    def load_bytecode(self, bucket: Bucket) -> None:
        """Fill a bucket, unless the folder belongs to somebody else, who could have put any code there."""
        if is_ours(self._folder):
            with suppress(Exception):  # a torn file is as good as none, and unpickling one may raise anything
                super().load_bytecode(bucket)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Write a bucket; a full disk or a folder that is read-only costs nothing but the compiling."""
        with suppress(OSError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if is_ours(self._folder):
                super().dump_bytecode(bucket)
