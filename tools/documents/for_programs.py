"""Write the pages of the JSON interface from its OpenAPI document: one for each kind of thing, one of all fields."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from tempfile import TemporaryDirectory
from typing import Any

from referee import create_app
from referee.web.server.database import db
from tools.documents.examples import with_curl, with_python

METHODS = ("get", "post", "put", "patch", "delete")
FIELDS = "fields"
Document = Mapping[str, Any]


def operations(document: Document) -> Iterator[tuple[str, Document]]:
    """Give every operation as its method and path, and what is said of it."""
    for path, of_path in document["paths"].items():
        yield from ((f"{method.upper()} {path}", of_path[method]) for method in METHODS if method in of_path)


def pages(document: Document) -> dict[str, str]:
    """Write all pages, by their names."""
    tags = dict.fromkeys(operation["tags"][0] for _, operation in operations(document))
    return {tag: _page(tag, document) for tag in tags} | {FIELDS: _fields(document)}


def title(name: str) -> str:
    """Call a page by what it is about."""
    return name.replace("_", " ").capitalize()


def _page(tag: str, document: Document) -> str:
    own = [(name, operation) for name, operation in operations(document) if operation["tags"][0] == tag]
    begin = f"# {title(tag)}\n\nAddresses begin with `/api/v1`. Words in capitals are yours to fill in.\n"
    return begin + "".join(_section(name, operation) for name, operation in own)


def _section(name: str, operation: Document) -> str:
    lines = [f"\n## {operation['summary']}\n", f"`{name}`", ""]
    lines.append("Needs a key of the club." if operation.get("security") else "Needs no key.")
    for one in operation.get("parameters", ()):
        needed = "" if one.get("required") else ", optional"
        told = f": {one['description']}" if one.get("description") else ""
        lines.append(f"\n- `{one['name']}` ({one['in']}, {_type(one.get('schema', {}))}{needed}){told}")
    if body := _schema(operation.get("requestBody", {})):
        lines.append(f"\nTakes {_type(body)}.")
    answers = operation["responses"]
    good = [(status, _schema(answer)) for status, answer in answers.items() if status < "300"]
    lines += [f"\nAnswers {status}{f' with {_type(schema)}' if schema else ''}." for status, schema in good]
    lines += ["", "| otherwise | because |", "| --- | --- |"]
    lines += [f"| {status} | {answer['description']} |" for status, answer in answers.items() if status >= "300"]
    lines += ["", "```sh", with_curl(name, operation), "```", "", "```python", with_python(name, operation), "```", ""]
    return "\n".join(lines)


def _schema(told: Document) -> Document:
    content: Mapping[str, Document] = told.get("content", {})
    return dict(next(iter(content.values()))["schema"]) if content else {}


def _fields(document: Document) -> str:
    lines = ["# All fields", "", "What requests and answers are made of."]
    for name, schema in document["components"]["schemas"].items():
        lines += [f"\n## {name}\n", *([f"{schema['description']}\n"] if "description" in schema else [])]
        if "properties" not in schema:
            lines.append(_type(schema))
            continue
        lines += ["| field | type | |", "| --- | --- | --- |"]
        for field, told in schema["properties"].items():
            needed = "needed" if field in schema.get("required", ()) else ""
            said = " ".join(told.get("description", "").split()).replace("|", "\\|")
            lines.append(f"| `{field}` | {_type(told)} | {'; '.join(filter(None, (needed, said)))} |")
    return "\n".join(lines) + "\n"


def _type(schema: Document) -> str:
    """Say what a value is, in a few words, with a link to what has a name."""
    if name := schema.get("$ref", "").rpartition("/")[2]:
        return f"[{name}]({FIELDS}.md#{name.lower()})"
    for together in ("anyOf", "oneOf", "allOf"):
        if together in schema:
            return " or ".join(dict.fromkeys(_type(one) for one in schema[together]))
    if "enum" in schema:
        return ", ".join(f"`{one}`" for one in schema["enum"])
    if "const" in schema:
        return f"`{schema['const']}`"
    if schema.get("type") == "array":
        return f"a list of {_type(schema.get('items', {}))}"
    if schema.get("type") == "object" and isinstance(schema.get("additionalProperties"), Mapping):
        return f"{_type(schema['additionalProperties'])} by name"
    kind = schema.get("type", "anything")
    return " or ".join(kind) if isinstance(kind, list) else str(kind)


def written() -> dict[str, str]:
    """Write the pages of this program's own interface."""
    with TemporaryDirectory() as folder:
        app = create_app({"INSTANCE": folder, "SQLALCHEMY_DATABASE_URI": f"sqlite:///{folder}/referee.db"})
        document = app.test_client().get("/api/v1/openapi.json").get_json()
        with app.app_context():
            db.engine.dispose()
    return pages(document)
