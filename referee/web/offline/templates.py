"""The macros that draw hearings and rules, as data that ``static/js/templates.js`` fills on the phone.

The phone draws by the markup and the words that the server draws by. What a macro may be made of is little on purpose:
text, sentences, values of the view it is given, ``if``, ``for`` and other macros; anything else is refused when the app
starts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from jinja2 import Environment, nodes

from referee.web.words import CATALOGUE

FILES = (
    "_partials/icons.html",
    "_partials/cards.html",
    "_partials/lists.html",
    "disputes/_pages.html",
    "rules/_pages.html",
    "offline/_pages.html",
)
LEFT_OUT = frozenset({"sprite", "more_shapes", "face", "card", "called"})
"""Macros of these files that draw cards, which no page of the phone's own shows."""


def shared_templates(environment: Environment) -> dict[str, Any]:
    """Return the macros as ``{"macros": {name: {"takes", "defaults", "body"}}, "values": {name: value}}``.

    A body is a list of texts and of lists that begin with what they do, as ``["if", test, body, else]`` does. Raises
    `NotImplementedError` for what the phone cannot evaluate, naming file and line.
    """
    macros: dict[str, Any] = {}
    values: dict[str, Any] = {}
    for file in FILES:
        assert environment.loader is not None
        source, _, _ = environment.loader.get_source(environment, file)
        for node in environment.parse(source, file).body:
            if isinstance(node, nodes.Assign) and isinstance(node.target, nodes.Name):
                values[node.target.name] = _constant(node.node)
            elif isinstance(node, nodes.Macro) and node.name not in LEFT_OUT:
                takes = [argument.name for argument in node.args]
                defaults = [_constant(default) for default in node.defaults]
                try:
                    macros[node.name] = {"takes": takes, "defaults": defaults, "body": list(_body(node.body))}
                except NotImplementedError as error:
                    raise NotImplementedError(f"{file}: {error}") from None
    return {"macros": macros, "values": values}


def _body(statements: list[nodes.Node]) -> Iterator[Any]:
    for node in statements:
        if isinstance(node, nodes.Output):
            for part in node.nodes:
                yield part.data if isinstance(part, nodes.TemplateData) else ["out", _value(part)]
        elif isinstance(node, nodes.If):
            otherwise = list(_body(node.else_))
            for other in reversed(node.elif_):
                otherwise = [["if", _value(other.test), list(_body(other.body)), otherwise]]
            yield ["if", _value(node.test), list(_body(node.body)), otherwise]
        elif isinstance(node, nodes.For) and isinstance(node.target, nodes.Name) and node.test is None:
            yield ["for", node.target.name, _value(node.iter), list(_body(node.body)), list(_body(node.else_))]
        else:
            raise _too_much(node)


NAMED: Mapping[type[nodes.Node], str] = {nodes.Not: "not", nodes.And: "and", nodes.Or: "or"}


def _value(node: nodes.Node) -> Any:
    match node:
        case nodes.Const():
            return ["is", node.value]
        case nodes.Name():
            return ["name", node.name]
        case nodes.Getattr():
            return ["of", _value(node.node), ["is", node.attr]]
        case nodes.Getitem():
            return ["of", _value(node.node), _value(node.arg)]
        case nodes.Not():
            return ["not", _value(node.node)]
        case nodes.And() | nodes.Or():
            return [NAMED[type(node)], _value(node.left), _value(node.right)]
        case nodes.CondExpr():
            return ["choose", _value(node.test), _value(node.expr1), _value(node.expr2 or nodes.Const(""))]
        case nodes.Compare(ops=[nodes.Operand(op="eq", expr=other)]):
            return ["equal", _value(node.expr), _value(other)]
        case nodes.Filter(name="length", node=nodes.Node() as counted):
            return ["of", _value(counted), ["is", "length"]]
        case nodes.Call(node=nodes.Name(name="say"), args=[nodes.Const(value=key)], dyn_args=None, dyn_kwargs=None):
            return ["say", CATALOGUE.text(key), {place.key: _value(place.value) for place in node.kwargs}]
        case nodes.Call(node=nodes.Name() as macro, kwargs=[], dyn_args=None, dyn_kwargs=None):
            return ["call", macro.name, [_value(argument) for argument in node.args]]
    raise _too_much(node)


def _constant(node: nodes.Node) -> Any:
    if not isinstance(node, nodes.Expr):
        raise _too_much(node)
    return node.as_const()


def _too_much(node: nodes.Node) -> NotImplementedError:
    return NotImplementedError(f"line {node.lineno}: the phone has no {type(node).__name__}")
