"""Catalogue and code fit: each sentence asked for is there with its places, each one there is used, and is plain."""

import ast
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Any

import pytest
from jinja2 import Environment, nodes
from markupsafe import Markup

from referee.paths import CHECKOUT, PACKAGE, TEMPLATES
from referee.records import words as records
from referee.rules.disputes import DISPUTES
from referee.rules.text import words as rules
from referee.rules.text.words import Catalogue
from referee.web import words as web

CATALOGUES = {"rules": rules.CATALOGUE, "records": records.CATALOGUE, "web": web.CATALOGUE}
OF_RULINGS = {"orders", "verdicts", "open", *(dispute.id for dispute in DISPUTES)}
"""Tables that `tests.rules.test_rulings_hold` hears said."""
OURS = re.compile(
    r"\b(taken along|telling|wording|voids?|kept|somebody|whoever|meanwhile|on record|brought in|bring in|stands? here|"
    r"cannot|(?<!there )is no|are the most|there are none|(is|are) not said|does not say|made one|lies)\b",
    re.IGNORECASE,
)
"""Words that are nobody's but ours, where a standard one exists."""
ABROAD = re.compile(
    r"\b(lay(s|ing)?|laid|somebody|anybody|colour\w*|favourite\w*|honour\w*|centre\w*|grey|whilst|towards|way round|"
    r"per cent|cancelled|travell\w+|(organ|recogn|real|summar|minim|maxim|normal)is(e|ed|es|ing|ation))\b",
    re.IGNORECASE,
)
"""British forms, and a card that is laid: in American English it is played."""
NOT_OURS = ("quote", "cite", "url", "found-by")
"""What others wrote, and what people type."""


@dataclass
class Asked:
    """What a layer asks of its catalogue."""

    texts: set[str] = field(default_factory=set)
    """every string of the layer; its keys are among them"""
    patterns: set[str] = field(default_factory=set)
    """strings with parts that are filled in, such as ``not-found.{kind}``, as regular expressions"""
    calls: list[tuple[str, str, set[str]]] = field(default_factory=list)
    """where a sentence is said, its key, and the places given; none for places that are not written out"""

    def pattern(self, parts: Iterator[Any]) -> None:
        """Note a string of constants and of others."""
        self.patterns.add("".join(".+" if part is None else re.escape(str(part)) for part in parts))


@cache
def code_of(file: Path) -> ast.Module:
    return ast.parse(file.read_text("utf-8"))


@cache
def template_of(file: Path) -> nodes.Template:
    return Environment(autoescape=True).parse(file.read_text("utf-8"))


def _code(asked: Asked, file: Path) -> None:
    for node in ast.walk(code_of(file)):
        match node:
            case ast.Constant(value=str(text)):
                asked.texts.add(text)
            case ast.JoinedStr(values=parts):
                asked.pattern(
                    getattr(part, "value", None) if isinstance(part, ast.Constant) else None for part in parts
                )
            case (
                ast.Call(func=ast.Name(id="say"), args=[key, *_], keywords=given)
                | ast.Call(func=ast.Attribute(attr="need"), args=[_, _, key], keywords=given)
            ):
                places = set() if None in {place.arg for place in given} else {str(place.arg) for place in given}
                choices = (key.body, key.orelse) if isinstance(key, ast.IfExp) else (key,)
                keys = [str(choice.value) for choice in choices if isinstance(choice, ast.Constant)]
                asked.calls += [(f"{file.name}:{node.lineno}", text, places) for text in keys]


def _template(asked: Asked, file: Path) -> None:
    tree = template_of(file)
    asked.texts |= {node.value for node in tree.find_all(nodes.Const) if isinstance(node.value, str)}
    for joined in tree.find_all(nodes.Concat):
        asked.pattern(part.value if isinstance(part, nodes.Const) else None for part in joined.nodes)
    for call in tree.find_all(nodes.Call):
        if isinstance(call.node, nodes.Name) and call.node.name == "say":
            places = {place.key for place in call.kwargs}
            choices = (
                (call.args[0].expr1, call.args[0].expr2) if isinstance(call.args[0], nodes.CondExpr) else call.args
            )
            keys = [str(choice.value) for choice in choices if isinstance(choice, nodes.Const)]
            asked.calls += [(f"{file.name}:{call.lineno}", text, places) for text in keys]


@cache
def asked(layer: str) -> Asked:
    found = Asked()
    for file in (PACKAGE / layer).rglob("*.py"):
        _code(found, file)
    for file in TEMPLATES.rglob("*.html") if layer == "web" else ():
        _template(found, file)
    found.patterns = {pattern for pattern in found.patterns if re.match(r"[a-z\\-]+\\\.", pattern)}
    return found


