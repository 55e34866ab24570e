"""Refuse what is too large before anything reads it: addresses and headers, bodies, forms of too many fields.

The JSON interface says its maxima in its schemas (`referee.web.api.endpoint`), the forms in their fields.
"""

from flask import Flask, current_app, request
from werkzeug.exceptions import RequestEntityTooLarge, RequestHeaderFieldsTooLarge, RequestURITooLarge

from referee.web.words import say

LONGEST_PATH = 2_000
LONGEST_QUERY = 16_000
"""Bytes of an address behind its question mark: a whole hand, a few times over."""
MOST_PARAMETERS = 200
LARGEST_HEADERS = 32_000
"""Bytes of all headers together; a cookie with the keys of eight clubs takes 1,500."""
UNKEYED_JSON = 65_536
"""Bytes of a JSON body that nobody needs a key to send."""
MOST_FIELDS = 1_000
"""Fields of a form, as Werkzeug counts the parts of an upload."""
LARGER: dict[str, str | int] = {
    "api.transfer_import_document": "MAX_IMPORT_LENGTH",
    "transfer.import_file": "MAX_IMPORT_LENGTH",
    "transfer.paper": 1_000_000,
}
"""Endpoints that take more than `MAX_CONTENT_LENGTH`: so many bytes, or as many as the setting of that name says."""
FORM = "application/x-www-form-urlencoded"


def init_app(app: Flask) -> None:
    """Check the size of every request before anything of it is read."""
    app.url_value_preprocessor(_measure)
    app.before_request(_count_fields)


def _longest_body() -> int:
    endpoint = request.endpoint or ""
    longest = LARGER.get(endpoint, "MAX_CONTENT_LENGTH")
    longest = longest if isinstance(longest, int) else int(current_app.config[longest])
    unkeyed = getattr(current_app.view_functions.get(endpoint), "unkeyed", False)
    return min(UNKEYED_JSON, longest) if unkeyed and endpoint not in LARGER else longest


def _measure(_endpoint: str | None, _values: object) -> None:
    """Refuse an address, headers, or a body by the length it names; one in chunks is cut off where it gets too long."""
    heads = {name: value for name, value in request.environ.items() if name.startswith("HTTP_")}
    for name, value in heads.items():
        # such a list is sorted at each look; whoever sends a book of it is taken for one that sends none
        if name.startswith("HTTP_ACCEPT") and len(value) > 1_000:  # a browser sends 200
            request.environ[name] = "*/*" if name == "HTTP_ACCEPT" else ""
    query = request.query_string
    if len(request.path) > LONGEST_PATH or len(query) > LONGEST_QUERY or query.count(b"&") >= MOST_PARAMETERS:
        raise RequestURITooLarge(say("failure.long-address"))
    if sum(map(len, heads.values())) > LARGEST_HEADERS:
        raise RequestHeaderFieldsTooLarge(say("failure.large-headers", most=LARGEST_HEADERS))
    request.max_content_length = longest = _longest_body()
    if request.content_length is not None and request.content_length > longest:
        raise RequestEntityTooLarge(say("failure.large-body", most=longest))


def _count_fields() -> None:
    """Refuse a form of too many fields unparsed; of an upload Werkzeug counts the parts."""
    if request.mimetype == FORM and request.get_data(parse_form_data=False).count(b"&") >= MOST_FIELDS:
        raise RequestEntityTooLarge(say("failure.many-fields", most=MOST_FIELDS))
