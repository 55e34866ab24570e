"""Serve CSS, scripts and pictures under addresses that change with their content, and compress what is text.

One digest of the whole folder stands in the address (``/static/3f2a…/css/base.css``), so that ES modules and style
sheets may name each other by relative paths. An address with an older digest, from a page that was open during an
update, returns the current file, which the browser then doesn't cache. What scripts say is made from its catalogue: a
module for each language. So do the addresses of all else that a phone takes along change, with what that is made from.
"""

import gzip
import hashlib
import io
import json
import secrets
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import rcssmin
import rjsmin
from flask import Flask, Response, abort, current_app, request, url_for

from referee.paths import PACKAGE, STATIC, TEMPLATES
from referee.records.match.seating import Seated
from referee.records.models import Match
from referee.rules.scoring.terms import Terms
from referee.rules.text.words import FOLDER, language, languages, speaking
from referee.web.words import PHONE

YEAR = 365 * 24 * 3600
LONGEST_NAME = 32
KINDS = {
    ".css": "text/css",
    ".ico": "image/x-icon",
    ".js": "text/javascript",  # said here because some systems register another kind for it
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain",
    ".woff2": "font/woff2",
    ".webmanifest": "application/manifest+json",
    ".webp": "image/webp",
}

MINIFIERS: dict[str, Callable[[str], str]] = {".css": rcssmin.cssmin, ".js": rjsmin.jsmin}


WORDS = {f"js/words/{code}.js": code for code, one in languages().items() if one.spoken}
"""Languages by the module of what scripts say in them."""


def files_in(folder: Path) -> dict[str, Path]:
    """Return the files under a folder by relative path, with slashes; only these and `WORDS` are ever served."""
    files = {file.relative_to(folder).as_posix(): file for file in sorted(folder.rglob("*")) if file.is_file()}
    return {name: file for name, file in files.items() if name not in WORDS}  # the linters have them written


def digest_of(folder: Path) -> str:
    """Return twelve hexadecimal digits that change when any file under ``folder`` does, or what scripts say."""
    digest = hashlib.sha256()
    for name, file in files_in(folder).items():
        digest.update(hashlib.sha256(name.encode()).digest() + hashlib.sha256(file.read_bytes()).digest())
    for code in WORDS.values():
        digest.update(words_of(code))
    return digest.hexdigest()[:12]


def words_of(code: str) -> bytes:
    """Return a module with the sentences of scripts in a language; those without a translation are in English."""
    with speaking(code):
        sentences = {key.removeprefix("phone."): text for key, text in PHONE.sentences.items()}
    return f"export default /** @type {{const}} */ ({json.dumps(sentences, ensure_ascii=False)});\n".encode()


FILES = files_in(STATIC)
VERSION = digest_of(STATIC)
"""Digest in the addresses, taken at the start: files that an update puts in their place belong to another program."""


def init_app(app: Flask) -> None:
    """Serve static files, and compress text responses."""
    app.add_url_rule("/static/<string(length=12):version>/<path:filename>", "static", serve)
    app.add_url_rule("/static/<path:filename>", "static", serve)
    app.jinja_env.globals["static"] = address_of
    app.after_request(compress)


def address_of(filename: str) -> str:
    """Return the address of a file, for templates as ``static("css/base.css")``."""
    return f"{request.script_root}/static/{VERSION}/{filename}"


def serve(filename: str, version: str = "") -> Response:
    """Return a file; 404."""
    code = WORDS.get(filename)
    content = words_of(code) if code else content_of(FILES.get(filename) or abort(404))
    if version == VERSION and not current_app.debug:  # who edits a file wants to see it
        response = lasting(content, content_type(filename))
    else:
        response = Response(content, content_type=content_type(filename))
        response.cache_control.no_cache = True
    response.set_etag(VERSION)
    response.make_conditional(request)
    return response


def lasting(body: bytes, kind: str, *, public: bool = True) -> Response:
    """Return an answer whose address changes with its content."""
    response: Response = current_app.response_class(body, content_type=kind)
    setattr(response.cache_control, "public" if public else "private", True)
    response.cache_control.max_age = YEAR
    response.cache_control.immutable = True
    return response


def content_of(file: Path) -> bytes:
    """Return the content of a file as it is sent: scripts and styles without comments, a third of their bytes."""
    minify = MINIFIERS.get(file.suffix)
    return minify(file.read_text("utf-8")).encode() if minify else file.read_bytes()


def content_type(filename: str) -> str:
    """Return the `Content-Type` of a file."""
    kind = KINDS.get(Path(filename).suffix, "application/octet-stream")
    return f"{kind}; charset=utf-8" if kind.startswith("text/") else kind


def compress(response: Response) -> Response:
    """Compress a text response with gzip if the client accepts it; its ETag stays that of the content."""
    sent_whole = not (response.is_streamed or response.direct_passthrough)  # waitress knows the length of a file
    kind = response.mimetype or ""
    is_text = kind.startswith("text/") or kind.endswith(("json", "javascript", "xml"))
    if not (sent_whole and is_text) or "Content-Encoding" in response.headers:
        return response
    plain = response.get_data()
    if len(plain) < 500:  # compression would save nothing
        return response
    response.vary.add("Accept-Encoding")
    if request.accept_encodings.quality("gzip") > 0:
        # a file name of random length: the size tells nothing of the token in a page (BREACH)
        name, level = ("", 9) if request.endpoint == "static" else ("-" * secrets.randbelow(LONGEST_NAME), 6)
        packed = io.BytesIO()
        with gzip.GzipFile(name, "wb", level, packed, mtime=0) as file:
            file.write(plain)
        response.set_data(packed.getvalue())
        response.headers["Content-Encoding"] = "gzip"
    return response


WEB = PACKAGE / "web"
SOURCES = (PACKAGE / "rules", FOLDER, TEMPLATES, WEB / "rules", WEB / "offline")
MADE_FROM = (".py", ".toml", ".json", ".html")
"""Endings of the files that documents are made from: those of the rules and templates, and what writes them."""


def digest_of_files(sources: Iterable[Path]) -> str:
    """Return the digest of files and folders; writing the documents themselves would take seconds."""
    digest = hashlib.sha256()
    for source in sources:
        for file in sorted(source.rglob("*")) if source.is_dir() else (source,):
            if file.suffix in MADE_FROM:
                digest.update(f"{file.name} ".encode() + hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:12]


DOCUMENTS = digest_of_files(SOURCES)
"""Digest of all documents, taken at the start: files that an update puts in their place belong to another program."""


def version() -> str:
    """Return what the documents' addresses change with: the files they are made from, and the language spoken."""
    return f"{DOCUMENTS}{language().code}"


def address_of_rules(match: Match, terms: Terms, seats: Sequence[Seated]) -> str:
    """Return the address of the rules of a match, for those who sit there."""
    return url_for("offline.match_rules", match_id=match.id, digest=digest_at_table(terms, seats))


def digest_at_table(terms: Terms, seats: Sequence[Seated]) -> str:
    """Return the digest of the hearings at one table: its rules and deck, the chairs taken, this version."""
    taken = hashlib.sha256(",".join([terms.deck, *(str(seat.seat) for seat in seats)]).encode()).hexdigest()
    return terms.rulebook.digest[:12] + taken[:8] + version()