def own(layer: str) -> dict[str, str]:
    return {key: text for key, text in CATALOGUES[layer].sentences.items() if key.split(".")[0] not in OF_RULINGS}


def places_of(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


@pytest.mark.parametrize("layer", CATALOGUES)
def test_each_sentence_asked_for_is_there_with_its_places(layer: str) -> None:
    sentences = own(layer)
    wrong = [f"{where}: there is no {key}" for where, key, _ in asked(layer).calls if key not in sentences]
    for where, key, given in asked(layer).calls:
        wanted = places_of(sentences.get(key, "")) | places_of(sentences.get(f"{key}.one", ""))
        wrong += [f"{where}: {key} lacks the place {place}" for place in sorted(wanted - given) if given]
    tables = {key.split(".")[0] for key in sentences}
    alike = {text for text in asked(layer).texts if re.fullmatch(r"[a-z-]+\.[a-z0-9-]*[a-z0-9]", text)} - {"phone.toml"}
    wrong += [f"there is no {text}" for text in alike - sentences.keys() if text.split(".")[0] in tables]
    assert wrong == []


def is_named(layer: str, key: str) -> bool:
    """Tell whether a key that `said` looks up stands in the layer, or its beginning; true for all other keys."""
    if layer != "rules" or key.split(".")[0] not in ("problems", "values"):
        return True
    parts = key.split(".", 1)[1].split("-")
    return any("-".join(parts[:end]) in asked(layer).texts for end in range(1, len(parts) + 1))


@pytest.mark.parametrize("layer", CATALOGUES)
def test_each_sentence_there_is_asked_for(layer: str) -> None:
    patterns = re.compile("|".join(asked(layer).patterns) or "(?!)")
    used = {key for key in own(layer) if key in asked(layer).texts}
    used |= {key for key in own(layer) if patterns.fullmatch(key) and is_named(layer, key)}
    assert sorted(key for key in own(layer).keys() - used if key.rpartition(".")[0] not in used) == []


SPOKEN = {"Problem", "UnknownCard", "WrongValue"} | {"Conflict", "Gone", "Stale", "Busy"}
SPOKEN |= {"BadRequest", "Forbidden", "ClickException"}
"""What is raised with a message for people."""


@pytest.mark.parametrize("layer", CATALOGUES)
def test_no_error_has_a_sentence_of_its_own(layer: str) -> None:
    found = []
    for file in (PACKAGE / layer).rglob("*.py"):
        for node in ast.walk(code_of(file)):
            if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in SPOKEN and node.args:
                message = node.args[-1]
                if isinstance(message, ast.JoinedStr | ast.Constant) and " " in ast.unparse(message):
                    found.append(f"{file.name}:{node.lineno}: {ast.unparse(message)}")
    assert found == []


def test_what_cannot_be_found_is_called_by_a_name_in_the_catalogue() -> None:
    code = "\n".join(file.read_text("utf-8") for file in PACKAGE.rglob("*.py"))
    kinds = {f"not-found.{kind.replace(' ', '-')}" for kind in re.findall(r'NotFound\("([^"]+)"\)', code)}
    assert kinds == {key for key in own("records") if key.startswith("not-found.")}


@pytest.mark.parametrize("layer", CATALOGUES)
def test_sentences_use_standard_words(layer: str) -> None:
    said = {key: text for key, text in own(layer).items() if not key.startswith("facts.draft.")}  # a card is kept there
    assert {key: text for key, text in said.items() if OURS.search(text)} == {}


def prose(said: object, key: str = "") -> Iterator[str]:
    """Yield the texts of a file that people read."""
    if isinstance(said, dict):
        for name, inside in said.items():
            yield from prose(inside, name)
    elif isinstance(said, list):
        for inside in said:
            yield from prose(inside, key)
    elif isinstance(said, str) and key not in NOT_OURS:
        yield said


def test_what_people_read_is_american_and_cards_are_played() -> None:
    files = [PACKAGE / "rules" / name for name in ("words.toml", "setting_words.toml")]
    files += [PACKAGE / "records" / "words.toml", PACKAGE / "web" / "words.toml", PACKAGE / "web" / "phone.toml"]
    for folder in ("rulebooks", "house_rules", "decks"):
        files += (PACKAGE / "rules" / folder).glob("*.toml")
    texts = [text for file in files for text in prose(tomllib.loads(file.read_text("utf-8")))]
    for page in (CHECKOUT / "docs" / "pages").rglob("*.md"):
        texts += re.sub(r"`[^`]*`", "", page.read_text("utf-8")).splitlines()
    assert len(texts) > 8000
    assert [text for text in texts if ABROAD.search(text)] == []


def test_one_has_a_sentence_of_its_own_and_what_is_missing_raises(tmp_path: Path) -> None:
    file = tmp_path / "words.toml"
    file.write_text('[draw]\ncards.other = "{who} draws {n:,} cards."\ncards.one = "{who} draws 1 card."\n', "utf-8")
    catalogue = Catalogue(file)
    assert catalogue.say("draw.cards", who="Ada", n=1) == "Ada draws 1 card."
    assert catalogue.say("draw.cards", who="Ada", n=1200) == "Ada draws 1,200 cards."
    for key, places in (("draw.card", {}), ("draw.cards", {"n": 2})):
        with pytest.raises(KeyError):
            catalogue.say(key, **places)


def test_a_page_escapes_what_goes_into_a_place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "words.toml"
    file.write_text('[won]\nby = "{who} & {link} won."\n', "utf-8")
    monkeypatch.setattr(web, "CATALOGUE", Catalogue(file))
    said = web.say_in_page("won.by", who="<b>", link=Markup("<a>Bo</a>"))
    assert said == Markup("&lt;b&gt; &amp; <a>Bo</a> won.")


def test_the_phone_says_nothing_that_the_server_says() -> None:
    phone = set(web.PHONE.sentences.values())
    assert len(phone) > 60
    markup = "\n".join(file.read_text("utf-8") for file in TEMPLATES.rglob("*.html"))
    server = {text.strip() for text in re.findall(r">([^<>{}]+)<|\"([^\"{}]+)\"", markup) for text in text}
    server |= set(own("web").values()) | set(own("records").values())
    alike = {"Take back {card}"}  # a key of the pad, and one of the page that asks without a script
    assert {text for text in phone & server if len(text.split()) > 2} == alike


SAID_ITSELF = {"Referee", "HTML", "WhatsApp", "Telegram", "SIL Open Font License 1.1"}
"""Names, which are no language's."""


def test_no_template_says_anything_itself() -> None:
    """The pages of help are written from the documentation, in its language."""
    found = {}
    for file in set(TEMPLATES.rglob("*.html")) - set((TEMPLATES / "help").rglob("pages/*/*.html")):
        source = re.sub(r"\{% block kind %\}.*?\{% endblock %\}", "", file.read_text("utf-8"))  # classes
        nodes_ = Environment(autoescape=True).parse(source).find_all(nodes.TemplateData)
        text = "\0".join(node.data for node in nodes_)
        plain = re.sub(r"<!--.*?-->|<[^>]*>", "\0", text, flags=re.DOTALL)
        said = {part.strip(" –·\n") for part in plain.split("\0")} - SAID_ITSELF
        words = {part for part in said if re.search(r"[A-Za-z]{2}", re.sub(r"&\w+;", "", part)) and "=" not in part}
        if words:
            found[file.relative_to(TEMPLATES).as_posix()] = words
    assert found == {}


def _is_say(node: ast.expr | nodes.Node) -> bool:
    if isinstance(node, nodes.Call):
        return isinstance(node.node, nodes.Name) and node.node.name == "say"
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "say"


def _built_of_others() -> Iterator[str]:
    for file in PACKAGE.rglob("*.py"):
        for node in ast.walk(code_of(file)):
            match node:
                case ast.Call(args=[key, *_], keywords=given) if any(_is_say(place.value) for place in given):
                    yield ast.literal_eval(key) if _is_say(node) else ""
                case ast.BinOp(op=ast.Add(), left=left, right=right) if _is_say(left) or _is_say(right):
                    yield "" if ast.unparse(right) == repr("\n") else f"{file.name}:{node.lineno}"
                case ast.JoinedStr(values=parts) if any(
                    isinstance(part, ast.FormattedValue) and _is_say(part.value) for part in parts
                ):
                    beside = "".join(str(part.value) for part in parts if isinstance(part, ast.Constant))
                    yield f"{file.name}:{node.lineno}" if beside.strip(" .·\n") else ""
    for file in TEMPLATES.rglob("*.html"):
        tree = template_of(file)
        for call in tree.find_all(nodes.Call):
            if _is_say(call) and any(_is_say(place.value) for place in call.kwargs):
                yield call.args[0].as_const()
        for joined in tree.find_all(nodes.Concat):
            yield f"{file.name}:{joined.lineno}" if any(_is_say(part) for part in joined.nodes) else ""


def test_no_sentence_is_built_of_another() -> None:
    assert set(_built_of_others()) - {""} == set()
